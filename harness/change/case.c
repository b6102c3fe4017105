/* A case of a trial: made once, and run with one change after the other. */
#include <string.h>

#include "harness/cause/kernel_text.h"
#include "harness/change/change_internal.h"
#include "harness/change/sources.h"
#include "harness/judge/call.h"
#include "harness/judge/compare.h"
#include "harness/judge/seed.h"
#include "harness/result/score.h"

#define HOST_MOST   0.5 /* seconds of processor time that a case may take beside what it simulates */
#define TRY_TIMEOUT 30.0
/* Seconds of processor time after which a loop of the host has no end: so many, and times what the case takes. */
#define LOOP_LEAST 0.1
#define LOOP_TIMES 20
/*
 * Warp instructions more that a case may take where an error has stopped it: how many it would need is not known. Most
 * changes fail in the first case; of those that do not, it is worth more to know how the others end.
 */
#define STOPPED_MORE        1000000u
#define STOPPED_MORE_OTHERS 20000000u

#define WARP_INSTRUCTION                                                                                     \
    1e-7 /* seconds, about, that the simulator takes for one; with hazards four times as many */

/* ---- one call ------------------------------------------------------------------------------------------ */

/*
 * About the seconds that a call takes when nothing else runs: a call by itself, and what it simulates, which is known
 * for the program without a change; with one, it may have come to its limit. Host code that computes for long has
 * nothing but its processor time, which differs from machine to machine: a part of it counts, so that it does not matter
 * elsewhere. In changed copies of the source host code is not optimized, and more of it counts; but they have a higher limit, and
 * cost no more than they have taken.
 */
static double cost_of(const struct protocol_request *request, const struct trial_case *c,
                      const struct protocol_trial *made)
{
    const double each = 0.004, warp_instruction = (request->hazards ? 4 : 1) * WARP_INSTRUCTION;
    const double instructions = (double)(made->at_limit ? request->instruction_limit : c->instructions);
    const double cost = each + instructions * warp_instruction, taken = each + made->processor_seconds,
                 host = made->processor_seconds / (request->choice ? 2 : 8);
    const double most = host > cost ? host : cost;
    return request->choice && taken < most ? taken : most;
}

bool trial_is_over(const struct trial *t, double work)
{
    return grader_is_ending(t->grader) || t->work > work || process_clock() > t->end;
}

/* Copies of the source are compiled with less optimization, and take more instructions for the same. */
static uint64_t times_of(int choice)
{
    return choice > 0 ? 10 : 1;
}

static uint64_t most_of(const struct trial *t, const struct trial_case *c)
{
    return c == &t->cases[0] ? t->case_most : times_of(t->unchanged) * TRIAL_CASE_MOST;
}

void trial_ask(struct trial *t, const struct trial_case *c, int choice, bool hazards)
{
    struct protocol_request request = {.hazards = hazards,
                                       .counters = t->watched > 0 || choice == t->unchanged,
                                       .watched = t->watched,
                                       .schedule_seed = t->schedule_seed,
                                       .instruction_limit = 4 * times_of(choice) * c->instructions + 100000};
    if (c->stopped)
        request.instruction_limit += c == &t->cases[0] ? STOPPED_MORE : STOPPED_MORE_OTHERS;
    if (c->instructions == 0)
        request.instruction_limit = most_of(t, c);
    if (c->processor_seconds > 0 && !c->stopped)
        request.processor_limit = LOOP_LEAST + LOOP_TIMES * c->processor_seconds;
    request.choice = (uint32_t)choice;
    call_place(&c->call, t->process->arena, &request);
    process_ask(t->process, &request, PROTOCOL_TRY, TRY_TIMEOUT, &t->exchange);
    t->work += cost_of(&request, c, &t->exchange.mailbox.trial);
}

static bool is_right(const struct trial_case *c, const struct call *call)
{
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->damage[i].bytes_after || call->damage[i].bytes_before || call->damage[i].inputs_changed)
            return false;
    for (int i = 0; i <= call->run.buffer_count; i++) {
        const struct lab_expect *expect = &c->expect[i];
        if (!expect->want)
            continue;
        const struct compare_view view = {
            .type = i == 0 ? LAB_REAL : call->run.buffer[i - 1].type,
            .doubles = i == 0,
            .got = i == 0 ? (const void *)call->run.result : call->run.buffer[i - 1].data,
            .want = expect->want,
            .tolerance = expect->tolerance,
            .count = expect->count,
            .arg = call->run.arg,
        };
        if (!compare_agrees(&view))
            return false;
    }
    return true;
}

bool trial_makes_right(struct trial *t, const struct trial_case *c, int choice, bool hazards)
{
    struct protocol_reply reply = {0};
    struct call call = c->call;
    trial_ask(t, c, choice, hazards);
    const struct protocol_trial *made = &t->exchange.mailbox.trial;
    if (t->exchange.outcome != EXCHANGE_REPLY || !made->ended || made->status != PROTOCOL_OK ||
        t->exchange.mailbox.hazard_count > 0 || t->exchange.mailbox.again_count > c->again)
        return false;
    memcpy(reply.result, made->result, sizeof reply.result);
    call_take(&call, t->process->arena, &reply, true, true);
    return is_right(c, &call);
}

