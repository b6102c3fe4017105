#include "harness/grade/large.h"

#include "harness/cause/explain.h"
#include "harness/grade/cases.h"
#include "harness/result/score.h"
#include "harness/speed/model.h"

#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/cause/remark.h"
#include "harness/judge/call.h"
#include "harness/report/failure.h"
#include "harness/wire/process.h"

#define LARGE_TIMEOUT      10.0
#define LARGE_INSTRUCTIONS UINT64_C(1000000) /* of a launch of which no sample can be taken */
#define LARGE_SAMPLE       UINT64_C(100000)
#define ARGUMENT_LEAST     (1 << 17)           /* smaller ones are like those that are run */
#define HOST_BYTES_MOST    ((uint64_t)1 << 26) /* that would have to be filled */

/* The largest case that was run: its inputs are repeated. NULL: there is none. */
static const struct grader_case *largest_case(const struct grader_task *task)
{
    const struct grader_case *largest = NULL;
    int64_t most = 0;
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_case *c = &task->cases[i];
        struct failure shape = {.task = task, .arg = c->arg};
        failure_measure(&shape);
        if (!c->gpu_only && !shape.empty && c->outcome[BACKEND_SIM].run && shape.elements > most) {
            largest = c;
            most = shape.elements;
        }
    }
    return largest;
}

static bool is_long(const struct lab_task *task, const struct grader_case *c)
{
    bool any = false;
    for (int i = 0; i < LAB_MAX_ARGS && task->arg_names[i]; i++)
        any |= c->arg[i] >= ARGUMENT_LEAST;
    return any;
}

static bool has_much_on_host(const struct protocol_request *request)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < request->buffer_count; i++)
        bytes += request->buffer[i].on_host ? request->buffer[i].full : 0;
    return bytes > HOST_BYTES_MOST;
}

static bool is_of_address(const struct grader_finding *finding)
{
    return fact_is_error(&finding->facts, "cudaErrorIllegalAddress") ||
           fact_is_error(&finding->facts, "cudaErrorMisalignedAddress");
}

/*
 * What was refused, and, in the only launch, an access out of bounds. In later launches an index may come from what blocks
 * that were left out would have stored.
 */
static bool counts(const struct exchange *exchange, const struct grader_finding *finding)
{
    const bool is_alone = exchange->mailbox.counters.launches <= 1;
    switch (finding->reason) {
    case REASON_LAUNCH: return true;
    case REASON_CHECK:
        return !fact_is_error(&finding->facts, "cudaErrorLaunchTimeout") &&
               (is_alone || !is_of_address(finding));
    case REASON_EXECUTION: return is_alone && is_of_address(finding);
    default: return false;
    }
}

static void run_large(struct grader *grader, const struct grader_task *task, const struct grader_case *like,
                      struct grader_case *c)
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {
        .counters = 1, .instruction_limit = LARGE_INSTRUCTIONS, .sample_work = LARGE_SAMPLE};
    struct grader_finding finding = {0};
    struct exchange exchange;
    struct call call = {0};
    char message[256];
    double begun = process_clock();
    const bool placed = model_place(grader, task->task, like->arg, c->arg, &call, &request, message);
    begun = phase_add(PHASE_INPUTS, begun);
    if (placed && !has_much_on_host(&request)) {
        progress_begin("%s %s: %s", the_lab.name, task->task->id, c->name);
        process_ask(process, &request, PROTOCOL_MODEL, LARGE_TIMEOUT, &exchange);
        explain_exchange(&exchange, process, &request, LARGE_TIMEOUT, &finding);
        if (finding.reason != REASON_NONE)
            process_stop(process);
        if (counts(&exchange, &finding)) {
            remark_complete(&call, grader->build.source_path, &exchange, &finding);
            c->outcome[BACKEND_SIM].run = true;
            c->outcome[BACKEND_SIM].finding = finding;
        }
        phase_add(PHASE_SIMULATOR, begun);
    }
    call_free(&call);
}

void large_run(struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        const struct grader_case *like = task->selected ? largest_case(task) : NULL;
        if (!like || task->task->intended_hazard || cases_failed(task))
            continue;
        for (int k = 0; k < task->case_count && !grader_is_ending(grader); k++)
            if (task->cases[k].gpu_only && is_long(task->task, &task->cases[k]) && !cases_failed(task))
                run_large(grader, task, like, &task->cases[k]);
    }
}
