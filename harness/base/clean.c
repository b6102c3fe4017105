#include "harness/base/clean.h"

#include <string.h>

int utf8_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    const int length = s[0] < 0x80                   ? 1
                       : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                       : (s[0] & 0xf0) == 0xe0       ? 3
                       : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                     : 0;
    *code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : length;
}

bool is_control(uint32_t code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void text_clean(char *text, bool one_line)
{
    uint32_t code;
    for (int length; *text; text += length) {
        length = utf8_character(text, &code);
        const bool stays = !one_line && (code == '\n' || code == '\t');
        if (length == 0 || (is_control(code) && !stays)) {
            length = length ? length : 1;
            memset(text, '?', (size_t)length);
        }
    }
}
