/*
 * Results at the size that a GPU is judged at. There the simulator runs a sample of the blocks, and the inputs repeat
 * those of a small call. Of what the blocks of the sample have stored, some elements of each output are compared with
 * the reference.
 */
#pragma once

#include "harness/judge/call.h"

struct sampled {
    int checked;   /* elements that were compared */
    bool wrong;    /* one of them is not as it should be: */
    char name[32]; /* of its buffer */
    int64_t index;
    double got, want;
};

/* Whether the task's reference can be computed at that size. */
bool sampled_can(const struct lab_task *task);

/*
 * `small`: the call whose inputs were repeated, `arg`: the numbers of the large one. `whole`: all blocks were run; else
 * nothing is known of a task whose outputs need all of them (granule 0: sums, counts).
 */
void sampled_compare(const struct call *small, const int64_t *arg, const struct protocol_mailbox *mailbox,
                     bool whole, struct sampled *out);
