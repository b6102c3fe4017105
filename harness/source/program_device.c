/*
 * What a change may touch: functions that only the device runs, and the numbers of launches. Changed code of the host would
 * run on the student's machine, where a guard may protect files and processes. And a copy that holds a change may differ from the
 * file in nothing else: else it is not made.
 */
#include <ctype.h>
#include <string.h>

#include "harness/source/program.h"

#define DEPTH 8 /* of macros that name macros */

/* The #define of the name at token `name`; NULL: it is no macro of this file. */
static const struct item *macro_of(const struct program *p, const struct tokens *t, int name)
{
    char text[128];
    token_copy(t, name, text, sizeof text);
    for (int i = 0; i < p->item_count && token_is_name(t, name); i++)
        if (p->item[i].kind == ITEM_DIRECTIVE && p->item[i].last > p->item[i].first &&
            token_is(&p->tokens, p->item[i].first + 1, text))
            return &p->item[i];
    return NULL;
}

/* ---- functions of the device --------------------------------------------------------------------------- */

/* `static __device__ real f`: with a word that says so, and none that the host shares or that may stand for others. */
static bool says_device(const struct program *p, int first, int end)
{
    const struct tokens *t = &p->tokens;
    bool says = false;
    for (int i = first; i < end; i++) {
        if (t->token[i].kind == TOKEN_DIRECTIVE || macro_of(p, t, i) ||
            token_in(t, i, " __host__ __attribute__ constexpr consteval "))
            return false;
        says |= token_in(t, i, " __global__ __device__ ");
        if (token_is(t, i, "(") && t->token[i].match > i)
            i = t->token[i].match;
    }
    return says;
}

/*
 * nvcc compiles a __device__ function for the host as well where an earlier declaration lacks the word. Kernels are named by
 * the host, of course, which launches them.
 */
static bool is_named_by_host(const struct program *p, const struct item *function)
{
    const struct tokens *t = &p->tokens;
    for (int k = 0; k < p->item_count; k++) {
        const struct item *item = &p->item[k];
        for (int i = item->first; i <= item->last && !(function->is_kernel && item->kind == ITEM_FUNCTION);
             i++)
            if (i != function->name && token_same(t, i, function->name) &&
                !says_device(p, item->first, item->kind == ITEM_FUNCTION ? item->name : i))
                return true;
    }
    return false;
}

void program_find_device(struct program *program)
{
    for (int k = 0; k < program->item_count; k++) {
        struct item *item = &program->item[k];
        item->is_device = item->kind == ITEM_FUNCTION && says_device(program, item->first, item->name) &&
                          !is_named_by_host(program, item);
    }
}

/* ---- the numbers and arguments of a launch ------------------------------------------------------------- */

/* Names, numbers and arithmetic, without a call, a store or a choice: tokens `first` to `last`. */
static bool is_plain(const struct program *p, const struct tokens *t, int first, int last, int depth)
{
    for (int i = first; i <= last; i++) {
        const enum token_kind kind = t->token[i].kind;
        const struct item *macro = macro_of(p, t, i);
        if (token_is(t, i, "(") && !token_in(t, i - 1, " dim3 sizeof ( , + - * / % ") && i > first &&
            !(token_is(t, i - 1, ")") && token_in(t, i - 2, " int unsigned long size_t ")))
            return false; /* a call: neither a conversion nor parentheses */
        if (macro && (depth == DEPTH || !is_plain(p, &p->tokens, macro->first + 2, macro->last, depth + 1)))
            return false;
        if (kind != TOKEN_NAME && kind != TOKEN_NUMBER && !token_in(t, i, " + - * / % ( ) , . "))
            return false;
    }
    return true;
}

