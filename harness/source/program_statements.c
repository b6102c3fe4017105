/* The statements of all functions, from their tokens. */
#include <stdlib.h>

#include "harness/source/program.h"

struct parser {
    struct program *program;
    int function;
    bool failed;
};

static int parse(struct parser *p, int first, int parent);

static int add_statement(struct parser *p, enum statement_kind kind, int first, int parent)
{
    struct program *program = p->program;
    if (program->statement_count % 128 == 0) {
        struct statement *grown =
            realloc(program->statement, ((size_t)program->statement_count + 128) * sizeof *grown);
        if (!grown) {
            p->failed = true;
            return -1;
        }
        program->statement = grown;
    }
    program->statement[program->statement_count] = (struct statement){
        kind, first, first, parent, .before = -1, .behind = -1, .condition = -1, .function = p->function};
    return program->statement_count++;
}

/* The end of what has no part that is a statement: its semicolon. */
static int simple_end(const struct tokens *t, int first)
{
    for (int i = first; i < t->count; i++) {
        if (token_is(t, i, ";") || token_is(t, i, "}"))
            return i;
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
    return t->count - 1;
}

/* `const int i = …`, `real sum;`, `float4 v;`: two names, or a name behind * or >. */
static bool is_declaration(const struct tokens *t, int first)
{
    if (token_in(t, first, " return break continue delete throw goto case default "))
        return false;
    int i = first;
    while (token_is_name(t, i) || token_in(t, i, " :: * & < , > __restrict__ ") ||
           (t->token[i].kind == TOKEN_NUMBER && i > first)) {
        i++;
        if (i >= t->count)
            return false;
    }
    return i - first >= 2 && token_is_name(t, i - 1) && token_in(t, i, " = ; [ ( { ") &&
           !token_in(t, i - 2, " :: , ") && token_is_name(t, first) &&
           !(token_is(t, i, "(") && token_in(t, i - 2, " * & < "));
}

static void parse_block(struct parser *p, int number)
{
    const struct tokens *t = &p->program->tokens;
    const int end = t->token[p->program->statement[number].first].match;
    int before = -1;
    for (int i = p->program->statement[number].first + 1; i < end && !p->failed;) {
        if (t->token[i].kind == TOKEN_DIRECTIVE) {
            i++;
            continue;
        }
        const int one = p->program->statement_count;
        i = parse(p, i, number) + 1;
        if (p->failed)
            return;
        p->program->statement[one].before = before;
        if (before >= 0)
            p->program->statement[before].behind = one;
        before = one;
    }
    p->program->statement[number].last = end;
}

/* Returns the last token. */
static int parse(struct parser *p, int first, int parent)
{
    const struct tokens *t = &p->program->tokens;
    while (first < t->count && t->token[first].kind == TOKEN_DIRECTIVE)
        first++;
    int last, condition = -1;
    enum statement_kind kind = STATEMENT_SIMPLE;
    if (token_is(t, first, "{"))
        kind = STATEMENT_BLOCK;
    else if (token_is(t, first, "if"))
        kind = STATEMENT_IF;
    else if (token_in(t, first, " for while do switch "))
        kind = STATEMENT_LOOP;
    else if (is_declaration(t, first))
        kind = STATEMENT_DECLARATION;
    const int number = add_statement(p, kind, first, parent);
    if (p->failed)
        return first;
    if (kind == STATEMENT_BLOCK) {
        parse_block(p, number);
        last = t->token[first].match;
    } else if (token_is(t, first, "do")) {
        last = simple_end(t, parse(p, first + 1, number) + 1);
    } else if (kind == STATEMENT_IF || kind == STATEMENT_LOOP) {
        condition = token_is(t, first + 1, "constexpr") ? first + 2 : first + 1;
        if (!token_is(t, condition, "(")) {
            p->failed = true;
            return first;
        }
        last = parse(p, t->token[condition].match + 1, number);
        if (kind == STATEMENT_IF && !p->failed && token_is(t, last + 1, "else"))
            last = parse(p, last + 2, number);
    } else {
        last = simple_end(t, first);
    }
    if (p->failed)
        return first;
    p->program->statement[number].last = last;
    p->program->statement[number].condition = condition;
    return last;
}

bool program_find_statements(struct program *program)
{
    struct parser p = {.program = program};
    for (int i = 0; i < program->item_count && !p.failed; i++) {
        p.function = i;
        if (program->item[i].kind == ITEM_FUNCTION)
            parse(&p, program->item[i].body, -1);
    }
    return !p.failed;
}
