/*
 * What a lab tells the grader: its tasks, their cases, inputs, references, tolerances and
 * thresholds. Plain C; no CUDA header. A lab's grader.c defines `the_lab` and nothing else public.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/lab/binding.h"
#include "harness/lab/real.h"

enum lab_role {
    LAB_IN,    /* input; must be unchanged afterwards */
    LAB_INOUT, /* input that the contract allows to be overwritten; not compared */
    LAB_OUT,   /* output; poisoned before, compared with the reference */
};

enum lab_type { LAB_REAL, LAB_INT32, LAB_UINT32, LAB_UINT8 };

struct lab_buffer {
    const char *name; /* as in labNN.h: "d_x" */
    enum lab_role role;
    enum lab_type type;
    int64_t count; /* elements, >= 0 */
    bool on_host;  /* the function takes a host pointer */
    void *data;    /* grader's copy: inputs as filled, outputs as they came back */
};

/* What the only element of a task's buffer 1 is, of all elements of buffer 0. */
enum lab_gathers { LAB_NOT_GATHERED, LAB_SUM, LAB_LARGEST };

/* One call of the student's function, seen from the grader. */
struct lab_run {
    const int64_t *arg; /* [LAB_MAX_ARGS] */
    struct lab_buffer buffer[LAB_MAX_BUFFERS];
    int buffer_count;
    uint64_t seed; /* of this run; everything random comes from it */
    double result[LAB_MAX_RESULTS];
};

/*
 * The right answer for one OUT buffer, or for the scalar results (buffer == -1): for its elements first ..
 * first + count - 1. first is 0 and count is all of them unless lab_task.granule says otherwise.
 */
struct lab_expect {
    double *want;      /* [count], zeroed; to be filled: want[i] for element first + i */
    double *tolerance; /* [count], zeroed: exact unless filled; LAB_UNTOUCHED: must not be written at all */
    int64_t first, count;
    double before; /* for a task with sum_of: the sum of what goes into the elements before `first`; else 0 */
};

#define LAB_UNTOUCHED (-1.0)

/*
 * Elements of a buffer that an output is made of, each once: first, first + stride, ...
 */
struct lab_need {
    int buffer;
    int64_t first, count, stride;
    bool with_next; /* the k-th one is multiplied by the k-th one of the next row */
    bool counted;   /* they are not part of the value: each chooses the place where 1 is added */
    bool of_many;   /* the smallest or largest of many: others may be compared with it */
    bool any_times; /* the value is no sum of them: how often each goes in tells nothing */
    /* Of these elements only those for which it says so; NULL: all. `index`: of the output. */
    bool (*chosen)(const struct lab_run *run, int64_t index, int64_t element);
};

#define LAB_MAX_NEEDS 4

struct lab_case {
    const char *name; /* "one element short of a block"; NULL ends the table */
    int64_t arg[LAB_MAX_ARGS];
    bool gpu_only; /* too large to simulate */
};

/* Simulator counters that a task may be judged by or that the report shows. */
enum lab_counter {
    LAB_LOAD_SECTORS_PER_REQUEST, /* global loads */
    LAB_STORE_SECTORS_PER_REQUEST,
    LAB_SHARED_CONFLICTS,   /* wavefronts beyond the ideal, % of the ideal */
    LAB_DIVERGENT_BRANCHES, /* of all branches of a warp, %; this one and the next only if a limit asks */
    LAB_IDLE_LANES,         /* of a warp's 32, % on average over its instructions */
    LAB_LOADS_PER_PRODUCT, /* requests of global memory, % of the multiply-adds that lab_speed.flops says; only if asked */
    LAB_READS_PER_PRODUCT, /* the same with those of shared memory, loads and stores */
    LAB_BYTES_LOADED, /* sectors of global loads, in bytes, per byte that lab_speed.bytes says; only if asked */
    LAB_SHARED_PER_WARP, /* requests of shared memory, for each 32 of arg[0] elements; only if asked. Shuffles are counted, too */
    LAB_COUNTER_COUNT
};

struct lab_counter_limit {
    enum lab_counter counter;
    double at_most; /* for REAL=float */
    double at_most_double;
    const char *meaning; /* said when it is exceeded: what it means and what to do */
};

/* More points for more speed than is needed, measured on a GPU. */
struct lab_level {
    double fraction;  /* of the roof; 0 ends the table */
    int points;       /* on top of the task's and of those of the levels before */
    const char *name; /* "as fast as cuBLAS on an H100" */
};

/* At what rate a task's bytes move, of those that are measured on this machine. */
enum lab_bandwidth {
    LAB_COPY,   /* as many are written as are read, 16 bytes per thread */
    LAB_READ,   /* nearly all are only read */
    LAB_WORD,   /* copied with one `real` per thread, in blocks of the best size of 128, 256 and 512 */
    LAB_WORD_32 /* the same with four bytes per thread, whatever `real` is */
};

