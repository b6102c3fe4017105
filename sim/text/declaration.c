#include "sim/text/declaration.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"

#define LINE_SIZE   512
#define LINES_MAX   5000
#define NAME_LENGTH 64

/* A source file without its comments of one line. */
struct source {
    char (*text)[LINE_SIZE];
    int count;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct source read_source(const char *path)
{
    struct source source = {NULL, 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return source;
    source.text = sim_need(LINES_MAX, sizeof *source.text, "a source file");
    while (source.count < LINES_MAX && fgets(source.text[source.count], LINE_SIZE, file)) {
        char *comment = strstr(source.text[source.count], "//");
        if (comment)
            *comment = '\0';
        source.count++;
    }
    fclose(file);
    return source;
}

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Behind what is in brackets of that kind, if it begins here, and blanks. */
static const char *skip_brackets(const char *text, char open, char close)
{
    text = skip_blanks(text);
    while (*text == open) {
        const char *end = strchr(text, close);
        if (!end)
            return text;
        text = skip_blanks(end + 1);
    }
    return text;
}

static const char *skip_alignment(const char *text)
{
    text = skip_blanks(text);
    if (strncmp(text, "__align__", 9) == 0)
        text = skip_brackets(text + 9, '(', ')');
    return text;
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (!isdigit((unsigned char)*text) && is_name(text[length]))
        length++;
    return length;
}

/* ---- declarations -------------------------------------------------------------------------------------- */

/* Whether it could begin the declaration of a local variable. */
static bool begins_declaration(const char *start)
{
    static const char *const others[] = {"return", "for",  "extern",     "typedef",
                                         "using",  "goto", "__shared__", "__constant__"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(start, others[i], strlen(others[i])) == 0)
            return false;
    return name_length(start) > 0 && strchr(start, ';') && !strstr(start, "__shared__");
}

/* Whether the line is "TYPE …, name[…]…, …;" where the name gets no value. */
static bool declares(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *start = skip_alignment(text);
    if (!begins_declaration(start))
        return false;
    for (const char *found = start; (found = strstr(found, name)); found += length) {
        const char *after = skip_brackets(found + length, '[', ']'), *before = found;
        while (before > start && isspace((unsigned char)before[-1]))
            before--;
        if (before > start && before < found && !is_name(found[length]) && (*after == ';' || *after == ',') &&
            (is_name(before[-1]) || before[-1] == ',') && !memchr(start, '(', (size_t)(found - start)))
            return true;
    }
    return false;
}

/* The nearest line above, or else the only one below; 0: none. */
static int find_declaration(const struct source *source, int line, const char *name)
{
    int found = 0;
    for (int at = line; at > 0; at--)
        if (declares(source->text[at - 1], name))
            return at;
    for (int at = line + 1; at <= source->count; at++) {
        if (declares(source->text[at - 1], name) && found)
            return 0;
        if (declares(source->text[at - 1], name))
            found = at;
    }
    return found;
}

/* ---- the line that uses it ----------------------------------------------------------------------------- */

static bool contains_name(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *found = text; (found = strstr(found, name)); found += length)
        if ((found == text || !is_name(found[-1])) && !is_name(found[length]))
            return true;
    return false;
}

/* The variable that an assignment changes and reads: "name[…] += …", "name = … name …"; false: there is none. */
static bool find_accumulator(const char *text, char name[NAME_LENGTH])
{
    const char *start = skip_blanks(text);
    const size_t length = name_length(start);
    if (length == 0 || length >= NAME_LENGTH)
        return false;
    memcpy(name, start, length);
    name[length] = '\0';
    const char *after = skip_brackets(start + length, '[', ']');
    if (*after == '.')
        after = skip_brackets(after + 1 + name_length(after + 1), '[', ']');
    if (strchr("+-*/|&^", *after) && *after)
        return after[1] == '=';
    return *after == '=' && after[1] != '=' && contains_name(after, name);
}

/* The only variable of the line that is declared without a value. */
static int find_only(const struct source *source, int line, char name[NAME_LENGTH])
{
    int found = 0;
    name[0] = '\0';
    for (const char *text = source->text[line - 1]; *text;) {
        const size_t length = name_length(text);
        char word[NAME_LENGTH] = "";
        if (length < NAME_LENGTH)
            memcpy(word, text, length);
        text += length ? length : 1;
        while (length == 0 && is_name(*text) && is_name(text[-1]))
            text++;
        const int at = word[0] && strcmp(word, name) != 0 ? find_declaration(source, line, word) : 0;
        if (at && found)
            return 0;
        if (at)
            memcpy(name, word, sizeof word);
        found = at ? at : found;
    }
    return found;
}

int declaration_without_value(const char *file, int line, char *name, size_t size)
{
    char found_name[NAME_LENGTH] = "";
    int found = 0;
    struct source source = read_source(file);
    if (line > 0 && line <= source.count)
        found = find_accumulator(source.text[line - 1], found_name)
                    ? find_declaration(&source, line, found_name)
                    : find_only(&source, line, found_name);
    free(source.text);
    snprintf(name, size, "%s", found ? found_name : "");
    return found;
}

bool source_contains(const char *file, const char *const *words)
{
    struct source source = read_source(file);
    bool found = source.count == 0;
    for (int line = 0; line < source.count; line++)
        for (int i = 0; words[i]; i++)
            found |= strstr(source.text[line], words[i]) != NULL;
    free(source.text);
    return found;
}
