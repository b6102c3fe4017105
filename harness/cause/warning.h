/* What nvcc warned of when the student's file was compiled: student.warnings beside the grader, by mk/explain/compile. */
#ifndef HARNESS_GRADER_WARNING_H
#define HARNESS_GRADER_WARNING_H

#include "harness/result/grader.h"

#define WARNINGS_MAX 6

struct warning {
    bool is_cause;      /* it explains wrong values by itself */
    char place[256];    /* "student.cu:12" */
    char meaning[400];  /* in plain words */
    char compiler[300]; /* in the compiler's */
};

/* Those that are repeated until they are gone, at most WARNINGS_MAX. */
int warnings_read(const struct grader_build *build, struct warning warnings[WARNINGS_MAX]);

/*
 * One of them, in a function that the task uses, that explains wrong values or a crash; and its place. False: there
 * is none.
 */
bool warning_of_values(const struct grader_build *build, const char *task, char *text, size_t size,
                       struct protocol_place *place);

#endif
