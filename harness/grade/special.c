#include "harness/grade/special.h"

#include "harness/judge/seed.h"
#include "harness/result/score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/call.h"
#include "harness/lab/real.h"

#define ELEMENTS_MOST 1000000 /* of a case's inputs: more are not looked at */

/* What the inputs of a case have. */
enum {
    HAS_NAN = 1 << 0,
    HAS_PLUS_ZERO = 1 << 1,
    HAS_MINUS_ZERO = 1 << 2,
    HAS_BOTH_ZEROS = HAS_PLUS_ZERO | HAS_MINUS_ZERO,
};

static unsigned traits_of_buffer(const struct lab_buffer *buffer)
{
    const real *x = buffer->data;
    unsigned traits = 0;
    if (buffer->type != LAB_REAL || buffer->role == LAB_OUT || buffer->count > ELEMENTS_MOST)
        return 0;
    for (int64_t i = 0; i < buffer->count; i++) {
        if (isnan(x[i]))
            traits |= HAS_NAN;
        else if (x[i] == 0)
            traits |= signbit(x[i]) ? HAS_MINUS_ZERO : HAS_PLUS_ZERO;
    }
    return traits;
}

/* Of the inputs of the case's first call. */
static unsigned traits_of(struct grader *grader, const struct grader_task *task, const struct grader_case *c)
{
    struct call call;
    char message[256];
    unsigned traits = 0;
    if (call_make(&call, task->task, c->arg, plan_seed(grader, task->task, c->name, 0), false, message))
        for (int i = 0; i < call.run.buffer_count; i++)
            traits |= traits_of_buffer(&call.run.buffer[i]);
    call_free(&call);
    return traits;
}

static bool is_special(unsigned traits)
{
    return (traits & HAS_NAN) || (traits & HAS_BOTH_ZEROS) == HAS_BOTH_ZEROS;
}

static void put(const char *sentence, struct grader_finding *finding)
{
    char rest[sizeof finding->cause];
    const size_t first = strcspn(finding->cause, "\n") + (strchr(finding->cause, '\n') != NULL);
    text_set(rest, sizeof rest, "%s", finding->cause + first);
    if (first == 0)
        text_set(finding->cause, sizeof finding->cause, "%s\n", sentence);
    else
        text_set(finding->cause + first, sizeof finding->cause - first, "%s\n%s", sentence, rest);
}

static void explain_task(struct grader *grader, struct grader_task *task)
{
    unsigned all = 0;
    bool wrong = false;
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_case *c = &task->cases[i];
        const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
        if (!outcome->run || c->gpu_only)
            continue;
        const unsigned traits = traits_of(grader, task, c);
        if (is_special(traits) == outcome->passed ||
            (!outcome->passed && outcome->finding.reason != REASON_VALUES))
            return;
        all |= outcome->passed ? 0 : traits;
        wrong = wrong || !outcome->passed;
    }
    const bool nan = all & HAS_NAN, zeros = (all & HAS_BOTH_ZEROS) == HAS_BOTH_ZEROS;
    char sentence[400] = "";
    text_append(sentence, sizeof sentence,
                "Exactly the cases with %s%s%s among the inputs are wrong:", nan ? "NaN" : "",
                nan && zeros ? ", or with " : "", zeros ? "zeros of both signs" : "");
    if (nan)
        text_append(sentence, sizeof sentence, " every comparison with NaN is false%s",
                    zeros ? ", and" : ".");
    if (zeros)
        text_append(sentence, sizeof sentence, " -0 and +0 are equal for every comparison.");
    for (int i = 0; i < task->case_count && wrong; i++)
        if (task->cases[i].outcome[BACKEND_SIM].run && !task->cases[i].outcome[BACKEND_SIM].passed)
            put(sentence, &task->cases[i].outcome[BACKEND_SIM].finding);
}

/* Only where a small case that is wrong has such numbers are the others looked at. */
static bool may_be_special(struct grader *grader, const struct grader_task *task)
{
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_case *c = &task->cases[i];
        if (c->outcome[BACKEND_SIM].run && !c->outcome[BACKEND_SIM].passed && !c->gpu_only)
            return c->outcome[BACKEND_SIM].finding.reason == REASON_VALUES &&
                   is_special(traits_of(grader, task, c));
    }
    return false;
}

void special_explain(struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && !grader_is_ending(grader) &&
            may_be_special(grader, &grader->tasks[i]))
            explain_task(grader, &grader->tasks[i]);
}
