/* One call from its inputs to its outcome. */
#include "harness/grade/run_call.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/cause/explain.h"
#include "harness/cause/find.h"
#include "harness/judge/call.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/evidence.h"
#include "harness/judge/run.h"
#include "harness/report/early.h"
#include "harness/report/story.h"
#include "harness/result/grader.h"

/* Standard output, then standard error; without its last line, where that is CHECK's and is told already. */
static void keep_printed(const struct process *process, struct grader_outcome *outcome)
{
    const char *err = process->err.text;
    size_t length = strlen(err);
    if (outcome->finding.reason == REASON_CHECK && length > 0)
        for (length--; length > 0 && err[length - 1] != '\n';)
            length--;
    text_set(outcome->printed, sizeof outcome->printed, "%s", process->out.text);
    text_append(outcome->printed, sizeof outcome->printed, "%.*s", (int)length, err);
}

static void keep_hazards(const struct protocol_mailbox *mailbox, struct grader_outcome *outcome)
{
    outcome->hazard_count =
        mailbox->hazard_count < PROTOCOL_MAX_HAZARDS ? (int)mailbox->hazard_count : PROTOCOL_MAX_HAZARDS;
    memcpy(outcome->hazard, mailbox->hazard, sizeof outcome->hazard);
}

/* What the process made of the call, whether that is right, and if not, why. */
static void ask(struct grader *grader, const struct call_plan *plan, struct call *call,
                struct grader_outcome *outcome, struct exchange *exchange)
{
    struct protocol_request request = {
        .hazards = plan->hazards,
        .counters = 1,
        .instruction_limit = plan->instruction_limit,
        .schedule_seed = plan->schedule_seed,
        .elsewhere = plan->elsewhere,
    };
    struct cause_run run = {.plan = plan,
                            .process = plan->process ? plan->process : &grader->process[plan->backend],
                            .call = call,
                            .request = &request,
                            .exchange = exchange};
    struct grader_finding *finding = &outcome->finding;
    judge_ask(plan, run.process, call, &request, exchange);
    explain_exchange(exchange, run.process, &request, plan->timeout, finding);
    keep_printed(run.process, outcome);
    if (finding->reason != REASON_NONE && exchange->outcome == EXCHANGE_REPLY)
        process_stop(run.process); /* after a CUDA error nothing in that process can be relied on */
    run.values = finding->reason == REASON_NONE && !judge_reply(plan, run.process, call, exchange, finding);
    if (run.values && exchange->mailbox.hazard_count == 0 && !plan->task->intended_hazard)
        early_tell(grader, plan, finding);
    cause_find(grader, &run, finding);
    if (finding->reason == REASON_NONE && plan->backend == BACKEND_SIM)
        evidence_of_work(call, &exchange->mailbox, finding);
    keep_hazards(&exchange->mailbox, outcome);
    if (plan->story)
        story_tell(plan->story, run.process, &request, call, outcome, &exchange->mailbox, plan->look_at);
}

/* What is no mistake that costs points: printing, memory that is left behind, stores that are made twice. */
static void keep_notes(const struct protocol_mailbox *mailbox, struct grader_outcome *outcome)
{
    outcome->print_count = mailbox->print_count;
    outcome->first_print = mailbox->first_print;
    outcome->note = mailbox->note;
    outcome->leaked_bytes = mailbox->leaked_bytes;
    outcome->leaked_count = (int)mailbox->leaked_count;
    text_set(outcome->leaked_name, sizeof outcome->leaked_name, "%s", mailbox->leaked_name);
    outcome->again_count = mailbox->again_count;
    outcome->again_place = mailbox->again_place;
    text_set(outcome->again_object, sizeof outcome->again_object, "%s", mailbox->again_object);
}

/* A task that shows a hazard: the simulator has to find it, and nothing but values may be wrong besides. */
static bool shows_its_hazard(const struct call_plan *plan, struct grader_outcome *outcome)
{
    const char *intended = plan->task->intended_hazard;
    enum grader_reason reason = outcome->finding.reason;
    for (int i = 0; i < outcome->hazard_count; i++)
        if (strcmp(outcome->hazard[i].name, intended) != 0)
            return false;
    if (!plan->hazards || outcome->hazard_count > 0)
        return reason == REASON_NONE || reason == REASON_VALUES || reason == REASON_HAZARD;
    if (reason == REASON_NONE || reason == REASON_VALUES) {
        outcome->finding.reason = REASON_HAZARD;
        text_set(outcome->finding.headline, sizeof outcome->finding.headline,
                 "the simulator found no %s, although this task is meant to show one", intended);
    }
    return false;
}

void grader_call(struct grader *grader, const struct call_plan *plan, struct grader_outcome *outcome,
                 struct exchange *exchange)
{
    struct call call;
    char message[256];
    memset(outcome, 0, sizeof *outcome);
    memset(exchange, 0, sizeof *exchange);
    outcome->run = true;
    const double begun = process_clock();
    const bool made =
        call_make(&call, plan->task, plan->arg, plan->seed, plan->backend == BACKEND_GPU, message);
    phase_add(PHASE_INPUTS, begun);
    if (made) {
        ask(grader, plan, &call, outcome, exchange);
    } else {
        outcome->finding.reason = REASON_ENVIRONMENT;
        text_set(outcome->finding.headline, sizeof outcome->finding.headline, "%s", message);
    }
    call_free(&call);
    outcome->worker = grader->process[plan->backend].starts;
    outcome->seconds = exchange->seconds;
    outcome->instructions = exchange->mailbox.counters.warp_instructions;
    if (exchange->outcome == EXCHANGE_REPLY &&
        strcmp(exchange->reply.error_name, "cudaErrorLaunchTimeout") == 0)
        outcome->instructions = plan->instruction_limit;
    keep_notes(&exchange->mailbox, outcome);
    outcome->passed = plan->task->intended_hazard ? shows_its_hazard(plan, outcome)
                                                  : outcome->finding.reason == REASON_NONE;
}
