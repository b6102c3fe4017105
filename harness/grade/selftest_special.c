/*
 * --self-test: NaN, infinities, denormal numbers and zeros in every output. The output of a right program gets one of them,
 * in all elements or in one, and goes through all that judges and explains. NaN and infinities are wrong where the
 * reference is finite; the others as far as they are not within the tolerance.
 */
#include <math.h>
#include <string.h>

#include "harness/cause/cause.h"
#include "harness/grade/selftest.h"
#include "harness/judge/call.h"
#include "harness/judge/compare.h"
#include "harness/judge/judge.h"
#include "harness/lab/real.h"
#include "harness/report/story.h"
#include "harness/result/grader.h"

#define LARGEST 4096 /* elements of a case */

static const double specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0, sizeof(real) == 4 ? 1e-42 : 1e-312};

enum where { ALL, FIRST, MIDDLE, LAST, WHERES };

static bool is_meant(enum where where, int64_t i, int64_t count)
{
    return where == ALL || i == (where == FIRST ? 0 : where == MIDDLE ? count / 2 : count - 1);
}

/* Integers have no NaN: their largest and smallest numbers instead. */
static void store(struct lab_buffer *buffer, int64_t i, double value)
{
    const bool is_odd = !isfinite(value);
    switch (buffer->type) {
    case LAB_REAL: ((real *)buffer->data)[i] = (real)value; break;
    case LAB_INT32:
        ((int32_t *)buffer->data)[i] = is_odd ? value > 0 ? INT32_MAX : INT32_MIN : (int32_t)value;
        break;
    case LAB_UINT32: ((uint32_t *)buffer->data)[i] = is_odd ? UINT32_MAX : (uint32_t)value; break;
    case LAB_UINT8: ((uint8_t *)buffer->data)[i] = is_odd ? UINT8_MAX : (uint8_t)value; break;
    }
}

/* Fills an output, or (-1) what is returned, rightly but for these elements. Returns whether it is right all the same. */
static bool fill(struct call *call, int buffer, const double *special, enum where where)
{
    struct lab_expect truth = {0};
    struct lab_buffer *const to = buffer < 0 ? NULL : &call->run.buffer[buffer];
    bool right = call_expect(call, buffer, &truth);
    const struct compare_view view = {
        .type = to ? to->type : LAB_REAL, .doubles = !to, .got = to ? to->data : (void *)call->run.result};
    if (to)
        memset(to->data, compare_poison(to->type), (size_t)to->count * lab_type_size(to->type));
    for (int64_t i = 0; i < truth.count; i++) {
        const bool is_special = special && is_meant(where, i, truth.count);
        if (!to)
            call->run.result[i] = is_special ? *special : truth.want[i];
        else if (is_special || truth.tolerance[i] >= 0)
            store(to, i, is_special ? *special : truth.want[i]);
        if (!is_special)
            continue;
        const double got = compare_got(&view, i), want = truth.want[i];
        right = right && truth.tolerance[i] >= 0 && (got == want || fabs(got - want) <= truth.tolerance[i]);
    }
    call_expect_free(&truth);
    return right;
}

/* What the lab says of each element is asked wherever a report names one. */
static void describe_all(const struct call *call)
{
    const struct lab_task *task = call->task;
    char text[192];
    for (int b = 0; b < call->run.buffer_count; b++)
        for (int64_t i = 0; i < call->run.buffer[b].count; i++) {
            if (task->owner && call->run.buffer[b].role == LAB_OUT)
                task->owner(&call->run, b, i, text, sizeof text);
        }
}

/* All that is said of wrong values, as if the simulator knew who stored them, and nothing else. */
static void explain(const struct call *call, const struct grader_finding *finding)
{
    static struct protocol_mailbox mailbox;
    static struct protocol_request request;
    char text[2048];
    struct protocol_place place;
    enum grader_known known;
    struct facts facts = {0};
    FILE *out = fopen("/dev/null", "w");
    memset(&request, 0, sizeof request);
    cause_ask(call, finding, &request);
    memset(&mailbox, 0, sizeof mailbox);
    for (int i = 0; i < PROTOCOL_MAX_ORIGINS; i++)
        mailbox.origin[i].known = mailbox.origin[i].store_count = 1;
    cause_of_value(call, finding, &mailbox, text, sizeof text, "/dev/null", &place, &known, &facts);
    if (out) {
        story_of_value(out, call, finding, &mailbox);
        fclose(out);
    }
}

/* Does what is said of it agree with what it is? */
static bool is_true(const struct grader_finding *finding)
{
    bool finite = true;
    for (int i = 0; i < finding->sample_count; i++)
        finite = finite && isfinite(finding->got[i]);
    return finding->reason == REASON_VALUES && finding->sample_count > 0 && isfinite(finding->off) &&
           (finite || finding->pattern != PATTERN_PRECISION);
}

static bool judge_special(struct call *call, int buffer, const double *special, enum where where)
{
    static struct grader_finding finding;
    memset(&finding, 0, sizeof finding);
    const bool right = fill(call, buffer, special, where);
    const bool agrees = judge_call(call, call, &finding) == right && (right || is_true(&finding));
    if (!right && agrees && where != MIDDLE)
        explain(call, &finding);
    fill(call, buffer, NULL, ALL);
    return agrees;
}

static bool test_call(struct call *call)
{
    bool good = true;
    const int first = call->task->result_count > 0 ? -1 : 0;
    describe_all(call);
    for (int b = first; b < call->run.buffer_count; b++)
        if (b < 0 || call->run.buffer[b].role == LAB_OUT)
            fill(call, b, NULL, ALL);
    for (int b = first; b < call->run.buffer_count; b++)
        for (size_t s = 0;
             s < sizeof specials / sizeof *specials && (b < 0 || call->run.buffer[b].role == LAB_OUT); s++)
            for (int where = ALL; where < WHERES; where++)
                good = judge_special(call, b, &specials[s], (enum where)where) && good;
    return good;
}

bool self_test_special(const struct lab_task *task, uint64_t seed)
{
    bool good = true;
    for (const struct lab_case *c = task->cases; c->name; c++) {
        struct call call;
        char message[256];
        int64_t elements = 0;
        if (!call_shape(&call, task, c->arg, false))
            continue;
        for (int i = 0; i < call.run.buffer_count; i++)
            elements += call.run.buffer[i].count;
        if (elements > LARGEST)
            continue;
        if (call_make(&call, task, c->arg, seed, false, message))
            good = test_call(&call) && good;
        call_free(&call);
    }
    return good;
}
