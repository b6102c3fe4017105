/* With another number of blocks it is right, and the kernel's loop should make any number right. */
#include <stdlib.h>
#include <string.h>

#include "harness/change/change_internal.h"
#include "harness/result/grader.h"
#include "harness/source/names.h"
#include "harness/source/program.h"
#include "sim/device/launch_change.h"

/* The kernel of this name, "histogram(...)"; NULL: it is not in the file. */
static const struct item *kernel_of(const struct program *p, const char *name)
{
    char kernel[96];
    text_set(kernel, sizeof kernel, "%.*s", (int)strcspn(name, "<("), name);
    for (int i = 0; i < p->item_count; i++)
        if (p->item[i].is_kernel && p->item[i].name >= 0 && token_is(&p->tokens, p->item[i].name, kernel))
            return &p->item[i];
    return NULL;
}

static int find_word(const struct tokens *t, int from, int to, const char *word)
{
    for (int i = from; i <= to; i++)
        if (token_is(t, i, word))
            return i;
    return -1;
}

/* gridDim, or a variable that begins with something of it */
static bool is_of_grid(const struct program *p, int i)
{
    const struct tokens *t = &p->tokens;
    if (token_is(t, i, "gridDim"))
        return true;
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        if (!token_is_name(t, i) || i <= v->first || i > v->last || !token_same(t, v->name, i) ||
            v->is_global || !token_is(t, v->name + 1, "="))
            continue;
        for (int at = v->name + 2; at < v->last && !token_in(t, at, " ; , "); at++)
            if (token_is(t, at, "gridDim"))
                return true;
    }
    return false;
}

/* Has the kernel a loop for (...; ...; i += gridDim.x * blockDim.x)? */
static bool steps_by_grid(const struct program *p, const struct item *kernel)
{
    const struct tokens *t = &p->tokens;
    for (int s = 0; s < p->statement_count; s++) {
        const struct statement *loop = &p->statement[s];
        const bool is_for = loop->kind == STATEMENT_LOOP && loop->first > kernel->body &&
                            loop->last < kernel->last && token_is(t, loop->condition - 1, "for");
        int ends = 0;
        for (int i = loop->condition + 1; is_for && i < t->token[loop->condition].match; i++) {
            ends += token_is(t, i, ";");
            if (ends == 2 && is_of_grid(p, i))
                return true;
        }
    }
    return false;
}

/*
 * The kernel's first loop that never names its own variable but the one that this begins with: where it does, and both names. -1:
 * there is none.
 */
static int find_idle_loop(const struct program *p, const struct item *kernel, char name[64], char start[64])
{
    const struct tokens *t = &p->tokens;
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        if (v->loop < 0 || v->name < kernel->body || v->name > kernel->last ||
            !token_is(t, v->name + 1, "=") || !token_is_name(t, v->name + 2) ||
            !token_is(t, v->name + 3, ";"))
            continue;
        const struct statement *loop = &p->statement[v->loop];
        const int body = t->token[loop->condition].match + 1;
        token_copy(t, v->name, name, 64);
        token_copy(t, v->name + 2, start, 64);
        const int used = find_word(t, body, loop->last, start);
        if (used >= 0 && find_word(t, body, loop->last, name) < 0)
            return used;
    }
    return -1;
}

static void say(const struct program *p, const struct item *kernel,
                const struct protocol_launch_change *change, const struct grader_build *build, int wrong,
                int failing, char *text, size_t size, int *line)
{
    char name[64], start[64];
    const char *slash = strrchr(build->source, '/'), *file = slash ? slash + 1 : build->source;
    const int at = find_idle_loop(p, kernel, name, start);
    *line = at >= 0 ? p->tokens.token[at].line : change->line;
    text_set(text, size, "%s:%d: ", file, *line);
    if (at >= 0)
        text_append(
            text, size,
            "the loop variable %s is never used, only %s, with which it begins: every turn takes the same "
            "element. ",
            name, start);
    text_append(text, size, "With another number of blocks at line %d", change->line);
    trial_say_outcome(wrong, failing, text, size);
    text_append(
        text, size,
        " The kernel steps by gridDim, so that any number should do: what its loop does from the second turn "
        "on is wrong.");
}

bool trial_loop_sentence(const struct grader_build *build, const struct trial_launches *launches,
                         const struct protocol_launch_change *change, int wrong, int failing, char *text,
                         size_t size, int *line)
{
    struct program program;
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_BLOCKS_MORE:
    case SIM_LAUNCH_BLOCKS_TIMES: break;
    default: return false;
    }
    char *source = trial_read_file(build->source_path);
    bool hides = false;
    const bool is_read = source && program_read(&program, source, "");
    for (int i = 0; is_read && i < launches->seen_count && !hides; i++) {
        const struct protocol_seen *seen = &launches->seen[i];
        const struct item *kernel =
            seen->place.line == change->line ? kernel_of(&program, seen->kernel) : NULL;
        hides = kernel && steps_by_grid(&program, kernel);
        if (hides)
            say(&program, kernel, change, build, wrong, failing, text, size, line);
    }
    if (source)
        program_free(&program);
    free(source);
    return hides;
}
