/* A store that stands in the source and not in the compiled kernel: the compiler has found that it is never reached. */
#include "harness/cause/internal.h"
#include "harness/source/program.h"

#include <string.h>

/* The array that the operator at token `equal` stores to, as d_y in d_y[i] += x, if it is a parameter; -1: it is none. */
static int stored_array(const struct program *p, const struct item *kernel, int equal)
{
    const struct tokens *t = &p->tokens;
    const int name = token_is(t, equal - 1, "]") ? t->token[equal - 1].match - 1 : -1;
    const struct variable *v = token_is_name(t, name) ? program_meaning(p, name, name) : NULL;
    return v && v->class == CLASS_POINTER && v->name > kernel->parameters && v->name < kernel->body ? name
                                                                                                    : -1;
}

static void say_removed(struct cause *c, const struct program *p, int array)
{
    const char *file = text_file_name(c->source);
    const struct tokens *t = &p->tokens;
    const struct statement *s = program_statement_of(p, array);
    struct protocol_place place = {.line = t->token[array].line};
    char condition[100];
    text_set(place.file, sizeof place.file, "%s", c->source);
    SAY(c,
        "%s:%d would store it, but the compiled kernel has no instruction that stores to global memory: the compiler "
        "has removed it, because it is never reached",
        file, place.line);
    while (s && s->condition < 0)
        s = s->parent < 0 ? NULL : &p->statement[s->parent];
    if (s) {
        tokens_copy(t, s->condition + 1, t->token[s->condition].match - 1, condition, sizeof condition);
        SAY(c, ". The condition at %s:%d can never be met: %s", file, t->token[s->condition].line, condition);
    }
    SAY(c, ".\n");
    cause_set_place(c, &place);
}

bool cause_tell_removed(struct cause *c)
{
    const char *kernel = c->mailbox->launch[0].kernel;
    struct program p;
    char name[64];
    bool told = false;
    text_set(name, sizeof name, "%.*s", (int)strcspn(kernel, "<("), kernel);
    for (int k = program_read_file(&p, c->source) ? 0 : p.item_count; k < p.item_count && !told; k++) {
        const struct item *f = &p.item[k];
        if (f->kind != ITEM_FUNCTION || !token_is(&p.tokens, f->name, name))
            continue;
        for (int i = f->body; i <= f->last && !told; i++) {
            const int array = token_in(&p.tokens, i, " = += -= *= /= ") ? stored_array(&p, f, i) : -1;
            if (array >= 0)
                say_removed(c, &p, array);
            told = array >= 0;
        }
    }
    program_free(&p);
    return told;
}
