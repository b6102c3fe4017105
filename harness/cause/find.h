/* The one door to causes: a call that did not come out right, and all that is known of it, become what is told. */
#ifndef HARNESS_CAUSE_FIND_H
#define HARNESS_CAUSE_FIND_H

#include "harness/judge/call.h"
#include "harness/judge/call_plan.h"

/* A call as it was made. */
struct cause_run {
    const struct call_plan *plan;
    struct process *process;
    const struct call *call;
    const struct protocol_request *request;
    const struct exchange *exchange;
    bool values; /* it came to its end, and what it made is wrong: the finding says what */
};

/*
 * Why: into the finding, which says how the call ended, and what is wrong. May make the call again, recorded or with a
 * limit, where that says more. The order in which causes are looked for is the policy: what is seen for certain, as what
 * the host did or a hazard, before what is read out of values.
 */
void cause_find(const struct grader *grader, const struct cause_run *run, struct grader_finding *finding);
/* Its texts: paths below `root` are named from there; one of a kind is one: "1 block". */
void cause_shorten(struct grader_finding *finding, const char *root);

/*
 * Whether the call, made again, returned what the finding shows. If it did not, the process was in another state than
 * before the first call, and what was recorded says nothing of the finding.
 */
bool cause_is_same_run(const struct call *call, const struct arena *arena, const struct protocol_reply *reply,
                       const struct grader_finding *finding);

#endif
