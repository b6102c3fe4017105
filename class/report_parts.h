/* What the writers of results share. Texts that are returned are to be freed; all of them are cleaned. */
#pragma once

#include "class/report.h"
#include "class/result.h"
#include "class/similar.h"

char *one_line(const char *text);
char *reason_line(const struct submission *submission);
char *student_text(const struct run *run,
                   const struct submission *submission); /* by the setting student_sees */
char *late_sentence(const struct run *run, int days);    /* NULL: in time */

/* A task of a grader's JSON. */
bool task_counts(const struct value *task); /* its points do */
bool task_is_full(const struct value *task);
double task_mark(const struct run *run, const struct value *task);
const char *task_state(const struct value *task); /* passed, inconclusive, failed */
char *task_title(const struct value *task);
const struct value *task_named(const struct submission *submission, const char *id); /* or NULL */
const struct value *class_tasks(const struct run *run); /* the first of the lab's, or NULL: none is known */
