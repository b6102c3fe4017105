/* What a call that returned has left behind: is it right, and if not, what does it look like? */
#include "harness/judge/judge.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/judge/call.h"
#include "harness/judge/compare.h"
#include "harness/judge/reference.h"
#include "harness/lab/parallel.h"
#include "harness/result/grader.h"

#define PIECE 8192 /* elements of an output that are computed and compared at a time */

#define HEADLINE(f, ...) text_set((f)->headline, sizeof(f)->headline, __VA_ARGS__)
#define DETAIL(f, ...)   text_append((f)->detail, sizeof(f)->detail, __VA_ARGS__)

/* ---- guards and inputs --------------------------------------------------------------------------------- */

static void tell_guard(const struct call *call, int i, struct grader_finding *finding)
{
    const struct lab_buffer *buffer = &call->run.buffer[i];
    const struct call_damage *damage = &call->damage[i];
    int64_t size = (int64_t)lab_type_size(buffer->type);
    bool after = damage->bytes_after > 0;
    int64_t index =
        after ? buffer->count + damage->nearest_after / size : -((damage->nearest_before + size - 1) / size);
    int64_t bytes = after ? damage->bytes_after : damage->bytes_before;
    finding->reason = REASON_GUARD;
    HEADLINE(finding, "wrote outside of %s: %s its %s", buffer->name, after ? "past" : "before",
             after ? "end" : "start");
    DETAIL(finding, "%s has %lld elements; %s[%lld] was overwritten (%lld bytes in all).\n", buffer->name,
           (long long)buffer->count, buffer->name, (long long)index, (long long)bytes);
    if (!buffer->on_host)
        DETAIL(finding, "Threads whose index is %s must not store: compare it with n first.\n",
               after ? "n or more" : "below 0");
}

