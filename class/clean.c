#include "class/clean.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "class/files.h"
#include "harness/base/clean.h"

/* What turns or hides text, and what XML cannot hold. */
static bool is_harmful(uint32_t code)
{
    return is_control(code) || code == 0xfeff || (code & 0xfffe) == 0xfffe ||
           (code >= 0xe0000 && code <= 0xe007f);
}

char *clean(const char *text, bool lines)
{
    struct new_file whole;
    file_begin(&whole, "%s", "");
    for (const char *at = text; *at;) {
        uint32_t code;
        const int length = utf8_character(at, &code);
        if (length == 0)
            fprintf(whole.out, "<%02X>", (unsigned char)*at);
        else if (lines && (*at == '\n' || *at == '\t'))
            fputc(*at, whole.out);
        else if (is_harmful(code) && !(lines && *at == '\r' && at[1] == '\n'))
            fprintf(whole.out, "<U+%04X>", (unsigned)code);
        else if (!is_harmful(code))
            fwrite(at, 1, (size_t)length, whole.out);
        at += length ? length : 1;
    }
    fclose(whole.out);
    free(whole.path);
    return whole.text;
}

void csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    if (text[0] && strchr("=+-@\t\r", text[strspn(text, " ")]))
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void xml_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}
