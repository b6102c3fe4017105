/*
 * Sets of inputs for timed calls, which stay on the GPU: for one task, and for the next one if it has the same
 * inputs at the same size.
 */
#pragma once

#include "harness/judge/call.h"
#include "harness/judge/fingerprint.h"
#include "harness/result/grader.h"

/* What was judged right of a set, by one reference: the same bits once more need not be judged again. */
struct sets_judged {
    bool right;
    struct fingerprint *output[LAB_MAX_BUFFERS]; /* by piece; and call[set].run.result */
};

/* The calls have no memory for outputs except while they are judged. */
struct grader_sets {
    const struct lab_task *task; /* for which they were made */
    int64_t arg[LAB_MAX_ARGS];
    pid_t worker; /* the process that holds them */
    int count;
    struct call call[PROTOCOL_MAX_SETS];
    struct sets_judged judged[PROTOCOL_MAX_SETS];
};

/* Fewer than wanted if memory ends; NULL, with a finding, if there is none at all or a request failed. */
struct grader_sets *sets_prepare(struct grader *grader, const struct lab_task *task, const int64_t *arg,
                                 struct grader_finding *finding);
void sets_release(struct grader *grader);

/* Draws new inputs for set `which`, in the same memory. False, maybe with a finding: it has none now. */
bool sets_renew(struct grader *grader, int which, struct grader_finding *finding);

/* While there is nothing else to do: makes the inputs of the first timed task, which are then kept, unless it is known to be wrong. */
void sets_make_early(const struct grader *grader);
/* The same, on the GPU: while another thread is still busy. What goes wrong is told when the task is timed. */
void sets_prepare_early(struct grader *grader);

/* Asks worker-gpu. False: the finding says why, and the worker is stopped if it cannot be relied on. */
bool sets_request(struct grader *grader, struct protocol_request *request, uint32_t kind,
                  struct grader_finding *finding, struct exchange *exchange);

/* The answer to a request that process_send has sent. */
bool sets_receive(struct grader *grader, const struct protocol_request *request,
                  struct grader_finding *finding, struct exchange *exchange);
