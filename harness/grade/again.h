/*
 * A case that has been run in the simulator, once more with the same inputs: with nothing in between two atomics, or with
 * the blocks in another order. What comes of that tells why a value is wrong, or that it is right by luck.
 */
#pragma once

#include "harness/judge/call_plan.h"

/*
 * Two atomics where one is needed: each is one step, both together are not, so that what other threads store in between is
 * lost. The simulator lets others come in there (sim/decode/decode_poll.c); that this is the cause is known if the case is
 * right without that. A case failed in the simulator, with what the exchange says; `outcome` says so if that is the cause.
 */
void again_without_others(struct grader *grader, const struct call_plan *plan,
                          const struct exchange *exchange, struct grader_outcome *outcome);
/* The same of a case that passed: where others came in between, nothing may have been lost by luck, in this order of blocks. */
void again_between(struct grader *grader, const struct call_plan *plan, const struct exchange *exchange,
                   struct grader_outcome *outcome);

/*
 * A sum of real numbers by atomics: each addition rounds, and who is first changes the last bits. A case of a task with
 * same_bits passed in the simulator; if other bits come of another order of blocks, `outcome` fails, and says so.
 */
void again_in_another_order(struct grader *grader, const struct call_plan *plan,
                            const struct exchange *exchange, struct grader_outcome *outcome);