static void tell_input(const struct call *call, int i, struct grader_finding *finding)
{
    const struct lab_buffer *buffer = &call->run.buffer[i];
    finding->reason = REASON_INPUT;
    finding->buffer = i;
    finding->element = finding->sample[0] = call->damage[i].first_input;
    finding->sample_count = 1;
    HEADLINE(finding, "changed its input %s, which must stay as it is", buffer->name);
    DETAIL(finding, "%lld of %lld elements changed, %s[%lld] first.\n",
           (long long)call->damage[i].inputs_changed, (long long)buffer->count, buffer->name,
           (long long)call->damage[i].first_input);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool is_never_written(const struct compare_view *view, int64_t index)
{
    return !view->doubles && compare_is_poison(view, index);
}

/* Six digits where they tell expected and got apart, else all that matter; all of an integer. */
static void value_texts(const struct compare_view *view, int64_t index, char want[32], char got[32])
{
    double value = compare_got(view, index);
    const int digits = view->type == LAB_UINT32 ? 10 : 6;
    text_set(want, 32, "%.*g", digits, view->want[index]);
    text_set(got, 32, "%.*g", digits, value);
    if (strcmp(want, got) == 0) {
        text_set(want, 32, "%.17g", view->want[index]);
        text_set(got, 32, "%.17g", value);
    }
    if (is_never_written(view, index))
        text_set(got, 32, "never written");
    if (view->tolerance[index] < 0)
        text_set(want, 32, "untouched");
}

static void tell_error(double error, double allowed, struct grader_finding *finding)
{
    DETAIL(finding, " off by %.2g, allowed %.2g", error, allowed);
    if (!(error <= finding->off)) /* NaN, too */
        finding->off = error;
}

static void name_text(const struct call *call, int buffer, int64_t index, char *name, size_t size)
{
    const char *result = buffer < 0 ? call->task->result_names[index] : NULL;
    if (buffer < 0)
        text_set(name, size, "%s", result ? result : "result");
    else
        text_set(name, size, "%s[%lld]", call->run.buffer[buffer].name, (long long)index);
}

static void tell_mismatch(const struct call *call, int buffer, const struct compare_view *view, int64_t index,
                          struct grader_finding *finding)
{
    char got[32], want[32], name[64], owner[96] = "";
    value_texts(view, index, want, got);
    name_text(call, buffer, index, name, sizeof name);
    if (buffer >= 0 && call->task->owner)
        call->task->owner(&call->run, buffer, index, owner, sizeof owner);
    double error = fabs(compare_got(view, index) - view->want[index]);
    DETAIL(finding, "  %-12s expected %-11s got %-11s", name, want, got);
    if (isfinite(error) && view->tolerance[index] >= 0 && !is_never_written(view, index))
        tell_error(error, view->tolerance[index], finding);
    DETAIL(finding, "%s%s%s\n", owner[0] ? " (" : "", owner, owner[0] ? ")" : "");
}

/* Wrong elements from all over the output: the first one is not always the one that says most. */
static void take_samples(const struct compare_view *view, const struct compare_result *result,
                         struct grader_finding *finding)
{
    int64_t number = 0;
    for (int64_t i = result->first; i <= result->last && finding->sample_count < GRADER_SAMPLES; i++) {
        const int taken = finding->sample_count;
        if (compare_right(view, i) || number++ < taken * (result->wrong - 1) / (GRADER_SAMPLES - 1))
            continue;
        finding->sample[taken] = i;
        finding->want[taken] = view->want[i];
        finding->got[taken] = compare_got(view, i);
        finding->untouched[taken] = view->tolerance[i] < 0;
        finding->sample_count++;
    }
}

static void tell_values(const struct call *call, int buffer, const struct compare_view *view,
                        const struct compare_result *result, struct grader_finding *finding)
{
    finding->reason = REASON_VALUES;
    finding->pattern = pattern_find(view, result, finding->shape);
    const char *name = buffer < 0 ? "the returned value" : call->run.buffer[buffer].name;
    if (buffer < 0 && view->count > 1)
        name = "the returned values";
    if (view->count == 1)
        HEADLINE(finding, "%s %s wrong", name, buffer < 0 ? "is" : "holds one element, which is");
    else
        HEADLINE(finding, "%lld of the %lld elements of %s %s wrong", (long long)result->wrong,
                 (long long)view->count, name, result->wrong == 1 ? "is" : "are");
    int shown = finding->pattern == PATTERN_UNWRITTEN && result->shown_count > 1 ? 2 : result->shown_count;
    for (int i = 0; i < shown; i++)
        tell_mismatch(call, buffer, view, result->shown[i], finding);
    if (result->wrong > shown)
        DETAIL(finding, "  ... and %lld more\n", (long long)(result->wrong - shown));
    finding->buffer = buffer;
    finding->element = result->first;
    struct fact *fact = fact_add_element(&finding->facts, FACT_VALUE, FACT_PROVED, result->first, name);
    fact->value[0] = view->want[result->first];
    fact->value[1] = compare_got(view, result->first);
    take_samples(view, result, finding);
}

/* A long output whose reference is computed and compared a piece at a time, so that it stays in the cache. */
struct pieces {
    const struct call *call;
    int buffer;
    const double *before; /* see call_sums_before */
    uint64_t draw;        /* as struct call's */
    atomic_bool right;
};

/* Of 512 pieces and more, every 16th on average: that none is, has a probability of 5e-15. */
static bool is_judged(const struct pieces *pieces, int64_t first)
{
    return pieces->draw == 0 || lab_random_u64(pieces->draw, 0, (uint64_t)first) % 16 == 0;
}

static bool piece_is_right(const struct pieces *pieces, struct lab_expect *expect)
{
    const struct lab_buffer *buffer = &pieces->call->run.buffer[pieces->buffer];
    const size_t bytes = (size_t)expect->count * sizeof(double);
    const struct compare_view view = {.type = buffer->type,
                                      .got = (const char *)buffer->data +
                                             (size_t)expect->first * lab_type_size(buffer->type),
                                      .want = expect->want,
                                      .tolerance = expect->tolerance,
                                      .count = expect->count};
    memset(expect->want, 0, bytes);
    memset(expect->tolerance, 0, bytes);
    pieces->call->task->expect(&pieces->call->run, pieces->buffer, expect);
    return compare_agrees(&view);
}

static void judge_pieces(void *context, int64_t begin, int64_t end)
{
    struct pieces *pieces = context;
    const int64_t granule = pieces->call->task->granule;
    const int64_t length = (PIECE + granule - 1) / granule * granule;
    double *want = malloc(2 * (size_t)length * sizeof *want);
    for (int64_t first = begin; first < end && atomic_load(&pieces->right); first += length) {
        struct lab_expect expect = {want, want + length, first, end - first < length ? end - first : length,
                                    pieces->before ? pieces->before[first / granule] : 0};
        if (!want || (is_judged(pieces, first) && !piece_is_right(pieces, &expect)))
            atomic_store(&pieces->right, false);
    }
    free(want);
}

/* False: something is wrong, or there is no memory; then all is looked at once more, in order. */
static bool right_by_pieces(const struct call *call, int buffer)
{
    const struct lab_task *task = call->task;
    const int64_t count = buffer < 0 ? 0 : call->run.buffer[buffer].count;
    const uint64_t draw = count < 512 * PIECE ? 0 : call->draw;
    if (task->granule == 0 || count < PIECE || (draw == 0 && reference_is_worth_keeping(call, buffer)))
        return false;
    double *before = call_sums_before(call, count);
    struct pieces pieces = {
        .call = call, .buffer = buffer, .before = before, .draw = draw, .right = before || !task->sum_of};
    parallel_pieces(count, PIECE, task->granule, judge_pieces, &pieces);
    free(before);
    return atomic_load(&pieces.right);
}

static bool judge_array(const struct call *call, int buffer, const struct call *previous,
                        struct grader_finding *finding)
{
    struct lab_expect expect = {0}, before = {0};
    struct compare_view view = {.doubles = buffer < 0, .arg = call->run.arg};
    struct compare_result result;
    if (right_by_pieces(call, buffer))
        return true;
    if (!reference_get(call, buffer, &expect)) {
        finding->reason = REASON_ENVIRONMENT;
        HEADLINE(finding, "not enough memory for the reference");
        return false;
    }
    view.type = buffer < 0 ? LAB_REAL : call->run.buffer[buffer].type;
    view.got = buffer < 0 ? (const void *)call->run.result : call->run.buffer[buffer].data;
    view.want = expect.want;
    view.tolerance = expect.tolerance;
    view.count = expect.count;
    const bool right = compare_agrees(&view);
    if (!right) {
        compare_run(&view, &result);
        if (previous && call_expect(previous, buffer, &before) && before.count == expect.count)
            view.previous = before.want;
        tell_values(call, buffer, &view, &result, finding);
    }
    call_expect_free(&before);
    reference_done(call, buffer, &expect);
    return right;
}

bool judge_damage(const struct call *call, struct grader_finding *finding)
{
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->damage[i].bytes_after || call->damage[i].bytes_before) {
            tell_guard(call, i, finding);
            return false;
        }
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->damage[i].inputs_changed) {
            tell_input(call, i, finding);
            return false;
        }
    return true;
}

