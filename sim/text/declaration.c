#include "sim/text/declaration.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE   512
#define LINES_BACK  200 /* a function is hardly longer */
#define NAME_LENGTH 64

/* The lines up to and with the one that is asked for, the last LINES_BACK of them. */
struct lines {
    char text[LINES_BACK][LINE_SIZE];
    int last; /* line number of the last one */
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Comments of one line are cut off. */
static bool read_lines(const char *path, int line, struct lines *lines)
{
    FILE *file = line > 0 ? fopen(path, "r") : NULL;
    lines->last = 0;
    while (file && lines->last < line) {
        char *text = lines->text[(lines->last + 1) % LINES_BACK];
        if (!fgets(text, LINE_SIZE, file))
            break;
        char *comment = strstr(text, "//");
        if (comment)
            *comment = '\0';
        lines->last++;
    }
    if (file)
        fclose(file);
    return line > 0 && lines->last == line;
}

/* Behind the blanks. */
static const char *skip(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Behind `[...]`s. */
static const char *skip_subscripts(const char *text)
{
    for (text = skip(text); *text == '['; text = skip(text)) {
        const char *end = strchr(text, ']');
        if (!end)
            return text;
        text = end + 1;
    }
    return text;
}

/* Whether the line is "TYPE …, name[…]…, …;" where the name gets no value. */
static bool declares(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *start = skip(text), *found = start;
    if (!isalpha((unsigned char)*start) || strncmp(start, "return", 6) == 0 || strstr(start, "__shared__") ||
        strstr(start, "extern ") || !strchr(start, ';') || strncmp(start, "for", 3) == 0)
        return false;
    while ((found = strstr(found, name))) {
        const char *after = skip_subscripts(found + length), *before = found;
        while (before > start && isspace((unsigned char)before[-1]))
            before--;
        if (found > start && !is_name(found[-1]) && !is_name(found[length]) &&
            (*after == ';' || *after == ',') && before > start &&
            (is_name(before[-1]) || before[-1] == ',') && !memchr(start, '(', (size_t)(found - start)) &&
            before < found)
            return true;
        found += length;
    }
    return false;
}

static int find_declaration(const struct lines *lines, const char *name)
{
    for (int line = lines->last; line > 0 && line > lines->last - LINES_BACK; line--)
        if (declares(lines->text[line % LINES_BACK], name))
            return line;
    return 0;
}

int declaration_without_value(const char *file, int line, char *name, size_t size)
{
    static const char none[] = "";
    struct lines lines;
    int found = 0;
    if (!read_lines(file, line, &lines))
        return 0;
    snprintf(name, size, "%s", none);
    for (const char *text = lines.text[line % LINES_BACK]; *text;) {
        char word[NAME_LENGTH] = "";
        size_t length = 0;
        while (is_name(text[length]))
            length++;
        if (length && length < sizeof word && !isdigit((unsigned char)*text))
            memcpy(word, text, length);
        text += length ? length : 1;
        const int at = word[0] && strcmp(word, name) != 0 ? find_declaration(&lines, word) : 0;
        if (at && found)
            return 0;
        if (at) {
            found = at;
            snprintf(name, size, "%s", word);
        }
    }
    return found;
}
