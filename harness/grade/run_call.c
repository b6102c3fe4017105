/* One call from its inputs to its outcome. */
#include "harness/grade/run_call.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/cause/argument.h"
#include "harness/cause/cause.h"
#include "harness/cause/explain.h"
#include "harness/cause/kernel_text.h"
#include "harness/cause/launch.h"
#include "harness/cause/remark.h"
#include "harness/cause/warning.h"
#include "harness/judge/call.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/compare.h"
#include "harness/judge/judge.h"
#include "harness/report/early.h"
#include "harness/report/story.h"
#include "harness/result/grader.h"
#include "harness/source/source.h"

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
    outcome->printed_more = process->out.total + process->err.total > strlen(outcome->printed);
}

static void keep_hazards(const struct protocol_mailbox *mailbox, struct grader_outcome *outcome)
{
    outcome->hazard_count =
        mailbox->hazard_count < PROTOCOL_MAX_HAZARDS ? (int)mailbox->hazard_count : PROTOCOL_MAX_HAZARDS;
    memcpy(outcome->hazard, mailbox->hazard, sizeof outcome->hazard);
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

/* Paths inside the repository are named from its root. */
static void shorten_paths(const struct grader *grader, struct grader_finding *finding)
{
    char root[sizeof grader->build.root + 1];
    if (!grader->build.root[0])
        return;
    text_set(root, sizeof root, "%s/", grader->build.root);
    text_remove(finding->cause, root);
    text_remove(finding->headline, root);
    text_remove(finding->detail, root);
    text_remove(finding->file, root);
}

/* A guess that was made without knowing it goes. */
static void put_cause(struct grader_finding *finding, const char *cause, const struct protocol_place *place)
{
    if (finding->guess < sizeof finding->detail)
        finding->detail[finding->guess] = '\0';
    text_set(finding->cause, sizeof finding->cause, "%s", cause);
    text_set(finding->file, sizeof finding->file, "%s", place->file);
    finding->line = place->line;
}

/*
 * Warp instructions of a call that is recorded: more would not fit into the recording; and if the cause of a smaller
 * case of the task is known, it is not worth the time for a call that is longer than a moment.
 */
#define RECORD_MOST 4000000u
#define RECORD_MORE 100000u
#define RECORD_WEAK 600000u /* if it is known, but not why */

static bool is_worth_recording(const struct call_plan *plan, const struct protocol_mailbox *mailbox)
{
    const uint64_t most = plan->has_telling_cause ? RECORD_MORE : plan->has_cause ? RECORD_WEAK : RECORD_MOST;
    return mailbox->counters.warp_instructions <= most;
}

/*
 * Whether the recorded call returned what the finding shows. If it did not, the process was in another state than before
 * the first call, and the recording says nothing of the finding.
 */
static bool is_same_run(const struct call *call, const struct arena *arena,
                        const struct protocol_reply *reply, const struct grader_finding *finding)
{
    if (finding->buffer < 0)
        return memcmp(call->run.result, reply->result, sizeof call->run.result) == 0;
    const struct lab_buffer *buffer = &call->run.buffer[finding->buffer];
    const struct protocol_buffer *spec = &call->spec[finding->buffer];
    const size_t size = lab_type_size(buffer->type);
    const unsigned char *slot = (const unsigned char *)arena->base + spec->offset + spec->guard;
    for (int i = 0; i < finding->sample_count; i++) {
        const size_t at = size * (size_t)finding->sample[i];
        if (memcmp(slot + at, (const unsigned char *)buffer->data + at, size) != 0)
            return false;
    }
    return true;
}

/* Of returned values that are made of an element of a buffer: what went into that element is asked. */
static struct grader_finding about_buffer(const struct lab_task *task, const struct grader_finding *finding)
{
    struct grader_finding about = *finding;
    if (finding->buffer >= 0 || task->result_buffer == 0)
        return about;
    about.buffer = task->result_buffer - 1;
    about.element = about.sample[0] = 0;
    about.sample_count = 1;
    about.right = 0;
    return about;
}

static void record(struct process *process, const struct call_plan *plan, const struct call *call,
                   struct protocol_request *request, struct exchange *exchange)
{
    call_place(call, process->arena, request);
    process_ask(process, request, PROTOCOL_RUN, plan->timeout, exchange);
}

static bool is_other_run(const struct process *process, const struct call *call,
                         const struct exchange *exchange, const struct grader_finding *finding)
{
    return exchange->outcome == EXCHANGE_REPLY &&
           !is_same_run(call, process->arena, &exchange->reply, finding);
}

/* Wrong values without a hazard: the call once more, recorded, for what the first wrong element came from. */
static void find_cause(struct process *process, const struct call_plan *plan, const struct call *call,
                       const struct protocol_request *asked, const char *source,
                       struct grader_finding *finding)
{
    struct protocol_request request = *asked;
    struct protocol_place place;
    struct exchange exchange;
    char cause[1536];
    const struct grader_finding about = about_buffer(plan->task, finding);
    if (plan->backend != BACKEND_SIM || finding->reason != REASON_VALUES ||
        (finding->buffer >= 0 && call->run.buffer[finding->buffer].on_host))
        return;
    const double begun = process_clock();
    request.hazards = request.counters = 0;
    cause_ask(call, &about, &request);
    record(process, plan, call, &request, &exchange);
    if (is_other_run(process, call, &exchange, finding)) {
        process_stop(process); /* the first call has left something behind */
        record(process, plan, call, &request, &exchange);
    }
    if (is_other_run(process, call, &exchange, finding)) {
        request.hazards =
            1; /* threads come in another order where hazards are looked for, and it makes a difference */
        record(process, plan, call, &request, &exchange);
    }
    phase_add(PHASE_CAUSES, begun);
    if (exchange.outcome == EXCHANGE_REPLY && exchange.reply.status == PROTOCOL_OK &&
        is_same_run(call, process->arena, &exchange.reply, finding)) {
        if (cause_of_value(call, &about, &exchange.mailbox, cause, sizeof cause, source, &place,
                           &finding->telling, &finding->facts))
            put_cause(finding, cause, &place);
        remark_of_order(&exchange.mailbox, finding);
    }
}

/* An input was changed: the call once more, recorded, for who stored to the first element that is not as it was. */
static void find_writer(struct process *process, const struct call_plan *plan, const struct call *call,
                        const struct protocol_request *asked, struct grader_finding *finding)
{
    struct protocol_request request = *asked;
    struct exchange exchange;
    char cause[512];
    if (plan->backend != BACKEND_SIM || finding->reason != REASON_INPUT ||
        call->run.buffer[finding->buffer].on_host)
        return;
    const double begun = process_clock();
    request.hazards = request.counters = 0;
    cause_ask(call, finding, &request);
    call_place(call, process->arena, &request);
    process_ask(process, &request, PROTOCOL_RUN, plan->timeout, &exchange);
    phase_add(PHASE_CAUSES, begun);
    const struct protocol_store *store = &exchange.mailbox.origin[0].store[0];
    if (exchange.outcome != EXCHANGE_REPLY || exchange.reply.status != PROTOCOL_OK ||
        exchange.mailbox.origin[0].store_count == 0 || store->place.line <= 0)
        return;
    cause_of_store(call, finding, &exchange.mailbox, cause, sizeof cause);
    put_cause(finding, cause, &store->place);
}

/* Wrong values, or a crash, that only a warning of the compiler explains. */
static void tell_warning(const struct grader *grader, const char *task, struct grader_finding *finding)
{
    struct protocol_place place;
    char cause[1024];
    if ((finding->reason == REASON_VALUES || finding->reason == REASON_SIGNAL) &&
        warning_of_values(&grader->build, task, cause, sizeof cause, &place))
        put_cause(finding, cause, &place);
}

/* Warp instructions after which a call that did not end in time is stopped where it is: less than a second. */
#define HANG_INSTRUCTIONS 10000000u

/* The call did not end in time: once more, without checks, to say which kernel and line it does not leave. */
static void find_hang(struct process *process, const struct call_plan *plan, const struct call *call,
                      const struct protocol_request *asked, struct grader_finding *finding)
{
    struct protocol_request request = *asked;
    struct exchange exchange;
    struct grader_finding where;
    memset(&where, 0, sizeof where);
    request.hazards = request.counters = 0;
    request.instruction_limit = HANG_INSTRUCTIONS;
    call_place(call, process->arena, &request);
    process_ask(process, &request, PROTOCOL_RUN, plan->timeout, &exchange);
    explain_exchange(&exchange, process, &request, plan->timeout, &where);
    explain_hazards(&exchange.mailbox, &where);
    if (where.reason == REASON_NONE || where.reason == REASON_TIMEOUT || !where.detail[0])
        return;
    text_set(finding->detail, sizeof finding->detail, "%s%s",
             exchange.mailbox.launch_status == SIM_INSTRUCTION_LIMIT ? "A second run was " : "",
             where.detail);
    finding->facts = where.facts;
    text_set(finding->file, sizeof finding->file, "%s", where.file);
    finding->line = where.line;
}

/* Wrong values that something explains which the host did. */
static bool tell_remark(const struct call *call, const char *path, const struct protocol_mailbox *mailbox,
                        struct grader_finding *finding)
{
    struct protocol_place place;
    char cause[1024];
    if (mailbox->hazard_count > 0 ||
        !remark_of_values(call, path, finding, mailbox, cause, sizeof cause, &place))
        return false;
    put_cause(finding, cause, &place);
    finding->telling = 2;
    return true;
}

static void ask(struct grader *grader, const struct call_plan *plan, struct call *call,
                struct grader_outcome *outcome, struct exchange *exchange)
{
    struct process *process = plan->process ? plan->process : &grader->process[plan->backend];
    struct protocol_request request = {
        .hazards = plan->hazards,
        .counters = 1,
        .instruction_limit = plan->instruction_limit,
        .schedule_seed = plan->schedule_seed,
    };
    double begun = process_clock();
    call_place(call, process->arena, &request);
    begun = phase_add(PHASE_INPUTS, begun);
    process_ask(process, &request, PROTOCOL_RUN, plan->timeout, exchange);
    phase_add(plan->backend == BACKEND_GPU ? PHASE_GPU_CASES : PHASE_SIMULATOR, begun);
    explain_exchange(exchange, process, &request, plan->timeout, &outcome->finding);
    if (exchange->outcome == EXCHANGE_TIMEOUT && plan->backend == BACKEND_SIM)
        find_hang(process, plan, call, &request, &outcome->finding);
    if (outcome->finding.reason == REASON_NONE) {
        begun = process_clock();
        call_take(call, process->arena, &exchange->reply, true, true);
        phase_add(PHASE_JUDGING, begun);
        if (!judge_after(call, plan, &outcome->finding)) {
            if (exchange->mailbox.hazard_count == 0 && !plan->task->intended_hazard)
                early_tell(grader, plan, &outcome->finding);
            const bool told =
                tell_remark(call, grader->build.source_path, &exchange->mailbox, &outcome->finding);
            if (!told && !explain_is_hazard(&exchange->mailbox) && !plan->task->intended_hazard &&
                is_worth_recording(plan, &exchange->mailbox)) {
                find_cause(process, plan, call, &request, grader->build.source_path, &outcome->finding);
                find_writer(process, plan, call, &request, &outcome->finding);
                launch_explain_none(grader, call, &outcome->finding);
                cause_of_fill(call, grader->build.source_path, &outcome->finding);
                argument_explain(grader, call, &outcome->finding);
                tell_warning(grader, plan->task->id, &outcome->finding);
            }
            if (plan->backend == BACKEND_GPU)
                launch_explain_sizes(grader, call, &exchange->mailbox, &outcome->finding);
            if (!told && exchange->said[0])
                text_append(outcome->finding.detail, sizeof outcome->finding.detail, "The simulator said: %s",
                            exchange->said);
        }
    } else if (exchange->outcome == EXCHANGE_REPLY) {
        process_stop(process); /* after a CUDA error nothing in that process can be relied on */
    }
    keep_printed(process, outcome);
    if (outcome->finding.telling < 2 || explain_is_hazard(&exchange->mailbox))
        explain_hazards(&exchange->mailbox, &outcome->finding);
    if (outcome->finding.reason == REASON_SIGNAL)
        tell_warning(grader, plan->task->id, &outcome->finding);
    remark_complete(call, grader->build.source_path, exchange, &outcome->finding);
    kernel_explain_loop(grader, &outcome->finding);
    if (outcome->finding.reason != REASON_NONE && plan->backend == BACKEND_SIM)
        launch_explain_blocks(grader, call, &outcome->finding);
    shorten_paths(grader, &outcome->finding);
    text_singular(outcome->finding.cause);
    text_singular(outcome->finding.headline);
    text_singular(outcome->finding.detail);
    keep_hazards(&exchange->mailbox, outcome);
    if (plan->story)
        story_tell(plan->story, process, &request, call, outcome, plan->look_at);
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
    outcome->lost_count = mailbox->lost_count;
    outcome->lost_bytes = mailbox->lost_bytes;
    outcome->lost_place = mailbox->lost_place;
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
