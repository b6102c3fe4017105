#include "harness/cause/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/source/line.h"
#include "harness/source/source.h"
#include "harness/source/value.h"

/* The student's file, read for one finding. */
struct reading {
    struct program program;
    struct value_context value;
    const struct tokens *tokens;
    const struct item *launcher; /* the task's function, or one that it leads to */
    int launch;                  /* its first one, such as its <<<; -1: none of them has one */
};

#define SAY(...) text_append(text, size, __VA_ARGS__)

static int line_of(const struct reading *r, int token)
{
    return r->tokens->token[token].line;
}

/* The name of the task's function; false: it is not in the file. */
static bool name_entry(const struct grader *grader, const char *task, char *name, size_t size)
{
    struct source source;
    build_read_source(&grader->build, &source);
    const struct source_function *entry = source_entry(&source, task);
    text_set(name, size, "%s", entry ? entry->name : "");
    source_free(&source);
    return name[0] != '\0';
}

static const struct item *function_named(const struct program *p, const char *name)
{
    for (int i = 0; i < p->item_count; i++)
        if (p->item[i].kind == ITEM_FUNCTION && token_is(&p->tokens, p->item[i].name, name))
            return &p->item[i];
    return NULL;
}

/* The next launch of the function behind token `i`; -1: there is none. */
static int next_launch(const struct reading *r, const struct item *function, int i)
{
    while (++i <= function->last)
        if (token_in(r->tokens, i, " <<< cudaLaunchKernel cudaLaunchKernelEx cudaLaunchCooperativeKernel "))
            return i;
    return -1;
}

/* Where `function` names the other one; -1: nowhere. */
static int call_of(const struct reading *r, const struct item *function, const struct item *other)
{
    for (int i = function->body; i <= function->last; i++)
        if (token_same(r->tokens, i, other->name) && token_is(r->tokens, i + 1, "("))
            return i;
    return -1;
}

#define CALLS_MOST 4

static void find_launcher(struct reading *r, const struct item *function, int calls)
{
    const struct program *p = &r->program;
    r->launcher = function;
    r->launch = next_launch(r, function, function->body);
    for (int i = 0; i < p->item_count && r->launch < 0 && calls < CALLS_MOST; i++)
        if (p->item[i].kind == ITEM_FUNCTION && call_of(r, function, &p->item[i]) >= 0)
            find_launcher(r, &p->item[i], calls + 1);
}

/* False: the file is not understood, or the task's function is not in it. End it in any case. */
static bool begin_reading(const struct grader *grader, const struct call *call, struct reading *r)
{
    char name[64], *text = trial_read_file(grader->build.source_path),
                   *header = build_read_header(&grader->build);
    memset(r, 0, sizeof *r);
    r->tokens = &r->program.tokens;
    if (text && name_entry(grader, call->task->id, name, sizeof name) &&
        program_read(&r->program, text, header ? header : ""))
        r->value = (struct value_context){.program = &r->program,
                                          .entry = function_named(&r->program, name),
                                          .names = call->task->arg_names,
                                          .args = call->run.arg,
                                          .count = LAB_MAX_ARGS};
    free(text);
    free(header);
    if (r->value.entry)
        find_launcher(r, r->value.entry, 0);
    return r->value.entry != NULL;
}

static void end_reading(struct reading *r)
{
    program_free(&r->program);
}

/* An expression of the file, on one line and not too long. */
static void copy_expression(const struct reading *r, int first, int last, char text[96])
{
    tokens_copy(r->tokens, first, last, text, 96);
    if (strlen(text) == 95)
        strcpy(text + 92, "...");
}

/* A variable in an expression that is computed in one place. */
struct computed {
    char name[64], as[96];
    int first, last, line; /* its expression, and where it stands */
    bool known;
    int64_t value;
};

static bool find_computed(const struct reading *r, int first, int last, struct computed *out)
{
    for (int i = first; i <= last; i++) {
        const struct variable *v = token_is_name(r->tokens, i) ? program_meaning(&r->program, i, i) : NULL;
        if (!value_definition(&r->program, v, &out->first, &out->last))
            continue;
        token_copy(r->tokens, i, out->name, sizeof out->name);
        copy_expression(r, out->first, out->last, out->as);
        out->line = line_of(r, out->first);
        out->known = value_of(&r->value, out->first, out->last, &out->value);
        return true;
    }
    return false;
}

/* ---- why nothing was launched ------------------------------------------------------------------------------ */

/* A condition of which it depends whether a function comes to a place. */
struct blocker {
    const struct item *f; /* NULL: there is none */
    int first, last;      /* of the condition */
    bool returns, holds;  /* the function returns there; else the place is passed over */
};

