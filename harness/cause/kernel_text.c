#include "harness/cause/kernel_text.h"

#include <stdio.h>
#include <string.h>

#include "harness/source/program.h"

#define SAY(...) text_append(text, size, __VA_ARGS__)

/* ---- loops --------------------------------------------------------------------------------------------- */

/* The innermost loop with a condition at its head around the line; NULL: there is none. */
static const struct statement *find_loop(const struct program *p, int line)
{
    const struct token *token = p->tokens.token;
    const struct statement *found = NULL;
    for (int i = 0; i < p->statement_count; i++) {
        const struct statement *s = &p->statement[i];
        if (s->kind == STATEMENT_LOOP && token_in(&p->tokens, s->first, " for while ") &&
            token[s->first].line <= line && token[s->last].line >= line)
            found = s;
    }
    return found;
}

static bool is_changed(const struct program *p, const struct variable *v, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (token_same(&p->tokens, i, v->name) && program_is_set(&p->tokens, i) &&
            program_meaning(p, i, i) == v)
            return true;
    return false;
}

/* What the condition tests, if only plain variables of the function, and nothing in the loop changes any of them. */
static void say_unchanged(const struct program *p, const struct statement *loop, char *text, size_t size)
{
    const struct tokens *t = &p->tokens;
    const int close = t->token[loop->condition].match;
    int first = loop->condition + 1, last = close - 1, count = 0;
    char names[160] = "", name[64];
    if (token_is(t, loop->first, "for")) {
        while (first < last && !token_is(t, first - 1, ";"))
            first++;
        for (last = first; last < close && !token_is(t, last, ";");)
            last++;
        last--;
    }
    for (int i = first; i <= last; i++) {
        const struct variable *v =
            token_is_name(t, i) && !token_in(t, i - 1, " . -> :: ") ? program_meaning(p, i, i) : NULL;
        if (token_in(t, i, " ( [ * ") || (v && v->is_global && v->first >= 0))
            return; /* what it tests may be changed by others */
        if (!v || v->is_global)
            continue;
        if (is_changed(p, v, first, loop->last))
            return;
        token_copy(t, i, name, sizeof name);
        text_append(names, sizeof names, "%s%s", count++ ? " and " : "", name);
    }
    if (count > 0 && count <= 2)
        SAY(" Nothing in it changes %s.", names);
}

bool kernel_text_loop(const struct source *source, const char *file, int line, char *text, size_t size)
{
    struct program p = {0};
    char head[80];
    const struct statement *loop =
        source->student && program_read(&p, source->student, "") ? find_loop(&p, line) : NULL;
    if (loop) {
        SAY("The loop begins at %s:%d: ", file, p.tokens.token[loop->first].line);
        tokens_copy(&p.tokens, loop->first, p.tokens.token[loop->condition].match, head, sizeof head);
        SAY("%s.", strlen(head) + 1 < sizeof head ? head : "its condition stands there");
        say_unchanged(&p, loop, text, size);
        SAY("\n");
    }
    program_free(&p);
    return loop != NULL;
}

/* ---- findings ------------------------------------------------------------------------------------------ */

static bool is_in_file(const struct grader *grader, const struct grader_finding *finding)
{
    return finding->line > 0 &&
           strcmp(text_file_name(finding->file), text_file_name(grader->build.source)) == 0;
}

/* In front of what is said in detail. */
static void put_first(struct grader_finding *finding, const char *said)
{
    char rest[sizeof finding->detail];
    text_set(rest, sizeof rest, "%s", finding->detail);
    text_set(finding->detail, sizeof finding->detail, "%s%s", said, rest);
    finding->consequence += strlen(said);
}

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

void kernel_explain_loop(const struct grader *grader, struct grader_finding *finding)
{
    struct source source;
    char said[512] = "";
    if (!fact_is_hazard(&finding->facts, SIM_HAZARD_ENDLESS) || !is_in_file(grader, finding))
        return;
    build_read_source(&grader->build, &source);
    if (kernel_text_loop(&source, text_file_name(grader->build.source), finding->line, said, sizeof said))
        put_first(finding, said);
    source_free(&source);
}
