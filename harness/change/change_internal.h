/*
 * Between change/change.c, which says what is tried in which order, change/case.c, which tries, change/held.c, which
 * judges what the search has found, change/sources.c, which knows what can be tried, and the words.
 */
#ifndef HARNESS_GRADER_TRIAL_INTERNAL_H
#define HARNESS_GRADER_TRIAL_INTERNAL_H

#include "harness/change/change.h"
#include "harness/judge/call.h"
#include "harness/source/given.h"
#include "harness/source/line.h"
#include "harness/wire/process.h"

struct failure;
struct trial;

/* The case that the failure is of; NULL: it is of none, or of one on a GPU. */
struct grader_case *trial_case_of(struct grader *grader, const struct failure *failure);

/* ---- what people are told ------------------------------------------------------------------------------ */

/* What is wrong at a line, in which part of it, and the change with which it is right: "the wrong index", "n - i",
   "with `i` instead of `n - i`". */
struct trial_words {
    int line;
    /* "a small change of the comparison", `i <= n`; "" where `what` names it; "with `i < n` instead of `i <= n`" */
    char what[512], part[256], how[512];
    char seen[256]; /* stands before both; "": nothing */
};

/* ---- change/case.c ------------------------------------------------------------------------------------- */

#define TRIAL_CASE_MOST   UINT64_C(400000) /* warp instructions of a case that is tried */
#define TRIAL_WRONG_MOST  8                /* cases */
#define TRIAL_RIGHT_MOST  2
#define TRIAL_OTHERS_MOST 8 /* tasks */
#define TRIAL_HELD_MOST   16
#define TRIAL_LINES_MOST  4096

struct trial_case {
    struct call call;
    int64_t arg[LAB_MAX_ARGS];
    struct lab_expect expect[LAB_MAX_BUFFERS + 1]; /* of buffer i - 1: the returned values come first */
    uint64_t instructions;
    double processor_seconds; /* that it takes without a change */
    uint64_t
        again; /* stores of what was stored already, without a change: a change must not be right by more of them */
    bool is_made;
    bool stopped; /* without a change, an error stops it */
    struct grader_case *of;
};

struct trial {
    struct grader *grader;
    const struct grader_task *task;
    struct process *process;
    struct exchange exchange;
    double work, end;   /* done so far, in seconds of a quiet machine; when the clock ends it */
    uint64_t case_most; /* warp instructions of the case that is told */
    bool hazards;       /* what is told is a hazard that the values do not show */
    bool is_by_luck;    /* … and the values are right */
    const struct protocol_hazard *race; /* … or a race, whose values may be wrong as well; NULL: it is none */
    int32_t near[16]; /* lines that the finding names, `named_count` of them, and others near them */
    int at;           /* where what is told shows; 0: not known */
    bool is_access;   /* … and it is an access of memory that is not allowed */
    int watched;      /* that line, where a call counts its accesses of memory */
    int near_count, named_count;
    bool given[TRIAL_LINES_MOST]; /* lines that a student has not written */
    int unchanged; /* the copy of the source that has no change, in the process that is asked; 0: there are no copies */
    struct trial_case cases[TRIAL_WRONG_MOST + TRIAL_RIGHT_MOST];
    int case_count, wrong_count; /* the wrong ones come first */
    struct trial_case
        others[TRIAL_OTHERS_MOST]; /* of tasks that are right: a change must not make them wrong */
    int other_count;
    struct trial_case held[TRIAL_HELD_MOST]; /* that the search does not use */
    int held_count;
    bool others_chosen, held_chosen; /* when a change has first made the cases right */
    uint64_t schedule_seed;          /* of blocks and warps; 0: in order */
    struct repair_run *repairs;      /* changes of the source, which are compiled meanwhile; NULL: none */
};

/* The case once more, as copy `choice` of the source, from 1, that a repair has built, or (0) as it is; the outcome is in t->exchange. */
void trial_ask(struct trial *t, const struct trial_case *c, int choice, bool hazards);
/* Is it time to end, or has more been done than `work`? */
bool trial_is_over(const struct trial *t, double work);
/*
 * Makes a call of the task and runs it without a change. False: it cannot be tried. Its memory is trial_free_cases' in
 * any case.
 */
bool trial_make_case(struct trial *t, const struct lab_task *task, struct grader_case *of, const int64_t *arg,
                     uint64_t seed, struct trial_case *c);
void trial_free_case(struct trial_case *c);
/* The one that is told first; other wrong ones; some that are right. False: it cannot be tried. */
bool trial_choose_cases(struct trial *t, struct grader_case *first);
void trial_free_cases(struct trial *t);
/* Does the case come to its end with the right values, and without hazards where they are looked for? */
bool trial_makes_right(struct trial *t, const struct trial_case *c, int choice, bool hazards);
/* Are all cases right with the change, and does it hold where the search has not looked? */
bool trial_makes_all_right(struct trial *t, int choice);
/* Has the lab given the line? */
bool trial_has_given(const struct trial *t, int line);

/* ---- change/held.c ------------------------------------------------------------------------------------- */

/*
 * Is the change right where the search has not looked: with other inputs, sizes and orders of warps and blocks, and in the
 * tasks that were right? One that only fits the cases is not.
 */
bool trial_holds(struct trial *t, int choice);

#endif
