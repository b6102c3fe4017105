#include "harness/speed/sets.h"

#include "harness/cause/explain.h"
#include "harness/judge/call.h"
#include "harness/judge/seed.h"
#include "harness/speed/limit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/judge/inputs.h"
#include "harness/judge/reference.h"

#define REQUEST_TIMEOUT 60.0 /* for one request */

static bool explain_answer(struct grader *grader, const struct protocol_request *request,
                           struct grader_finding *finding, const struct exchange *exchange)
{
    struct process *process = &grader->process[BACKEND_GPU];
    explain_exchange(exchange, process, request, REQUEST_TIMEOUT, finding);
    if (finding->reason != REASON_NONE && finding->reason != REASON_ENVIRONMENT)
        process_stop(process);
    return finding->reason == REASON_NONE;
}

bool sets_request(struct grader *grader, struct protocol_request *request, uint32_t kind,
                  struct grader_finding *finding, struct exchange *exchange)
{
    process_ask(&grader->process[BACKEND_GPU], request, kind, REQUEST_TIMEOUT, exchange);
    return explain_answer(grader, request, finding, exchange);
}

bool sets_receive(struct grader *grader, const struct protocol_request *request,
                  struct grader_finding *finding, struct exchange *exchange)
{
    process_receive(&grader->process[BACKEND_GPU], request, REQUEST_TIMEOUT, exchange);
    return explain_answer(grader, request, finding, exchange);
}

/* ---- making them --------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct call *call)
{
    uint64_t bytes = 0;
    for (int i = 0; i < call->run.buffer_count; i++)
        bytes += call->spec[i].bytes;
    return bytes;
}

static int sets_wanted(const struct grader *grader, const struct lab_task *task, const int64_t *arg)
{
    struct call call;
    const bool shaped = call_shape(&call, task, arg, true);
    return speed_sets(&grader->roof, task, arg, shaped ? (double)bytes_of(&call) : 0);
}

/* Set `which`, on the GPU. */
static bool add_set(struct grader *grader, struct grader_sets *sets, int which, uint64_t seed,
                    struct grader_finding *finding)
{
    struct call *call = &sets->call[which];
    struct protocol_request request = {.set = (uint32_t)which};
    struct exchange exchange;
    char message[256];
    double begun = process_clock();
    bool made = call_make(call, sets->task, sets->arg, seed, true, message);
    if (made && which % 2 == 1) /* one set's outputs come back while the other's are looked at */
        call_move_outputs(call);
    if (made)
        call_place(call, &grader->arena[BACKEND_GPU], &request);
    begun = phase_add(PHASE_INPUTS, begun);
    made = made && sets_request(grader, &request, PROTOCOL_PREPARE, finding, &exchange);
    phase_add(PHASE_FETCHING, begun);
    call_drop_outputs(call);
    if (!made)
        call_free(call);
    return made;
}

/* Whoever has kept results is wrong everywhere: then it is enough to judge a part. */
bool sets_renew(struct grader *grader, int which, struct grader_finding *finding)
{
    struct grader_sets *sets = grader->sets;
    const struct lab_task *task = sets->call[which].task;
    const uint64_t seed = seed_drawn();
    call_free(&sets->call[which]);
    sets->judged[which].right = false;
    const bool made = add_set(grader, sets, which, seed, finding);
    sets->call[which].task = task;
    sets->call[which].draw = seed;
    return made;
}

/* ---- one task after the other -------------------------------------------------------------------------- */

static void forget(struct grader *grader)
{
    for (int i = 0; grader->sets && i < grader->sets->count; i++) {
        call_free(&grader->sets->call[i]);
        for (int b = 0; b < LAB_MAX_BUFFERS; b++)
            free(grader->sets->judged[i].output[b]);
    }
    free(grader->sets);
    grader->sets = NULL;
}

void sets_release(struct grader *grader)
{
    struct protocol_request request = {0};
    struct grader_finding ignored = {0};
    struct exchange exchange;
    if (grader->sets && grader->process[BACKEND_GPU].pid == grader->sets->worker)
        sets_request(grader, &request, PROTOCOL_RELEASE, &ignored, &exchange);
    forget(grader);
}

static bool are_of_use(const struct grader *grader, const struct lab_task *task, const int64_t *arg)
{
    const struct grader_sets *sets = grader->sets;
    return sets && sets->worker == grader->process[BACKEND_GPU].pid && plan_same_inputs(sets->task, task) &&
           memcmp(sets->arg, arg, sizeof sets->arg) == 0;
}

/* For the same inputs; what was judged by the same reference stays right. */
static void change_task(struct grader_sets *sets, int set, const struct lab_task *task)
{
    struct call *call = &sets->call[set];
    if (call->task->expect != task->expect || call->task->result_count != task->result_count)
        sets->judged[set].right = false;
    call->task = task;
}

struct grader_sets *sets_prepare(struct grader *grader, const struct lab_task *task, const int64_t *arg,
                                 struct grader_finding *finding)
{
    if (!are_of_use(grader, task, arg)) {
        sets_release(grader);
        inputs_retire(task);
        struct grader_sets *sets = grader->sets = calloc(1, sizeof *sets);
        if (!sets)
            return NULL;
        sets->task = task;
        memcpy(sets->arg, arg, sizeof sets->arg);
        const int wanted = sets_wanted(grader, task, arg);
        while (sets->count < wanted && !process_interrupted() &&
               add_set(grader, sets, sets->count, plan_timed_seed(grader, task, sets->count), finding))
            sets->count++;
        sets->worker = grader->process[BACKEND_GPU].pid;
    }
    for (int i = 0; i < grader->sets->count; i++)
        change_task(grader->sets, i, task);
    return grader->sets;
}

/* References that are kept, too: their work is the longest that there is. */
static void make_references(const struct call *call)
{
    const double begun = process_clock();
    for (int i = -1; i < call->run.buffer_count; i++) {
        struct lab_expect expect = {0};
        const bool any = i < 0 ? call->task->result_count > 0 : call->run.buffer[i].role == LAB_OUT;
        if (any && reference_is_worth_keeping(call, i) && reference_get(call, i, &expect))
            reference_done(call, i, &expect);
    }
    phase_add(PHASE_JUDGING, begun);
}

static void make_set(const struct grader *grader, const struct lab_task *task, int set)
{
    struct call call;
    char ignored[256];
    const double begun = process_clock();
    const bool made =
        call_make(&call, task, task->speed->gpu_arg, plan_timed_seed(grader, task, set), true, ignored);
    phase_add(PHASE_INPUTS, begun);
    if (made && set == 0)
        make_references(&call);
    call_free(&call);
}

/* The first one that may be timed; NULL: none. */
static const struct grader_task *first_timed(const struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count && !grader->only.cases; i++)
        if (grader->tasks[i].selected && grader->tasks[i].task->speed)
            return &grader->tasks[i];
    return NULL;
}

void sets_make_early(const struct grader *grader)
{
    const struct grader_task *task = first_timed(grader);
    for (int set = 0; task && set < 2 && atomic_load(&task->first_wrong) == INT_MAX; set++)
        make_set(grader, task->task, set);
}

void sets_prepare_early(struct grader *grader)
{
    const struct grader_task *task = first_timed(grader);
    struct grader_finding finding = {0};
    if (!task || grader->cases_only || !grader->roof.known || atomic_load(&task->first_wrong) != INT_MAX)
        return;
    sets_prepare(grader, task->task, task->task->speed->gpu_arg, &finding);
    if (finding.reason != REASON_NONE)
        sets_release(grader);
}
