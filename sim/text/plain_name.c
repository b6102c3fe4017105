#include "sim/text/plain_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Reads <length><name> at *c and appends the name; false if there is none. */
static bool take_component(const char **c, char *text, size_t size)
{
    const char *p = *c;
    size_t length = 0, used = strlen(text);
    if (*p == 'L')
        p++; /* internal linkage */
    while (*p >= '0' && *p <= '9' && length < 10000)
        length = 10 * length + (size_t)(*p++ - '0');
    if (length == 0 || strlen(p) < length)
        return false;
    *c = p + length;
    bool anonymous = strncmp(p, "_GLOBAL__N_", 11) == 0 || strncmp(p, "_INTERNAL_", 10) == 0;
    if (anonymous) /* a namespace that exists in one file only, as for static functions */
        return true;
    snprintf(text + used, size - used, "%s%.*s", used > 0 ? "::" : "", (int)length, p);
    return true;
}

void plain_name(const char *mangled, char *text, size_t size)
{
    const char *c = mangled;
    text[0] = '\0';
    if (strncmp(c, "_Z", 2) == 0) {
        c += 2;
        bool nested = *c == 'N';
        if (nested)
            c++;
        while (take_component(&c, text, size) && nested)
            ;
    }
    if (text[0] == '\0')
        snprintf(text, size, "%s", mangled);
}
