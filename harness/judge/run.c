#include "harness/judge/run.h"

#include "harness/base/phase.h"
#include "harness/judge/evidence.h"
#include "harness/judge/judge.h"

void judge_ask(const struct call_plan *plan, struct process *process, const struct call *call,
               struct protocol_request *request, struct exchange *exchange)
{
    double begun = process_clock();
    call_place(call, process->arena, request);
    begun = phase_add(PHASE_INPUTS, begun);
    process_ask(process, request, PROTOCOL_RUN, plan->timeout, exchange);
    phase_add(plan->backend == BACKEND_GPU ? PHASE_GPU_CASES : PHASE_SIMULATOR, begun);
}

/* Inputs of the call before, only to recognize a result that still holds its part. */
static bool judge_after(const struct call *call, const struct call_plan *plan, struct grader_finding *finding)
{
    struct call previous;
    char ignored[256];
    bool have =
        plan->previous != 0 && call_make(&previous, plan->task, plan->arg, plan->previous, false, ignored);
    bool right = judge_call(call, have ? &previous : NULL, finding);
    if (have)
        call_free(&previous);
    return right;
}

bool judge_reply(const struct call_plan *plan, const struct process *process, struct call *call,
                 const struct exchange *exchange, struct grader_finding *finding)
{
    const double begun = process_clock();
    if (exchange->apart && !evidence_of_outputs(call, process, finding))
        return false;
    call_take(call, exchange->apart ? process->device_apart->arena : process->arena, &exchange->reply, true,
              true);
    phase_add(PHASE_JUDGING, begun);
    return judge_after(call, plan, finding);
}
