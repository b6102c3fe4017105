#include "harness/grade/trace.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/call.h"
#include "harness/judge/seed.h"
#include "harness/report/failure.h"

/* Instructions of warps: what is recorded of a larger case is not worth its time. */
#define MOST_INSTRUCTIONS 2000000
#define SMALL_ELEMENTS    1024 /* an output of which every element can be drawn */
#define LARGE_WORTH       256  /* of a larger case: it has whole warps, at least */
#define SECONDS           30

static int64_t elements_of(const struct grader_task *task, const struct grader_case *c)
{
    struct failure measured = {.task = task, .arg = c->arg};
    failure_measure(&measured);
    return measured.elements;
}

/* A wrong case before a right one; the largest that is small, but no tiny one if there are larger ones. */
static int64_t worth(const struct grader_task *task, const struct grader_case *c)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    const int64_t elements = elements_of(task, c);
    if (!outcome->run || c->gpu_only || elements == 0 || outcome->instructions > MOST_INSTRUCTIONS ||
        (outcome->passed && outcome->instructions == 0))
        return 0;
    const int64_t size = elements <= 2 * SMALL_ELEMENTS ? elements : LARGE_WORTH;
    return c->status == CASE_FAILED ? size + 4 * SMALL_ELEMENTS : size;
}

static const struct protocol_hazard *race_of(const struct grader_case *c)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    for (int i = 0; i < outcome->hazard_count; i++)
        if (fact_is_race(outcome->hazard[i].class) && outcome->hazard[i].there.line > 0)
            return &outcome->hazard[i];
    return NULL;
}

/* `told`: what the report tells first; a race is drawn as it is told. */
static const struct grader_case *choose(const struct grader_task *task, const struct failure *told)
{
    const struct grader_case *best = NULL;
    int64_t most = 0;
    for (int i = 0; i < task->case_count && task->selected; i++) {
        const struct grader_case *c = &task->cases[i];
        if (told && told->is_case && told->name == c->name && race_of(c))
            return c;
        if (worth(task, c) > most) {
            most = worth(task, c);
            best = c;
        }
    }
    return best;
}

/* In the order of enum sim_origin_traced_kind: the warp of a hazard, else that of the first thread; its block; … */
static void ask(const struct grader_case *c, struct protocol_request *request)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    struct protocol_filter filter = {.has_thread = 1};
    if (outcome->hazard_count > 0 && outcome->hazard[0].here.line > 0)
        filter.thread = outcome->hazard[0].here_thread;
    for (uint32_t i = 0; i < PROTOCOL_MAX_TRACES; i++) {
        filter.wanted = i + 1;
        request->trace[i] = filter;
    }
}

static void keep(const struct call *call, const struct protocol_mailbox *mailbox, struct html_case *of)
{
    of->buffer_count = call->run.buffer_count;
    memcpy(of->buffer, call->run.buffer, sizeof of->buffer);
    memcpy(of->address, mailbox->buffer_address, sizeof of->address);
    of->warp = mailbox->trace[0];
    of->block = mailbox->trace[1];
    of->stores = mailbox->trace[2];
    of->loads = mailbox->trace[3];
    if (mailbox->launch_count == 1)
        of->launch = mailbox->launch[0];
    memcpy(of->line, mailbox->line, sizeof of->line);
    of->line_count = (int)mailbox->line_count;
}

/* False: it came to no end that tells. */
static bool record(struct grader *grader, struct html_case *of)
{
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {.counters = 1, .instruction_limit = 4 * MOST_INSTRUCTIONS};
    struct exchange *exchange = calloc(1, sizeof *exchange);
    struct call call;
    char message[256];
    const uint64_t seed = plan_seed(grader, of->task->task, of->c->name, 0);
    bool done = exchange && call_make(&call, of->task->task, of->c->arg, seed, false, message);
    if (done) {
        ask(of->c, &request);
        call_place(&call, process->arena, &request);
        process_ask(process, &request, PROTOCOL_RUN, SECONDS, exchange);
        done = exchange->outcome == EXCHANGE_REPLY;
        keep(&call, &exchange->mailbox, of);
        if (!done || exchange->reply.status != PROTOCOL_OK)
            process_stop(process);
    }
    if (exchange)
        call_free(&call);
    free(exchange);
    return done;
}

/* NULL: nothing could be recorded. */
static struct html_case *take(struct grader *grader, const struct grader_task *task,
                              const struct grader_case *c)
{
    struct html_case *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    of->task = task;
    of->c = c;
    of->race = race_of(c);
    if (record(grader, of))
        return of;
    free(of);
    return NULL;
}

struct html_case **traces_take(struct grader *grader)
{
    struct failures failures;
    struct html_case **traces = calloc((size_t)the_lab.task_count + 1, sizeof(struct html_case *));
    if (!traces || !failures_find(grader, &failures))
        return traces;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_case *c = choose(&grader->tasks[i], failures.first);
        if (c)
            traces[i] = take(grader, &grader->tasks[i], c);
    }
    failures_free(&failures);
    return traces;
}

void traces_free(struct html_case **traces)
{
    for (int i = 0; i < the_lab.task_count && traces; i++)
        free(traces[i]);
    free(traces);
}