/* What may set the pace besides operations. Each part is work divided by a rate that was measured. */
struct lab_parts {
    enum lab_bandwidth bandwidth;          /* of lab_speed.bytes */
    double (*atomics)(const int64_t *arg); /* additions to one address, of `real`; NULL: none */
    double (*blocks)(const int64_t *arg);  /* that are started, of `threads` threads each; NULL: any number */
    int threads;                           /* 32, 64, ... 1024 */
    int launches;                          /* one after another */
};

/*
 * How fast a task must be, each figure with its reason in grader.c. The roof is the longest part of the work
 * that no kernel that keeps the contract can avoid; the report's "% of the roof" refers to it. A lab's
 * method may cost more, of another kind: one word per thread, a block for every 128 elements. That need not
 * shrink as memory gets faster. So the time that is allowed is the longer one of
 *     roof / fraction    and    longest part of the method / method_fraction.
 */
struct lab_speed {
    int64_t gpu_arg[LAB_MAX_ARGS];       /* the timed size on a GPU; inputs total several L2 sizes */
    int64_t sim_arg[LAB_MAX_ARGS];       /* without a GPU the inputs of gpu_arg repeat those of this size */
    double (*bytes)(const int64_t *arg); /* least bytes that must move, read + written */
    double (*flops)(const int64_t *arg); /* NULL: none */
    double fraction;                     /* of the roof, measured or modeled, REAL=float */
    double fraction_double;
    struct lab_parts roof; /* with bytes and flops: what cannot be avoided */
    /* A right kernel may need so many times less time for the flops: by a faster algorithm, by tensor cores.
       Faster than that, or than the other parts of the roof, is impossible. 0: all of them must be done. */
    double flops_saved;
    struct lab_parts method; /* with bytes: what the lab's method costs */
    double method_fraction;  /* of the method; 0: only the roof counts */
    /* What a stage is about, of the simulator's model of machine code; noted, without points. 0: not asked. */
    double loads_in_flight;   /* of a thread that waits for one of them, at least */
    double arithmetic_behind; /* instructions between a load and the use of its result, at least */
    bool
        apart_is_meant; /* neighboring lanes' words lie apart, and the stage shows what that costs: it is not noted */
    bool all_blocks; /* they run in a second without a GPU: outputs of granule 0 are judged at gpu_arg, too */
    const char *advice;              /* said when too slow, and nothing is known that costs most … */
    enum lab_counter advice_counter; /* … unless this counter contradicts it … */
    double
        advice_from; /* … by being less than this; of sectors per request: where real is float. 0: no counter does */
    const struct lab_level *levels; /* in rising order, for REAL=float; NULL: none */
};

typedef int (*lab_needs_fn)(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need);

struct lab_task {
    const char *id;    /* "copy": names the binding row and --only */
    const char *part;  /* "a" */
    const char *title; /* "coalesced copy" */
    int points;
    const char *arg_names[LAB_MAX_ARGS]; /* "n", "stride"; NULL past the last */
    int size_arg;                        /* which argument --size replaces; -1: none */
    const struct lab_case *cases;
    /* Fills buffer[] (name, role, type, count) for run->arg; returns how many, or -1 if the contract does
       not allow run->arg, which only --size can bring about. */
    int (*shape)(struct lab_run *run);
    /* Fills all the data of IN and INOUT buffers; NULL: random reals in [-1, 1) and random integers. */
    void (*fill)(struct lab_run *run);
    /* The reference: plain loops in double over the inputs as filled, in long double where REAL=double would
       be judged by its own rounding. buffer -1: scalar results. */
    void (*expect)(const struct lab_run *run, int buffer, struct lab_expect *expect);
    /* `expect` can compute any range of an OUT buffer's elements that begins at a multiple of so many: then long
       ones are computed and compared piece by piece, in several threads. 0: only all of them at once. */
    int64_t granule;
    /* For an output each element of which needs a sum over all elements before it: what the elements first .. first +
       count - 1 add to that sum. Whole numbers, so that sums of sums are exact. With it `expect` begins at
       expect->before, and granule may be set. NULL: no such sum. */
    double (*sum_of)(const struct lab_run *run, int64_t first, int64_t count);
    /* With it, of a sample of the blocks the output is judged by what these have read. The inputs' sums are exact. */
    enum lab_gathers gathers;
    bool keeps_reference; /* it takes long, and another task has the same inputs */
    int result_count;     /* scalars compared */
    int result_buffer;    /* the device buffer whose first element they are made of, + 1; 0: of none */
    const char *result_names[LAB_MAX_RESULTS];
    /* Who computes element `index` of OUT buffer `buffer`: "block 3, thread 17"; NULL: unknown. */
    void (*owner)(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size);
    /*
     * What element `index` of OUT buffer `buffer` is made of, in the contract's terms; returns how many rows of
     * `need` (at most LAB_MAX_NEEDS) it filled. With it the report can say which input is missing, extra or
     * doubled in a wrong value. NULL, or 0 rows: not known.
     */
    lab_needs_fn needs;
    /* The function whose call of the CUDA runtime is to fail here: it returns the error, instead of ending the program.
       Result 0 is what it returned, with cudaErrorInvalidValue for any error code of CUDA; result 1, whether the runtime still
       remembers it. */
    const char *error_is_answer;
    const struct lab_speed *speed;          /* NULL: not timed */
    const struct lab_counter_limit *limits; /* ends with meaning == NULL; or NULL */
    const int64_t *limit_arg;               /* the case that the limits are checked on */
    int right_without; /* a TODO that lies on this task's way, and that it does not need; 0: none */
    bool same_bits;    /* two runs give the same, whichever block is first */
    bool shown_only;   /* given in the skeleton: run for its figures, no points */
    bool optional; /* no points; left out while a TODO that only it needs is open, unless --only names it */
    /* shown_only: the hazard that the task is there to show, by the simulator's name ("race in global
       memory"), found in every case; values are shown and not judged. NULL: none. */
    const char *intended_hazard;
};

