/* What names in the student's file stand for: where a variable, a parameter, a macro or a constant gets its value. */
#include "harness/source/value_internal.h"

#include <ctype.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------------ */

bool value_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *value_skip_blanks(const char *s, const char *end)
{
    while (s < end && isspace((unsigned char)*s))
        s++;
    return s;
}

size_t value_word_length(const char *s, const char *end)
{
    size_t length = 0;
    while (s + length < end && value_in_word(s[length]))
        length++;
    return length;
}

bool value_is_word(const char *s, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(s, word, length) == 0;
}

bool value_is_one_of(const char *s, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (value_is_word(s, length, *words))
            return true;
    return false;
}

/* The next place between `s` and `end` where the word stands by itself; NULL: there is none. */
const char *value_find_word(const char *s, const char *end, const char *word, size_t length)
{
    for (; s + length <= end; s++)
        if (memcmp(s, word, length) == 0 && !value_in_word(s[-1]) &&
            (s + length == end || !value_in_word(s[length])))
            return s;
    return NULL;
}

/* The end of the part that begins at `s`: a comma, semicolon or closing bracket at its own level, or `end`. */
const char *value_end_of_part(const char *s, const char *end)
{
    int depth = 0;
    for (; s < end; s++) {
        if (strchr("([{", *s))
            depth++;
        else if (strchr(")]}", *s) && depth-- == 0)
            return s;
        else if ((*s == ',' || *s == ';') && depth == 0)
            return s;
    }
    return end;
}

int value_line(const struct value_context *context, const char *at)
{
    int line = 1;
    for (const char *s = context->source->student; s < at; s++)
        line += *s == '\n';
    return line;
}

/* ---- variables ------------------------------------------------------------------------------------------- */

/* Where the name is changed by something else than its declaration: += ++ -- or by its address. */
bool value_is_changed_at(const char *at, size_t length, const char *begin, const char *end)
{
    const char *next = value_skip_blanks(at + length, end), *before = at;
    while (before > begin && isspace((unsigned char)before[-1]))
        before--;
    if (next + 1 < end && (memcmp(next, "++", 2) == 0 || memcmp(next, "--", 2) == 0))
        return true;
    if (next + 1 < end && strchr("+-*/%&|^", *next) && next[1] == '=')
        return true;
    if (next + 2 < end && (memcmp(next, "<<=", 3) == 0 || memcmp(next, ">>=", 3) == 0))
        return true;
    if (before >= begin + 2 && (memcmp(before - 2, "++", 2) == 0 || memcmp(before - 2, "--", 2) == 0))
        return true;
    return before >= begin + 2 && before[-1] == '&' && before[-2] != '&' && !value_in_word(before[-2]) &&
           before[-2] != ')';
}

/* A word stands in front: its type. */
bool value_is_declared_at(const char *at, const char *begin)
{
    static const char *const no_types[] = {"return", "else", "case", "goto", NULL};
    while (at > begin && isspace((unsigned char)at[-1]))
        at--;
    const char *start = at;
    while (start > begin && value_in_word(start[-1]))
        start--;
    return start < at && !value_is_one_of(start, (size_t)(at - start), no_types);
}

/* The word in front of the name. */
static bool is_integer_type(const char *at, const char *begin)
{
    static const char *const types[] = {"int",      "unsigned", "long",    "size_t", "short", "int64_t",
                                        "uint32_t", "uint64_t", "int32_t", "dim3",   "bool",  NULL};
    while (at > begin && isspace((unsigned char)at[-1]))
        at--;
    const char *start = at;
    while (start > begin && value_in_word(start[-1]))
        start--;
    return value_is_one_of(start, (size_t)(at - start), types);
}

/* "= 3" or "(3" behind the name, at `next`: where the value begins; NULL: it is no definition. */
static const char *defined_by(const char *at, const char *next, const char *begin, const char *end)
{
    if (next < end && *next == '=' && next + 1 < end && next[1] != '=')
        return next + 1;
    return next < end && *next == '(' && value_is_declared_at(at, begin) ? next + 1 : NULL;
}

