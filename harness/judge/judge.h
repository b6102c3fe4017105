/* Outputs, guards and inputs of a call that returned. */
#pragma once

#include "harness/result/grader.h"

struct call;
bool judge_damage(const struct call *call, struct grader_finding *finding); /* guards and inputs only */
bool judge_device(const struct call *call,
                  struct grader_finding *finding); /* outputs in device memory only */
bool judge_call(const struct call *call, const struct call *previous, struct grader_finding *finding);
