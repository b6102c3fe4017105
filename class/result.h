/*
 * results/json/KEY.json, one for each submission: that it is there means that the submission is graded, so it is written last and all at
 * once. {"submission": {whose, which file, verdict}, "grader": what the lab's grader wrote, or null}
 */
#pragma once

#include "class/run.h"

enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_INCONCLUSIVE, VERDICT_BUILD, VERDICT_NONE, VERDICTS };

struct outcome {
    enum verdict verdict;
    char *reason; /* in a sentence; NULL: the grader's report says it */
    char *report; /* for the student; NULL: there is none */
    char *grader; /* the grader's JSON, or NULL */
    double seconds, processor_seconds;
};

const char *verdict_word(enum verdict verdict); /* "does not compile" */

/* Also sets submission->result. False: it was told why not. Frees what the outcome holds. */
bool result_write(const struct run *run, struct submission *submission, struct outcome *outcome);
/* Sets submission->result if there is one of this very file. */
void result_look(const struct run *run, struct submission *submission);

/* What is known of a submission that has a result. */
enum verdict result_verdict(const struct submission *submission);
const char *result_reason(const struct submission *submission); /* a sentence, or "" */
char *result_kind(const struct submission
                      *submission); /* of cause, for counting: "race in shared memory"; or "". Free it. */
double result_points(const struct submission *submission, const char *which); /* score, open, maximum */
const struct value *result_tasks(const struct submission *submission); /* an array; its members that count */
