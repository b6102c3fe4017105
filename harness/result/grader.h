/*
 * The grader: what it is asked, what it finds, and the steps from one to the other.
 * It never links CUDA and never runs the student's code; it believes its own memory and clock.
 */
#ifndef HARNESS_GRADER_H
#define HARNESS_GRADER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/judge/compare.h"
#include "harness/wire/process.h"
#include "harness/base/text.h"
#include "harness/lab/lab.h"
#include "harness/base/stats.h"

/* Exit codes of the grader. */
enum { GRADER_PASSED = 0, GRADER_FAILED = 1, GRADER_USAGE = 2, GRADER_INCONCLUSIVE = 3 };

enum grader_backend { BACKEND_SIM, BACKEND_GPU };

/* ---- what is asked: grader_options.c, grader_build.c --------------------------------------------------- */

enum grader_command {
    COMMAND_GRADE,
    COMMAND_LIST,
    COMMAND_HINT,
    COMMAND_EXPLAIN,
    COMMAND_HELP,
    COMMAND_SELF_TEST,
    COMMAND_DEVICES,
    COMMAND_LAUNCHES
};

struct grader_options {
    enum grader_command command;
    int backend; /* enum grader_backend, or -1: auto */
    bool seed_given;
    uint64_t seed;
    int64_t size;       /* --size, or -1 */
    const char *only;   /* --only, or NULL */
    const char *device; /* --device, or NULL: for the simulator */
    const char *json;   /* --json, or NULL */
    int hint;           /* --hint=N, or 0: the first open TODO's */
    bool all;           /* every case, also where wrong ones take long */
    bool verbose, no_color, recalibrate, roofline;
    double timeout; /* seconds a case may take; 0: the default */
};

/* False: `message` says what is wrong with the command line. */
bool options_parse(struct grader_options *options, int argc, char **argv, char message[256]);
void options_help(FILE *out);

/* What build.info in the grader's folder says. */
struct grader_build {
    char folder[4096]; /* of the grader's executable */
    char root[4096];   /* of the repository; "": unknown */
    char lab[64], real[16], nvcc[512], toolkit[256];
    char no_gpu[256];       /* why there is no worker-gpu; "": there is one, or nothing is known */
    bool complete;          /* build.info is there: all was built */
    char source[4096];      /* as named by the build: for messages */
    char source_path[4096]; /* where to open it */
};

/* False: `message` says what is missing. */
bool build_read(struct grader_build *build, const char *argv0, char message[512]);
/* The same as far as it is known where the build stopped with an error, or has not begun: which file it is. */
void build_guess(struct grader_build *build, const char *argv0);
/* The nearest folder above the grader's from which the file `name` can be read, in `root`. False: none. */
bool build_find(const struct grader_build *build, const char *name, char root[4096]);
/* Reads the file to grade and the lab's binding.c. Free with source_free. */
struct source;
void build_read_source(const struct grader_build *build, struct source *source);

/* ---- what is found ------------------------------------------------------------------------------------- */

enum grader_reason {
    REASON_NONE,
    REASON_VALUES,    /* outputs or scalar results out of tolerance */
    REASON_GUARD,     /* wrote outside of a buffer */
    REASON_INPUT,     /* changed a read-only input */
    REASON_HAZARD,    /* the simulator saw a race, an access out of bounds … */
    REASON_LAUNCH,    /* a launch failed */
    REASON_EXECUTION, /* a kernel failed */
    REASON_CHECK,     /* CHECK ended the program */
    REASON_EXIT,      /* the program called exit */
    REASON_SIGNAL,    /* the program crashed */
    REASON_TIMEOUT,
    REASON_PROTOCOL, /* the worker answered nonsense */
    REASON_COUNTER,  /* a counter is above its limit */
    REASON_SLOW,
    REASON_ENVIRONMENT, /* no memory, no device: not the student's fault, nothing was graded */
};
const char *reason_key(enum grader_reason reason); /* "wrong-values": for JSON and tests */

/* Why a case failed, in words. */
#define GRADER_SAMPLES 5

