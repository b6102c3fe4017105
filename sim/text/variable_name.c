#include "sim/text/variable_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 40

void variable_name(const char *mangled, char *text, size_t size)
{
    const char *found = mangled;
    size_t total = strlen(mangled), length = total;
    if (strncmp(mangled, "_Z", 2) == 0)
        for (size_t i = 2; i < total; i++) { /* <length><name>, the last one that ends with the text */
            size_t n = 0, k = i;
            while (k < total && isdigit((unsigned char)mangled[k]) && n < total)
                n = 10 * n + (size_t)(mangled[k++] - '0');
            bool last = k > i && n > 0 && (k + n == total || (k + n < total && mangled[k + n] == '_'));
            if (last && !isdigit((unsigned char)mangled[i - 1])) {
                found = mangled + k;
                length = n;
            }
        }
    snprintf(text, size, "%.*s", (int)length, found);
}

const struct kernel_variable *variable_at(const struct kernel_variable *list, int count, uint64_t offset)
{
    const struct kernel_variable *found = NULL;
    for (int i = 0; i < count; i++)
        if (list[i].offset <= offset && (list[i].size == 0 || offset < list[i].offset + list[i].size))
            found = &list[i];
    return found;
}

const struct kernel_variable *variable_below(const struct kernel_variable *list, int count, uint64_t offset)
{
    const struct kernel_variable *found = NULL;
    for (int i = 0; i < count; i++)
        if (list[i].offset <= offset)
            found = &list[i];
    return found;
}

void variable_describe(const struct kernel_variable *v, const char *space, uint64_t offset, int element,
                       char *text, size_t size)
{
    if (!v) {
        snprintf(text, size, "%s memory (byte %" PRIu64 ")", space, offset);
        return;
    }
    char name[NAME_SIZE];
    variable_name(v->name, name, sizeof name);
    uint64_t inside = offset - v->offset;
    if (v->size == (size_t)element)
        snprintf(text, size, "%s variable %s", space, name);
    else if (inside % (uint64_t)element == 0)
        snprintf(text, size, "%s array %s[%" PRIu64 "]", space, name, inside / (uint64_t)element);
    else
        snprintf(text, size, "%s array %s (byte %" PRIu64 ")", space, name, inside);
}
