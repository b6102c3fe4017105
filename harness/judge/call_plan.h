/* What a call is made for, and how. */
#pragma once

#include <stdio.h>

#include "harness/result/grader.h"

/* One call from inputs to outcome. `previous`: seed of the call before it, or 0. */
struct call_plan {
    const struct lab_task *task;
    const char *name; /* of the case, if it is to be told when it is wrong; else NULL */
    const int64_t *arg;
    uint64_t seed, previous;
    enum grader_backend backend;
    double timeout;
    bool hazards;
    uint64_t instruction_limit, schedule_seed;
    bool elsewhere; /* in other memory than the call before; else where that was, if the sizes are the same */
    bool has_cause; /* of a smaller case of the task: no long search for that of this one */
    bool has_telling_cause; /* … and it says why */
    FILE *story; /* simulator: what happened in the call, at length, is written there; NULL: not wanted */
    const struct protocol_place *look_at; /* of a story: see story_tell */
    struct process *process;              /* another worker than the backend's own; NULL: that one */
};
