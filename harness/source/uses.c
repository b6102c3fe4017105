#include "harness/source/uses.h"

#include <string.h>

#include "harness/base/text.h"
#include "harness/source/value.h"

#define LINES_MOST     24
#define TOLD_MOST      4 /* lines that set a variable: of one that has more nothing is said */
#define NAMES_MOST     6
#define VARIABLES_MOST 12
#define SAID_MOST      4
#define EXPRESSION     80 /* bytes that are told */

struct lines {
    int line[LINES_MOST];
    int count; /* may be more */
};

/* In their order in the file, each once. */
static void add_line(struct lines *lines, int line)
{
    int at = 0;
    for (int i = 0; i < lines->count && i < LINES_MOST; i++)
        if (lines->line[i] == line)
            return;
    while (at < lines->count && at < LINES_MOST && lines->line[at] < line)
        at++;
    for (int i = LINES_MOST - 1; i > at; i--)
        lines->line[i] = lines->line[i - 1];
    if (at < LINES_MOST)
        lines->line[at] = line;
    lines->count++;
}

static bool is_member(const struct tokens *t, int i)
{
    return token_in(t, i - 1, " . -> :: ");
}

static const struct item *function_of_parameter(const struct program *p, const struct variable *v)
{
    const struct item *item = program_item_of(p, v->name);
    return item && item->kind == ITEM_FUNCTION && v->name > item->parameters && v->name < item->body ? item
                                                                                                     : NULL;
}

/* Of what the line only stores to, where it stood before is of no use, but its declaration. */
static bool is_target(const struct program *p, const struct variable *v, int line)
{
    bool target = false;
    for (int i = 0; i < p->tokens.count; i++) {
        if (p->tokens.token[i].line != line || !token_same(&p->tokens, i, v->name))
            continue;
        if (!program_is_set(&p->tokens, i))
            return false;
        target = true;
    }
    return target;
}

static int first_token(const struct program *p, int line)
{
    int i = 0;
    while (i < p->tokens.count && p->tokens.token[i].line < line)
        i++;
    return i;
}

/* A variable of the file may be set anywhere: in the line's own function is what counts. */
static void find_set(const struct program *p, const struct variable *v, int line, struct lines *lines)
{
    const struct tokens *t = &p->tokens;
    const bool target = is_target(p, v, line);
    const struct item *item = v->is_global ? program_item_of(p, first_token(p, line)) : NULL;
    for (int i = item ? item->first : v->first; i <= (item ? item->last : v->last); i++) {
        const bool begins =
            i == v->name && !v->is_global && !function_of_parameter(p, v) && token_in(t, i + 1, " = ( { [ ");
        const bool again = !target && i != v->name && token_same(t, i, v->name) && !is_member(t, i) &&
                           program_meaning(p, i, i) == v && program_is_set(t, i);
        if ((begins || again) && t->token[i].line != line)
            add_line(lines, t->token[i].line);
    }
}

/* "lines 36 and 38" */
static void say_lines(const struct lines *lines, char *said, size_t size)
{
    text_append(said, size, "line%s", lines->count == 1 ? "" : "s");
    for (int i = 0; i < lines->count; i++)
        text_append(said, size, "%s %d", i == 0 ? "" : i + 1 == lines->count ? " and" : ",", lines->line[i]);
}

/* ---- how the numbers of a line are made ------------------------------------------------------------------ */

struct story {
    const struct program *program;
    int line, call_line; /* call_line: where its function was called; 0: not known */
    const struct variable *variable[VARIABLES_MOST]; /* what the line names, and what goes into that */
    int count, named, told;                          /* named: on the line itself, they come first */
    char *said;
    size_t size;
};

static void add_variable(struct story *s, int i)
{
    const struct variable *v = token_is_name(&s->program->tokens, i) && !is_member(&s->program->tokens, i)
                                   ? program_meaning(s->program, i, i)
                                   : NULL;
    bool known = !v || v->first < 0 || s->count == VARIABLES_MOST;
    for (int k = 0; k < s->count && !known; k++)
        known = s->variable[k] == v;
    if (!known)
        s->variable[s->count++] = v;
}

static void add_all(struct story *s, int first, int last)
{
    for (int i = first; i <= last; i++)
        add_variable(s, i);
}

/* In the brackets of an element, or of a launch. */
static bool is_index(const struct tokens *t, int i)
{
    for (int k = i - 1; k >= 0 && !token_in(t, k, " ; { } "); k--)
        if (token_in(t, k, " [ <<< ") && t->token[k].match > i)
            return true;
    return false;
}

/* The variables that the line names and does not only set; `index`: where it has an index or a launch, only what stands there. */
static void add_named(struct story *s, bool index)
{
    const struct tokens *t = &s->program->tokens;
    for (int i = first_token(s->program, s->line); i < t->count && t->token[i].line == s->line; i++) {
        const struct variable *v =
            token_is_name(t, i) && !is_member(t, i) ? program_meaning(s->program, i, i) : NULL;
        const bool is_stored = token_is(t, i + 1, "=") && !token_is(t, i - 1, "*");
        if (v && (index ? is_index(t, i) : !is_stored || !is_target(s->program, v, s->line)))
            add_variable(s, i);
    }
    s->named = s->count;
}

