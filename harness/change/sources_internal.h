/* Between change/sources.c, which tries, change/copies.c, which compiles, and change/sources_words.c. */
#ifndef HARNESS_GRADER_REPAIR_INTERNAL_H
#define HARNESS_GRADER_REPAIR_INTERNAL_H

#include "harness/change/edit.h"
#include "harness/change/recompile.h"
#include "harness/change/sources.h"
#include "harness/result/grader.h"

/* ---- change/copies.c ------------------------------------------------------------------------------ */

#define REPAIR_BATCH 64 /* changes; one more copy, the last one, is unchanged */

/* Some changes that are compiled together, to a worker of their own. */
struct repair_batch {
    int number[REPAIR_BATCH], count; /* of changes; those that do not compile are taken out */
    bool warned[REPAIR_BATCH];       /* the compiler warns of what it did not warn of before the change */
    pid_t pid;                       /* of the compiler; 0: none runs */
    int tries;
    bool is_plain;  /* compiled without special options */
    bool on_device; /* changes of kernels only, which are compiled without the host's part: `path`.o is PTX */
    char path[RECOMPILE_PATH];
};

/* Begins to compile the batch in `folder`. False: there is no compiler, or no room. */
bool repair_batch_begin(const struct grader_build *build, const struct repair *repair, const char *folder,
                        struct repair_batch *batch);
/*
 * Waits for it; changes that do not compile go, and the others are compiled again; those with a new warning are marked. What that costs is added, in seconds
 * of a machine that does nothing else. False: there is no worker.
 */
bool repair_batch_end(const struct grader_build *build, const struct repair *repair,
                      struct repair_batch *batch, double *cost);
/* Stops it, and removes its files. */
void repair_batch_drop(struct repair_batch *batch);

/* ---- change/sources_words.c ------------------------------------------------------------------------------ */

/* `race`: what is wrong; NULL: something else. */
void repair_words(const struct repair_edit *edit, const struct protocol_hazard *race,
                  struct trial_words *words);

#endif
