/* What the simulator counted, and what it models. */
#include "harness/grade/counter.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/progress.h"
#include "harness/grade/run_call.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/seed.h"
#include "harness/lab/real.h"
#include "harness/result/grader.h"
#include "harness/speed/model.h"

#define FIGURE_TIMEOUT      60.0
#define FIGURE_INSTRUCTIONS UINT64_C(1000000000)

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* Requests of warps beside the multiply-adds that the task needs at the size of its limits, of warps as well. */
static double per_product(const struct lab_task *task, const int64_t *arg, uint64_t requests)
{
    const double flops = task->speed && task->speed->flops ? task->speed->flops(arg) : 0;
    return flops > 0 ? 100 * 32 * (double)requests / (flops / 2) : 0;
}

static double bytes_loaded(const struct lab_task *task, const int64_t *arg, const struct protocol_counters *c)
{
    const double bytes = task->speed ? task->speed->bytes(arg) : 0;
    return bytes > 0 ? 32 * (double)c->load_sectors / bytes : 0;
}

/*
 * Sectors per request, without requests that are only there to improve the average: in a task without arithmetic, what is beyond
 * the ideal is divided by as many requests as move the task's bytes, a `real` each lane. 0: there are no more than these.
 */
static double sectors_per_needed(const struct lab_task *task, const int64_t *arg, uint64_t sectors,
                                 uint64_t ideal, uint64_t requests)
{
    const bool moves_only = task->speed && task->speed->bytes && !task->speed->flops;
    const double needed = moves_only ? task->speed->bytes(arg) / (32 * sizeof(real)) : 0;
    if (!(needed > 0) || (double)requests <= needed || sectors <= ideal)
        return 0;
    return ratio(ideal, requests) + (double)(sectors - ideal) / needed;
}

static double counter_value(const struct lab_task *task, const int64_t *arg, enum lab_counter counter,
                            const struct protocol_counters *c)
{
    switch (counter) {
    case LAB_LOAD_SECTORS_PER_REQUEST: return ratio(c->load_sectors, c->load_requests);
    case LAB_STORE_SECTORS_PER_REQUEST: return ratio(c->store_sectors, c->store_requests);
    case LAB_SHARED_CONFLICTS:
        return c->shared_wavefronts > c->shared_wavefronts_ideal
                   ? 100 *
                         ratio(c->shared_wavefronts - c->shared_wavefronts_ideal, c->shared_wavefronts_ideal)
                   : 0;
    case LAB_DIVERGENT_BRANCHES: return 100 * ratio(c->divergent_branches, c->branches);
    case LAB_IDLE_LANES:
        return c->warp_instructions ? 100 - 100 * ratio(c->thread_instructions, 32 * c->warp_instructions)
                                    : 0;
    case LAB_LOADS_PER_PRODUCT: return per_product(task, arg, c->load_requests);
    case LAB_READS_PER_PRODUCT: return per_product(task, arg, c->load_requests + c->shared_requests);
    case LAB_BYTES_LOADED: return bytes_loaded(task, arg, c);
    case LAB_SHARED_PER_WARP: return arg[0] > 0 ? 32 * (double)c->shared_requests / (double)arg[0] : 0;
    default: return 0;
    }
}

/* Of what the counter is a ratio: without any there is nothing to judge. */
static uint64_t counter_events(enum lab_counter counter, const struct protocol_counters *c)
{
    switch (counter) {
    case LAB_LOAD_SECTORS_PER_REQUEST: return c->load_requests;
    case LAB_STORE_SECTORS_PER_REQUEST: return c->store_requests;
    case LAB_SHARED_CONFLICTS: return c->shared_requests;
    case LAB_SHARED_PER_WARP: return c->exchanges;
    default: return c->warp_instructions; /* a kernel without branches diverges nowhere */
    }
}

/* How much a line has of what the counter is about, beyond the ideal. */
static double counter_excess(enum lab_counter counter, const struct protocol_counters *c)
{
    switch (counter) {
    case LAB_LOAD_SECTORS_PER_REQUEST: return (double)c->load_sectors - (double)c->load_sectors_ideal;
    case LAB_STORE_SECTORS_PER_REQUEST: return (double)c->store_sectors - (double)c->store_sectors_ideal;
    case LAB_SHARED_CONFLICTS: return (double)c->shared_wavefronts - (double)c->shared_wavefronts_ideal;
    case LAB_DIVERGENT_BRANCHES: return (double)c->divergent_branches;
    case LAB_IDLE_LANES: return 32 * (double)c->warp_instructions - (double)c->thread_instructions;
    case LAB_LOADS_PER_PRODUCT: return (double)c->load_requests;
    case LAB_READS_PER_PRODUCT: return (double)(c->load_requests + c->shared_requests);
    case LAB_BYTES_LOADED: return (double)c->load_sectors;
    case LAB_SHARED_PER_WARP: return (double)c->shared_requests;
    default: return 0;
    }
}

static void find_worst(struct grader_counters *counters, const struct protocol_mailbox *mailbox)
{
    for (int counter = 0; counter < LAB_COUNTER_COUNT; counter++) {
        double most = 0;
        for (uint32_t i = 0; i < mailbox->line_count; i++) {
            double excess = counter_excess((enum lab_counter)counter, &mailbox->line[i].counts);
            if (excess <= most)
                continue;
            most = excess;
            counters->worst[counter] = mailbox->line[i];
        }
    }
}

