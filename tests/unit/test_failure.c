/* Of two mistakes that fail in different cases of one task, which one is told first. */
#include "test.h"
#include "harness/report/failure.h"

#define CASES 5

static int shape(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, 1);
    return 2;
}

static const struct lab_task tasks[] = {
    {.id = "sum", .part = "a", .shape = shape, .size_arg = 0},
    {.id = "more", .part = "b", .shape = shape, .size_arg = 0, .optional = true},
};
const struct lab the_lab = {.name = "lab00", .tasks = tasks, .task_count = 2};

/* What a case of n elements reports. */
struct report {
    int64_t n;
    enum grader_reason reason;
    const char *headline;
    int line, telling;
    bool optional;
    const char *cause; /* NULL: none */
};

#define REFUSED "cudaMemset(d_y, 0, n) failed: invalid argument (cudaErrorInvalidValue)"
#define STOPPED "cudaDeviceSynchronize() failed: an illegal access (cudaErrorIllegalAddress)"

/* What n elements bring: wrong values, of which so much is known, with or without a cause; calls that fail; hazards. */
#define VALUES(n, line, known) REPORT(n, REASON_VALUES, "wrong", line, known, false, NULL)
#define TRACED(n, line, cause) REPORT(n, REASON_VALUES, "wrong", line, 2, false, cause)
#define OPTIONAL_VALUES(n)     REPORT(n, REASON_VALUES, "wrong", 20, 2, true, NULL)
#define REFUSES(n)             REPORT(n, REASON_CHECK, REFUSED, 20, 0, false, NULL)
#define STOPS(n)               REPORT(n, REASON_CHECK, STOPPED, 20, 0, false, NULL)
#define OUTSIDE(n)             REPORT(n, REASON_HAZARD, "access out of bounds", 10, 0, false, NULL)
#define RACE(n)                REPORT(n, REASON_HAZARD, "race in shared memory", 20, 0, false, NULL)
#define OPTIONAL_RACE(n)       REPORT(n, REASON_HAZARD, "race in shared memory", 20, 0, true, NULL)
#define REPORT(...)                                                                                          \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* The line that must be told first. */
#define PAIR_OF(reason, what, first, ...)                                                                    \
    {                                                                                                        \
        what, first, {__VA_ARGS__}, reason                                                                   \
    }
#define PAIR(...) PAIR_OF(REASON_NONE, __VA_ARGS__)
static const struct pair {
    const char *what;
    int first;
    struct report of[CASES];
    enum grader_reason reason; /* of what is told first; REASON_NONE: any */
} pairs[] = {
    PAIR("a refused call before an empty input that is passed over", 20, VALUES(0, 10, 1), REFUSES(31),
         REFUSES(129)),
    PAIR("a refused call before the one small case with wrong values", 20, VALUES(1, 10, 2), REFUSES(31),
         REFUSES(129)),
    PAIR("values in more cases than those in which the call is refused", 10, VALUES(1, 10, 2),
         VALUES(31, 10, 2), REFUSES(129)),
    PAIR("a race before an empty input", 20, VALUES(0, 10, 2), RACE(31), RACE(129)),
    PAIR("a race of larger cases comes of what makes a small one wrong", 10, VALUES(31, 10, 2), RACE(128),
         RACE(129)),
    PAIR("an access outside of larger cases comes of what makes a small one wrong", 10, VALUES(31, 10, 2),
         STOPS(128), STOPS(129)),
    PAIR_OF(REASON_VALUES,
            "where a line loads the wrong element, before where the same line leaves the array", 10,
            OUTSIDE(31), OUTSIDE(128), VALUES(129, 10, 2)),
    PAIR_OF(
        REASON_HAZARD, "where a store leaves the array, before wrong values that it stores", 10, OUTSIDE(31),
        OUTSIDE(128),
        TRACED(129, 20, "For d_c[0], d_b[3] is wrong at student.cu:20.\nd_c[0] is stored at student.cu:10.")),
    PAIR("where a line leaves the array, before wrong values of another line", 10, OUTSIDE(31),
         VALUES(129, 20, 2)),
    PAIR("values of most cases before those of an empty input", 20, VALUES(0, 10, 1), VALUES(31, 20, 1),
         VALUES(129, 20, 1)),
    PAIR("values of most cases before those of one that is an exception", 20, VALUES(1, 10, 2),
         VALUES(31, 20, 2), VALUES(128, 20, 2), VALUES(129, 20, 2)),
    PAIR("values of the smaller of two cases", 10, VALUES(31, 10, 2), VALUES(129, 20, 2)),
    PAIR("a cause in larger cases before an access through the null pointer of an empty input", 20,
         OUTSIDE(0), VALUES(31, 20, 1), VALUES(129, 20, 1)),
    PAIR("a place in larger cases before an access through the null pointer of an empty input", 20,
         OUTSIDE(0), VALUES(31, 20, 0)),
    PAIR("the access of an empty input where nothing is known of the larger cases", 10, OUTSIDE(0),
         VALUES(31, 0, 0)),
    PAIR("a task with points before the optional one, which fails in more cases", 10, VALUES(33, 10, 2),
         OPTIONAL_VALUES(31), OPTIONAL_VALUES(128), OPTIONAL_VALUES(129)),
    PAIR("a race in the optional task if nothing is known of the others", 20, VALUES(33, 0, 0),
         OPTIONAL_RACE(31)),
    PAIR("an empty input that fails alone", 10,
         {0, REASON_LAUNCH, "a launch of 0 blocks", 10, 0, false, NULL}),
};