/* ---- which cases --------------------------------------------------------------------------------------- */

bool trial_make_case(struct trial *t, const struct lab_task *task, struct grader_case *of, const int64_t *arg,
                     uint64_t seed, struct trial_case *c)
{
    char message[256];
    c->is_made = true;
    c->of = of;
    c->again = of->outcome[BACKEND_SIM].again_count;
    memcpy(c->arg, arg, sizeof c->arg);
    if (!call_make(&c->call, task, c->arg, seed, false, message) ||
        call_arena_bytes(&c->call) > t->process->arena->bytes) /* larger than all that is graded */
        return false;
    for (int i = 0; i <= c->call.run.buffer_count; i++)
        if ((i == 0 ? task->result_count > 0 : c->call.run.buffer[i - 1].role == LAB_OUT) &&
            !call_expect(&c->call, i - 1, &c->expect[i]))
            return false;
    trial_ask(t, c, t->unchanged, false);
    c->instructions = t->exchange.mailbox.counters.warp_instructions;
    c->processor_seconds = t->exchange.mailbox.trial.processor_seconds;
    c->stopped = t->exchange.mailbox.trial.status != PROTOCOL_OK;
    return t->exchange.outcome == EXCHANGE_REPLY && c->instructions <= most_of(t, c) &&
           c->processor_seconds <= HOST_MOST + WARP_INSTRUCTION * (double)c->instructions;
}

void trial_free_case(struct trial_case *c)
{
    for (int i = 0; i <= LAB_MAX_BUFFERS; i++)
        call_expect_free(&c->expect[i]);
    if (c->is_made)
        call_free(&c->call);
    memset(c, 0, sizeof *c);
}

void trial_free_cases(struct trial *t)
{
    for (int i = 0; i < TRIAL_WRONG_MOST + TRIAL_RIGHT_MOST; i++)
        trial_free_case(&t->cases[i]);
    for (int i = 0; i < TRIAL_OTHERS_MOST; i++)
        trial_free_case(&t->others[i]);
    for (int i = 0; i < TRIAL_HELD_MOST; i++)
        trial_free_case(&t->held[i]);
}

static bool make_case(struct trial *t, const struct lab_task *task, struct grader_case *from,
                      struct trial_case *c)
{
    return trial_make_case(t, task, from, from->arg, plan_seed(t->grader, task, from->name, 0), c);
}

static bool is_wanted(const struct grader_case *c, bool wrong)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    const enum grader_reason reason = outcome->finding.reason;
    if (!outcome->run || c->gpu_only || outcome->passed == wrong)
        return false;
    return !wrong || ((reason == REASON_VALUES || reason == REASON_HAZARD || reason == REASON_GUARD ||
                       reason == REASON_CHECK || reason == REASON_EXECUTION) &&
                      !fact_find(&outcome->finding.facts, FACT_AFTER_OTHERS));
}

static bool add_case(struct trial *t, struct grader_case *from)
{
    struct trial_case *c = &t->cases[t->case_count];
    const bool made = make_case(t, t->task->task, from, c);
    if (made)
        t->case_count++;
    else
        trial_free_case(c);
    return made;
}

static void add_wrong_cases(struct trial *t, const struct grader_case *first)
{
    for (int i = 0, added = 1; i < t->task->case_count && added < TRIAL_WRONG_MOST; i++)
        if (&t->task->cases[i] != first && is_wanted(&t->task->cases[i], true))
            added += add_case(t, &t->task->cases[i]);
}

/* The longest ones that are short enough: of a small one, most changes leave the values right. */
static void add_right_cases(struct trial *t)
{
    uint64_t most = TRIAL_CASE_MOST;
    for (int added = 0; added < TRIAL_RIGHT_MOST;) {
        struct grader_case *longest = NULL;
        for (int i = 0; i < t->task->case_count; i++) {
            struct grader_case *c = &t->task->cases[i];
            const uint64_t instructions = c->outcome[BACKEND_SIM].instructions;
            if (is_wanted(c, false) && instructions < most &&
                (!longest || instructions > longest->outcome[BACKEND_SIM].instructions))
                longest = c;
        }
        if (!longest)
            return;
        most = longest->outcome[BACKEND_SIM].instructions;
        added += add_case(t, longest);
    }
}

bool trial_choose_cases(struct trial *t, struct grader_case *first)
{
    if (!is_wanted(first, true) || !make_case(t, t->task->task, first, &t->cases[0])) {
        trial_free_case(&t->cases[0]);
        return false;
    }
    t->case_count = 1;
    add_wrong_cases(t, first);
    t->wrong_count = t->case_count;
    add_right_cases(t);
    return true;
}

bool trial_makes_all_right(struct trial *t, int choice)
{
    if (!t->hazards && !trial_makes_right(t, &t->cases[0], choice, false))
        return false;
    for (int i = 0; i < t->case_count; i++)
        if (!trial_makes_right(t, &t->cases[i], choice, true))
            return false;
    return trial_holds(t, choice);
}
