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

/* Whether the task's reference can be computed of a few elements. */
bool sampled_can(const struct lab_task *task);

/* `small`: the call whose inputs were repeated, `arg`: the numbers of the large one. */
void sampled_compare(const struct call *small, const int64_t *arg, const struct protocol_mailbox *mailbox,
                     struct sampled *out);
