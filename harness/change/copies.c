/* Changed copies of the source become a worker. */
#include <stdio.h>
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
    const bool written = repair_write(repair, batch->number, batch->count, NAME, file);
    if (fclose(file) != 0 || !written)
        return false;
    batch->pid = recompile_begin(build, batch->path, batch->is_plain ? "" : QUICK);
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

/* Takes out the changes that the log has errors of. False: there is none, or there are errors of all changes alike. */
static bool drop_wrong(struct repair_batch *batch)
{
    bool wrong[REPAIR_BATCH] = {false}, any = false;
    char name[RECOMPILE_PATH + 8], line[1024];
    recompile_name(batch->path, ".log", name);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) {
        const int number = repair_error_of(line, NAME);
        if (number >= 0 && number < batch->count)
            wrong[number] = any = true;
    }
    if (file)
        fclose(file);
    int kept = 0, count = 0;
    for (int i = 0; i < batch->count; i++)
        count += wrong[i];
    if (count == batch->count && !batch->is_plain)
        return false;
    for (int i = 0; i < batch->count; i++)
        if (!wrong[i])
            batch->number[kept++] = batch->number[i];
    batch->count = kept;
    return any;
}

/* About the seconds that nvcc takes on a machine that does nothing else: by the work, as cost_of in change/case.c. */
static double cost_of(const struct repair *repair, const struct repair_batch *batch)
{
    return 0.6 + batch->count * (double)repair_size(repair) / TOKENS_PER_SECOND;
}

static bool wait_for(const struct repair *repair, struct repair_batch *batch, double *cost)
{
    const bool is_made = recompile_wait(batch->pid);
    *cost += cost_of(repair, batch);
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
    return true;
}

void repair_batch_drop(struct repair_batch *batch)
{
    recompile_drop(batch->pid, batch->path);
    batch->pid = 0;
}
