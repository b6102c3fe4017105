#include "class/clean.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "class/files.h"

/* The code point at `text` and its length; 0: these bytes are no UTF-8 (RFC 3629). */
static int decode(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int length = text[0] < 0x80             ? 1
                       : (text[0] & 0xe0) == 0xc0 ? 2
                       : (text[0] & 0xf0) == 0xe0 ? 3
                       : (text[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool valid =
        length && *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
    return valid ? length : 0;
}

/* C0, DEL, C1; marks, embeddings and isolates of direction; separators of lines; what is no character. */
static bool is_harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x206f) ||
           code == 0xfeff || (code & 0xfffe) == 0xfffe || (code >= 0xe0000 && code <= 0xe007f);
}

char *clean(const char *text, bool lines)
{
    struct new_file whole;
    file_begin(&whole, "%s", "");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        uint32_t code;
        const int length = decode(at, &code);
        if (length == 0)
            fprintf(whole.out, "<%02X>", *at);
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
