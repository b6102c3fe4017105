#include "harness/grade/unseen.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/grade/cases.h"
#include "harness/judge/call.h"
#include "harness/judge/judge.h"
#include "harness/judge/seed.h"
#include "harness/result/score.h"
#include "harness/wire/process.h"

#define TIMEOUT      20.0
#define INSTRUCTIONS UINT64_C(30000000) /* as a case */

/* What is in device memory. `why`: if it is not right. Also true where that cannot be found out. */
static bool is_right(struct grader *grader, const struct lab_task *task, const struct grader_case *c,
                     bool unseen, char why[512])
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {.instruction_limit = INSTRUCTIONS};
    struct grader_finding finding = {.headline = "the function does not come to its end"};
    struct exchange exchange;
    struct call call;
    char ignored[256];
    bool right = true;
    if (call_make(&call, task, c->arg, plan_seed(grader, task, c->name, 0), false, ignored)) {
        if (unseen)
            call_place_unseen(&call, process->arena, &request);
        else
            call_place(&call, process->arena, &request);
        process_ask(process, &request, PROTOCOL_RUN, TIMEOUT, &exchange);
        right = exchange.outcome == EXCHANGE_REPLY && exchange.reply.status == PROTOCOL_OK &&
                !exchange.no_device[0];
        if (right && exchange.apart) {
            call_take(&call, process->device_apart->arena, &exchange.reply, true, true);
            right = judge_device(&call, &finding);
        }
    }
    call_free(&call);
    text_set(why, 512, "%s", finding.headline);
    return right || grader_is_ending(grader);
}

static void check(struct grader *grader, const struct lab_task *task, struct grader_case *c)
{
    struct grader_finding *finding = &c->outcome[BACKEND_SIM].finding;
    char why[512], ignored[512];
    if (is_right(grader, task, c, true, why) || !is_right(grader, task, c, false, ignored))
        return;
    c->outcome[BACKEND_SIM].passed = false;
    finding->reason = REASON_NO_WORK;
    text_set(finding->headline, sizeof finding->headline,
             "the results are right, but they come from the host, not from a kernel");
    text_set(
        finding->detail, sizeof finding->detail,
        "Once more with the same inputs on the device, but with other inputs where the program's host code "
        "runs: %s. So what is on the device at the end depends on what host code has read. Kernels are to compute the "
        "results; a copy to the host and back is no way for them.\n",
        why);
}

static bool is_to_be_checked(const struct grader_case *c)
{
    return !c->gpu_only && c->outcome[BACKEND_SIM].run && c->outcome[BACKEND_SIM].passed;
}

static void check_task(struct grader *grader, struct grader_task *task)
{
    progress_begin("%s %s: inputs that host code does not see", the_lab.name, task->task->id);
    for (int i = 0; i < task->case_count && !cases_failed(task) && !grader_is_ending(grader); i++)
        if (is_to_be_checked(&task->cases[i]))
            check(grader, task->task, &task->cases[i]);
}

/* In a process that has made no call yet: a program could count them, and know that a size comes again. */
void unseen_run(struct grader *grader)
{
    const double begun = process_clock();
    process_stop(&grader->process[BACKEND_SIM]);
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && !grader->tasks[i].task->intended_hazard)
            check_task(grader, &grader->tasks[i]);
    phase_add(PHASE_SIMULATOR, begun);
}
