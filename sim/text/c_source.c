#include "sim/text/c_source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/need.h"

#define LINES_MAX 5000

struct c_source c_source_read(const char *path)
{
    struct c_source source = {NULL, 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return source;
    source.text = sim_need(LINES_MAX, sizeof *source.text, "a source file");
    while (source.count < LINES_MAX && fgets(source.text[source.count], C_LINE_SIZE, file)) {
        char *comment = strstr(source.text[source.count], "//");
        if (comment)
            *comment = '\0';
        source.count++;
    }
    fclose(file);
    return source;
}

struct c_lines c_function_around(const struct c_source *source, int line)
{
    struct c_lines lines = {line, line};
    while (lines.first > 1 && source->text[lines.first - 2][0] != '}')
        lines.first--;
    while (lines.last < source->count && source->text[lines.last - 1][0] != '}')
        lines.last++;
    return lines;
}

bool c_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t c_name_length(const char *text)
{
    size_t length = 0;
    while (!isdigit((unsigned char)*text) && c_is_name(text[length]))
        length++;
    return length;
}

const char *c_skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

const char *c_skip_brackets(const char *text, char open, char close)
{
    text = c_skip_blanks(text);
    while (*text == open) {
        const char *end = text;
        int depth = 0;
        do
            depth += (*end == open) - (*end == close);
        while (*end++ && depth > 0);
        if (depth > 0)
            return text;
        text = c_skip_blanks(end);
    }
    return text;
}

const char *c_find_word(const char *text, const char *from, const char *name)
{
    const size_t length = strlen(name);
    for (const char *found = from; (found = strstr(found, name)); found += length)
        if ((found == text || (!c_is_name(found[-1]) && found[-1] != '.')) && !c_is_name(found[length]))
            return found;
    return NULL;
}

bool c_is_assigned(const char *after)
{
    after = c_skip_brackets(after, '[', ']');
    if (*after && strchr("+-*/|&^%", *after) && (after[1] == '=' || after[1] == *after))
        return true;
    return *after == '=' && after[1] != '=';
}