struct grader_finding {
    enum grader_reason reason;
    enum pattern pattern;
    char cause
        [1536]; /* lines, as in `detail`; the first one says why. "": not known, the headline says what */
    char headline[512];
    char detail[3072]; /* lines, each ended by a newline */
    char file[192];    /* "" if no place is known */
    int line;
    int buffer; /* REASON_VALUES: the first wrong element; buffer -1: a returned value */
    int64_t element;
    int64_t sample[GRADER_SAMPLES]; /* wrong elements, the first one first, others spread over all of them */
    double want[GRADER_SAMPLES], got[GRADER_SAMPLES];
    bool untouched[GRADER_SAMPLES]; /* it must stay as it was */
    int sample_count;
    int64_t right; /* 1 + a right element near the first wrong one; 0: there is none */
    int telling; /* of values: 0: `cause` only says where the value comes from; 1: more; 2: what is there instead of what */
    int tried;  /* the line of the source that was changed to make it right; 0: none was */
    bool stays; /* more was found out about it than about others: it stays the one that is told first */
    bool after_others; /* only after other calls: alone the case is right */
    bool
        by_luck; /* right or wrong by luck, so that a change of the program with which it is right proves nothing */
    bool misplaced; /* what is missing where it is needed stands elsewhere */
    size_t guess;   /* where in `detail` a guess begins that facts may contradict; 0: there is none */
};

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
    char printed[GRADER_PRINTED]; /* what the program wrote, if anything */
    bool printed_more;
    uint64_t print_count;              /* calls of printf in kernels */
    struct protocol_place first_print; /* and where the first of them stands */
    uint64_t leaked_bytes;
    int leaked_count;
    char leaked_name[128];
    uint64_t lost_count, lost_bytes; /* of the host's memory, and where it is allocated; line 0: nothing */
    struct protocol_place lost_place;
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

enum speed_verdict {
    SPEED_NOT_TIMED, /* the task has no speed, or there is no time: then it is not passed */
    SPEED_ENOUGH,
    SPEED_TOO_SLOW,
    SPEED_INCONCLUSIVE, /* neither passed nor failed; the note says why, and what to do */
    SPEED_SHOWN,        /* no threshold */
    SPEED_WRONG,        /* an output of a timed run is wrong */
    SPEED_IMPOSSIBLE,   /* less time than this device needs for the work */
};

/* The longest part of some work on this machine. */
struct grader_part {
    double seconds;
    const char *what; /* "bytes at the rate of a copy" */
};

/* How a launch fills the GPU. blocks 0: not known. */
struct grader_waves {
    double blocks, wave; /* of the grid; that are resident at a time, on all SMs together */
    int blocks_per_sm;
};

struct grader_speed {
    enum speed_verdict verdict;
    bool asked; /* it was to be timed or modeled */
    bool modeled;
    int64_t arg[LAB_MAX_ARGS];
    double bytes, flops;
    struct stats time; /* seconds; modeled: only the median */
    double wall;       /* seconds a call by the grader's own clock, 0: not measured */
    bool wall_counts;  /* the events miss a part of the work */
    int sets;
    double roof;                     /* seconds that the roof allows */
    struct grader_part part, method; /* what the roof is; of the lab's method, seconds 0: none */
    double method_fraction;          /* of the method, that is asked for */
    double limit;                    /* seconds that are allowed; 0: no threshold */
    double copy_gbs, gflops;         /* the two roofs */
    bool memory_bound;               /* by arithmetic intensity, on this machine */
    struct grader_waves waves;       /* of the last launch */
    char limiter[64];                /* modeled: what holds it back */
    char slow[1024];                 /* what costs most, in words (grader_slow.h); "": not known */
    double slow_share;               /* of the time of the launch that takes longest */
    bool slow_is_fault;              /* no right kernel has it on purpose */
    bool slow_is_waiting;            /* for memory, with too few warps */
    /* Work for nothing, in words (grader_work.h); "": none is known. */
    char many_launches[512], idle_blocks[512], excess[1024], alone[512];
    char shared_unused[768], stored_again[768], loads[768], apart[768], kept[512];
    double alone_share; /* of the instructions, of what `alone` says */
    double less, more;  /* modeled: a GPU may take that much less or more, as parts of the time (model.h) */
    bool in_doubt;      /* modeled: fast enough only if a GPU takes less than that */
    double sampled_blocks;                      /* modeled: that were run, 0: all of every launch */
    char note[512];                             /* why it was not timed, or is inconclusive */
    const struct lab_level *level, *next_level; /* reached, and what comes after; NULL: none */
    struct grader_outcome outcome;              /* of SPEED_WRONG */
};

