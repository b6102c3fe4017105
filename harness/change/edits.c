#define _GNU_SOURCE /* memmem */
#include "harness/change/edits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool edits_wanted(const struct edits *edits, int token)
{
    const struct repair_wish *wish = edits->wish;
    if (!program_may_change(edits->program, token))
        return false;
    return !wish->is_given || !wish->is_given(wish->context, edits->program->tokens.token[token].line);
}

struct repair_part edits_span(const struct edits *edits, int first, int last)
{
    const struct token *a = &edits->program->tokens.token[first], *b = &edits->program->tokens.token[last];
    return (struct repair_part){.at = a->at, .length = b->at + b->length - a->at};
}

static struct repair_edit *add(struct edits *edits)
{
    if (edits->count == edits->room) {
        const int room = edits->room ? 2 * edits->room : 256;
        struct repair_edit *grown = realloc(edits->edit, (size_t)room * sizeof *grown);
        if (!grown) {
            edits->failed = true;
            return NULL;
        }
        edits->edit = grown;
        edits->room = room;
    }
    struct repair_edit *edit = &edits->edit[edits->count++];
    memset(edit, 0, sizeof *edit);
    return edit;
}

/* The change of one place, up to what people are told of it. NULL: it is too long for a small change, or no memory. */
static struct repair_edit *add_one_place(struct edits *edits, enum repair_kind kind, int cost, int token,
                                         struct repair_part part, const char *with, va_list values)
{
    const int length = vsnprintf(part.with, sizeof part.with, with, values);
    struct repair_edit *edit = length < (int)sizeof part.with ? add(edits) : NULL;
    if (!edit)
        return NULL;
    edit->kind = kind;
    edit->cost = cost;
    edit->line = edits->program->tokens.token[token].line;
    edit->parts = 1;
    edit->part[0] = part;
    memcpy(edit->to, part.with, sizeof edit->to);
    return edit;
}

bool edits_may_name(const struct tokens *t, const struct variable *v, int i)
{
    int end = v->name + 1;
    while (!v->is_global && token_is(t, v->name + 1, "=") && end < i && !token_in(t, end, " ; , "))
        end = t->token[end].match > end ? t->token[end].match + 1 : end + 1;
    return i > v->first && i <= v->last && (v->is_global || end < i || !token_is(t, v->name + 1, "="));
}

bool edits_has(const struct edits *edits, const char *text)
{
    return strstr(edits->program->text, text) != NULL;
}

bool edits_stands_in(const struct tokens *t, int i, const char *word)
{
    for (int k = i - 1; k > 0 && !token_in(t, k, " { } "); k--)
        if (token_is(t, k, "(") && t->token[k].match > i)
            return token_is(t, k - 1, word);
    return false;
}

/* The function has these words already: an index that is right there may be meant here. */
static bool stands_elsewhere(const struct edits *edits, int token, const char *words)
{
    const struct program *p = edits->program;
    const struct item *item = program_item_of(p, token);
    const int from = p->tokens.token[item->first].at, to = p->tokens.token[item->last].at;
    return memmem(p->text + from, (size_t)(to - from), words, strlen(words)) != NULL;
}

void edits_replace(struct edits *edits, enum repair_kind kind, int cost, int first, int last,
                   const char *with, ...)
{
    va_list values;
    if (!edits_wanted(edits, first) ||
        /* types are named in sizeof, and a term of one is none */
        (kind == REPAIR_TERM && edits_stands_in(&edits->program->tokens, first, "sizeof")))
        return;
    va_start(values, with);
    struct repair_edit *edit =
        add_one_place(edits, kind, cost, first, edits_span(edits, first, last), with, values);
    va_end(values);
    if (!edit)
        return;
    tokens_copy(&edits->program->tokens, first, last, edit->from, sizeof edit->from);
    const struct variable *own = edits_variable(edits->program, first);
    edit->is_array = kind == REPAIR_NAME && own && own->class == CLASS_POINTER;
    if (kind == REPAIR_TERM && stands_elsewhere(edits, first, edit->to))
        edit->cost -= 2;
}

void edits_insert(struct edits *edits, enum repair_kind kind, int cost, int at, const char *with, ...)
{
    const struct repair_part part = {.at = edits->program->tokens.token[at].at};
    va_list values;
    if (!edits_wanted(edits, at))
        return;
    va_start(values, with);
    add_one_place(edits, kind, cost, at, part, with, values);
    va_end(values);
}

