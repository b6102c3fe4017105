/* All the kernels of tests/hazards/, file by file, and the words that their reports must have. */
#pragma once

#include <stddef.h>

#include "tests/hazards/suite.h"

extern const struct hazard_program wrong_programs[], wrong_global_programs[], wrong_barriers_programs[],
    wrong_scopes_programs[], wrong_fences_programs[], wrong_order_programs[], wrong_parts_programs[],
    wrong_async_programs[], wrong_locks_programs[], wrong_more_programs[], wrong_undefined_programs[],
    wrong_waits_programs[], wrong_warps_programs[], wrong_queues_programs[], wrong_chains_programs[],
    wrong_bounds_programs[], wrong_arrays_programs[], wrong_division_programs[];
extern const struct hazard_program right_programs[], right_global_programs[], right_scopes_programs[],
    right_fences_programs[], right_order_programs[], right_parts_programs[], right_async_programs[],
    right_locks_programs[], right_more_programs[], right_undefined_programs[], right_waits_programs[],
    right_warps_programs[], right_queues_programs[], right_chains_programs[], right_bounds_programs[],
    right_arrays_programs[], right_division_programs[];

static const struct hazard_set {
    const char *name; /* of the file tests/hazards/NAME.cu */
    const struct hazard_program *programs;
} hazard_sets[] = {
    {"wrong", wrong_programs},
    {"wrong_global", wrong_global_programs},
    {"wrong_barriers", wrong_barriers_programs},
    {"wrong_scopes", wrong_scopes_programs},
    {"wrong_fences", wrong_fences_programs},
    {"wrong_order", wrong_order_programs},
    {"wrong_parts", wrong_parts_programs},
    {"wrong_async", wrong_async_programs},
    {"wrong_locks", wrong_locks_programs},
    {"wrong_more", wrong_more_programs},
    {"wrong_bounds", wrong_bounds_programs},
    {"wrong_undefined", wrong_undefined_programs},
    {"wrong_waits", wrong_waits_programs},
    {"wrong_warps", wrong_warps_programs},
    {"wrong_queues", wrong_queues_programs},
    {"wrong_chains", wrong_chains_programs},
    {"wrong_arrays", wrong_arrays_programs},
    {"wrong_division", wrong_division_programs},
    {"right", right_programs},
    {"right_global", right_global_programs},
    {"right_scopes", right_scopes_programs},
    {"right_fences", right_fences_programs},
    {"right_order", right_order_programs},
    {"right_parts", right_parts_programs},
    {"right_async", right_async_programs},
    {"right_locks", right_locks_programs},
    {"right_more", right_more_programs},
    {"right_bounds", right_bounds_programs},
    {"right_undefined", right_undefined_programs},
    {"right_waits", right_waits_programs},
    {"right_warps", right_warps_programs},
    {"right_queues", right_queues_programs},
    {"right_chains", right_chains_programs},
    {"right_arrays", right_arrays_programs},
    {"right_division", right_division_programs},
};
#define HAZARD_SETS (sizeof hazard_sets / sizeof hazard_sets[0])

/* By enum hazard_expected: the report's class has this word, or it is a race whose message has the word. */
static const struct hazard_words {
    const char *class_has, *race_says; /* NULL: the class must do */
} hazard_expectations[] = {
    {"out of bounds", NULL},
    {"use after free", NULL},
    {"misaligned access", NULL},
    {"uninitialized", NULL},
    {"race in shared memory", NULL},
    {"race in global memory", NULL},
    {"barrier misuse", NULL},
    {"warp function misuse", NULL},
    {"deadlock", NULL},
    {"write to read-only memory", NULL},
    {"scope", "scope"},
    {"volatile", "volatile"},
    {"non-coherent", "non-coherent"},
    {"endless", NULL},
    {"division by 0", NULL},
    {"must be one atomic operation", "must be one atomic operation"},
    {"same turn of a loop", "same turn of a loop"},
    {"two shared arrays at one address", NULL},
};