struct grader_counter {
    double value, limit;
    bool asked; /* the lab names it among its limits */
    bool exceeded;
    bool nothing_counted; /* no request of the kind: no limit holds */
};

struct grader_counters {
    bool measured;
    bool exceeded;
    struct grader_counter counter[LAB_COUNTER_COUNT]; /* limit < 0: not judged */
    struct protocol_counters totals;
    struct protocol_line worst[LAB_COUNTER_COUNT]; /* place.line 0: none */
    struct grader_outcome outcome;                 /* of the run they were counted in */
};

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

/* This machine's roofs, measured by calibrate. */
struct grader_roof {
    bool known;
    char name[128];
    char date[32];                    /* when they were measured */
    double copy_gbs, copy_steady_gbs; /* the best; of copies one behind the other, on average */
    double read_gbs, write_gbs, copy_word_gbs, copy_dword_gbs;
    double fp32_gflops, fp64_gflops;
    double block_ns[6]; /* of blocks of 32, 64, ... 1024 threads */
    double atomic_int_ns, atomic_float_ns, atomic_double_ns;
    double launch_us;
    double l2_bytes;
    double copy_now_gbs; /* in this run, as copy_steady_gbs */
    char busy[256];      /* why no speed can be judged now: the GPU is busy or throttled; "": it can */
    char why_not[512];   /* if not known */
};

struct grader {
    struct grader_options options;
    struct grader_build build;
    enum grader_backend backend;
    const struct sim_profile *model; /* the device that the simulator models */
    char device[128];
    struct arena arena[2];     /* by enum grader_backend: the two workers run at the same time */
    struct process process[2]; /* by enum grader_backend */
    struct process fresh;      /* in the simulator, for calls in copies of it: it has never made one itself */
    struct helper calibrate;
    bool may_have_gpu;        /* worker-gpu was built, and may be used */
    bool backend_chosen;      /* from then on `backend` is known */
    atomic_bool ending;       /* something went wrong that is not the student's fault: */
    char trouble[512];        /* this */
    double begun;             /* when the grading began, by process_clock */
    double first_failure;     /* seconds until a case was known to be wrong; 0: none */
    bool tells_early;         /* that case is told before the report (grader_early.h) */
    struct grader_sets *sets; /* owned: inputs of timed calls that are on the GPU; NULL: none */
    struct unoptimized
        *unoptimized; /* owned: what is compiled meanwhile (grader_unoptimized.h); NULL: nothing */
    struct grader_roof roof;
    uint64_t seed;
    struct grader_task *tasks; /* owned; [the_lab.task_count] */
    bool case_filter;          /* --only names cases: no speed, no score */
    bool cases_only;           /* only what is wrong is asked for: no speed, nothing counted */
    double seconds;
};

/* ---- the steps ----------------------------------------------------------------------------------------- */

/* grader_plan.c: which cases of which tasks. False: --only or --size fits nothing (message). */
bool plan_make(struct grader *grader, char message[512]);
void plan_free(struct grader *grader);
uint64_t plan_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                   int repeat);
uint64_t plan_timed_seed(const struct grader *grader, const struct lab_task *task, int set);
/* Are the tasks' inputs the same, case by case, wherever names and numbers are? */
bool plan_same_inputs(const struct lab_task *a, const struct lab_task *b);
/* Bytes that a worker's arena must hold for every planned call. */
uint64_t plan_arena_bytes(const struct grader *grader, enum grader_backend backend);
void plan_list(FILE *out);
/* "n = 1000, block_size = 128" */
void plan_arguments(const struct lab_task *task, const int64_t *arg, char *text, size_t size);

