/*
 * Changes of the source: one place after the other (harness/change/edit.h). nvcc compiles some dozens of changed copies in one
 * run, and the simulator runs the cases with each of them. That takes some seconds, and needs what built the program.
 */
#ifndef HARNESS_GRADER_REPAIR_H
#define HARNESS_GRADER_REPAIR_H

#include <stdbool.h>

#include "harness/change/change_internal.h"

struct repair_run;

/*
 * Finds changes for the failure of the trial, as many as are compiled in a small batch and so many others, and begins with the small one. NULL: nothing can be
 * changed or compiled here. End it with repair_end, which may be called with NULL.
 */
struct repair_run *repair_begin(struct trial *trial, int batches);

/* Is there a change that makes all cases of the trial right? */
bool repair_try(struct repair_run *run, struct trial *trial);
/* The one that shows the mistake, in words. False: none does: see choose(). */
bool repair_tell(const struct repair_run *run, const struct trial *trial, struct trial_words *words);
/* There is none: how many were tried, and what was left out; one line. NULL: nothing could be tried. */
void repair_left_out(const struct repair_run *run, char *text, size_t size);
/* Can the task be called there, too? */
bool repair_has_task(const struct repair_run *run, const char *task_id);
void repair_end(struct repair_run *run);

#endif
