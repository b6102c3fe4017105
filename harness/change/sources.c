#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/phase.h"
#include "harness/change/recompile.h"
#include "harness/change/sources_internal.h"
#include "harness/source/names.h"
#include "harness/source/source.h"
#include "harness/source/todo.h"

#define COMPILE_MOST 6.0 /* seconds of nvcc, counted by the work: repair_batch_end */
#define WORK_MORE    3.0 /* as in change/change.c */
#define REPAIR_LEAST 48
#define TOKENS_MOST  50000 /* of a batch: two seconds of nvcc, about, for kernels of the usual kind */

/* The first batch is compiled while changes of the compiled code are tried. */
struct repair_run {
    struct repair *repair;
    struct given *given;
    struct source source;         /* which function a task calls */
    struct repair_batch batch[2]; /* one is tried while the other one is compiled */
    int each;                     /* changes of a batch: fewer where copies are long */
    int next, count;              /* the first change that is in no batch yet; how many are tried */
    double compiled;              /* what that has cost, see repair_batch_end */
    char folder[RECOMPILE_FOLDER];
};

struct given {
    bool line[TRIAL_LINES_MOST];
};

static bool is_given(void *context, int line)
{
    const struct given *given = context;
    return line >= 0 && line < TRIAL_LINES_MOST && given->line[line];
}

static char *read_header(const struct grader_build *build)
{
    char name[128], root[sizeof build->root], path[sizeof root + sizeof name];
    text_set(name, sizeof name, "%s/%s.h", the_lab.folder, the_lab.name);
    if (!build_find(build, name, root))
        return NULL;
    text_set(path, sizeof path, "%s/%s", root, name);
    return trial_read_file(path);
}

static struct repair *open_source(const struct trial *trial, const struct source *source, const char *text)
{
    char *header = read_header(&trial->grader->build);
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

static void begin_batch(struct repair_run *run, const struct grader_build *build, int k)
{
    struct repair_batch *batch = &run->batch[k];
    memset(batch, 0, sizeof *batch);
    while (run->next < run->count && batch->count < run->each)
        batch->number[batch->count++] = run->next++;
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
    if (run && run->repair)
        run->given = calloc(1, sizeof *run->given);
    free(text);
    if (!run || !run->given) {
        repair_end(run);
        return NULL;
    }
    trial_find_given(build, run->given->line, TRIAL_LINES_MOST); /* a student has not written them */
    const struct repair_wish wish = {.near = trial->near,
                                     .near_count = trial->near_count,
                                     .is_given = is_given,
                                     .context = run->given,
                                     .is_rounding = trial_is_rounding(trial)};
    run->count = repair_find(run->repair, &wish);
    run->each = TOKENS_MOST / repair_size(run->repair);
    run->each = run->each < REPAIR_LEAST ? REPAIR_LEAST : run->each > REPAIR_BATCH ? REPAIR_BATCH : run->each;
    run->count = run->count < batches * run->each ? run->count : batches * run->each;
    if (run->count <= 0 || !recompile_make_folder(run->folder)) {
        repair_end(run);
        return NULL;
    }
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
    free(run->given);
    free(run);
}

/* The first of a batch that makes all cases right; -1: none. */
static int try_batch(struct trial *trial, const struct repair_batch *batch, double most)
{
    struct process worker, *before = trial->process;
    int found = -1;
    process_init(&worker, batch->path, before->model, before->arena);
    trial->process = &worker;
    for (int i = 0; i < batch->count && found < 0 && !trial_is_over(trial, most); i++) {
        const struct attempt attempt = {.kernels = -2, .choice = i + 1};
        if (trial_makes_all_right(trial, &attempt))
            found = batch->number[i];
    }
    process_stop(&worker);
    trial->process = before;
    return found;
}

bool repair_try(struct repair_run *run, struct trial *trial, char *sentence, size_t size, int *line)
{
    const struct grader_build *build = &trial->grader->build;
    const double most = trial->work + WORK_MORE;
    int found = -1;
    begin_batch(run, build, 1);
    for (int k = 0; found < 0 && run->batch[k].count > 0; k = !k) {
        if (trial_is_over(trial, most) || run->compiled > COMPILE_MOST)
            break;
        if (repair_batch_end(build, run->repair, &run->batch[k], &run->compiled))
            found = try_batch(trial, &run->batch[k], most);
        repair_batch_drop(&run->batch[k]);
        if (found < 0)
            begin_batch(run, build, k);
    }
    if (found < 0)
        return false;
    const struct repair_edit *edit = repair_edit(run->repair, found);
    repair_sentence(build, edit, trial->wrong_count, trial->task->failed, sentence, size);
    *line = edit->line;
    return true;
}
