#include "harness/cause/kernel_text.h"

#include "harness/base/text.h"
#include "harness/source/program.h"

#define SAY(...) text_append(text, size, __VA_ARGS__)

/* Functions that change nothing, and that nvcc does not warn of. */
static const char pure[] =
    " fma fmaf __fmaf_rn __fma_rn min max fmin fminf fmax fmaxf fabs fabsf abs sqrt sqrtf pow powf exp expf "
    "__shfl_sync __shfl_down_sync __shfl_up_sync __shfl_xor_sync ";

bool kernel_text_unused(const struct source *source, const char *task, char *text, size_t size, int *line)
{
    struct program p = {0};
    char name[64];
    bool found = false;
    const bool read = source->student && program_read(&p, source->student, "");
    for (int i = 0; read && i < p.statement_count && !found; i++) {
        const struct statement *s = &p.statement[i];
        found = s->kind == STATEMENT_SIMPLE && token_in(&p.tokens, s->first, pure) &&
                token_is(&p.tokens, s->first + 1, "(") && p.tokens.token[s->first + 1].match == s->last - 1 &&
                source_uses_line(source, task, p.tokens.token[s->first].line);
        if (!found)
            continue;
        *line = p.tokens.token[s->first].line;
        token_copy(&p.tokens, s->first, name, sizeof name);
        SAY("the value of %s() is used nowhere here: the function changes none of its arguments, so that what it returns is "
            "lost. Assign it: x = %s(...);",
            name, name);
    }
    program_free(&p);
    return found;
}