/*
 * grader_device.c: GPU or simulator. device_begin makes the arenas and, if there may be a GPU, begins to start
 * worker-gpu and, where speeds are asked for, calibrate; false: message. device_wait: is there a GPU? If not, why.
 */
bool device_begin(struct grader *grader, bool speeds, char message[512]);
bool device_wait(struct grader *grader, char why[512]);
/*
 * grader_roof.c. Fills grader->roof: from the file in which an earlier grading put it, if that is of this
 * device and of the last day, or by calibrate. The copy is measured in any case.
 */
void roof_begin(struct grader *grader); /* starts calibrate, and does not wait for it */
void roof_measure(struct grader *grader);
/* The copy again: false, and roof->busy says why, if the GPU is busy or throttled now. */
bool roof_still_holds(struct grader *grader);
/* Reads and checks calibrate's figures. False: roof->why_not names the key that cannot be true. */
bool roof_parse(struct grader_roof *roof, const char *text);
/* The longest of the parts and, if `operations`, of the operations; of speed->bytes and speed->flops. */
struct grader_part roof_longest(const struct grader_roof *roof, const struct lab_speed *ask,
                                const struct lab_parts *parts, const int64_t *arg, bool operations);
/* grader_limit.c. Fills in roof, method and limit of the task at speed->arg. */
void speed_set_roof(struct grader_speed *speed, const struct grader_roof *roof, const struct lab_task *task);
/*
 * Sets of inputs, of `bytes` each with their outputs, that a timed task rotates through: several times what L2 holds; two
 * where arithmetic takes far longer than memory, for each set's reference takes long as well.
 */
int speed_sets(const struct grader_roof *roof, const struct lab_task *task, const int64_t *arg, double bytes);
/* What no kernel is faster than: see lab_speed.flops_saved. */
double speed_least_seconds(const struct grader_speed *speed, const struct grader_roof *roof,
                           const struct lab_task *task);
/* Makes the verdict SPEED_IMPOSSIBLE if the time is shorter than `least` seconds, which no kernel can be. */
void speed_refuse_impossible(struct grader_speed *speed, double least);

/* grader_run.c: grades everything planned. False: the environment failed (message). */
bool grader_run(struct grader *grader, char message[512]);
/* From any thread: nothing can be graded here, and why. */
void grader_give_up(struct grader *grader, const char *why);
bool grader_is_ending(const struct grader *grader); /* given up, or interrupted */

/* grader_cases.c. Small cases are those that the simulator runs, too. */
enum case_sizes { CASES_SMALL, CASES_LARGE };
/*
 * Of all tasks. Small cases by turns, the first one of each task, then the second one of each, and so on, until one is wrong: a
 * task's cases begin with the small ones, so that a mistake in any task is seen before the cases that take long, of
 * whichever task. From then on, and large cases in any case, task by task.
 */
void cases_run(struct grader *grader, enum grader_backend backend, enum case_sizes sizes);
/* The case once more in the simulator, its story into `story`. */
void cases_tell(struct grader *grader, const struct grader_task *task, const char *case_name, FILE *story);
/* The first call of the case once more in the simulator, in this worker. */
void cases_run_in(struct grader *grader, const struct grader_task *task, const struct grader_case *c,
                  struct process *process, struct grader_outcome *outcome);
bool cases_failed(const struct grader_task *task); /* of those run so far */
/* When all threads have run their cases: what became of each, and how many passed. */
void cases_settle(const struct grader *grader, struct grader_task *task);

bool task_is_right(const struct grader_task *task); /* every case passed */
bool task_is_done(const struct grader_task *task);  /* and speed and counters hold */
bool task_is_open(
    const struct grader_task *task); /* all that can be told holds, but the speed is inconclusive */
/*
 * Points beyond the task's own, and speed.level and .next_level: only for a right task whose speed was
 * measured, in float, and only as far as every level before was reached.
 */
