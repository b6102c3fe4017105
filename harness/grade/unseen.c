/* Results that host code computes: found by inputs that it does not see, and by values that it sees otherwise. */
#include "harness/grade/unseen.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/cause/explain.h"
#include "harness/grade/cases.h"
#include "harness/judge/call.h"
#include "harness/judge/judge.h"
#include "harness/judge/seed.h"
#include "harness/result/score.h"
#include "harness/wire/process.h"

#define TIMEOUT      20.0
#define INSTRUCTIONS UINT64_C(30000000) /* as a case */
#define LONG_INPUT   16384              /* elements */
#define CHANGES      20
#define CHANGED      24 /* words of as many as the input has, on average */

struct wrong {
    bool by_value; /* the call came to its end */
    char why[512];
};

/* Asks; is there an answer? What is not the program's fault ends the grading. */
static bool ask(struct grader *grader, struct protocol_request *request, struct exchange *exchange,
                struct grader_finding *finding)
{
    struct process *process = &grader->process[BACKEND_SIM];
    process_ask(process, request, PROTOCOL_RUN, TIMEOUT, exchange);
    explain_exchange(exchange, process, request, TIMEOUT, finding);
    if (finding->reason == REASON_ENVIRONMENT)
        grader_give_up(grader, finding->headline);
    return finding->reason == REASON_NONE;
}

/*
 * What is in device memory, with inputs of this seed. `wrong`: if it is not right. Also true where that cannot be found out.
 */
static bool is_right(struct grader *grader, const struct lab_task *task, const struct grader_case *c,
                     uint64_t seed, bool unseen, struct wrong *wrong)
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {.instruction_limit = INSTRUCTIONS};
    struct grader_finding finding = {0};
    struct exchange exchange;
    struct call call;
    char ignored[256];
    bool right = true;
    if (call_make(&call, task, c->arg, seed, false, ignored)) {
        if (unseen)
            call_place_unseen(&call, seed_drawn(), process->arena, &request);
        else
            call_place(&call, process->arena, &request);
        right = ask(grader, &request, &exchange, &finding);
        if (right && exchange.apart) {
            call_take(&call, process->device_apart->arena, &exchange.reply, true, true);
            right = judge_device(&call, &finding);
            wrong->by_value = !right;
        }
    }
    call_free(&call);
    text_set(wrong->why, sizeof wrong->why, "%s", finding.headline);
    return right || grader_is_ending(grader);
}

static void fail(struct grader_case *c, enum grader_reason reason, const char *headline, const char *detail,
                 const char *why)
{
    struct grader_finding *finding = &c->outcome[BACKEND_SIM].finding;
    c->outcome[BACKEND_SIM].passed = false;
    finding->reason = reason;
    text_set(finding->headline, sizeof finding->headline, "%s", headline);
    text_set(finding->detail, sizeof finding->detail, detail, why);
}

/* It may know that it is not called for the first time: then it is not said what these calls would have shown. */
static void fail_again(struct grader_case *c, const char *why)
{
    fail(c, REASON_VALUES, "called once more, in a process that begins anew: no right result",
         "%s. When the case was called first, with other inputs, the same function was right.\n", why);
    fact_add(&c->outcome[BACKEND_SIM].finding.facts, FACT_AFTER_OTHERS, FACT_PROVED, NULL);
}

/* With inputs that the case has not had: a program could have kept its results in a file. */
static void check(struct grader *grader, const struct lab_task *task, struct grader_case *c)
{
    struct wrong wrong = {false}, ignored;
    const uint64_t seed = seed_drawn();
    if (is_right(grader, task, c, seed, true, &wrong) || task->intended_hazard)
        return;
    if (!is_right(grader, task, c, seed, false, &ignored))
        fail_again(c, ignored.why);
    else if (!is_right(grader, task, c, seed, true, &ignored))
        fail(
            c, REASON_NO_WORK, "the results are right, but they come from the host, not from a kernel",
            "Once more with the same inputs on the device, but with other inputs where the program's host code "
            "runs: %s. So what is on the device at the end depends on what host code has read. Kernels are to compute the "
            "results; a copy to the host and back is no way for them.\n",
            wrong.why);
    else if (wrong.by_value) {
        fail(
            c, REASON_VALUES, "called once more, after other cases: the result is wrong",
            "%s. Then called two times more with the same inputs on the device, it was right. So the result depends on "
            "more than the inputs: on what earlier calls have left, for example.\n",
            wrong.why);
        fact_add(&c->outcome[BACKEND_SIM].finding.facts, FACT_AFTER_OTHERS, FACT_PROVED, NULL);
    }
}

