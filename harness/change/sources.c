#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/phase.h"
#include "harness/change/recompile.h"
#include "harness/change/sources_internal.h"
#include "harness/source/line.h"
#include "harness/source/source.h"
#include "harness/source/todo.h"

#define COMPILE_MOST 5.0 /* seconds of nvcc, counted by the work: repair_batch_end */
#define WORK_MOST    4.0 /* seconds of the simulator, counted in the same way: cost_of in change/case.c */
#define FIRST        32  /* changes of the first batch: what is likely is soon known */
#define REPAIR_LEAST 48  /* … of each other one */
#define FOUND_MOST   64
#define TOKENS_MOST  50000 /* of a batch: two seconds of nvcc, about, for kernels of the usual kind */

/* The first batch is compiled while changes of the compiled code are tried. */
struct repair_run {
    struct repair *repair;
    struct source source;         /* which function a task calls */
    struct repair_batch batch[2]; /* one is tried while the other one is compiled */
    int each;                     /* changes of a batch behind the first one: fewer where copies are long */
    int next[2], count; /* the first change in no batch yet, of launches and of kernels; how many are tried */
    double compiled;    /* what that has cost, see repair_batch_end */
    int all, tried;     /* changes that there are; those that were tried, or do not compile */
    int found[FOUND_MOST], found_count; /* those that make all cases right */
    char folder[RECOMPILE_FOLDER];
};

static bool is_given(void *context, int line)
{
    return trial_has_given(context, line);
}

static struct repair *open_source(const struct trial *trial, const struct source *source, const char *text)
{
    char *header = build_read_header(&trial->grader->build);
    const struct source_function *entry = source_entry(source, trial->task->task->id);
    struct repair *repair = header && entry ? repair_open(text, header, entry->name) : NULL;
    free(header);
    return repair;
}

bool repair_has_task(const struct repair_run *run, const char *task_id)
{
    const struct source_function *entry = run ? source_entry(&run->source, task_id) : NULL;
    return entry && repair_holds(run->repair, entry->name);
}

static int next_of(const struct repair_run *run, int number, bool on_device)
{
    while (number < run->count && repair_is_of_device(run->repair, number) != on_device)
        number++;
    return number;
}

/* Those of kernels are compiled in a third of the time: a batch has none of launches beside them. */
static void begin_batch(struct repair_run *run, const struct grader_build *build, int k)
{
    struct repair_batch *batch = &run->batch[k];
    memset(batch, 0, sizeof *batch);
    batch->on_device = run->next[1] < run->next[0];
    int *next = &run->next[batch->on_device];
    const int most = run->next[0] == 0 || run->next[1] == 0 ? FIRST : run->each;
    while (*next < run->count && batch->count < most && run->compiled <= COMPILE_MOST) {
        batch->number[batch->count++] = *next;
        *next = next_of(run, *next + 1, batch->on_device);
    }
    repair_batch_begin(build, run->repair, run->folder, batch);
}

struct repair_run *repair_begin(struct trial *trial, int batches)
{
    const struct grader_build *build = &trial->grader->build;
    struct repair_run *run = recompile_is_possible(build) ? calloc(1, sizeof *run) : NULL;
    char *text = run ? trial_read_file(build->source_path) : NULL;
    if (text) {
        build_read_source(build, &run->source);
        run->repair = open_source(trial, &run->source, text);
    }
    free(text);
    if (!run || !run->repair) {
        repair_end(run);
        return NULL;
    }
    const struct repair_wish wish = {.near = trial->near,
                                     .near_count = trial->near_count,
                                     .named_count = trial->named_count,
                                     .is_given = is_given,
                                     .context = trial};
    run->all = run->count = repair_find(run->repair, &wish);
    const int fit = TOKENS_MOST / repair_size(run->repair);
    run->each = fit < REPAIR_LEAST ? REPAIR_LEAST : fit < REPAIR_BATCH ? fit : REPAIR_BATCH;
    const int count = FIRST + (batches ? batches * run->each : FIRST);
    run->count = run->count < count ? run->count : count;
    if (run->count <= 0 || !recompile_make_folder(run->folder)) {
        repair_end(run);
        return NULL;
    }
    for (int on_device = 0; on_device < 2; on_device++)
        run->next[on_device] = next_of(run, 0, on_device);
    begin_batch(run, build, 0);
    return run;
}

void repair_end(struct repair_run *run)
{
    if (!run)
        return;
    for (int k = 0; k < 2; k++)
        repair_batch_drop(&run->batch[k]);
    if (run->folder[0])
        rmdir(run->folder);
    repair_free(run->repair);
    source_free(&run->source);
    free(run);
}

/* In the order of the changes, whichever batch they were in. */
static void add_found(struct repair_run *run, int number)
{
    int at = run->found_count++;
    for (; at > 0 && run->found[at - 1] > number; at--)
        run->found[at] = run->found[at - 1];
    run->found[at] = number;
}

