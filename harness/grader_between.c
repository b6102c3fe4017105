#include "harness/grader_between.h"

#include <string.h>

#include "harness/grader_call.h"
#include "harness/grader_phase.h"
#include "harness/grader_process.h"

/* The same inputs and the same order of blocks, but for that. */
static bool is_right_undisturbed(struct grader *grader, const struct call_plan *plan)
{
    struct process *process = plan->process ? plan->process : &grader->process[plan->backend];
    struct protocol_request request = {.hazards = 1,
                                       .counters = 1,
                                       .instruction_limit = plan->instruction_limit,
                                       .schedule_seed = plan->schedule_seed,
                                       .undisturbed = 1};
    struct grader_finding ignored = {0};
    struct exchange exchange;
    struct call call;
    char message[256];
    bool right = false;
    if (!call_make(&call, plan->task, plan->arg, plan->seed, false, message))
        return false;
    const double begun = process_clock();
    call_place(&call, process->arena, &request);
    process_ask(process, &request, PROTOCOL_RUN, plan->timeout, &exchange);
    phase_add(PHASE_CAUSES, begun);
    if (exchange.outcome == EXCHANGE_REPLY && exchange.reply.status == PROTOCOL_OK &&
        exchange.mailbox.hazard_count == 0) {
        call_take(&call, process->arena, &exchange.reply, true, true);
        right = judge_call(&call, NULL, &ignored);
    }
    call_free(&call);
    return right;
}

static void tell(const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    const char *file = strrchr(mailbox->two_steps.file, '/');
    file = file ? file + 1 : mailbox->two_steps.file;
    text_set(finding->file, sizeof finding->file, "%s", mailbox->two_steps.file);
    finding->line = mailbox->two_steps.line;
    finding->telling = 2;
    finding->stays = finding->by_luck = true;
    text_set(
        finding->cause, sizeof finding->cause,
        "%s:%d and line %d: two atomic operations on the same word, where one is needed. Each of them is a single step, "
        "both together are not: what another thread stores between them is lost.\n"
        "Without other threads in between, the case comes out right (tried in the simulator). atomicCAS() in a loop does "
        "both in one step: it writes only if the word is still what it was.\n",
        file, finding->line, mailbox->second_step);
}

void between_explain(struct grader *grader, const struct call_plan *plan, const struct exchange *exchange,
                     struct grader_outcome *outcome)
{
    const struct protocol_mailbox *mailbox = &exchange->mailbox;
    if (plan->backend == BACKEND_SIM && outcome->finding.reason == REASON_VALUES &&
        mailbox->hazard_count == 0 && mailbox->two_steps.line > 0 && mailbox->second_step > 0 &&
        is_right_undisturbed(grader, plan))
        tell(mailbox, &outcome->finding);
}
