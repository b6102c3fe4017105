/* Lines of the student's file that are given, and right: nothing there is to be corrected. */
#pragma once

#include <stdbool.h>

#include "harness/source/build.h"

#define TRIAL_LINES_MOST 4096

/*
 * The line stands in the lab's skeleton as well, outside of the file's TODOs, and most lines of its function do. False where
 * that cannot be told.
 */
#define TRIAL_CHANGED_MOST 4

/*
 * The lines of code outside of the TODOs that are not as the lab gives them; how many there are. 0: none, or so many that they
 * say nothing.
 */
int trial_find_changed(const struct grader_build *build, int lines[TRIAL_CHANGED_MOST]);

bool trial_is_given(const struct grader_build *build, int line);
/* The same of all lines below `lines`: given[line]. */
void trial_find_given(const struct grader_build *build, bool *given, int lines);
