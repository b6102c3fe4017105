/*
 * Results at the size that a GPU is judged at. There the simulator runs a sample of the blocks, and the inputs repeat
 * those of a small call. Of what the blocks of the sample have stored, some elements of each output are compared with
 * the reference.
 */
#pragma once

#include "harness/judge/call.h"
#include "harness/result/finding.h"

struct sampled {
    int checked;   /* elements that were compared */
    int lonely;    /* of them that were stored, but not the one beside */
    bool wrong;    /* one of them is not as it should be: */
    char name[32]; /* of its buffer */
    int64_t index;
    double got, want;
    uint64_t
        put_at; /* of a task that gathers the largest: 1 + which element of the input is made that; 0: none */
    uint64_t largest_at; /* … where the largest was that was read, and others that were */
    uint64_t read_at[PROTOCOL_PLACES];
};

/* What is wrong, as the headline. */
void sampled_tell(const struct sampled *sampled, const struct lab_task *task, struct grader_finding *finding);

/* Whether the task's reference can be computed at that size. */
bool sampled_can(const struct lab_task *task);

/*
 * Whether all blocks have to be run to know that the work is done: of a sample something is wrong or missing. `needed`: bytes that
 * the task needs.
 */
bool sampled_is_doubtful(const struct lab_task *task, const int64_t *arg, double needed,
                         const struct protocol_mailbox *mailbox, const struct sampled *sampled);

/* What the device apart is to say of what was read, or to put there (put_at). */
void sampled_ask(const struct call *small, const struct sampled *sampled, struct protocol_request *request);

/*
 * `small`: the call whose inputs were repeated, `arg`: the numbers of the large one. `whole`: all blocks were run; else
 * nothing is known of a task whose outputs need all of them (granule 0: counts), unless it gathers what blocks have read.
 */
void sampled_compare(const struct call *small, const int64_t *arg, const struct protocol_mailbox *mailbox,
                     bool whole, struct sampled *out);
