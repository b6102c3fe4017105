/* What became of one case. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "harness/lab/lab.h"
#include "harness/result/finding.h"
#include "harness/wire/protocol.h"

#define GRADER_PRINTED 2048

/* One case on one backend. */
struct grader_outcome {
    bool run;
    bool passed;
    double seconds;
    int worker;            /* in which it was run: the number of the start of a process */
    uint64_t instructions; /* of warps, in the simulator; at its limit: the limit */
    struct grader_finding finding;
    int hazard_count;
    struct protocol_hazard hazard[PROTOCOL_MAX_HAZARDS];
    char printed[GRADER_PRINTED];      /* what the program wrote, if anything */
    uint64_t print_count;              /* calls of printf in kernels */
    struct protocol_place first_print; /* and where the first of them stands */
    uint64_t leaked_bytes;
    int leaked_count;
    char leaked_name[128];
    uint64_t again_count; /* stores of what was stored already, see struct protocol_mailbox */
    struct protocol_place again_place;
    char again_object[96];
    struct protocol_remark note; /* what takes time for nothing; line 0: nothing is known */
};

enum grader_case_status {
    CASE_PASSED,
    CASE_FAILED,
    CASE_NOT_RUN, /* too large for the simulator, or for this GPU's memory */
    CASE_SKIPPED, /* others of the task are wrong, and there was no time for it; counts as failed */
};

struct grader_case {
    char name[96];
    int64_t arg[LAB_MAX_ARGS];
    bool gpu_only;
    bool repeat; /* called a second time, with other inputs, in the same process */
    enum grader_case_status status;
    struct grader_outcome outcome[2]; /* by enum grader_backend */
};