/* Beyond what accesses wider than a limit is made for need at best: what the labs' limits leave for a ragged end. */
#define RAGGED_END 1.0125

static double counter_ideal(enum lab_counter counter, const struct protocol_counters *c)
{
    switch (counter) {
    case LAB_LOAD_SECTORS_PER_REQUEST: return ratio(c->load_sectors_ideal, c->load_requests);
    case LAB_STORE_SECTORS_PER_REQUEST: return ratio(c->store_sectors_ideal, c->store_requests);
    default: return 0;
    }
}

/*
 * The lab's own limit, as long as neighboring lanes can keep it. Limits of sectors per request are mostly for lanes
 * that read a word each; neighboring vectors need more even at best.
 */
static double limit_for(const struct lab_counter_limit *limit, const struct protocol_counters *c)
{
    const double own = sizeof(real) == sizeof(double) ? limit->at_most_double : limit->at_most;
    const double ideal = counter_ideal(limit->counter, c);
    return ideal <= own ? own : ideal * RAGGED_END;
}

/*
 * Limits of a task that is only shown say which counters to show. `error`: of what was extrapolated from a sample of the
 * blocks, as a part of it.
 */
static void judge_counters(struct grader_counters *counters, const struct lab_task *task, double error)
{
    const struct protocol_counters *totals = &counters->totals;
    for (int i = 0; i < LAB_COUNTER_COUNT; i++) {
        counters->counter[i].value =
            counter_value(task, counters->arg, (enum lab_counter)i, &counters->totals);
        counters->counter[i].limit = -1;
        counters->counter[i].per_needed = 0;
    }
    counters->counter[LAB_LOAD_SECTORS_PER_REQUEST].per_needed = sectors_per_needed(
        task, counters->arg, totals->load_sectors, totals->load_sectors_ideal, totals->load_requests);
    counters->counter[LAB_STORE_SECTORS_PER_REQUEST].per_needed = sectors_per_needed(
        task, counters->arg, totals->store_sectors, totals->store_sectors_ideal, totals->store_requests);
    for (const struct lab_counter_limit *limit = task->limits; limit && limit->meaning; limit++) {
        struct grader_counter *c = &counters->counter[limit->counter];
        c->asked = true;
        if (task->shown_only)
            continue;
        c->limit = limit_for(limit, &counters->totals);
        c->nothing_counted = counter_events(limit->counter, &counters->totals) == 0;
        const double most = c->limit * (1 + error + 1e-9);
        c->exceeded = c->nothing_counted || !(c->value <= most) || !(c->per_needed <= most);
        counters->exceeded = counters->exceeded || c->exceeded;
    }
}

static void take_counters(struct grader_counters *counters, const struct lab_task *task,
                          const struct protocol_mailbox *mailbox, double error)
{
    counters->totals = mailbox->counters;
    memset(counters->worst, 0, sizeof counters->worst);
    find_worst(counters, mailbox);
    judge_counters(counters, task, error);
}

static struct call_plan figure_plan(const struct grader *grader, const struct lab_task *task,
                                    const int64_t *arg, const char *name)
{
    return (struct call_plan){
        .task = task,
        .arg = arg,
        .seed = plan_own_seed(grader, task, name, 0),
        .backend = BACKEND_SIM,
        .timeout = FIGURE_TIMEOUT,
        .instruction_limit = FIGURE_INSTRUCTIONS,
    };
}

void grader_count(struct grader *grader, struct grader_task *task)
{
    struct grader_counters *counters = &task->counters;
    struct call_plan plan = figure_plan(grader, task->task, task->task->limit_arg, "counters");
    struct exchange exchange;
    progress_begin("%s %s: counting memory traffic", the_lab.name, task->task->id);
    grader_call(grader, &plan, &counters->outcome, &exchange);
    if (!counters->outcome.passed)
        return;
    counters->measured = true;
    memcpy(counters->arg, task->task->limit_arg, sizeof counters->arg);
    take_counters(counters, task->task, &exchange.mailbox, 0);
}

/* A kernel may be another one where it is large, which is timed: the limits hold there, too. */
static void count_full_size(struct grader_task *task, const struct protocol_mailbox *mailbox)
{
    if (!task->counters.measured || task->counters.exceeded)
        return;
    struct grader_counters *full = malloc(sizeof *full);
    if (!full)
        return;
    *full = task->counters;
    memcpy(full->arg, task->task->speed->gpu_arg, sizeof full->arg);
    take_counters(full, task->task, mailbox, model_sample_error(mailbox));
    if (full->exceeded)
        task->counters = *full;
    free(full);
}

void grader_model(struct grader *grader, struct grader_task *task)
{
    struct exchange exchange = {0};
    char why[512];
    if (model_full(grader, task, &exchange, why)) {
        count_full_size(task, &exchange.mailbox);
        return;
    }
    if (process_interrupted())
        return;
    const struct call_plan plan = model_small_plan(grader, task->task);
    grader_call(grader, &plan, &task->speed.outcome, &exchange);
    model_small(grader, task, &exchange, why);
}