static void begin(struct story *s, const struct variable *v)
{
    char name[64];
    token_copy(&s->program->tokens, v->name, name, sizeof name);
    s->told++;
    if (s->said[0])
        text_append(s->said, s->size, "; `%s`", name);
    else
        text_append(s->said, s->size, "Line %d uses `%s`", s->line, name);
}

/* What the function was called with. One of the lab's is called from outside, too: there it is known only if the finding says so. */
static bool find_argument(const struct story *s, const struct variable *v, int *first, int *last)
{
    char name[4];
    const struct item *function = function_of_parameter(s->program, v);
    if (!function || !value_argument(s->program, v, first, last))
        return false;
    token_copy(&s->program->tokens, function->name, name, sizeof name);
    return strcmp(name, "lab") != 0 || s->program->tokens.token[*first].line == s->call_line;
}

/* Its value is an expression of the file, here or where the function is called. */
static bool say_expression(struct story *s, const struct variable *v)
{
    const struct tokens *t = &s->program->tokens;
    char as[EXPRESSION];
    int first, last;
    if (v->class != CLASS_INTEGER || /* a dim3 has three */
        (!value_definition(s->program, v, &first, &last) && !find_argument(s, v, &first, &last)))
        return false;
    const bool is_plain = token_is(t, first + 1, ".") && last == first + 2; /* threadIdx.x */
    if (t->token[first].line != s->line && !is_plain && !(first == last && token_same(t, first, v->name))) {
        tokens_copy(t, first, last, as, sizeof as);
        begin(s, v);
        text_append(s->said, s->size, ", which is %s%s (line %d)", as,
                    strlen(as) == EXPRESSION - 1 ? "..." : "", t->token[first].line);
    }
    add_all(s, first, last);
    return true;
}

static void say_lines_of(struct story *s, const struct variable *v)
{
    struct lines set = {.count = 0};
    find_set(s->program, v, s->line, &set);
    if (set.count == 0 || set.count > TOLD_MOST)
        return;
    begin(s, v);
    text_append(s->said, s->size, ", from ");
    say_lines(&set, s->said, s->size);
}

static void say_all(struct story *s)
{
    for (int i = 0; i < s->count && s->told < SAID_MOST; i++) {
        const struct variable *v = s->variable[i];
        if (say_expression(s, v))
            continue;
        if (v->loop >= 0) { /* what the loop counts by, and to where */
            const int open = s->program->statement[v->loop].condition;
            add_all(s, open, s->program->tokens.token[open].match);
        } else if (i < s->named && !function_of_parameter(s->program, v)) {
            say_lines_of(s, v);
        }
    }
    if (s->said[0])
        text_append(s->said, s->size, ".");
}

void uses_say(const char *text, int line, int call_line, char *said, size_t size)
{
    struct program program;
    text_set(said, size, "%s", "");
    if (program_read(&program, text, "")) {
        struct story story = {
            .program = &program, .line = line, .call_line = call_line, .said = said, .size = size};
        add_named(&story, true);
        say_all(&story);
        if (!said[0] &&
            call_line ==
                0) { /* nothing of an index: what the values come from; or the caller's line says it */
            story.count = 0;
            add_named(&story, false);
            say_all(&story);
        }
    }
    program_free(&program);
}

/* The third part of what the launch is given; false: the line has none. */
static bool find_bytes(const struct tokens *t, int i, int line, int *first, int *last)
{
    while (i < t->count && t->token[i].line == line && !token_is(t, i, "<<<"))
        i++;
    *last = i;
    for (int part = 0; part < 3; part++) {
        if (!token_in(t, *last, part == 0 ? " <<< " : " , "))
            return false;
        *first = *last + 1;
        *last = token_end_of_part(t, *first) + 1;
    }
    return --*last >= *first;
}

void uses_say_bytes(const char *text, int line, char *said, size_t size)
{
    struct program program;
    char bytes[EXPRESSION];
    int first, last;
    text_set(said, size, "%s", "");
    if (program_read(&program, text, "") &&
        find_bytes(&program.tokens, first_token(&program, line), line, &first, &last)) {
        struct story story = {.program = &program, .line = line, .said = said, .size = size};
        tokens_copy(&program.tokens, first, last, bytes, sizeof bytes);
        text_append(said, size, "Line %d gives it %s bytes of dynamic shared memory", line, bytes);
        add_all(&story, first, last);
        say_all(&story);
    }
    program_free(&program);
}

int uses_find(const char *text, int line, int lines[USES_MOST])
{
    struct program program;
    struct story story = {.program = &program, .line = line};
    struct lines used = {.count = 0};
    if (program_read(&program, text, ""))
        add_named(&story, false);
    for (int k = story.count; k-- > 0;)
        find_set(&program, story.variable[k], line, &used);
    program_free(&program);
    const int count = used.count < USES_MOST ? used.count : USES_MOST;
    memcpy(lines, used.line, (size_t)count * sizeof *lines);
    return count;
}
