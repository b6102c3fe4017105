#include "sim/text/divisor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/text/c_source.h"

/* A name with its members and its index, or what stands in parentheses; 0: something else, as a number. */
static size_t operand_length(const char *text)
{
    const char *end = text + c_name_length(text);
    if (*text == '(')
        end = c_skip_brackets(text, '(', ')');
    else if (end == text || *end == '(')
        return 0;
    while (*end == '.' && c_name_length(end + 1) > 0)
        end += 1 + c_name_length(end + 1);
    if (*end == '[')
        end = c_skip_brackets(end, '[', ']');
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    return (size_t)(end - text);
}

/* A constant by its looks: it is not what is 0. */
static bool is_capitals(const char *name)
{
    bool letters = false;
    for (; *name; name++) {
        if (islower((unsigned char)*name))
            return false;
        letters |= isupper((unsigned char)*name) != 0;
    }
    return letters;
}

/* The operator's only right side. False: there are several. */
static bool find_name(const char *text, char operator, char * name, size_t size)
{
    name[0] = '\0';
    for (const char *at = strchr(text, operator); at; at = strchr(at + 1, operator)) {
        const char *operand = c_skip_blanks(at + 1 + (at[1] == '='));
        const size_t length = operand_length(operand);
        char found[C_NAME_LENGTH];
        if (at[1] == '*' || at[1] == '/' || (at > text && at[-1] == '*') || length == 0 ||
            length >= sizeof found || length >= size)
            continue;
        memcpy(found, operand, length);
        found[length] = '\0';
        if (is_capitals(found) || strcmp(found, name) == 0)
            continue;
        if (name[0])
            return false;
        memcpy(name, found, length + 1);
    }
    return name[0] != 0;
}

/* The last line of the function, up to `line`, that stores in the name. */
static int find_assignment(const struct c_source *source, int line, const char *name)
{
    const struct c_lines function = c_function_around(source, line);
    for (int at = line; at >= function.first && at > 0; at--) {
        const char *text = source->text[at - 1];
        for (const char *found = c_find_word(text, text, name); found;
             found = c_find_word(text, found + strlen(name), name))
            if (c_is_assigned(found + strlen(name)))
                return at;
    }
    return 0;
}

struct divisor divisor_in_source(const char *file, int line, bool remainder)
{
    struct divisor d = {.name = ""};
    struct c_source source = c_source_read(file);
    if (line > 0 && line <= source.count &&
        !find_name(source.text[line - 1], remainder ? '%' : '/', d.name, sizeof d.name))
        d.name[0] = '\0';
    if (d.name[0] && c_is_name(d.name[0]))
        d.set_at = find_assignment(&source, line, d.name);
    free(source.text);
    return d;
}
