#include "harness/source/variable.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/source/source.h"

#define LINE_BYTES 1024

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word before "=", ";" or "[" of a declaration. */
static void take_name(const char *line, char *found, size_t size)
{
    const char *end = line + strcspn(line, "=;[");
    while (end > line && !is_word(end[-1]))
        end--;
    const char *start = end;
    while (start > line && is_word(start[-1]))
        start--;
    text_set(found, size, "%.*s", (int)(end - start), start);
}

/* "    static bool filled = false;": indented, a variable, and not const. */
static bool is_static_variable(const char *line)
{
    const char *text = line + strspn(line, " \t");
    return text > line && strncmp(text, "static ", 7) == 0 && !source_has_word(text, "const") &&
           !source_has_word(text, "constexpr") && strpbrk(text, "=;") &&
           memchr(text, '(', strcspn(text, "=;")) == NULL;
}

int state_find_variable(const char *path, const char *name, bool *constant)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    int number = 0, result = 0;
    while (file && result == 0 && fgets(line, sizeof line, file)) {
        number++;
        *constant = source_has_word(line, "__constant__");
        if ((*constant || source_has_word(line, "__device__") || source_has_word(line, "__managed__")) &&
            source_has_word(line, name) && strchr(line, ';'))
            result = number;
    }
    if (file)
        fclose(file);
    return result;
}

int state_find_static(const char *path, char *name, size_t size)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    int number = 0, result = 0;
    while (file && result == 0 && fgets(line, sizeof line, file)) {
        number++;
        if (is_static_variable(line))
            result = number;
    }
    if (file)
        fclose(file);
    if (result > 0)
        take_name(line, name, size);
    return result;
}
