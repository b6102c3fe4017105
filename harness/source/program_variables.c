/* The variables of the file, and where each may be named. */
#include <stdlib.h>

#include "harness/source/program.h"

static const char integers[] =
    " int unsigned long short char bool size_t ptrdiff_t int64_t uint64_t int32_t uint32_t uint8_t int8_t uint16_t ";
static const char reals[] = " real float double half __half ";

static bool add_variable(struct program *p, struct variable v)
{
    if (p->variable_count % 128 == 0) {
        struct variable *grown = realloc(p->variable, ((size_t)p->variable_count + 128) * sizeof *grown);
        if (!grown)
            return false;
        p->variable = grown;
    }
    p->variable[p->variable_count++] = v;
    return true;
}

/* The type from token `first` on, up to the name in front of `end`. */
static void set_type(const struct tokens *t, int first, int name, struct variable *v)
{
    int mark = name - 1;
    while (token_in(t, mark, " const __restrict__ volatile "))
        mark--;
    const bool pointer = token_is(t, name + 1, "[") || token_is(t, mark, "*");
    int type = -1;
    v->class = CLASS_OTHER;
    for (int i = first; i < name && !token_is(t, i, "="); i++) {
        if (token_in(t, i, integers) || token_in(t, i, reals))
            type = i;
        else if (type < 0 && token_is_name(t, i) &&
                 !token_in(t, i,
                           " const static extern __shared__ __device__ __constant__ volatile constexpr "))
            type = i;
    }
    v->type = type < 0 ? first : type;
    if (pointer)
        v->class = CLASS_POINTER;
    else if (token_in(t, v->type, integers))
        v->class = CLASS_INTEGER;
    else if (token_in(t, v->type, reals))
        v->class = CLASS_REAL;
    else if (token_is(t, v->type, "auto"))
        v->class = CLASS_INTEGER;
}

/* Each name of a declaration that ends at token `end`: `int a = 1, b[4], *c;`. */
static bool add_declaration(struct program *p, int first, int end, int last_visible, int loop, bool is_global)
{
    const struct tokens *t = &p->tokens;
    int begin = first, angle = 0;
    bool named = false, good = true;
    for (int i = first; i <= end && good; i++) {
        angle += token_is(t, i, "<") - token_is(t, i, ">");
        if (!named && angle <= 0 && i > begin && token_is_name(t, i) &&
            (i == end || token_in(t, i + 1, " = ; [ , ) ( { : "))) {
            struct variable v = {
                .name = i, .first = i, .last = last_visible, .loop = loop, .is_global = is_global};
            set_type(t, first, i, &v);
            good = add_variable(p, v);
            named = true;
        } else if (token_is(t, i, ",") && angle <= 0) {
            named = false;
            begin = i - 1;
        }
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
    return good;
}

static bool add_parameters(struct program *p, const struct item *item)
{
    const struct tokens *t = &p->tokens;
    const int end = t->token[item->parameters].match;
    for (int first = item->parameters + 1; first < end;) {
        int last = first;
        while (last < end && !token_is(t, last, ","))
            last = t->token[last].match > last ? t->token[last].match + 1 : last + 1;
        if (!add_declaration(p, first, last - 1, item->last, -1, false))
            return false;
        first = last + 1;
    }
    return true;
}

/* THREADS, LAB08_TAPS: a name in capital letters, which no function has. */
static bool is_constant(const struct tokens *t, int i)
{
    const struct token *token = &t->token[i];
    if (token->kind != TOKEN_NAME || token->length < 3 || token_is(t, i + 1, "(") ||
        token_in(t, i - 1, " . -> :: ") || token_in(t, i, " NULL INFINITY NAN FLT_MAX DBL_MAX REAL_MAX EOF "))
        return false;
    bool letter = false;
    for (int k = 0; k < token->length; k++) {
        const char c = t->text[token->at + k];
        if (c >= 'a' && c <= 'z')
            return false;
        letter |= c >= 'A' && c <= 'Z';
    }
    return letter;
}

/* Constants of the file and of its headers, as far as the file names them. */
static bool add_constants(struct program *p)
{
    const struct tokens *t = &p->tokens;
    for (int i = 0; i < t->count; i++) {
        bool known = !is_constant(t, i);
        for (int k = 0; k < p->variable_count && !known; k++)
            known = token_same(t, p->variable[k].name, i);
        if (!known && !add_variable(p, (struct variable){i, -1, t->count - 1, CLASS_INTEGER, i, -1, true}))
            return false;
    }
    return true;
}

bool program_find_variables(struct program *program)
{
    const struct tokens *t = &program->tokens;
    for (int i = 0; i < program->item_count; i++) {
        const struct item *item = &program->item[i];
        if (item->kind == ITEM_FUNCTION && !add_parameters(program, item))
            return false;
        if (item->kind == ITEM_OTHER && item->name >= 0 &&
            !add_declaration(program, item->first, item->last, t->count - 1, -1, true))
            return false;
    }
    for (int i = 0; i < program->statement_count; i++) {
        const struct statement *s = &program->statement[i];
        if (s->kind == STATEMENT_DECLARATION && s->parent >= 0 &&
            !add_declaration(program, s->first, s->last, program->statement[s->parent].last, -1, false))
            return false;
        if (s->kind == STATEMENT_LOOP && token_is(t, s->first, "for")) {
            int end = s->condition + 1;
            while (end < s->last && !token_in(t, end, " ; : "))
                end = t->token[end].match > end ? t->token[end].match + 1 : end + 1;
            if (!add_declaration(program, s->condition + 1, end, s->last, i, false))
                return false;
        }
    }
    return add_constants(program);
}

const struct variable *program_meaning(const struct program *program, int name, int at)
{
    const struct variable *found = NULL;
    for (int k = 0; k < program->variable_count; k++) {
        const struct variable *v = &program->variable[k];
        if (at > v->first && at <= v->last && token_same(&program->tokens, v->name, name) &&
            (!found || v->first > found->first))
            found = v;
    }
    return found;
}

bool program_is_set(const struct tokens *t, int i)
{
    int k = i + 1;
    if (token_in(t, i - 1, " ++ -- ") || (token_is(t, i - 1, "&") && token_in(t, i - 2, " ( , ")))
        return true;
    while (token_in(t, k, " [ . -> "))
        k = token_is(t, k, "[") ? t->token[k].match + 1 : k + 2;
    return token_in(t, k, " = += -= *= /= %= <<= >>= &= |= ^= ++ -- ");
}
