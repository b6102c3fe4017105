/*
 * Where a grading's time goes: seconds by phase, of the grader's own clock. Phases overlap where two
 * threads work at a time, so that their sum may be more than the whole.
 */
#pragma once

enum phase {
    PHASE_START,     /* workers and calibrate start: CUDA contexts are made */
    PHASE_CALIBRATE, /* what the GPU can do, and whether it is busy */
    PHASE_INPUTS,    /* made, and put where the worker finds them */
    PHASE_SIMULATOR, /* calls in the simulator: hazards, counters, modeled time */
    PHASE_CAUSES,    /* in the simulator: calls once more, to find out why a case is wrong */
    PHASE_TRIALS,    /* in the simulator: which change would make it right? */
    PHASE_GPU_CASES, /* calls on the GPU, with copies to it and back */
    PHASE_JUDGING,   /* references, and comparing with them */
    PHASE_TIMING,    /* timed calls, and the same by the grader's own clock */
    PHASE_FETCHING,  /* outputs of timed calls come back */
    PHASE_VERIFYING, /* are these the outputs that were judged? */
    PHASE_COUNT
};

/* "simulator": for the report and the JSON file. */
const char *phase_name(enum phase phase);

/* Adds the seconds since `begun` (process_clock) to a phase; the time now. From any thread. */
double phase_add(enum phase phase, double begun);
double phase_seconds(enum phase phase);
