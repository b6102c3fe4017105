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
#include "harness/judge/sampled.h"
#include "harness/report/failure.h"
#include "harness/wire/process.h"

#define LARGE_TIMEOUT      10.0
#define WHOLE_TIMEOUT      20.0
#define LARGE_INSTRUCTIONS UINT64_C(1000000) /* of a launch of which no sample can be taken */
#define WHOLE_INSTRUCTIONS UINT64_C(4000000000)
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

/* One call, its blocks a sample or all of them. */
struct large {
    const struct lab_task *task;
    const struct grader_case *like, *c; /* the inputs of `like` are repeated */
    struct call call;                   /* to be freed */
    struct exchange exchange;
    struct grader_finding finding;
    struct sampled sampled;
};

/* Results mean nothing where other arguments say what the inputs are. */
static bool is_alike(const struct large *large)
{
    for (int i = 0; i < LAB_MAX_ARGS; i++)
        if (i != large->task->size_arg && large->like->arg[i] != large->c->arg[i])
            return false;
    return true;
}

static double time_for(const struct protocol_request *request)
{
    return request->whole == PROTOCOL_SAMPLE ? LARGE_TIMEOUT : WHOLE_TIMEOUT;
}

static void take_answer(struct large *large, struct process *process, const struct protocol_request *request)
{
    explain_exchange(&large->exchange, process, request, time_for(request), &large->finding);
    if (large->finding.reason != REASON_NONE)
        process_stop(process);
    else if (is_alike(large))
        sampled_compare(&large->call, large->c->arg, &large->exchange.mailbox, request->whole,
                        &large->sampled);
}

/* False: it is not run. */
static bool ask(struct grader *grader, struct large *large, bool whole)
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {.counters = !whole,
                                       .whole = whole ? PROTOCOL_ALL : PROTOCOL_SAMPLE,
                                       .instruction_limit = whole ? WHOLE_INSTRUCTIONS : LARGE_INSTRUCTIONS,
                                       .sample_work = whole ? 0 : LARGE_SAMPLE};
    char message[256];
    double begun = process_clock();
    const bool placed =
        model_place(grader, large->task, large->like->arg, large->c->arg, &large->call, &request, message);
    begun = phase_add(PHASE_INPUTS, begun);
    if (!placed || has_much_on_host(&request))
        return false;
    progress_begin("%s %s: %s", the_lab.name, large->task->id, large->c->name);
    sampled_ask(&large->call, &large->sampled, &request);
    process_ask(process, &request, PROTOCOL_MODEL, time_for(&request), &large->exchange);
    take_answer(large, process, &request);
    phase_add(PHASE_SIMULATOR, begun);
    return true;
}

static void fail(const struct grader *grader, struct large *large, struct grader_case *c)
{
    remark_complete(&large->call, grader->build.source_path, &large->exchange, &large->finding);
    c->outcome[BACKEND_SIM].run = true;
    c->outcome[BACKEND_SIM].finding = large->finding;
}

/* Where few blocks tell their largest element, it matters where the largest of all is. */
static void try_places(struct grader *grader, struct large *sample)
{
    for (int i = 0; i < PROTOCOL_PLACES && sample->task->gathers == LAB_LARGEST && !sample->sampled.wrong;
         i++) {
        struct large again = {.task = sample->task,
                              .like = sample->like,
                              .c = sample->c,
                              .sampled.put_at = 1 + sample->sampled.read_at[i]};
        sample->sampled.wrong = ask(grader, &again, false) && again.sampled.wrong;
        if (sample->sampled.wrong)
            sample->sampled.largest_at = sample->sampled.read_at[i];
        call_free(&again.call);
    }
}

/* Blocks of the sample may depend on others: then all are run. What does not end is not known. */
static void check_values(struct grader *grader, struct large *sample, struct grader_case *c)
{
    try_places(grader, sample);
    struct large all = {.task = sample->task,
                        .like = sample->like,
                        .c = sample->c,
                        .sampled.put_at = 1 + sample->sampled.largest_at};
    if (sample->sampled.wrong && ask(grader, &all, true) && all.sampled.wrong) {
        all.finding.reason = REASON_VALUES;
        sampled_tell(&all.sampled, all.task, &all.finding);
        fail(grader, &all, c);
    }
    call_free(&all.call);
}

static void run_large(struct grader *grader, const struct grader_task *task, const struct grader_case *like,
                      struct grader_case *c)
{
    struct large large = {.task = task->task, .like = like, .c = c};
    if (ask(grader, &large, false)) {
        if (counts(&large.exchange, &large.finding))
            fail(grader, &large, c);
        else
            check_values(grader, &large, c);
    }
    call_free(&large.call);
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
