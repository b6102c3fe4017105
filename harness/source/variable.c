#include "harness/source/variable.h"

#include "harness/source/program.h"

int state_find_variable(const char *path, const char *name, bool *constant)
{
    struct program p;
    int found = 0;
    *constant = false;
    program_read_file(&p, path);
    for (int k = 0; k < p.variable_count && !found; k++) {
        const struct variable *v = &p.variable[k];
        const struct item *item = program_item_of(&p, v->name);
        if (!v->is_global || item->kind != ITEM_OTHER || !token_is(&p.tokens, v->name, name))
            continue;
        for (int i = item->first; i < v->name; i++) {
            *constant |= token_is(&p.tokens, i, "__constant__");
            if (token_in(&p.tokens, i, " __constant__ __device__ __managed__ "))
                found = p.tokens.token[v->name].line;
        }
    }
    program_free(&p);
    return found;
}

int state_find_static(const char *path, char *name, size_t size)
{
    struct program p;
    int found = 0;
    program_read_file(&p, path);
    for (int k = 0; k < p.variable_count && !found; k++) {
        const struct variable *v = &p.variable[k];
        const struct statement *s = program_statement_of(&p, v->name);
        bool keeps = s && token_is(&p.tokens, s->first, "static");
        for (int i = keeps ? s->first : v->name; i < v->name; i++)
            keeps = keeps && !token_in(&p.tokens, i, " const constexpr __shared__ ");
        if (!keeps)
            continue;
        found = p.tokens.token[v->name].line;
        token_copy(&p.tokens, v->name, name, (int)size);
    }
    program_free(&p);
    return found;
}
