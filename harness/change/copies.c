/* Changed copies of the source become a worker. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/change/recompile.h"
#include "harness/change/sources_internal.h"
#include "harness/wire/process.h"

#define TRIES_MOST        4
#define TOKENS_PER_SECOND 36000 /* that nvcc compiles, see cost_of */
#define NAME              "student.cu"
/* Less optimization of kernels; and of the C++ library's headers, which CUDA's own include, less than C++17 takes in. It
   halves the time. If the file needs more, or nvcc does not know this, it is compiled as always. */
#define QUICK "-Xcicc -O1 -std=c++14"

static bool begin(const struct grader_build *build, const struct repair *repair, struct repair_batch *batch)
{
    char name[RECOMPILE_PATH + 8];
    recompile_name(batch->path, ".cu", name);
    FILE *file = fopen(name, "w");
    if (!file)
        return false;
    int number[REPAIR_BATCH + 1];
    memcpy(number, batch->number, (size_t)batch->count * sizeof *number);
    number[batch->count] = REPAIR_NONE;
    const bool written = repair_write(repair, number, batch->count + 1, NAME, file);
    if (fclose(file) != 0 || !written)
        return false;
    batch->pid = recompile_begin(build, batch->path, batch->is_plain ? "" : QUICK,
                                 batch->on_device ? RECOMPILE_PTX : RECOMPILE_WORKER);
    return batch->pid > 0;
}

bool repair_batch_begin(const struct grader_build *build, const struct repair *repair, const char *folder,
                        struct repair_batch *batch)
{
    if (batch->count == 0)
        return false;
    snprintf(batch->path, sizeof batch->path, "%s/worker-%d", folder, batch->number[0]);
    return begin(build, repair, batch);
}

static FILE *open_log(const struct repair_batch *batch)
{
    char name[RECOMPILE_PATH + 8];
    recompile_name(batch->path, ".log", name);
    return fopen(name, "r");
}

/* Takes out the changes that the log has errors of. False: there is none, or there are errors of all changes alike. */
static bool drop_wrong(struct repair_batch *batch)
{
    bool wrong[REPAIR_BATCH + 1] = {false};
    char line[1024];
    FILE *file = open_log(batch);
    while (file && fgets(line, sizeof line, file)) {
        const int number = repair_error_of(line, NAME);
        if (number >= 0 && number <= batch->count)
            wrong[number] = true;
    }
    if (file)
        fclose(file);
    int kept = 0, count = batch->count;
    for (int i = 0; i < count; i++)
        kept += !wrong[i];
    if (wrong[count] || kept == count || (kept == 0 && !batch->is_plain))
        return false;
    batch->count = 0;
    for (int i = 0; i < count; i++)
        if (!wrong[i])
            batch->number[batch->count++] = batch->number[i];
    return true;
}

/* ---- warnings ------------------------------------------------------------------------------------------ */

#define WARNINGS_MOST 2000

struct warnings {
    int count;
    struct {
        int copy;
        uint64_t text; /* a number that stands for it */
    } of[WARNINGS_MOST];
};

/* The warning without numbers, in which copies and lines differ. */
static uint64_t number_of(const char *text)
{
    uint64_t number = 14695981039346656037u;
    for (; *text; text++)
        if (*text < '0' || *text > '9')
            number = (number ^ (unsigned char)*text) * 1099511628211u;
    return number;
}

static void read_warnings(const struct repair_batch *batch, struct warnings *warnings)
{
    char line[1024];
    FILE *file = open_log(batch);
    warnings->count = 0;
    while (file && warnings->count < WARNINGS_MOST && fgets(line, sizeof line, file)) {
        const char *text;
        const int copy = repair_warning_of(line, NAME, &text);
        if (copy < 0 || copy > batch->count)
            continue;
        warnings->of[warnings->count].copy = copy;
        warnings->of[warnings->count++].text = number_of(text);
    }
    if (file)
        fclose(file);
}

static int times_of(const struct warnings *warnings, int copy, uint64_t text)
{
    int times = 0;
    for (int i = 0; i < warnings->count; i++)
        times += warnings->of[i].copy == copy && warnings->of[i].text == text;
    return times;
}

/* What a right program would not be warned of: a variable that is used before it has a value, one that is not used any more. */
static void mark_warned(struct repair_batch *batch)
{
    struct warnings *warnings = calloc(1, sizeof *warnings);
    memset(batch->warned, 0, sizeof batch->warned);
    if (!warnings)
        return;
    read_warnings(batch, warnings);
    for (int i = 0; i < warnings->count; i++) {
        const int copy = warnings->of[i].copy;
        const uint64_t text = warnings->of[i].text;
        if (copy < batch->count && times_of(warnings, copy, text) > times_of(warnings, batch->count, text))
            batch->warned[copy] = true;
    }
    free(warnings);
}

/* ---- one batch ----------------------------------------------------------------------------------------- */

/* About the seconds that nvcc takes on a machine that does nothing else: by the work, as cost_of in change/case.c. */
static double cost_of(const struct repair *repair, const struct repair_batch *batch)
{
    const double whole = 0.6 + (batch->count + 1) * (double)repair_size(repair) / TOKENS_PER_SECOND;
    return batch->on_device ? whole / 3 : whole;
}

static bool wait_for(const struct repair *repair, struct repair_batch *batch, double *cost)
{
    const bool is_made = recompile_wait(batch->pid);
    *cost += cost_of(repair, batch) / (is_made ? 1 : 3); /* errors are found before anything is generated */
    batch->pid = 0;
    return is_made;
}

bool repair_batch_end(const struct grader_build *build, const struct repair *repair,
                      struct repair_batch *batch, double *cost)
{
    if (batch->pid <= 0)
        return false;
    while (!wait_for(repair, batch, cost)) {
        const bool is_dropped = drop_wrong(batch);
        if (process_interrupted() || (!is_dropped && batch->is_plain) || batch->count == 0 ||
            ++batch->tries == TRIES_MOST)
            return false;
        batch->is_plain |= !is_dropped;
        if (!begin(build, repair, batch))
            return false;
    }
    mark_warned(batch);
    return true;
}

void repair_batch_drop(struct repair_batch *batch)
{
    recompile_drop(batch->pid, batch->path);
    batch->pid = 0;
}