/* The <<< of the launch whose numbers hold the token, or the parenthesis of its arguments; -1: none does. */
static int launch_around(const struct program *p, int token)
{
    const struct tokens *t = &p->tokens;
    for (int i = token - 1; i >= 0 && !token_in(t, i, " ; { } "); i--)
        if ((token_is(t, i, "<<<") || (token_is(t, i, "(") && token_is(t, i - 1, ">>>"))) &&
            t->token[i].match >= token)
            return is_plain(p, t, i + 1, t->token[i].match - 1, 0) ? i : -1;
    return -1;
}

bool program_may_change(const struct program *program, int token)
{
    const struct item *item = program_item_of(program, token);
    if (!item || !item->is_used || item->kind != ITEM_FUNCTION || token <= item->body || token > item->last)
        return false;
    return item->is_device || launch_around(program, token) >= 0;
}

static bool closes_what_it_opens(const char *text, int length)
{
    int depth = 0;
    for (int i = 0; i < length && depth >= 0; i++) {
        depth += (text[i] == '{') - (text[i] == '}');
        if (text[i] == '#')
            return false;
    }
    return depth == 0;
}

bool program_allows(const struct program *program, int at, int length, const char *with)
{
    const struct tokens *t = &program->tokens;
    int first = 0, last, open;
    while (first < t->count && t->token[first].at + t->token[first].length <= at)
        first++; /* the token that is changed, or before which something is put */
    for (last = first; last + 1 < t->count && t->token[last + 1].at < at + length;)
        last++;
    const struct item *item = program_item_of(program, first);
    if (!program_may_change(program, first) || (length > 0 && !program_may_change(program, last)) ||
        program_item_of(program, last) != item || !closes_what_it_opens(with, (int)strlen(with)) ||
        !closes_what_it_opens(program->text + at, length))
        return false;
    if (item->is_device)
        return length == 0 || last < item->last;
    struct tokens added;
    open = launch_around(program, first);
    const bool good = tokens_read(&added, with) && is_plain(program, &added, 0, added.count - 1, 0) &&
                      (length == 0 || last < t->token[open].match);
    tokens_free(&added);
    return good;
}

/* ---- copies -------------------------------------------------------------------------------------------- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the word stand in this line of the preprocessor? */
static bool holds(const struct tokens *t, int line, const char *word, int length)
{
    const char *begin = t->text + t->token[line].at, *end = begin + t->token[line].length;
    for (const char *at = begin + 1; at + length <= end; at++)
        if (strncmp(at, word, (size_t)length) == 0 && !is_of_name(at[-1]) &&
            (at + length == end || !is_of_name(at[length])))
            return true;
    return false;
}

static bool is_define(const struct tokens *t, int name)
{
    return t->token[name].in_macro && t->token[name - 1].kind == TOKEN_DIRECTIVE;
}

/* From the second copy on the macro is known at the beginning. So the file must not name it before, nor ask for it. */
static bool means_the_same(const struct tokens *t, int macro)
{
    const char *name = t->text + t->token[macro].at;
    for (int i = 0; i < t->count; i++)
        if (t->token[i].kind == TOKEN_DIRECTIVE ? holds(t, i, name, t->token[macro].length)
                                                : i < macro && token_same(t, i, macro) && !is_define(t, i))
            return false;
    return true;
}

bool program_can_be_copied(const struct program *program)
{
    const struct tokens *t = &program->tokens;
    for (int i = 0; i < program->item_count; i++)
        if (token_is(t, program->item[i].last, "{"))
            return false;
    for (int i = 0; i < t->count; i++) {
        const bool is_raw = t->token[i].kind == TOKEN_STRING && token_in(t, i - 1, " R LR uR UR u8R ");
        if (is_raw || token_in(t, i, " __COUNTER__ __PRETTY_FUNCTION__ __cplusplus "))
            return false;
        if (t->token[i].kind == TOKEN_DIRECTIVE &&
            (holds(t, i, "undef", 5) || holds(t, i, "__cplusplus", 11)))
            return false;
        if (is_define(t, i) && (program_item_of(program, i)->kind != ITEM_DIRECTIVE || !means_the_same(t, i)))
            return false;
    }
    return true;
}