struct lab {
    const char *name;   /* "lab03" */
    const char *folder; /* "lab03_dynamic_shared" */
    const char *title;  /* "Dynamic shared memory" */
    const struct lab_task *tasks;
    int task_count;
    bool step; /* for a file of steps/: the tasks of earlier stages are left out */
};

/*
 * The files in a lab's steps/ are other ways to do its last stage, and have no functions of earlier ones. For them
 * grader.c and binding.c are compiled with LAB_STEPS; then .tasks = tasks + LAB_FROM(3) leaves three rows out.
 */
#ifdef LAB_STEPS
#define LAB_FROM(stages) (stages)
#else
#define LAB_FROM(stages) 0
#endif

extern const struct lab the_lab;

/* ---- help for grader.c (inputs.c, tolerance.c; more in task_parts.h) ----------------------------------- */

/* Counter-based generator: the value depends on (seed, stream, index) only. */
uint64_t lab_random_u64(uint64_t seed, uint64_t stream, uint64_t index);
double lab_random(uint64_t seed, uint64_t stream, uint64_t index); /* uniform in [-1, 1) */
void lab_fill_real(real *x, int64_t count, uint64_t seed, uint64_t stream);
/*
 * Random numbers between 1/2 and 1 that half precision and TF32 do not hold: cut to their 11 bits, or rounded to the nearest, each
 * becomes smaller, by LAB_LOST at least and 2^-12 at most.
 */
void lab_fill_precise(real *x, int64_t count, uint64_t seed, uint64_t stream);
#define LAB_LOST (15 * 0x1p-16)
void lab_fill_uint8(unsigned char *x, int64_t count, uint64_t seed, uint64_t stream, unsigned modulus);
void lab_fill_uint32(unsigned *x, int64_t count, uint64_t seed, uint64_t stream); /* all 32 bits */

/*
 * Random whole numbers from -limit to limit. While every partial sum stays below 2^24 in size, adding
 * them is exact in any order and in either `real`: such a sum is compared with tolerance 0.
 */
void lab_fill_whole(real *x, int64_t count, uint64_t seed, uint64_t stream, unsigned limit);
/* The same, times 1/16. */
void lab_fill_sixteenths(real *x, int64_t count, uint64_t seed, uint64_t stream, unsigned limit);

/* Rows for lab_task.shape: a buffer of `count` elements on the device, or on the host. */
struct lab_buffer lab_device(const char *name, enum lab_role role, enum lab_type type, int64_t count);
struct lab_buffer lab_host(const char *name, enum lab_role role, enum lab_type type, int64_t count);

/* Unit roundoff of `real`: 2^-24 or 2^-53. */
double lab_roundoff(void);

/*
 * Bound for a sum of terms whose absolute values add up to `magnitude`, when every term passes
 * through at most `depth` rounded additions: gamma_depth * magnitude, gamma_k = k u / (1 - k u).
 * Source: Higham, Accuracy and Stability of Numerical Algorithms, section 4.2. Unless depth is 0 there is
 * room for the reference, too, which was computed in lab_wide and rounded to double: 2^-53 * magnitude.
 */
double lab_sum_bound(double magnitude, int64_t depth);
double lab_sum_factor(int64_t depth); /* the bound is this times the magnitude */

/*
 * The sum of x[0 .. count-1] in lab_wide, and of the absolute values. Runs of 4096 are added up first, then
 * parts of 256 runs, so that even 1e8 equal numbers are off by less than 5,000 of its roundoffs. Parts are added in
 * several threads; the result does not depend on how many.
 */
lab_wide lab_sum(const real *x, int64_t count, double *magnitude);
