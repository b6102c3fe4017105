/*
 * What failed, and which of it to tell first: a cause that explains many failing cases once, with their number.
 *
 * Two failures have the same cause if they name a common line, or, where none is known, if they say the same. In this
 * order comes first what does not follow from a TODO that is still open; what is not merely given; what says why, and
 * where; what concerns more than empty inputs; what explains most cases, where those of hazards, crashes, errors and
 * damage count twice, since values are wrong because of them and not the other way round; hazards, crashes and errors
 * before damage, damage before wrong values; smaller cases, unless what is wrong there explains no other case, and
 * another cause most of them.
 */
#ifndef HARNESS_GRADER_FAILURE_H
#define HARNESS_GRADER_FAILURE_H

#include "harness/result/grader.h"
#include "harness/source/given.h"
#include "harness/source/todo.h"

struct failure {
    const struct grader_task *task;
    const struct grader_outcome *outcome;
    const char *name; /* of the case */
    const int64_t *arg;
    enum grader_backend backend;
    bool is_case;            /* else of a run that was timed or counted */
    int64_t elements;        /* in all buffers */
    bool empty;              /* a size of 0, or inputs without elements: nothing to compute */
    const struct todo *open; /* that it follows from: it is not written yet; NULL: none */
    int explains;            /* failing cases, this one included */
    bool follows;            /* of a hazard: from what makes a smaller case wrong */
    const struct failure *
        index; /* another case, in which the index that is wrong here leaves its array; NULL: none is known */
    int weight; /* by which its task's failures of its class are ranked */
};

struct failures {
    struct failure *all; /* owned; in the order of the tasks and their cases */
    int count;
    int cases; /* that fail; those not run do not count */
    struct todo todos[TODO_MAX];
    int todo_count;
    const struct failure *first; /* the one to tell; NULL: nothing failed */
};

/* Free with failures_free. False: no memory. */
bool failures_find(const struct grader *grader, struct failures *failures);
void failures_free(struct failures *failures);

/* Fills in `elements` and `empty` of a failure with `task` and `arg`. */
void failure_measure(struct failure *failure);

/*
 * report/failure_order.c: fills in `explains`, `follows` and `weight` of all, and chooses the first. Below 0: `a` is told
 * before `b`.
 */
void failures_rank(struct failures *failures);
int failure_compare(const struct failure *a, const struct failure *b);

/* Whether more than the place of a wrong value is known. */
bool failure_knows_cause(const struct failure *failure);

/* Memory that was read before anything was stored there: a hazard that missing code has, too. */
bool failure_is_unwritten_read(const struct grader_finding *finding);

/* Does the finding follow from an open TODO that the task needs? `needed`: this one; `first`: the first one that is open. */
bool failure_is_undone(const struct grader *grader, const struct lab_task *task,
                       const struct grader_finding *finding, struct todo *needed, struct todo *first);

/* The hazard that the outcome's headline tells; NULL: none. */
const struct protocol_hazard *failure_hazard(const struct grader_outcome *outcome);

/* Does what is told about `first` explain `other`, too? */
bool failure_explains(const struct failure *first, const struct failure *other);

/* Of two lines that a cause names, the one that is told: where the index leaves its array in another case. */
const struct grader_finding *failure_at(const struct failure *failure);
/* Are the first sentences of the causes the same but for numbers? */
bool failure_says_the_same(const struct failure *a, const struct failure *b);

/* The failure that tells what is wrong with task `task` that `first` does not explain; NULL: nothing, or not known. */
const struct failure *failures_other(const struct failures *failures, const struct grader_task *task);

/*
 * The TODO that the failure belongs to: the open one that it follows from; else the one whose lines the finding
 * names; else, of those that the task uses, the last one before that line, or the first. NULL: none.
 */
const struct todo *failure_todo(const struct grader *grader, const struct failures *failures,
                                const struct failure *failure);

/*
 * The cause in one sentence, with its place: "skeleton.cu:38: ...". Of a wrong value the finding's line is where it shows, and
 * what stands there may be right: only a line with a change of which it is right leads the sentence.
 */
void failure_sentence(const struct grader *grader, const struct failure *failure, char *text, size_t size);
/* "skeleton.cu:38"; "": no place is known. */
void failure_place(const struct grader *grader, const char *file, int line, char *text, size_t size);
/*
 * The lines of code outside of the TODOs that are not as the lab gives them, and that a failing task uses: how many,
 * the nearest to what failed first.
 */
int failure_changed(const struct grader *grader, const struct failure *failure,
                    int lines[TRIAL_CHANGED_MOST]);
/* The line of the student's file to show; 0: none is known. */
int failure_line(const struct grader *grader, const struct failure *failure);
/* What to do next, in one line. */
void failure_next(const struct grader *grader, const struct failure *failure, char *text, size_t size);

#endif
