/* One call: its inputs to the worker, what comes back, and whether that is right. */
#pragma once

#include "harness/judge/call.h"
#include "harness/judge/call_plan.h"

/* Asks the process for the call. `request`: all but the buffers is set. */
void judge_ask(const struct call_plan *plan, struct process *process, const struct call *call,
               struct protocol_request *request, struct exchange *exchange);

/* Takes what the call has made, of a reply that says that it came to its end. False: something is wrong, see the finding. */
bool judge_reply(const struct call_plan *plan, const struct process *process, struct call *call,
                 const struct exchange *exchange, struct grader_finding *finding);