static bool judge_outputs(const struct call *call, const struct call *previous,
                          struct grader_finding *finding)
{
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role == LAB_OUT && !judge_array(call, i, previous, finding))
            return false;
    return call->task->result_count == 0 || judge_array(call, -1, previous, finding);
}

bool judge_device(const struct call *call, struct grader_finding *finding)
{
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role == LAB_OUT && !call->run.buffer[i].on_host &&
            !judge_array(call, i, NULL, finding))
            return false;
    return true;
}

/* A function that should have refused has done its work, and says so: what it returns explains what it has changed. */
static void add_returned(const struct call *call, const struct call *previous, struct grader_finding *finding)
{
    struct grader_finding *returned = calloc(1, sizeof *returned);
    if (returned && !judge_array(call, -1, previous, returned) && returned->reason == REASON_VALUES)
        DETAIL(finding, "Besides, %s:\n%s", returned->headline, returned->detail);
    free(returned);
}

bool judge_call(const struct call *call, const struct call *previous, struct grader_finding *finding)
{
    const double begun = process_clock();
    const bool right = judge_damage(call, finding) && judge_outputs(call, previous, finding);
    if (finding->reason == REASON_INPUT && call->task->result_count > 0)
        add_returned(call, previous, finding);
    phase_add(PHASE_JUDGING, begun);
    return right;
}
