#include "harness/cause/find.h"

#include <math.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/cause/cause.h"
#include "harness/cause/explain.h"
#include "harness/cause/kernel_text.h"
#include "harness/cause/launch.h"
#include "harness/cause/remark.h"
#include "harness/cause/warning.h"
#include "harness/judge/compare.h"

static void shorten(char *text, const char *root)
{
    text_remove(text, root);
    text_singular(text);
}

void cause_shorten(struct grader_finding *finding, const char *root)
{
    char rest[sizeof finding->detail];
    char *end = finding->detail + strnlen(finding->detail, finding->consequence);
    text_set(rest, sizeof rest, "%s", end);
    *end = 0;
    shorten(finding->cause, root);
    shorten(finding->headline, root);
    shorten(finding->detail, root);
    shorten(rest, root);
    text_remove(finding->file, root);
    finding->consequence = strlen(finding->detail);
    text_set(finding->detail + finding->consequence, sizeof finding->detail - finding->consequence, "%s",
             rest);
}

/*
 * What is told beside whatever is known of one wrong element: that all of them hold what others should; and, where it is not
 * known why, that all are wrong by the same factor.
 */
static bool is_told_beside(const struct grader_finding *finding)
{
    const enum pattern pattern = finding->pattern;
    return pattern == PATTERN_SHIFTED || pattern == PATTERN_REVERSED || pattern == PATTERN_TRANSPOSED ||
           (pattern == PATTERN_FACTOR && finding->known < KNOWN_WHY);
}

static void put_cause(struct grader_finding *finding, const char *cause, const struct protocol_place *place)
{
    if (!is_told_beside(finding))
        finding->shape[0] = '\0';
    text_set(finding->cause, sizeof finding->cause, "%s", cause);
    text_set(finding->file, sizeof finding->file, "%s", place->file);
    finding->line = place->line;
    finding->call_line = place->call_line;
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

bool cause_is_same_run(const struct call *call, const struct arena *arena, const struct protocol_reply *reply,
                       const struct grader_finding *finding)
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
    return about;
}

/*
 * Seconds: the call ended in time when it was not recorded; recorded, and searched for several elements, RECORD_MOST
 * instructions take longer.
 */
#define RECORD_TIMEOUT 10.0

static void record(struct process *process, const struct call_plan *plan, const struct call *call,
                   struct protocol_request *request, struct exchange *exchange)
{
    call_place(call, process->arena, request);
    process_ask(process, request, PROTOCOL_RUN,
                request->origin_count > 0 ? fmax(plan->timeout, RECORD_TIMEOUT) : plan->timeout, exchange);
}

static bool is_other_run(const struct process *process, const struct call *call,
                         const struct exchange *exchange, const struct grader_finding *finding)
{
    return exchange->outcome == EXCHANGE_REPLY &&
           !cause_is_same_run(call, process->arena, &exchange->reply, finding);
}

/* Wrong values without a hazard: the call once more, recorded, for what the first wrong element came from. */
static void find_cause(const struct cause_run *run, const char *source, struct grader_finding *finding)
{
    struct process *process = run->process;
    const struct call_plan *plan = run->plan;
    const struct call *call = run->call;
    struct protocol_request request = *run->request;
    struct protocol_place place;
    struct exchange exchange;
    struct facts facts = {0};
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
        cause_is_same_run(call, process->arena, &exchange.reply, finding)) {
        if (cause_of_value(call, &about, &exchange.mailbox, cause, sizeof cause, source, &place,
                           &finding->known, &facts))
            put_cause(finding, cause, &place);
        fact_add_all(&finding->facts, &facts);
    }
}

/* An array of the host that should hold results, as where the wrong one is copied back. */
static void tell_input_again(const struct call *call, struct grader_finding *finding)
{
    const struct lab_buffer *out = finding->buffer < 0 ? NULL : &call->run.buffer[finding->buffer];
    for (int i = 0; out && out->on_host && finding->reason == REASON_VALUES && i < call->run.buffer_count;
         i++) {
        const struct lab_buffer *in = &call->run.buffer[i];
        if (in->role != LAB_IN || in->type != out->type || in->count != out->count ||
            memcmp(in->data, out->data, lab_type_size(in->type) * (size_t)in->count) != 0)
            continue;
        finding->shape[0] = 0; /* the result may be twice the input: that is no factor that is missing */
        text_set(finding->cause, sizeof finding->cause, "%s holds what %s holds, element by element.\n",
                 out->name, in->name);
    }
}

/* An input was changed: the call once more, recorded, for who stored to the first element that is not as it was. */
static void find_writer(const struct cause_run *run, struct grader_finding *finding)
{
    const struct call_plan *plan = run->plan;
    const struct call *call = run->call;
    struct protocol_request request = *run->request;
    struct exchange exchange;
    char cause[512];
    if (plan->backend != BACKEND_SIM || finding->reason != REASON_INPUT ||
        call->run.buffer[finding->buffer].on_host)
        return;
    const double begun = process_clock();
    request.hazards = request.counters = 0;
    cause_ask(call, finding, &request);
    record(run->process, plan, call, &request, &exchange);
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
static void find_hang(const struct cause_run *run, struct grader_finding *finding)
{
    struct protocol_request request = *run->request;
    struct exchange exchange;
    struct grader_finding where;
    memset(&where, 0, sizeof where);
    request.hazards = request.counters = 0;
    request.instruction_limit = HANG_INSTRUCTIONS;
    record(run->process, run->plan, run->call, &request, &exchange);
    explain_exchange(&exchange, run->process, &request, run->plan->timeout, &where);
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
    finding->known = KNOWN_WHY;
    return true;
}

/* Of wrong values, or an input that was changed; `told`: what the host did explains them. */
static void find_in_values(const struct grader *grader, const struct cause_run *run, bool told,
                           struct grader_finding *finding)
{
    const struct protocol_mailbox *mailbox = &run->exchange->mailbox;
    const struct lab_task *task = run->plan->task;
    if (!told && !explain_is_hazard(mailbox) && !task->intended_hazard &&
        is_worth_recording(run->plan, mailbox)) {
        find_cause(run, grader->build.source_path, finding);
        find_writer(run, finding);
        tell_input_again(run->call, finding);
        launch_explain_none(grader, run->call, finding);
        tell_warning(grader, task->id, finding);
    }
    if (!told && run->exchange->said[0])
        text_append(finding->detail, sizeof finding->detail, "The simulator said: %s", run->exchange->said);
}

void cause_find(const struct grader *grader, const struct cause_run *run, struct grader_finding *finding)
{
    const struct exchange *exchange = run->exchange;
    const char *path = grader->build.source_path;
    if (exchange->outcome == EXCHANGE_TIMEOUT && run->plan->backend == BACKEND_SIM &&
        !explain_is_host_loop(exchange))
        find_hang(run, finding);
    if (run->values)
        find_in_values(grader, run, tell_remark(run->call, path, &exchange->mailbox, finding), finding);
    if ((finding->known < KNOWN_WHY || explain_is_hazard(&exchange->mailbox)) &&
        explain_hazards(&exchange->mailbox, finding))
        explain_owner(run->call, &exchange->mailbox, finding);
    if (finding->reason == REASON_SIGNAL)
        tell_warning(grader, run->plan->task->id, finding);
    remark_complete(run->call, path, exchange, finding);
    char root[sizeof grader->build.root + 1];
    text_set(root, sizeof root, grader->build.root[0] ? "%s/" : "", grader->build.root);
    cause_shorten(finding, root);
}