/* What whoever reported it knew as data: the kind of hazard, CUDA's name of the error. */
static void add_facts(const struct report *report, struct facts *facts)
{
    struct protocol_hazard hazard = {.class = strstr(report->headline, "race") ? SIM_HAZARD_RACE_SHARED
                                                                               : SIM_HAZARD_OUT_OF_BOUNDS};
    if (report->reason == REASON_HAZARD)
        fact_add_hazard(facts, &hazard);
    if (report->reason == REASON_CHECK)
        fact_add_error(facts, strcmp(report->headline, STOPPED) == 0 ? "cudaErrorIllegalAddress"
                                                                     : "cudaErrorInvalidValue");
}

/* The line that must be told behind it, of the same task; 0: none. */
static const struct {
    struct pair pair;
    int then;
} seconds[] = {
    {PAIR("an address beside a race", 20, OUTSIDE(31), RACE(128), RACE(129)), 10},
    {PAIR("two races, which may come of one barrier", 20, RACE(128), RACE(129)), 0},
    {PAIR("two known causes of wrong values", 20, VALUES(1, 10, 2), VALUES(31, 20, 2), VALUES(128, 20, 2),
          VALUES(129, 20, 2)),
     10},
    {PAIR("wrong values of which only the place is known", 20, VALUES(1, 10, 0), VALUES(31, 20, 2),
          VALUES(128, 20, 2), VALUES(129, 20, 2)),
     0},
    {PAIR("a race that follows from wrong values", 10, VALUES(31, 10, 2), RACE(128), RACE(129)), 0},
    {PAIR("wrong values without a hazard, at the other line of a race", 20, RACE(31), RACE(128),
          VALUES(129, 15, 2)),
     15},
};

/* In every case with a hazard lies the one of the last case, too. */
static void add_hazards(struct grader_outcome *outcome, int count)
{
    for (int i = 0; i < count && outcome[i].finding.reason == REASON_HAZARD; i++)
        for (int k = i; k < count; k = k < count - 1 ? count - 1 : count) {
            struct protocol_hazard *hazard = &outcome[i].hazard[outcome[i].hazard_count++];
            hazard->class = outcome[k].finding.facts.fact[0].what;
            strcpy(hazard->name, outcome[k].finding.headline);
            strcpy(hazard->here.file, "student.cu");
            hazard->here.line = outcome[k].finding.line;
            if (fact_is_race(hazard->class)) {
                strcpy(hazard->there.file, "student.cu");
                hazard->there.line = 15;
            }
        }
}

/* The lines that are told first of the cases, and then. */
static void told_of(const struct pair *pair, int *first, int *then)
{
    struct grader_outcome outcome[CASES] = {0};
    struct grader_task grader_tasks[] = {{.task = &tasks[0]}, {.task = &tasks[1]}};
    struct failure all[CASES] = {0};
    struct failures failures = {.all = all};
    for (int i = 0; i < CASES && pair->of[i].reason != REASON_NONE; i++) {
        const struct report *report = &pair->of[i];
        struct grader_finding *finding = &outcome[i].finding;
        finding->reason = report->reason;
        finding->line = report->line;
        finding->known = (enum grader_known)report->telling;
        add_facts(report, &finding->facts);
        strcpy(finding->file, "student.cu");
        strcpy(finding->headline, report->headline);
        strcpy(finding->cause, report->cause ? report->cause : "");
        all[i] = (struct failure){.task = &grader_tasks[report->optional],
                                  .outcome = &outcome[i],
                                  .name = "case",
                                  .arg = &report->n,
                                  .backend = BACKEND_SIM,
                                  .is_case = true};
        failure_measure(&all[i]);
        failures.count++;
        grader_tasks[report->optional].failed++;
    }
    if (then)
        add_hazards(outcome, failures.count);
    failures_rank(&failures);
    const struct grader_finding *told = &failures.first->outcome->finding;
    *first = pair->reason == REASON_NONE || told->reason == pair->reason ? told->line : 0;
    const struct failure *other = then ? failures_other(&failures, failures.first->task) : NULL;
    if (then)
        *then = other ? other->outcome->finding.line : 0;
}

TEST(test_pairs)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int first;
        told_of(&pairs[i], &first, NULL);
        if (first != pairs[i].first)
            fail_msg("%s: line %d is told first", pairs[i].what, first);
    }
}

TEST(test_seconds)
{
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        int first, then;
        told_of(&seconds[i].pair, &first, &then);
        if (first != seconds[i].pair.first || then != seconds[i].then)
            fail_msg("%s: line %d is told first, then line %d", seconds[i].pair.what, first, then);
    }
}

RUN_ALL