/* Which of a batch make all cases right? */
static void try_batch(struct repair_run *run, struct trial *trial, const struct repair_batch *batch,
                      double most)
{
    struct process worker, *before = trial->process;
    const int unchanged = batch->count + 1;
    char ptx[RECOMPILE_PATH + 8];
    recompile_name(batch->path, ".o", ptx);
    process_init(&worker, batch->on_device ? before->path : batch->path, before->model, before->arena);
    worker.program = batch->on_device ? ptx : NULL;
    trial->process = &worker;
    trial->unchanged = unchanged;
    /* If it is right when it is compiled like this, a change proves nothing. */
    const bool is_proof = !trial_makes_right(trial, &trial->cases[0], unchanged, true);
    for (int i = 0;
         i < batch->count && run->found_count < FOUND_MOST && is_proof && !trial_is_over(trial, most); i++) {
        run->tried++;
        if (!batch->warned[i] && trial_makes_all_right(trial, i + 1))
            add_found(run, batch->number[i]);
    }
    process_stop(&worker);
    trial->process = before;
    trial->unchanged = 0;
}

static const struct repair_edit *found(const struct repair_run *run, int i)
{
    return repair_edit(run->repair, run->found[i]);
}

/* Another order of what racing threads do: a barrier, an atomic operation. */
static bool is_order(const struct repair_edit *edit)
{
    return edit->kind == REPAIR_BARRIER || edit->kind == REPAIR_FUNCTION;
}

/* Of a race that leaves the values right, anything makes an end that keeps its accesses apart. */
static bool may_silence(const struct repair_edit *edit, const struct trial *trial)
{
    return trial->race && !is_order(edit) &&
           (edit->is_array || (trial->is_by_luck && trial->race->here.line != trial->race->there.line));
}

/* Is the line one of the first `count` of those near? */
static bool is_near(const struct trial *trial, int count, int line)
{
    for (int i = 0; i < count; i++)
        if (trial->near[i] == line)
            return true;
    return false;
}

/*
 * Another number may hide what is wrong elsewhere, but where the report names the line. In a single wrong case arguments in
 * another order may, too: fewer threads do not come to an access that is not allowed.
 */
static bool is_tuned(const struct repair_edit *edit, const struct trial *trial)
{
    if (edit->kind == REPAIR_ARGUMENTS)
        return trial->is_access && trial->wrong_count == 1;
    return edit->kind == REPAIR_NUMBER && !is_near(trial, trial->near_count, edit->line);
}

/* In the kernel, and outside of loops, where that is enough: once instead of in each turn. NULL: there is none. */
static const struct repair_edit *found_barrier(const struct repair_run *run)
{
    const struct repair_edit *first = NULL;
    for (int i = 0; i < run->found_count; i++)
        if (found(run, i)->kind == REPAIR_BARRIER && (!first || found(run, i)->depth < first->depth))
            first = found(run, i);
    return first;
}

/*
 * Of the changes that make all cases right, the one that shows the mistake: what is likely first. NULL: none does, for another
 * line can be changed as well and is no less likely, or the report does not name the line; or the change may only silence the
 * race, as it does where another array is used. Between two racing accesses, a barrier alone orders both; but where the simulator has no advice, they are in two
 * calls, and one of them may have got the wrong array.
 */
static const struct repair_edit *choose(const struct repair_run *run, const struct trial *trial)
{
    const struct repair_edit *told = found(run, 0);
    if (trial->race && found_barrier(run))
        return trial->race->advice_bytes > 0 ? found_barrier(run) : NULL;
    for (int i = 1; i < run->found_count; i++)
        if (found(run, i)->line != told->line &&
            (found(run, i)->cost == told->cost || !is_near(trial, trial->named_count, told->line)))
            return NULL;
    return is_tuned(told, trial) || may_silence(told, trial) ? NULL : told;
}

bool repair_try(struct repair_run *run, struct trial *trial)
{
    const struct grader_build *build = &trial->grader->build;
    const double most = trial->work + WORK_MOST;
    for (int k = 0; run->batch[k].count > 0; k = !k) {
        if (trial_is_over(trial, most))
            break;
        const bool is_made = repair_batch_end(build, run->repair, &run->batch[k], &run->compiled);
        begin_batch(run, build, !k);
        if (is_made)
            try_batch(run, trial, &run->batch[k], most);
        repair_batch_drop(&run->batch[k]);
    }
    return run->found_count > 0;
}

bool repair_tell(const struct repair_run *run, const struct trial *trial, struct trial_words *words)
{
    const struct repair_edit *told = choose(run, trial);
    if (told)
        repair_words(told, trial->race, words);
    return told;
}

void repair_left_out(const struct repair_run *run, char *text, size_t size)
{
    if (!run)
        return;
    text_set(
        text, size,
        "No small change was found that makes it right: %d of the %d changes of kernels and launches that come "
        "into question were tried, those near the lines that are named above first.",
        run->tried, run->all);
    if (run->tried < run->all)
        text_append(text, size, " The rest would take longer than the search may.");
}
