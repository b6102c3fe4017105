#include "harness/source/uses.h"

#include <string.h>

#include "harness/base/text.h"
#include "harness/source/program.h"

#define LINES_MOST 24
#define TOLD_MOST  4 /* lines that set a variable: of one that has more nothing is said */
#define NAMES_MOST 6

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

static void find_calls(const struct program *p, const struct item *function, struct lines *lines)
{
    const struct tokens *t = &p->tokens;
    for (int i = 0; i < t->count; i++)
        if (token_same(t, i, function->name) && token_in(t, i + 1, " ( < <<< ") && program_statement_of(p, i))
            add_line(lines, t->token[i].line);
}

/* "lines 36 and 38" */
static void say_lines(const struct lines *lines, char *said, size_t size)
{
    text_append(said, size, "line%s", lines->count == 1 ? "" : "s");
    for (int i = 0; i < lines->count; i++)
        text_append(said, size, "%s %d", i == 0 ? "" : i + 1 == lines->count ? " and" : ",", lines->line[i]);
}

/* The variables of its function that the line names and does not only set, each once. */
static int variables_of(const struct program *p, int line, const struct variable *found[NAMES_MOST])
{
    const struct tokens *t = &p->tokens;
    int count = 0;
    for (int i = 0; i < t->count && count < NAMES_MOST; i++) {
        const bool is_name = t->token[i].line == line && token_is_name(t, i) && !is_member(t, i);
        const struct variable *v = is_name ? program_meaning(p, i, i) : NULL;
        bool known = !v || v->first < 0; /* a macro, or a name of a header */
        known = known || (token_is(t, i + 1, "=") && !token_is(t, i - 1, "*") && is_target(p, v, line));
        for (int k = 0; k < count && !known; k++)
            known = found[k] == v;
        if (!known)
            found[count++] = v;
    }
    return count;
}

/* "`row`, a parameter of add, which is called at line 246, and set at line 219"; `called`: that has been said. */
static void say_variable(const struct program *p, const struct variable *v, const struct lines *set,
                         bool *called, char *said, size_t size)
{
    const struct item *function = function_of_parameter(p, v);
    struct lines calls = {.count = 0};
    char name[64];
    if (function && !function->is_kernel)
        find_calls(p, function, &calls);
    text_set(said, size, "%s", "");
    if (set->count + calls.count == 0 || set->count > TOLD_MOST || calls.count > TOLD_MOST)
        return;
    token_copy(&p->tokens, v->name, name, sizeof name);
    text_append(said, size, "`%s`", name);
    if (calls.count > 0 && !*called) {
        token_copy(&p->tokens, function->name, name, sizeof name);
        text_append(said, size, ", a parameter of %s, which is called at ", name);
        say_lines(&calls, said, size);
        *called = true;
    } else if (calls.count > 0) {
        text_append(said, size, ", a parameter, too");
    }
    if (set->count > 0) {
        text_append(said, size, calls.count > 0 ? ", and set at " : ", from ");
        say_lines(set, said, size);
    }
}

/* The branches and loops that the line stands in. */
static void say_conditions(const struct program *p, int line, char *said, size_t size)
{
    struct lines lines = {.count = 0};
    const struct statement *s = program_statement_of(p, first_token(p, line));
    for (; s && lines.count < TOLD_MOST; s = s->parent < 0 ? NULL : &p->statement[s->parent])
        if ((s->kind == STATEMENT_IF || s->kind == STATEMENT_LOOP) && p->tokens.token[s->first].line != line)
            add_line(&lines, p->tokens.token[s->first].line);
    if (lines.count == 0)
        return;
    text_append(said, size, "%sThe condition%s at ", said[0] ? " " : "", lines.count == 1 ? "" : "s");
    say_lines(&lines, said, size);
    text_append(said, size, " lead%s to line %d.", lines.count == 1 ? "s" : "", line);
}

static void say_all(const struct program *p, int line, char *said, size_t size)
{
    const struct variable *v[NAMES_MOST];
    const int count = variables_of(p, line, v);
    int begun = 0;
    bool called = false;
    for (int i = 0; i < count; i++) {
        struct lines set = {.count = 0};
        char one[512];
        find_set(p, v[i], line, &set);
        say_variable(p, v[i], &set, &called, one, sizeof one);
        if (!one[0])
            continue;
        if (!begun)
            text_append(said, size, "Line %d uses ", line);
        text_append(said, size, "%s%s", begun++ ? "; " : "", one);
    }
    if (begun)
        text_append(said, size, ".");
    say_conditions(p, line, said, size);
}

void uses_say(const char *text, int line, char *said, size_t size)
{
    struct program program;
    text_set(said, size, "%s", "");
    if (program_read(&program, text, ""))
        say_all(&program, line, said, size);
    program_free(&program);
}

int uses_find(const char *text, int line, int lines[USES_MOST])
{
    struct program program;
    const struct variable *v[NAMES_MOST];
    struct lines used = {.count = 0};
    for (int k = program_read(&program, text, "") ? variables_of(&program, line, v) : 0; k-- > 0;)
        find_set(&program, v[k], line, &used);
    program_free(&program);
    const int count = used.count < USES_MOST ? used.count : USES_MOST;
    memcpy(lines, used.line, (size_t)count * sizeof *lines);
    return count;
}
