/*
 * Between change/change.c, which tries, change/launch.c, which knows what can be tried of launches,
 * change/text.c and change/words.c, which have the words, and source/names.c, which has the
 * source's names.
 */
#ifndef HARNESS_GRADER_TRIAL_INTERNAL_H
#define HARNESS_GRADER_TRIAL_INTERNAL_H

#include "harness/change/change.h"
#include "harness/judge/call.h"
#include "harness/source/given.h"
#include "harness/source/names.h"
#include "harness/wire/process.h"

/*
 * "student.cu:246: the condition is reversed, the wrong way around: with its opposite, ...": one line. `wrong`: cases
 * that the change makes right, of `failing`.
 */
void trial_sentence(const struct grader_build *build, const struct protocol_change *change, int wrong,
                    int failing, char *text, size_t size);

/* ", all 3 failing cases come out right (tried in the simulator)." is added to the text. */
void trial_say_outcome(int wrong, int failing, char *text, size_t size);

/* The change's place becomes the line to correct: where arguments are exchanged, that of the launch. */
void trial_locate(const struct grader_build *build, struct protocol_change *change);

/* The case that the failure is of; NULL: it is of none, or of one on a GPU. */
struct failure;
struct grader_case *trial_case_of(struct grader *grader, const struct failure *failure);

/* ---- change/loop.c ------------------------------------------------------------------------------- */

/*
 * Does the change give another number of blocks to a kernel that steps through its elements by the grid's size? Then any number is
 * right, and the change only hides what is wrong in its loop: that sentence, one line, and the line to correct.
 */
struct trial_launches;
bool trial_loop_sentence(const struct grader_build *build, const struct trial_launches *launches,
                         const struct protocol_launch_change *change, int wrong, int failing, char *text,
                         size_t size, int *line);

/* ---- change/launch.c, change/words.c ------------------------------------------------------- */

#define TRIAL_LAUNCHES_MOST 120

/* Changes of launches that can be tried, what is likely first; and the launches as they are. */
struct trial_launches {
    struct protocol_seen seen[PROTOCOL_MAX_SEEN];
    int seen_count;
    struct protocol_launch_change change[TRIAL_LAUNCHES_MOST];
    int count;
};

/*
 * Those of the launches in the mailbox. `races`: what is wrong is a race, which goes away wherever threads do:
 * neither blocks nor threads are changed.
 */
void trial_find_launches(const struct call *call, const struct protocol_mailbox *mailbox, const char *file,
                         bool races, struct trial_launches *launches);

/*
 * As trial_sentence. `shares`: it is known that several threads store or add to the wrong element, so that there may be too
 * many of them.
 */
void trial_launch_sentence(const struct grader_build *build, const struct call *call,
                           const struct trial_launches *launches, const struct protocol_launch_change *change,
                           bool shares, int wrong, int failing, char *text, size_t size);

/* ---- change/case.c -------------------------------------------------------------------------------- */

#define TRIAL_CASE_MOST   UINT64_C(400000) /* warp instructions of a case that is tried */
#define TRIAL_WRONG_MOST  8                /* cases */
#define TRIAL_RIGHT_MOST  2
#define TRIAL_OTHERS_MOST 8 /* tasks */

struct trial_case {
    struct call call;
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
    uint64_t functions; /* that the cases use */
    double work, end;   /* done so far, in seconds of a quiet machine; when the clock ends it */
    int most;           /* changes to be tried */
    uint64_t case_most; /* warp instructions of the case that is told */
    int found;          /* number of the one of the kernels that makes it right */
    bool hazards;       /* what is told is a hazard that the values do not show */
    bool is_race;       /* … or a race, whose values may be wrong as well */
    int32_t near[16];   /* lines that the finding names */
    int near_count;
    struct trial_case
        others[TRIAL_OTHERS_MOST]; /* of tasks that are right: a change must not make them wrong */
    int other_count;
    bool others_chosen; /* when a change has first made the cases right */
    struct trial_case cases[TRIAL_WRONG_MOST + TRIAL_RIGHT_MOST];
    int case_count, wrong_count; /* the wrong ones come first */
    struct trial_launches launches;
    uint64_t schedule_seed;     /* of blocks and warps; 0: in order */
    struct repair_run *repairs; /* changes of the source, which are compiled meanwhile; NULL: none */
};

/* What is changed: change number `kernels`, -2 for none, or the launches of a line, or the source: copy `choice`. */
struct attempt {
    int kernels;
    int choice; /* of the worker that a repair has built, from 1; 0: none */
    struct protocol_launch_change launch;
};

/* The case once more, with what is changed; the outcome is in t->exchange. */
void trial_ask(struct trial *t, const struct trial_case *c, const struct attempt *attempt, bool hazards);
/* Is it time to end, or has more been done than `work`? */
bool trial_is_over(const struct trial *t, double work);
/* The one that is told first; other wrong ones; some that are right. False: it cannot be tried. */
bool trial_choose_cases(struct trial *t, struct grader_case *first);
void trial_free_cases(struct trial *t);
/* Are all cases right with the change? Without hazards first, which is faster. */
bool trial_makes_all_right(struct trial *t, const struct attempt *attempt);

/* ---- change/stores.c ------------------------------------------------------------------------------ */

/*
 * The case that was tried fails by a race of stores of one line, and the change at `line` makes it right: the sentence
 * becomes the cause, here and in the task's other cases with that race. False: it is no such case.
 */
bool trial_tell_stores(const struct grader_build *build, const struct grader_task *task, const char *sentence,
                       int line, struct grader_outcome *tried);

/* No change was found: the same where the text of the kernel says that only a part of the index is tested. */
bool trial_tell_half_guard(const struct grader *grader, const struct grader_task *task,
                           struct grader_outcome *tried);

/* Are the values nearly right? */
bool trial_is_rounding(const struct trial *t);

#endif
