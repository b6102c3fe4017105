/* What the text of the student's file tells about a launch: why none was made. Facts are computed (source/value.h). */
#ifndef HARNESS_GRADER_LAUNCH_H
#define HARNESS_GRADER_LAUNCH_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* Of a finding that says that no kernel was launched: which condition is the reason, and its line. */
void launch_explain_none(const struct grader *grader, const struct call *call,
                         struct grader_finding *finding);

/* Of elements that were never written, on a GPU: that nothing was launched, or fewer threads than there are elements. */
void launch_explain_sizes(const struct grader *grader, const struct call *call,
                          const struct protocol_mailbox *mailbox, struct grader_finding *finding);

/* The line of the only launch in the functions that the task's function calls; 0: not known. */
int launch_only_line(const struct grader *grader, const struct call *call);

#endif
