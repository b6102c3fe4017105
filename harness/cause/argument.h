/*
 * What the host hands over, by the text of the student's file: the limit of a loop over what was copied back, the
 * arguments of the function that launches, parameters that no line uses.
 */
#ifndef HARNESS_GRADER_ARGUMENT_H
#define HARNESS_GRADER_ARGUMENT_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* Of wrong values: adds what is known to the cause. All of it is computed for this case. */
void argument_explain(const struct grader *grader, const struct call *call, struct grader_finding *finding);

#endif