static bool is_part_of(const struct program *p, int child, int parent)
{
    return parent < 0 || (child >= p->statement[parent].first && child <= p->statement[parent].last);
}

static bool has_return(const struct tokens *t, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (token_is(t, i, "return"))
            return true;
    return false;
}

/* The last token of the statement that begins at `first`. */
static int end_of_statement(const struct program *p, int first)
{
    for (int i = 0; i < p->statement_count; i++)
        if (p->statement[i].first == first)
            return p->statement[i].last;
    return first;
}

/* The first condition that keeps the function from the token `target`, as far as their values are known. */
static void find_blocker(const struct reading *r, const struct item *f, int target, struct blocker *found)
{
    const struct program *p = &r->program;
    for (int i = 0; i < p->statement_count; i++) {
        const struct statement *s = &p->statement[i];
        if (s->kind != STATEMENT_IF || s->first < f->body || s->first > target ||
            !is_part_of(p, target, s->parent))
            continue;
        const int close = r->tokens->token[s->condition].match, end = end_of_statement(p, close + 1);
        const bool within = target <= end, in_else = !within && target <= s->last,
                   returns = target > s->last && has_return(r->tokens, close + 1, end);
        int64_t value;
        if ((within || in_else || returns) && value_of(&r->value, s->condition + 1, close - 1, &value) &&
            (value != 0) != within) {
            *found = (struct blocker){f, s->condition + 1, close - 1, returns, !within};
            return;
        }
    }
}

static void find_reason(const struct reading *r, struct blocker *found)
{
    const struct item *entry = r->value.entry;
    *found = (struct blocker){.f = NULL};
    if (r->launcher != entry)
        find_blocker(r, entry, call_of(r, entry, r->launcher), found);
    if (!found->f)
        find_blocker(r, r->launcher, r->launch, found);
}

/*
 * What the condition does, with the line where it stands: "lab02_reduce_blocks returns at line 57, because blocks ==
 * 0 is true".
 */
static void say_condition(const struct reading *r, const struct blocker *b, bool here, char *text,
                          size_t size)
{
    char condition[96], at[32], name[64];
    copy_expression(r, b->first, b->last, condition);
    token_copy(r->tokens, b->f->name, name, sizeof name);
    text_set(at, sizeof at, here ? "here" : "at line %d", line_of(r, b->first));
    if (b->returns)
        SAY("%s returns %s, because %s is true", name, at, condition);
    else
        SAY("the launch is skipped %s, because %s is %s", at, condition, b->holds ? "true" : "false");
}

static int say_reason(const struct reading *r, const struct blocker *found, char *text, size_t size)
{
    struct computed c;
    const bool computed = find_computed(r, found->first, found->last, &c) && c.known;
    const bool empty = computed && c.value == 0;
    SAY("No kernel was launched: ");
    if (empty)
        SAY("%s, computed here as %s, is 0 in this case, and ", c.name, c.as);
    say_condition(r, found, !empty, text, size);
    if (computed && !empty)
        SAY(" (%s, computed at line %d as %s, is %lld)", c.name, c.line, c.as, (long long)c.value);
    SAY(".\n");
    return empty ? c.line : line_of(r, found->first);
}

/* The sentence, and the line that it is about. */
static int say_none(const struct reading *r, char *text, size_t size)
{
    const struct item *about = r->launch < 0 ? r->value.entry : r->launcher;
    struct blocker found = {.f = NULL};
    char name[64];
    if (r->launch >= 0)
        find_reason(r, &found);
    if (found.f)
        return say_reason(r, &found, text, size);
    token_copy(r->tokens, about->name, name, sizeof name);
    if (r->launch < 0)
        SAY("No kernel was launched: %s has no launch, kernel<<<blocks, threads>>>(...).\n", name);
    else
        SAY("No kernel was launched, though %s has a launch at line %d: it is not reached before the call ends.\n",
            name, line_of(r, r->launch));
    return line_of(r, r->value.entry->first);
}

void launch_explain_none(const struct grader *grader, const struct call *call, struct grader_finding *finding)
{
    const struct fact *none = fact_find(&finding->facts, FACT_NO_LAUNCH);
    char said[1024] = "";
    struct reading r;
    if (finding->line > 0 || !none)
        return;
    if (begin_reading(grader, call, &r)) {
        finding->line = say_none(&r, said, sizeof said);
        text_set(finding->file, sizeof finding->file, "%s", grader->build.source);
        text_set(finding->cause, sizeof finding->cause, "%s:%d: %sSo none stores %s.\n",
                 text_file_name(finding->file), finding->line, said, none->name[0]);
    }
    end_reading(&r);
}