int task_take_levels(struct grader_task *task);
/* Points earned, of how many, and how many of those are open because a speed is inconclusive. */
int grader_score(const struct grader *grader, int *maximum, int *open);
/* GRADER_PASSED, GRADER_FAILED or, if nothing failed and something is open, GRADER_INCONCLUSIVE. */
int grader_verdict(const struct grader *grader);
bool grader_passed(const struct grader *grader);

/* grader_call_run.c */
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
    bool has_cause;         /* of a smaller case of the task: no long search for that of this one */
    bool has_telling_cause; /* … and it says why */
    FILE *story; /* simulator: what happened in the call, at length, is written there; NULL: not wanted */
    struct process *process; /* another worker than the backend's own; NULL: that one */
};
void grader_call(struct grader *grader, const struct call_plan *plan, struct grader_outcome *outcome,
                 struct exchange *exchange);

/* grader_judge.c: outputs, guards and inputs of a call that returned. */
struct call;
bool judge_damage(const struct call *call, struct grader_finding *finding); /* guards and inputs only */
bool judge_call(const struct call *call, const struct call *previous, struct grader_finding *finding);

/* grader_explain.c: crashes, exits, timeouts, CUDA errors, hazards, in words. */
void explain_exchange(const struct exchange *exchange, const struct process *process,
                      const struct protocol_request *request, double timeout, struct grader_finding *finding);
/* False: there are none, or only values of local variables that may come from an index outside of the array. */
bool explain_is_hazard(const struct protocol_mailbox *mailbox);
bool explain_hazards(const struct protocol_mailbox *mailbox, struct grader_finding *finding);

/* grader_counter.c, grader_timing.c, grader_model.c */
double speed_seconds(const struct grader_speed *speed); /* what is judged and reported */
void speed_take_waves(struct grader_speed *speed, const struct protocol_mailbox *mailbox);
void grader_count(struct grader *grader, struct grader_task *task);
void grader_model(struct grader *grader, struct grader_task *task);
/*
 * Makes the call at the size `large`, and places its inputs: those of the size `small`, repeated, since what a kernel does
 * with large ones costs the same. False: message. Free with call_free in both cases.
 */
struct protocol_request;
bool model_place(struct grader *grader, const struct lab_task *task, const int64_t *small,
                 const int64_t *large, struct call *call, struct protocol_request *request,
                 char message[256]);
void model_roof(const struct sim_profile *model,
                struct grader_roof *roof); /* of the device that is modeled */
void grader_time(struct grader *grader, struct grader_task *task);
/* What a call at the timed size launches, until it stops: `mailbox` has the shapes. Zeros if there is no answer. */
void grader_model_launches(struct grader *grader, const struct lab_task *task,
                           struct protocol_mailbox *mailbox);
/* What costs most in a task that a GPU has found too slow: asks the simulator, and fills speed.slow. */
void grader_model_slow(struct grader *grader, struct grader_task *task);

/* grader_report.c, grader_json.c */
bool report_print(const struct grader *grader, FILE *out, bool color); /* false: no memory */
bool report_json(const struct grader *grader, const char *path, char message[512]);

/*
 * grader_hint.c: a hint for what fails; for the first open TODO if nothing does, or if it is not known what does. NULL:
 * nothing was graded. Returns the exit status; GRADER_USAGE with a message if the hints cannot be read.
 */
struct failures;
int hint_print(const struct grader *grader, const struct failures *failures, FILE *out, char message[512]);

/*
 * grader_launches.c: a line for each shape of launch that a timed task makes at the size that it is timed at: its id, the
 * kernel's mangled name, threads per block, bytes of dynamic shared memory per block, blocks. For ./grader --occupancy.
 */
void launches_print(struct grader *grader, FILE *out);
/* grader_devices.c: the modeled times of the planned tasks on all devices. */
void devices_print(struct grader *grader, FILE *out);

/* grader_selftest.c: do the tolerances of this lab reject wrong answers? */
int self_test(FILE *out, uint64_t seed);

#endif
