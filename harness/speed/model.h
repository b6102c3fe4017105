/* Speed without a GPU, by the model. */
#pragma once

#include "harness/judge/call.h"
#include "harness/result/grader.h"

struct exchange;
/*
 * Models the time of a call at the size that is judged on a GPU, and judges it. False: that call did not come to an end, and `why`
 * says why; then model_small judges a call at the small size, with that.
 */
bool model_full(struct grader *grader, struct grader_task *task, struct exchange *exchange, char why[512]);
void model_small(struct grader *grader, struct grader_task *task, const struct exchange *exchange,
                 const char *why);
/* Of what was counted in a sample of the blocks, as a part of it, with 95 % confidence. */
double model_sample_error(const struct protocol_mailbox *mailbox);
/* The call at the small size, with its results judged. */
struct call_plan;
struct call_plan model_small_plan(const struct grader *grader, const struct lab_task *task);
/*
 * Makes the call at the size `large`, and places its inputs: those of the size `small`, repeated, since what a kernel does
 * with large ones costs the same. False: message. Free with call_free in both cases.
 */
bool model_place(struct grader *grader, const struct lab_task *task, const int64_t *small,
                 const int64_t *large, struct call *call, struct protocol_request *request,
                 char message[256]);
/* What a call at the timed size launches, until it stops: `mailbox` has the shapes. Zeros if there is no answer. */
void grader_model_launches(struct grader *grader, const struct lab_task *task,
                           struct protocol_mailbox *mailbox);
/* What costs most in a task that a GPU has found too slow: asks the simulator, and fills speed.slow. */
void grader_model_slow(struct grader *grader, struct grader_task *task);