bool value_definition(const struct value_context *context, const struct source_function *f, const char *name,
                      size_t length, struct value_definition *out)
{
    int found = 0;
    for (const char *at = f->body; (at = value_find_word(at, f->end, name, length)) != NULL; at += length) {
        const char *next = value_skip_blanks(at + length, f->end),
                   *value = defined_by(at, next, f->body, f->end);
        if (value_is_changed_at(at, length, f->body, f->end) || (value && !value_is_declared_at(at, f->body)))
            return false;
        if (!value)
            continue;
        found++;
        out->begin = value_skip_blanks(value, f->end);
        out->end = value_end_of_part(out->begin, f->end);
        out->line = value_line(context, at);
        out->is_integer = is_integer_type(at, f->body);
    }
    return found == 1;
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

/* The parenthesis that opens the function's parameters. */
static const char *parameters_of(const struct source *source, const struct source_function *f)
{
    const char *s = f->body;
    int depth = 0;
    while (s > source->student && *--s != ')')
        ;
    for (; s > source->student; s--) {
        depth += *s == ')' ? 1 : *s == '(' ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return NULL;
}

/* The number of the parameter with this name; -1: there is none. */
int value_find_parameter(const struct source *source, const struct source_function *f, const char *name,
                         size_t length)
{
    const char *s = parameters_of(source, f);
    for (int number = 0; s && number < VALUE_PARTS_MOST && (*s == '(' || *s == ','); number++) {
        const char *end = value_end_of_part(s + 1, f->body), *last = end;
        while (last > s && !value_in_word(last[-1]))
            last--;
        const char *first = last;
        while (first > s && value_in_word(first[-1]))
            first--;
        if ((size_t)(last - first) == length && memcmp(first, name, length) == 0)
            return number;
        s = end;
    }
    return -1;
}

/*
 * The only place in the student's functions where `f` is called: its parenthesis, and the function; NULL: none, or
 * several.
 */
const char *value_only_call(const struct source *source, const struct source_function *f,
                            const struct source_function **caller)
{
    const char *found = NULL;
    for (int i = 0; i < source->count; i++) {
        const struct source_function *g = &source->function[i];
        for (const char *at = g->body;
             g->of_student && g != f && (at = value_find_word(at, g->end, f->name, strlen(f->name))) != NULL;
             at++) {
            const char *next = value_skip_blanks(at + strlen(f->name), g->end);
            if (*next != '(' || found)
                return NULL;
            found = next;
            *caller = g;
        }
    }
    return found;
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* #define NAME value */
bool value_find_macro(const char *text, const char *name, size_t length, const char **begin, const char **end)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *last = line + strcspn(line, "\n"), *s = value_skip_blanks(line, last);
        if (*s != '#')
            continue;
        s = value_skip_blanks(s + 1, last);
        if (value_word_length(s, last) != 6 || memcmp(s, "define", 6) != 0)
            continue;
        s = value_skip_blanks(s + 6, last);
        if (value_word_length(s, last) != length || memcmp(s, name, length) != 0 || s[length] == '(')
            continue;
        *begin = s + length;
        for (*end = *begin; *end < last && strncmp(*end, "//", 2) != 0 && strncmp(*end, "/*", 2) != 0;)
            ++*end;
        return true;
    }
    return false;
}

static bool is_in_function(const struct source *source, const char *at)
{
    for (int i = 0; i < source->count; i++)
        if (source->function[i].of_student && at >= source->function[i].body && at < source->function[i].end)
            return true;
    return false;
}

/* const int NAME = value; or enum { NAME = value }; outside of functions */
bool value_find_constant(const struct source *source, const char *name, size_t length, const char **begin,
                         const char **end)
{
    const char *last = source->student + strlen(source->student);
    for (const char *at = source->student + 1; (at = value_find_word(at, last, name, length)) != NULL; at++) {
        const char *next = value_skip_blanks(at + length, last), *start = at;
        if (*next != '=' || next[1] == '=' || is_in_function(source, at))
            continue;
        while (start > source->student && start[-1] != ';' && start[-1] != '}')
            start--;
        if (!value_find_word(start, at, "const", 5) && !value_find_word(start, at, "constexpr", 9) &&
            !value_find_word(start, at, "enum", 4))
            return false;
        *begin = next + 1;
        *end = value_end_of_part(next + 1, last);
        return true;
    }
    return false;
}
