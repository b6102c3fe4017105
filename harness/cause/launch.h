/* What the text of the student's file tells about a launch: why none was made. Facts are computed (source/value.h). */
#ifndef HARNESS_GRADER_LAUNCH_H
#define HARNESS_GRADER_LAUNCH_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* Of a finding that says that no kernel was launched: which condition is the reason, and its line. */
void launch_explain_none(const struct grader *grader, const struct call *call,
                         struct grader_finding *finding);

#endif