static bool is_to_be_checked(const struct grader_case *c)
{
    return !c->gpu_only && c->outcome[BACKEND_SIM].run && c->outcome[BACKEND_SIM].passed;
}

/* As cases_run does it at first: a program could count its calls, and know that it is asked once more. */
static void check_by_turns(struct grader *grader)
{
    bool more = true;
    for (int which = 0; more; which++) {
        more = false;
        for (int i = 0; i < the_lab.task_count && !grader_is_ending(grader); i++) {
            struct grader_task *task = &grader->tasks[i];
            more = more || which < task->case_count;
            if (which < task->case_count && is_to_be_checked(&task->cases[which]) && !cases_failed(task))
                check(grader, task->task, &task->cases[which]);
        }
    }
}

/* ---- what the host returns ----------------------------------------------------------------------------- */

/*
 * Of a function whose only result is what the host returns: a sum, or an array of the host's. The input is made of many
 * elements. -1: it is none.
 */
static int input_of_host_result(const struct call *call)
{
    int input = -1;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->role == LAB_OUT && !buffer->on_host)
            return -1;
        if (buffer->role != LAB_OUT && buffer->count >= LONG_INPUT)
            input = i;
    }
    return input >= 0 && call->run.buffer[input].on_host == (call->task->result_count == 0) ? input : -1;
}

#define UNCHANGED UINT64_MAX

/* Is the result right, though one in `changed` words that came from the device is another one, and no kernel prints? */
static bool is_right_changed(struct grader *grader, struct call *call, uint64_t changed)
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {
        .instruction_limit = INSTRUCTIONS, .changed_read = changed, .draw = seed_drawn()};
    struct grader_finding finding = {0};
    struct exchange exchange;
    call_place(call, process->arena, &request);
    if (!ask(grader, &request, &exchange, &finding))
        return false;
    call_take(call, process->arena, &exchange.reply, true, true);
    return judge_call(call, NULL, &finding);
}

/*
 * A sum of n / 128 parts that kernels have computed, of n inputs, depends on 0.2 of these words on average; one of n / 32 parts on
 * none in 47 % of the calls. One of n / 2 that the host adds depends on 12. An array that came from the device depends on each word,
 * and one of the host's on none.
 */
static bool is_from_host(struct grader *grader, struct call *call, int input)
{
    const struct lab_buffer *buffer = &call->run.buffer[input];
    for (int i = 0; i < CHANGES; i++)
        if (is_right_changed(grader, call, 1 + (uint64_t)buffer->count / CHANGED) != buffer->on_host ||
            grader_is_ending(grader))
            return false;
    return true;
}

#define TWENTY_TIMES                                                                                         \
    "Twenty times more, some of the values that came from the device to the host were replaced by others"
#define SAME_ARRAY                                                                                           \
    TWENTY_TIMES ": the result was right each time. So it does not depend on what the device has computed."
#define OTHER_SUM                                                                                                  \
    TWENTY_TIMES                                                                                                   \
    ", 24 in as many as there are inputs: the result was wrong each time. So the host adds far more numbers than " \
    "the few parts that kernels are to leave."

static void check_host_result(struct grader *grader, const struct lab_task *task, struct grader_case *c)
{
    struct call call;
    char ignored[256];
    if (call_make(&call, task, c->arg, seed_drawn(), false, ignored)) {
        const int input = input_of_host_result(&call);
        if (input >= 0 && !is_right_changed(grader, &call, UNCHANGED) && !grader_is_ending(grader))
            fail_again(
                c, "What the function returns is wrong there; text that kernels print is lost in this call");
        else if (input >= 0 && is_from_host(grader, &call, input))
            fail(c, REASON_NO_WORK, "the result is right, but the host has computed it, not a kernel", "%s\n",
                 call.run.buffer[input].on_host ? SAME_ARRAY : OTHER_SUM);
    }
    call_free(&call);
}

/* The last case has the longest inputs. */
static void check_host_results(struct grader *grader, struct grader_task *task)
{
    for (int i = task->case_count - 1; i >= 0 && !cases_failed(task) && !task->task->intended_hazard; i--)
        if (is_to_be_checked(&task->cases[i])) {
            check_host_result(grader, task->task, &task->cases[i]);
            return;
        }
}

/* In a process that has made no call yet. */
void unseen_run(struct grader *grader)
{
    const double begun = process_clock();
    process_stop(&grader->process[BACKEND_SIM]);
    progress_begin("%s: inputs that host code does not see", the_lab.name);
    check_by_turns(grader);
    for (int i = 0; i < the_lab.task_count && !grader_is_ending(grader); i++)
        check_host_results(grader, &grader->tasks[i]);
    phase_add(PHASE_SIMULATOR, begun);
}
