/* Shared by cause/launch.c and cause/argument.c: the student's file, read for one finding. */
#ifndef HARNESS_GRADER_LAUNCH_INTERNAL_H
#define HARNESS_GRADER_LAUNCH_INTERNAL_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"
#include "harness/source/source.h"
#include "harness/source/value.h"

struct reading {
    struct source source;
    struct value_context value;
    char *texts[2]; /* the student's file and the lab's header, as they are */
    const struct source_function *launcher;
    const char *launch; /* its first <<<; NULL: no function of the task has one */
};

/* False: the task's function is not in the file. End it in any case. */
bool launch_begin_reading(const struct grader *grader, const struct call *call, struct reading *r);
void launch_end_reading(struct reading *r);
/* An expression of the file, on one line and not too long; as it is written, with its strings. */
void launch_copy_expression(const char *begin, const char *end, char *text, size_t size);

#endif
