#include "harness/source/program.h"

#include <stdlib.h>
#include <string.h>

#include "harness/source/line.h"

static struct item *add_item(struct program *p)
{
    if (p->item_count % 64 == 0) {
        struct item *grown = realloc(p->item, ((size_t)p->item_count + 64) * sizeof *grown);
        if (!grown)
            return NULL;
        p->item = grown;
    }
    struct item *item = &p->item[p->item_count++];
    *item = (struct item){.name = -1, .parameters = -1, .body = -1};
    return item;
}

/* `void f(int n) const {`: the ( of the parameters, if a function's body begins at token `body`; else -1. */
static int parameters_before(const struct tokens *t, int first, int body)
{
    int i = body - 1;
    while (i > first && token_in(t, i, " const noexcept override "))
        i--;
    return token_is(t, i, ")") && t->token[i].match > first && token_is_name(t, t->token[i].match - 1)
               ? t->token[i].match
               : -1;
}

/* The last token of what begins at `first` outside of functions; of a namespace, its {. */
static int item_end(const struct tokens *t, int first, struct item *item)
{
    for (int i = first; i < t->count; i++) {
        if (token_in(t, i, " ; } ")) /* }: the end of a namespace */
            return i;
        if (token_is(t, i, "{")) {
            const int parameters = parameters_before(t, first, i);
            if (parameters >= 0) {
                item->kind = ITEM_FUNCTION;
                item->parameters = parameters;
                item->name = parameters - 1;
                item->body = i;
                return t->token[i].match;
            }
            if (token_is(t, first, "namespace") || token_is(t, first, "extern"))
                return i;
        }
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
    return -1;
}

static int directive_end(const struct tokens *t, int first)
{
    int last = first;
    while (last + 1 < t->count && t->token[last + 1].in_macro && t->token[last + 1].kind != TOKEN_DIRECTIVE)
        last++;
    return last;
}

/* `__device__ int d_next;`, `__constant__ real c_h[16];`: the variable's name; -1: it declares none. */
static int variable_name(const struct tokens *t, const struct item *item)
{
    if (token_in(t, item->first, " using typedef template struct enum class union namespace "))
        return -1;
    for (int i = item->first + 1; i <= item->last; i++) {
        if (token_is_name(t, i - 1) && token_in(t, i, " [ = ; , { "))
            return i - 1;
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
    return -1;
}

static bool declares(const struct tokens *header, const struct tokens *t, int name)
{
    char word[128];
    token_copy(t, name, word, sizeof word);
    for (int i = 0; i + 1 < header->count; i++)
        if (token_is(header, i, word) && token_is(header, i + 1, "("))
            return true;
    return false;
}

static bool find_items(struct program *p)
{
    const struct tokens *t = &p->tokens;
    for (int first = 0; first < t->count;) {
        struct item *item = add_item(p);
        if (!item)
            return false;
        item->first = first;
        item->kind = t->token[first].kind == TOKEN_DIRECTIVE ? ITEM_DIRECTIVE : ITEM_OTHER;
        item->last = item->kind == ITEM_DIRECTIVE ? directive_end(t, first) : item_end(t, first, item);
        if (item->last < 0)
            return false;
        for (int i = first; item->kind == ITEM_FUNCTION && i < item->body; i++)
            item->is_kernel |= token_is(t, i, "__global__");
        if (item->kind == ITEM_OTHER)
            item->name = variable_name(t, item);
        if (item->kind == ITEM_FUNCTION)
            item->is_extern_c = declares(&p->header, t, item->name);
        first = item->last + 1;
    }
    program_find_device(p);
    return true;
}

bool program_read(struct program *program, const char *text, const char *header)
{
    *program = (struct program){.text = strdup(text), .header_text = strdup(header)};
    return program->text && program->header_text && tokens_read(&program->tokens, program->text) &&
           tokens_read(&program->header, program->header_text) && find_items(program) &&
           program_find_statements(program) && program_find_variables(program);
}

bool program_read_file(struct program *program, const char *path)
{
    char *text = trial_read_file(path);
    *program = (struct program){0};
    const bool read = text && program_read(program, text, "");
    free(text);
    return read;
}

void program_free(struct program *program)
{
    tokens_free(&program->tokens);
    tokens_free(&program->header);
    free(program->text);
    free(program->header_text);
    free(program->item);
    free(program->variable);
    free(program->statement);
    *program = (struct program){0};
}

static bool mentions(const struct tokens *t, const struct item *item, int name)
{
    for (int i = item->first; i <= item->last; i++)
        if (i != name && t->token[i].kind == TOKEN_NAME && token_same(t, i, name))
            return true;
    return false;
}

/* What a used function names; functions that name a variable that is used; and those that name these: they launch them. */
static bool becomes_used(const struct program *p, struct item *item)
{
    if (item->name < 0)
        return false;
    for (int i = 0; i < p->item_count; i++) {
        const struct item *other = &p->item[i];
        if (!other->is_used || other->name < 0)
            continue;
        if (mentions(&p->tokens, other, item->name))
            return true;
        if (item->kind == ITEM_FUNCTION && other->kind == ITEM_OTHER &&
            !token_in(&p->tokens, other->first, " const constexpr static ") &&
            mentions(&p->tokens, item, other->name))
            return item->by_variable = true;
        if (item->kind == ITEM_FUNCTION && other->by_variable && mentions(&p->tokens, item, other->name))
            return true;
    }
    return false;
}

bool program_use(struct program *program, const char *entry)
{
    bool found = false, more = true;
    for (int i = 0; i < program->item_count; i++) {
        struct item *item = &program->item[i];
        item->is_used =
            item->kind == ITEM_FUNCTION && (!entry || token_is(&program->tokens, item->name, entry));
        found |= item->is_used;
    }
    while (more) {
        more = false;
        for (int i = 0; i < program->item_count; i++)
            if (!program->item[i].is_used && becomes_used(program, &program->item[i]))
                more = program->item[i].is_used = true;
    }
    for (int i = 0; i < program->item_count; i++)
        if (program->item[i].kind != ITEM_FUNCTION)
            program->item[i].is_used = true;
    return found;
}

const struct item *program_item_of(const struct program *program, int token)
{
    for (int i = 0; i < program->item_count; i++)
        if (token >= program->item[i].first && token <= program->item[i].last)
            return &program->item[i];
    return NULL;
}

const struct statement *program_statement_of(const struct program *program, int token)
{
    const struct statement *found = NULL;
    for (int i = 0; i < program->statement_count; i++) {
        const struct statement *s = &program->statement[i];
        if (token >= s->first && token <= s->last &&
            (!found || s->last - s->first <= found->last - found->first))
            found = s;
    }
    return found;
}
