/*
 * A call of the CUDA runtime that must be refused here (lab_task.error_is_answer): what the function did with the
 * refusal.
 */
#ifndef HARNESS_GRADER_REFUSAL_H
#define HARNESS_GRADER_REFUSAL_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* Whether the wrong value is what the function returned, and that is neither 0 nor an error code of CUDA. */
bool refusal_is_no_code(const struct call *call, const struct grader_finding *finding);

/*
 * Appends what is wrong, and sets the place to the return. `remark`: the call that was refused; NULL: none was.
 * `path`: the student's file.
 */
void refusal_say(const struct call *call, const struct grader_finding *finding,
                 const struct protocol_remark *remark, const char *path, char *text, size_t size,
                 struct protocol_place *place);

#endif
