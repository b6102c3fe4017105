#include "harness/grade/again.h"

#include "harness/judge/call_plan.h"
#include "harness/judge/judge.h"
#include "harness/result/score.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/judge/call.h"
#include "harness/lab/real.h"
#include "harness/wire/process.h"

/* The case with the same inputs: what it leaves behind is in `call`, to be freed in any case. False: it does not end well. */
static bool run_again(struct grader *grader, const struct call_plan *plan, uint64_t schedule_seed,
                      bool undisturbed, struct call *call)
{
    struct process *process = plan->process ? plan->process : &grader->process[plan->backend];
    struct protocol_request request = {.hazards = 1,
                                       .counters = 1,
                                       .instruction_limit = plan->instruction_limit,
                                       .schedule_seed = schedule_seed,
                                       .undisturbed = undisturbed};
    struct exchange exchange;
    char message[256];
    if (!call_make(call, plan->task, plan->arg, plan->seed, false, message))
        return false;
    call_place(call, process->arena, &request);
    process_ask(process, &request, PROTOCOL_RUN, plan->timeout, &exchange);
    if (exchange.outcome != EXCHANGE_REPLY || exchange.reply.status != PROTOCOL_OK ||
        exchange.mailbox.hazard_count > 0)
        return false;
    call_take(call, process->arena, &exchange.reply, true, true);
    return true;
}

/* "student.cu:41" in `at`, and as the place of the finding. */
static void put_place(const struct protocol_place *place, struct grader_finding *finding, char at[256])
{
    const char *file = strrchr(place->file, '/');
    text_set(finding->file, sizeof finding->file, "%s", place->file);
    finding->line = place->line;
    finding->known = KNOWN_PROVED;
    fact_add(&finding->facts, FACT_BY_LUCK, FACT_PROVED, place);
    text_set(at, 256, "%s:%d", file ? file + 1 : place->file, place->line);
}

/* ---- nothing in between -------------------------------------------------------------------------------- */

/* Is the case right in this order of blocks, if no other thread comes in between? */
static bool is_right_undisturbed(struct grader *grader, const struct call_plan *plan, uint64_t schedule_seed)
{
    struct grader_finding ignored = {0};
    struct call call;
    const bool right =
        run_again(grader, plan, schedule_seed, true, &call) && judge_call(&call, NULL, &ignored);
    call_free(&call);
    return right;
}

static void tell_two_steps(const struct protocol_mailbox *mailbox, const char *order,
                           struct grader_finding *finding)
{
    char at[256];
    put_place(&mailbox->two_steps, finding, at);
    text_set(
        finding->cause, sizeof finding->cause,
        "%s and line %d: two accesses to the same word, where one atomic operation is needed. Both together are no "
        "single step: another thread can store between them.\n%s"
        "Without other threads in between, the case comes out right (tried in the simulator). A single atomic operation "
        "must do both, or atomicCAS() in a loop, which writes only if the word is still what it was.\n",
        at, mailbox->second_step, order);
}

void again_without_others(struct grader *grader, const struct call_plan *plan,
                          const struct exchange *exchange, struct grader_outcome *outcome)
{
    const struct protocol_mailbox *mailbox = &exchange->mailbox;
    if (plan->backend != BACKEND_SIM || outcome->finding.reason != REASON_VALUES ||
        mailbox->hazard_count > 0 || mailbox->two_steps.line == 0 || mailbox->second_step == 0)
        return;
    const double begun = process_clock();
    if (is_right_undisturbed(grader, plan, plan->schedule_seed))
        tell_two_steps(mailbox, "", &outcome->finding);
    phase_add(PHASE_CAUSES, begun);
}

#define BETWEEN_ORDERS 8
#define BETWEEN_MOST   100000u /* warp instructions of a case */

/* In this order of blocks; false: nothing is lost. */
static bool loses(struct grader *grader, const struct call_plan *plan, const struct protocol_mailbox *mailbox,
                  uint64_t schedule_seed, struct grader_outcome *outcome)
{
    struct grader_finding finding = {0};
    struct call call;
    const bool wrong =
        run_again(grader, plan, schedule_seed, false, &call) && !judge_call(&call, NULL, &finding);
    call_free(&call);
    if (!wrong || finding.reason != REASON_VALUES || !is_right_undisturbed(grader, plan, schedule_seed))
        return false;
    tell_two_steps(
        mailbox,
        "Once the case was right, by luck; with the same inputs and the blocks in another order, it is not (in "
        "the simulator).\n",
        &finding);
    outcome->finding = finding;
    outcome->passed = false;
    return true;
}

