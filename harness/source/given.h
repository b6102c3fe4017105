/* Lines of the student's file that are given, and right: nothing there is to be corrected. */
#ifndef HARNESS_GIVEN_H
#define HARNESS_GIVEN_H

#include <stdbool.h>

#include "harness/source/build.h"

#define TRIAL_LINES_MOST 4096

/*
 * The line stands in the lab's skeleton as well, outside of the file's TODOs, and most lines of its function do. False where
 * that cannot be told.
 */
bool trial_is_given(const struct grader_build *build, int line);
/* The same of all lines below `lines`: given[line]. */
void trial_find_given(const struct grader_build *build, bool *given, int lines);

#endif
