/*
 * The grader: what it is asked, what it finds, and the steps from one to the other.
 * It never links CUDA and never runs the student's code; it believes its own memory and clock.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/text.h"
#include "harness/lab/lab.h"
#include "harness/result/options.h"
#include "harness/result/speed.h"
#include "harness/source/build.h"
#include "harness/wire/process.h"

struct grader_task {
    const struct lab_task *task;
    bool selected;
    struct grader_case *cases; /* owned */
    int case_count;
    atomic_int last_case;        /* that is to be run: wrong ones took long enough; INT_MAX: all */
    atomic_int first_wrong;      /* case; INT_MAX: none yet */
    atomic_bool small_wrong;     /* one that the simulator runs, too, is wrong */
    bool has_cause;              /* simulator: of one of its wrong cases */
    bool has_telling_cause;      /* … and why, see struct grader_finding */
    double wrong_seconds[2];     /* that wrong cases took, by enum grader_backend */
    uint64_t wrong_instructions; /* that they took in the simulator */
    int passed, failed, skipped; /* failed: skipped ones too */
    struct grader_speed speed;
    struct grader_counters counters;
    int points;       /* earned */
    int open_points;  /* neither earned nor lost: the speed is inconclusive */
    int extra_points; /* for more speed than is needed */
};

/* What --only names, as --list has it. */
struct only {
    char task[256]; /* tasks or parts, with commas between them; "": all tasks */
    const char
        *cases; /* whose names contain this: then no speed is asked for, and there is no score; NULL: all */
    bool whole; /* … are this */
};

struct grader {
    struct grader_options options;
    struct grader_build build;
    enum grader_backend backend;
    const struct sim_profile *model; /* the device that the simulator models */
    char device[128];
    struct arena arena[2];       /* by enum grader_backend: the two workers run at the same time */
    struct process process[2];   /* by enum grader_backend */
    struct arena arena_apart;    /* of the device apart from the worker in the simulator, … */
    struct process device_apart; /* … which is this */
    struct process fresh; /* in the simulator, for calls in copies of it: it has never made one itself */
    struct helper calibrate;
    bool may_have_gpu;        /* worker-gpu was built, and may be used */
    bool backend_chosen;      /* from then on `backend` is known */
    atomic_bool ending;       /* something went wrong that is not the student's fault: */
    char trouble[512];        /* this */
    double begun;             /* when the grading began, by process_clock */
    double first_failure;     /* seconds until a case was known to be wrong; 0: none */
    bool tells_early;         /* that case is told before the report (report/early.h) */
    struct grader_sets *sets; /* owned: inputs of timed calls that are on the GPU; NULL: none */
    struct unoptimized
        *unoptimized; /* owned: what is compiled meanwhile (grade/unoptimized.h); NULL: nothing */
    struct grader_roof roof;
    uint64_t seed;
    struct grader_task *tasks; /* owned; [the_lab.task_count] */
    struct only only;
    bool cases_only; /* only what is wrong is asked for: no speed, nothing counted */
    double seconds;
};

/* ---- the steps ----------------------------------------------------------------------------------------- */
