#include "harness/source/value.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 32 /* of names that stand for names: a macro may name itself */

/* An expression that is being read; `at` is its next token. */
struct parse {
    const struct value_context *context;
    const struct tokens *tokens; /* of the file, or of the lab's header */
    int at, last, depth;
    bool known;
};

static int64_t unknown(struct parse *p)
{
    p->known = false;
    return 0;
}

static bool next_is(const struct parse *p, const char *mark)
{
    return p->at <= p->last && token_is(p->tokens, p->at, mark);
}

static int64_t parse_choice(struct parse *p);

/* All of an expression that stands elsewhere. */
static int64_t parse_all(struct parse *p, const struct tokens *tokens, int first, int last)
{
    struct parse inner = {.context = p->context,
                          .tokens = tokens,
                          .at = first,
                          .last = last,
                          .depth = p->depth + 1,
                          .known = p->depth < DEPTH_MOST};
    const int64_t value = inner.known ? parse_choice(&inner) : 0;
    p->known = p->known && inner.known && inner.at == last + 1;
    return value;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

static bool is_changed(const struct program *p, const struct variable *v)
{
    for (int i = v->name + 1; i <= v->last; i++)
        if (token_same(&p->tokens, i, v->name) && program_is_set(&p->tokens, i) &&
            program_meaning(p, i, i) == v)
            return true;
    return false;
}

/* In one scope, by #if: which of the two holds is not known. */
static bool is_declared_again(const struct program *p, const struct variable *v)
{
    bool again = false;
    for (const struct variable *w = p->variable; w < p->variable + p->variable_count; w++)
        again |= w != v && w->last == v->last && token_same(&p->tokens, w->name, v->name);
    return again;
}

bool value_definition(const struct program *program, const struct variable *v, int *first, int *last)
{
    const struct tokens *t = &program->tokens;
    const bool is_size = v && token_is(t, v->type, "dim3");
    if (!v || v->is_global || !(v->class == CLASS_INTEGER || is_size) ||
        !token_in(t, v->name + 1, is_size ? " = ( { " : " = ") || is_changed(program, v) ||
        is_declared_again(program, v))
        return false;
    *first = v->name + 2;
    *last = token_end_of_part(t, *first);
    return *last >= *first;
}

/* The token after which the only call of the function hands over argument `number`; -1: there are several, or none. */
static int argument_of_only_call(const struct tokens *t, const struct item *function, int number)
{
    int call = -1;
    for (int i = 0; i < t->count; i++)
        if (i != function->name && token_same(t, i, function->name)) {
            const int open = token_is(t, i + 1, "<<<") ? t->token[i + 1].match + 1 : i + 1;
            if (call >= 0 || !token_is(t, open, "("))
                return -1;
            call = open;
        }
    while (call >= 0 && number-- > 0) {
        call = token_end_of_part(t, call + 1) + 1;
        call = token_is(t, call, ",") ? call : -1;
    }
    return call;
}

bool value_argument(const struct program *program, const struct variable *v, int *first, int *last)
{
    const struct item *function = program_item_of(program, v->name);
    int number = 0;
    if (!function || function->kind != ITEM_FUNCTION || v->name < function->parameters ||
        v->name > function->body || v->class != CLASS_INTEGER || is_changed(program, v))
        return false;
    for (int i = function->parameters + 1; i < v->name; i++)
        number += token_is(&program->tokens, i, ",");
    *first = argument_of_only_call(&program->tokens, function, number) + 1;
    *last = token_end_of_part(&program->tokens, *first);
    return *first > 0 && *last >= *first;
}

static int64_t of_parameter(struct parse *p, const struct item *function, const struct variable *v)
{
    const struct value_context *c = p->context;
    int first, last;
    for (int k = 0; function == c->entry && k < c->count; k++)
        if (c->names[k] && token_is(p->tokens, v->name, c->names[k]) && !is_changed(c->program, v))
            return c->args[k];
    return function != c->entry && value_argument(c->program, v, &first, &last)
               ? parse_all(p, p->tokens, first, last)
               : unknown(p);
}

/* #define NAME value, or NAME = value outside of functions, in the file or the header. */
static int64_t of_constant(struct parse *p, const char *name)
{
    const struct program *program = p->context->program;
    const struct tokens *texts[] = {&program->tokens, &program->header};
    for (int k = 0; k < 2; k++)
        for (int i = 1; i + 1 < texts[k]->count; i++) {
            const struct tokens *t = texts[k];
            const struct token *token = &t->token[i];
            const struct item *item = k == 0 ? program_item_of(program, i) : NULL;
            int last = i + 1;
            if (!token_is(t, i, name))
                continue;
            if (token_is(t, i - 1, "#define")) {
                while (last + 1 < t->count && t->token[last + 1].in_macro &&
                       t->token[last + 1].kind != TOKEN_DIRECTIVE)
                    last++;
                return t->token[i + 1].at > token->at + token->length ? parse_all(p, t, i + 1, last)
                                                                      : unknown(p);
            }
            if (token_is(t, i + 1, "=") && !(item && item->kind == ITEM_FUNCTION) &&
                (!item || token_in(t, item->first, " enum const constexpr ") ||
                 token_in(t, item->first + 1, " const constexpr ")))
                return parse_all(p, t, i + 2, token_end_of_part(t, i + 2));
        }
    return unknown(p);
}

static int64_t of_name(struct parse *p, int i)
{
    const struct program *program = p->context->program;
    const bool in_file = p->tokens == &program->tokens && !p->tokens->token[i].in_macro;
    const struct variable *v = in_file ? program_meaning(program, i, i) : NULL;
    char name[64];
    int first, last;
    if (v && !v->is_global) {
        const struct item *item = program_item_of(program, v->name);
        if (v->name < item->body)
            return of_parameter(p, item, v);
        return value_definition(program, v, &first, &last) ? parse_all(p, p->tokens, first, last)
                                                           : unknown(p);
    }
    token_copy(p->tokens, i, name, sizeof name);
    return of_constant(p, name);
}

/* ---- operators ------------------------------------------------------------------------------------------- */

static int64_t of_number(struct parse *p, int i)
{
    char text[32], *end;
    token_copy(p->tokens, i, text, sizeof text);
    const long long value = strtoll(text, &end, 0);
    return end[strspn(end, "uUlL")] ? unknown(p) : value;
}

static bool is_cast(const struct parse *p)
{
    int i = p->at + 1;
    while (token_in(p->tokens, i, " int unsigned long size_t "))
        i++;
    return i > p->at + 1 && token_is(p->tokens, i, ")");
}

static int64_t parse_operand(struct parse *p)
{
    const int i = p->at;
    if (i > p->last)
        return unknown(p);
    if (next_is(p, "(") && is_cast(p)) {
        while (!token_is(p->tokens, p->at, ")"))
            p->at++;
        p->at++;
        return parse_operand(p);
    }
    p->at++;
    if (token_is(p->tokens, i, "!"))
        return !parse_operand(p);
    if (token_is(p->tokens, i, "(")) {
        const int64_t value = parse_choice(p);
        p->known = p->known && next_is(p, ")");
        p->at++;
        return value;
    }
    if (p->tokens->token[i].kind == TOKEN_NUMBER)
        return of_number(p, i);
    const bool is_more = p->at <= p->last && token_in(p->tokens, p->at, " ( [ . -> :: ++ -- ");
    return token_is_name(p->tokens, i) && !is_more ? of_name(p, i) : unknown(p);
}

static int64_t apply(struct parse *p, int operator, int64_t a, int64_t b)
{
    static const char marks[][3] = {"+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    int k = 0;
    while (k < 13 && !token_is(p->tokens, operator, marks[k]))
        k++;
    if ((k == 3 || k == 4) && b == 0)
        return unknown(p);
    const int64_t value = k == 0    ? a + b
                          : k == 1  ? a - b
                          : k == 2  ? a * b
                          : k == 3  ? a / b
                          : k == 4  ? a % b
                          : k == 5  ? a < b
                          : k == 6  ? a > b
                          : k == 7  ? a <= b
                          : k == 8  ? a >= b
                          : k == 9  ? a == b
                          : k == 10 ? a != b
                          : k == 11 ? a && b
                          : k == 12 ? a || b
                                    : unknown(p);
    return value < 0 || value > INT_MAX ? unknown(p) : value;
}

static int64_t parse_level(struct parse *p, int level)
{
    static const char *const levels[] = {" || ", " && ", " == != ", " < > <= >= ", " + - ", " * / % "};
    if (level == 6)
        return parse_operand(p);
    int64_t value = parse_level(p, level + 1);
    while (p->known && p->at <= p->last && token_in(p->tokens, p->at, levels[level])) {
        const int operator= p->at++;
        value = apply(p, operator, value, parse_level(p, level + 1));
    }
    return value;
}

static int64_t parse_choice(struct parse *p)
{
    const int64_t value = parse_level(p, 0);
    if (!p->known || !next_is(p, "?"))
        return value;
    p->at++;
    const int64_t one = parse_choice(p);
    if (!next_is(p, ":"))
        return unknown(p);
    p->at++;
    const int64_t other = parse_choice(p);
    return value ? one : other;
}

bool value_of(const struct value_context *context, int first, int last, int64_t *value)
{
    struct parse p = {.context = context, .known = true};
    *value = parse_all(&p, &context->program->tokens, first, last);
    return p.known;
}