void edits_both(struct edits *edits, enum repair_kind kind, int cost, const struct repair_part parts[2],
                int line, const char *from, const char *to)
{
    struct repair_edit *edit = add(edits);
    if (!edit)
        return;
    const int first = parts[0].at > parts[1].at;
    edit->kind = kind;
    edit->cost = cost;
    edit->line = line;
    edit->parts = 2;
    edit->part[0] = parts[first];
    edit->part[1] = parts[!first];
    snprintf(edit->from, sizeof edit->from, "%s", from);
    snprintf(edit->to, sizeof edit->to, "%s", to);
}

static bool is_pointer_mark(const struct tokens *tokens, int i)
{
    return token_in(tokens, i, " * & ") && token_is_name(tokens, i - 1) &&
           token_in(tokens, i - 2, " ; { } ( , const ") &&
           (token_in(tokens, i - 1,
                     " real float double int unsigned char short long void size_t vector real_bits ") ||
            token_is(tokens, i - 2, "const")) &&
           (token_is_name(tokens, i + 1) || token_in(tokens, i + 1, " ) * "));
}

bool edits_is_binary(const struct tokens *tokens, int i)
{
    return !is_pointer_mark(tokens, i) &&
           token_in(tokens, i, " + - * / % << >> < > <= >= == != & | ^ && || ") &&
           (token_in(tokens, i - 1, " ) ] ") ||
            (i > 0 &&
             (tokens->token[i - 1].kind == TOKEN_NAME || tokens->token[i - 1].kind == TOKEN_NUMBER) &&
             !token_in(tokens, i - 1, " return const ")));
}

static int precedence(const struct tokens *t, int i)
{
    static const char *const levels[] = {" || ",    " && ",        " | ",     " ^ ",   " & ",
                                         " == != ", " < > <= >= ", " << >> ", " + - ", " * / % "};
    for (int level = 0; edits_is_binary(t, i) && level < 10; level++)
        if (token_in(t, i, levels[level]))
            return level + 1;
    return 0;
}

static bool ends_expression(const struct tokens *t, int i)
{
    return token_in(t, i, " ( [ { } ] ) , ; = += -= *= /= %= &= |= ^= <<= >>= ? : return <<< >>> ") ||
           t->token[i].kind == TOKEN_DIRECTIVE;
}

void edits_operands(const struct tokens *tokens, int i, int *first, int *last)
{
    const int own = precedence(tokens, i);
    int k = i - 1;
    while (k >= 0) {
        const int match = tokens->token[k].match;
        if (match >= 0 && match < k) {
            k = match - 1;
            continue;
        }
        if (ends_expression(tokens, k) || (precedence(tokens, k) > 0 && precedence(tokens, k) < own))
            break;
        k--;
    }
    *first = k + 1;
    for (k = i + 1; k < tokens->count; k++) {
        const int match = tokens->token[k].match;
        if (match > k) {
            k = match;
            continue;
        }
        if (ends_expression(tokens, k) || (precedence(tokens, k) > 0 && precedence(tokens, k) <= own))
            break;
    }
    *last = k - 1;
}

bool edits_split(const struct tokens *tokens, int i, const char *list, int *first, int *last)
{
    if (!token_in(tokens, i, list) || !edits_is_binary(tokens, i))
        return false;
    edits_operands(tokens, i, first, last);
    return *first<i && * last> i;
}

bool edits_is_builtin(const struct tokens *tokens, int i)
{
    return token_in(tokens, i, " threadIdx blockIdx blockDim gridDim ") && token_is(tokens, i + 1, ".") &&
           token_in(tokens, i + 2, " x y z ");
}

const struct variable *edits_variable(const struct program *program, int i)
{
    if (!token_is_name(&program->tokens, i) || token_in(&program->tokens, i - 1, " . -> :: "))
        return NULL;
    return program_meaning(program, i, i);
}

bool edits_mean_the_same(const struct program *program, int first, int last, int here)
{
    for (int i = first; i <= last; i++) {
        const struct variable *v = edits_variable(program, i);
        if (v && (here <= v->first || here > v->last))
            return false;
    }
    return true;
}

bool edits_is_array_size(const struct program *p, int i)
{
    const struct statement *s = program_statement_of(p, i);
    if (!s || s->kind != STATEMENT_DECLARATION)
        return false;
    for (int k = s->first; k <= s->last && !token_is(&p->tokens, k, "="); k++)
        if (token_is(&p->tokens, k, "[") && i > k && i < p->tokens.token[k].match)
            return true;
    return false;
}
