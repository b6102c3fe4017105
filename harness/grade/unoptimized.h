/*
 * Of code that cannot work, nvcc keeps little: a trap in place of a store through a pointer that points nowhere, nothing
 * at all of a value that is never set, nor of a load past the end whose value is not used. The report would tell what nvcc
 * has made, and not what the student wrote. So the file is compiled once more, without optimization, and runs with that:
 * the case that is told first; or, of a program that passes, some small cases of each task, while nvcc compiles during
 * what else there is to do. It needs what built the program (change/recompile.h).
 */
#pragma once

#include "harness/result/grader.h"

/* Puts what is known then into the outcomes of the failure that the report tells first. */
void unoptimized_explain(struct grader *grader);

/* All cases passed in the simulator: begins to compile. Nothing is done if one failed. */
void unoptimized_begin(struct grader *grader);
/* Waits for the compiler. False: a case has a hazard, and fails now. Ends what unoptimized_begin began, if it did. */
bool unoptimized_check(struct grader *grader);