void again_between(struct grader *grader, const struct call_plan *plan, const struct exchange *exchange,
                   struct grader_outcome *outcome)
{
    const struct protocol_mailbox *mailbox = &exchange->mailbox;
    if (plan->backend != BACKEND_SIM || mailbox->hazard_count > 0 || mailbox->two_steps.line == 0 ||
        mailbox->second_step == 0 || outcome->instructions > BETWEEN_MOST)
        return;
    const double begun = process_clock();
    for (uint64_t i = 1; i <= BETWEEN_ORDERS && !grader_is_ending(grader); i++)
        if (loses(grader, plan, mailbox, plan->seed + i, outcome))
            break;
    phase_add(PHASE_CAUSES, begun);
}

/* ---- another order of blocks --------------------------------------------------------------------------- */

#define ORDERS 3

/* The first real number of the outputs that is not the same in both; false: all are. */
static bool find_other_bits(const struct call *one, const struct call *other, int *buffer, int64_t *element)
{
    for (*buffer = 0; *buffer < one->run.buffer_count; ++*buffer) {
        const struct lab_buffer *b = &one->run.buffer[*buffer];
        const real *x = b->data, *y = other->run.buffer[*buffer].data;
        if (b->role == LAB_IN || b->type != LAB_REAL)
            continue;
        for (*element = 0; *element < b->count; ++*element)
            if (memcmp(&x[*element], &y[*element], sizeof *x) != 0)
                return true;
    }
    return false;
}

static void tell_order(const struct call *one, const struct call *other, int buffer, int64_t element,
                       const struct protocol_place *place, struct grader_outcome *outcome)
{
    const struct lab_buffer *b = &one->run.buffer[buffer];
    const double was = ((const real *)b->data)[element],
                 is = ((const real *)other->run.buffer[buffer].data)[element];
    struct grader_finding *finding = &outcome->finding;
    char at[256];
    memset(finding, 0, sizeof *finding);
    outcome->passed = false;
    finding->reason = REASON_VALUES;
    finding->buffer = buffer;
    finding->element = element;
    put_place(place, finding, at);
    text_set(finding->headline, sizeof finding->headline,
             "two runs with the same inputs do not give the same bits");
    text_set(
        finding->cause, sizeof finding->cause,
        "%s: this atomic addition of real numbers happens in the order in which threads and blocks come "
        "there, which changes from run to run. Each addition rounds, so another order gives other last bits, and the "
        "contract asks for the same bits in two runs.\n"
        "Once more with the same inputs and the blocks in another order (in the simulator), %s[%lld] has other "
        "bits.\n"
        "A sum whose order is fixed gives the same bits: in one thread, or parts in places of their own that are added "
        "one after another.\n",
        at, b->name, (long long)element);
    text_set(finding->detail, sizeof finding->detail, "  %s[%lld]: %.17g in one order, %.17g in another\n",
             b->name, (long long)element, was, is);
}

void again_in_another_order(struct grader *grader, const struct call_plan *plan,
                            const struct exchange *exchange, struct grader_outcome *outcome)
{
    const struct protocol_place *place = &exchange->mailbox.float_sum;
    struct call one, other;
    int buffer;
    int64_t element;
    if (plan->backend != BACKEND_SIM || !plan->task->same_bits || place->line == 0)
        return;
    const double begun = process_clock();
    if (run_again(grader, plan, plan->schedule_seed, true, &one))
        for (int i = 1; i <= ORDERS && outcome->passed && !grader_is_ending(grader); i++) {
            if (run_again(grader, plan, plan->seed + (uint64_t)i, true, &other) &&
                find_other_bits(&one, &other, &buffer, &element))
                tell_order(&one, &other, buffer, element, place, outcome);
            call_free(&other);
        }
    call_free(&one);
    phase_add(PHASE_CAUSES, begun);
}
