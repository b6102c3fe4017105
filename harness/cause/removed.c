/* A store that stands in the source and not in the compiled kernel: the compiler has found that it is never reached. */
#include <ctype.h>
#include <string.h>

#include "harness/cause/internal.h"
#include "harness/source/source.h"
#include "harness/source/value.h"
#include "harness/source/value_internal.h"

/* Is the word a parameter of the function that is a pointer? */
static bool is_pointer(const struct source_function *f, const char *begin, const char *name, size_t length)
{
    const char *at = f->body;
    while (at > begin && at[-1] != ';' && at[-1] != '}')
        at--;
    while ((at = value_find_word(at, f->body, name, length)) != NULL) {
        const char *before = at;
        while (before > begin && (isspace((unsigned char)before[-1]) || value_in_word(before[-1])))
            before--;
        if (before > begin && before[-1] == '*')
            return true;
        at += length;
    }
    return false;
}

/* The array that the = at `equal` stores to, as d_y in d_y[i] += x; NULL: it stores to no element. */
static const char *stored_array(const char *body, const char *equal, size_t *length)
{
    const char *end = equal;
    int depth = 0;
    while (end > body && (strchr("+-*/&|^ ", end[-1])))
        end--;
    if (end == body || end[-1] != ']' || equal[1] == '=')
        return NULL;
    do {
        end--;
        depth += *end == ']' ? 1 : *end == '[' ? -1 : 0;
    } while (end > body && depth > 0);
    const char *name = end;
    while (name > body && value_in_word(name[-1]))
        name--;
    *length = (size_t)(end - name);
    return *length > 0 ? name : NULL;
}

/* The bracket that closes the one at `s`, or `end`. */
static const char *close_of(const char *s, const char *end)
{
    int depth = 0;
    for (; s < end; s++) {
        depth += strchr("({", *s) ? 1 : strchr(")}", *s) ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return end;
}

/* The condition of the innermost if or while that decides whether `at` is reached: what stands in its parentheses. */
static bool find_condition(const struct source_function *f, const char *at, const char **begin,
                           const char **end)
{
    *begin = NULL;
    for (const char *s = f->body; s < at;) {
        const size_t length = value_word_length(s, at);
        if (length > 0 && (value_is_word(s, length, "if") || value_is_word(s, length, "while"))) {
            const char *open = value_skip_blanks(s + length, f->end), *close = close_of(open, f->end);
            const char *body = close < f->end ? value_skip_blanks(close + 1, f->end) : f->end;
            const char *last = body < f->end && *body == '{' ? close_of(body, f->end) : strchr(body, ';');
            if (close < at && last && at < last) {
                *begin = open + 1;
                *end = close;
            }
        }
        s += length > 0 ? length : 1;
    }
    return *begin != NULL;
}

static void say_removed(struct cause *c, const struct source *source, const struct source_function *f,
                        const char *at)
{
    const struct value_context context = {.source = source};
    const char *slash = strrchr(c->source, '/'), *file = slash ? slash + 1 : c->source, *begin, *end;
    const int line = value_line(&context, at);
    struct protocol_place place = {.line = line};
    text_set(place.file, sizeof place.file, "%s", c->source);
    SAY(c,
        "%s:%d would store it, but the compiled kernel has no instruction that stores to global memory: the compiler "
        "has removed it, because it is never reached",
        file, line);
    if (find_condition(f, at, &begin, &end) && end - begin < 100)
        SAY(c, ". The condition at %s:%d can never be met: %.*s", file, value_line(&context, begin),
            (int)(end - begin), begin);
    SAY(c, ".\n");
    cause_set_place(c, &place);
}

bool cause_tell_removed(struct cause *c)
{
    const char *kernel = c->mailbox->launch[0].kernel;
    const size_t name = strcspn(kernel, "<(");
    struct source source;
    bool told = false;
    source_read(&source, c->source, "");
    for (int i = 0; i < source.count && !told; i++) {
        const struct source_function *f = &source.function[i];
        if (!f->of_student || strlen(f->name) != name || strncmp(f->name, kernel, name) != 0)
            continue;
        for (const char *s = f->body; !told && (s = memchr(s, '=', (size_t)(f->end - s))) != NULL; s++) {
            size_t length;
            const char *array = stored_array(f->body, s, &length);
            if (!array || !is_pointer(f, source.student, array, length))
                continue;
            say_removed(c, &source, f, array);
            told = true;
        }
    }
    source_free(&source);
    return told;
}
