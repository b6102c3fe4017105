/*
 * Two atomics where one is needed: each is one step, both together are not, so that what other threads store in between is
 * lost. The simulator lets others come in there (sim/decode/decode_poll.c); that this is the cause is known if the case is
 * right without that.
 */
#ifndef HARNESS_GRADER_BETWEEN_H
#define HARNESS_GRADER_BETWEEN_H

#include "harness/grader.h"

/* A case failed in the simulator, with what the exchange says; `outcome` says so if it is right undisturbed. */
void between_explain(struct grader *grader, const struct call_plan *plan, const struct exchange *exchange,
                     struct grader_outcome *outcome);

#endif
