#include "harness/grade/state.h"

#include "harness/grade/run_call.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/judge.h"
#include "harness/source/variable.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/judge/call.h"
#include "harness/source/source.h"

/* ---- the sentence -------------------------------------------------------------------------------------- */

/* What an earlier call left: a variable of the device, or one that is static in a function. */
struct left {
    char name[64];
    int line;     /* of its declaration; 0: not known */
    bool by_host; /* kernels cannot write it */
};

/*
 * `names`: with blanks between, the most likely one first; of those that the task uses. Host variables are looked at where no
 * kernel can have written.
 */
static void find_left(const struct grader_build *build, const char *task_id, const char *names,
                      struct left *left)
{
    struct source source;
    memset(left, 0, sizeof *left);
    left->by_host = true;
    build_read_source(build, &source);
    while (*(names += strspn(names, " "))) {
        char name[64];
        bool constant = false;
        const size_t length = strcspn(names, " ");
        text_set(name, sizeof name, "%.*s", (int)length, names);
        names += length;
        const int line = state_find_variable(build->source_path, name, &constant);
        if (line > 0 && !source_uses_name(&source, task_id, name))
            continue;
        left->by_host = left->by_host && line > 0 && constant;
        if (!left->name[0]) {
            text_set(left->name, sizeof left->name, "%s", name);
            left->line = line;
        }
    }
    char name[64] = "";
    const int line = left->by_host ? state_find_static(build->source_path, name, sizeof name) : 0;
    if (line > 0 && source_uses_line(&source, task_id, line)) {
        text_set(left->name, sizeof left->name, "%s", name);
        left->line = line;
    }
    source_free(&source);
}

/* That is the cause, whatever was found besides: what follows from it is no hazard of its own. */
static void tell(const struct grader *grader, const char *task_id, const char *changed,
                 struct grader_outcome *outcome)
{
    struct grader_finding *finding = &outcome->finding;
    struct left left;
    char cause[sizeof finding->cause] = "";
    find_left(&grader->build, task_id, changed, &left);
    if (left.line > 0)
        text_set(cause, sizeof cause, "%s:%d: ", text_file_name(grader->build.source), left.line);
    text_append(
        cause, sizeof cause,
        "%s still holds what an earlier call left: this case is right as the first call of a program, and wrong "
        "after another call.\n",
        left.name[0] ? left.name : "A variable");
    text_append(cause, sizeof cause, "%s", finding->cause);
    text_set(finding->cause, sizeof finding->cause, "%s", cause);
    finding->line = left.line;
    text_set(finding->file, sizeof finding->file, "%s", left.line > 0 ? grader->build.source : "");
    fact_add(&finding->facts, FACT_AFTER_OTHERS, FACT_PROVED, NULL);
    if (finding->reason == REASON_HAZARD) {
        finding->reason = REASON_VALUES;
        outcome->hazard_count = 0;
    }
}

/*
 * The call in a copy of a process that has made none. False: it is wrong there, too. True: it is right, or that is not
 * known.
 */
static bool may_be_right_alone(struct grader *grader, const struct call_plan *plan)
{
    struct protocol_request request = {.hazards = plan->hazards,
                                       .instruction_limit = plan->instruction_limit,
                                       .schedule_seed = plan->schedule_seed};
    struct protocol_reply reply = {0};
    struct grader_finding ignored = {0};
    struct exchange exchange;
    struct call call;
    char message[256];
    if (!call_make(&call, plan->task, plan->arg, plan->seed, false, message))
        return true;
    const double begun = process_clock();
    call_place(&call, grader->fresh.arena, &request);
    process_ask(&grader->fresh, &request, PROTOCOL_TRY, plan->timeout, &exchange);
    phase_add(PHASE_CAUSES, begun);
    const struct protocol_trial *made = &exchange.mailbox.trial;
    bool may_be = exchange.outcome != EXCHANGE_REPLY || !made->ended;
    if (!may_be && made->status == PROTOCOL_OK && exchange.mailbox.hazard_count == 0) {
        memcpy(reply.result, made->result, sizeof reply.result);
        call_take(&call, grader->fresh.arena, &reply, true, true);
        may_be = judge_call(&call, NULL, &ignored);
    }
    call_free(&call);
    return may_be;
}

void state_explain(struct grader *grader, const struct call_plan *plan, int before,
                   const struct exchange *exchange, struct grader_outcome *outcome)
{
    struct grader_outcome alone;
    struct exchange again;
    const enum grader_reason reason = outcome->finding.reason;
    if (plan->backend != BACKEND_SIM || before == 0 || (reason != REASON_VALUES && reason != REASON_HAZARD) ||
        !may_be_right_alone(grader, plan))
        return;
    process_stop(&grader->process[plan->backend]);
    grader_call(grader, plan, &alone, &again);
    outcome->seconds += alone.seconds;
    if (alone.passed)
        tell(grader, plan->task->id, exchange->mailbox.changed, outcome);
}
