/*
 * Of code that cannot work, nvcc keeps little: a trap in place of a store through a pointer that points nowhere, nothing
 * at all of a value that is never set. The report would tell what nvcc has made, and not what the student wrote. So the
 * file is compiled once more, without optimization, and the case that is told first runs with that. That takes two
 * seconds, and needs what built the program (grader_recompile.h).
 */
#ifndef HARNESS_GRADER_UNOPTIMIZED_H
#define HARNESS_GRADER_UNOPTIMIZED_H

#include "harness/grader.h"

/* Puts what is known then into the outcomes of the failure that the report tells first. */
void unoptimized_explain(struct grader *grader);

#endif
