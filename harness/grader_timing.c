/*
 * Speed on a GPU. The inputs are several sets that together exceed the L2 cache; a round calls the
 * student's function once on each set between two events, and every output of every round is
 * verified. The median is compared with the threshold; when the threshold lies within what the
 * median is known to, there are more rounds, and in the end "inconclusive" rather than a guess.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/grader.h"
#include "harness/grader_call.h"
#include "harness/grader_progress.h"

#define WARM_UP_ROUNDS  2
#define LEAST_RUNS      20
#define MOST_RUNS       240
#define BUDGET          20.0 /* seconds for further rounds when the verdict is open */
#define REQUEST_TIMEOUT 60.0 /* for one request */
#define ROOF_ERROR      0.01 /* calibration repeats to within 1 % */
#define CHEAP_BYTES     1e9  /* of all sets: then four instead of two */
#define BATCH_SECONDS   0.05 /* length of a batch on the grader's own clock */
#define BATCHES         3
#define MOST_BATCHES    15 /* while they contradict the events: a busy machine is slow by chance */

struct timed {
    struct grader *grader;
    struct grader_task *task;
    struct grader_speed *speed;
    struct call call[PROTOCOL_MAX_SETS];
    bool judged[PROTOCOL_MAX_SETS];
    double result[PROTOCOL_MAX_SETS][LAB_MAX_RESULTS]; /* scalars of the last round */
    double seconds[MOST_RUNS + PROTOCOL_MAX_SETS];
    int runs;
    double limit; /* seconds; 0: none */
};

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Sends a request; false if it failed, and the speed's finding says how. */
static bool request_set(struct timed *t, uint32_t kind, int set, uint32_t runs, struct exchange *exchange)
{
    struct process *process = &t->grader->process[BACKEND_GPU];
    struct grader_finding *finding = &t->speed->outcome.finding;
    struct protocol_request request = {.set = (uint32_t)set, .runs = runs};
    const struct call *call = &t->call[set];
    if (kind == PROTOCOL_PREPARE) {
        call_place(call, &t->grader->arena, &request);
    } else {
        text_set(request.task, sizeof request.task, "%s", t->task->task->id);
        memcpy(request.arg, t->speed->arg, sizeof request.arg);
    }
    process_ask(process, &request, kind, REQUEST_TIMEOUT, exchange);
    explain_exchange(exchange, process, &request, REQUEST_TIMEOUT, finding);
    if (finding->reason == REASON_NONE)
        return true;
    t->speed->verdict = SPEED_WRONG;
    if (finding->reason != REASON_ENVIRONMENT)
        process_stop(process);
    return false;
}

/* ---- input sets ---------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct call *call)
{
    uint64_t bytes = 0;
    for (int i = 0; i < call->run.buffer_count; i++)
        bytes += call->spec[i].bytes;
    return bytes;
}

static int sets_for(const struct timed *t)
{
    struct call call;
    if (!call_shape(&call, t->task->task, t->speed->arg, true) || bytes_of(&call) == 0)
        return 2;
    double bytes = (double)bytes_of(&call), sets = ceil(4 * t->grader->roof.l2_bytes / bytes);
    double least = 4 * bytes <= CHEAP_BYTES ? 4 : 2;
    return (int)fmin(fmax(sets, least), PROTOCOL_MAX_SETS);
}

/* Fewer sets than wanted, but two at least, if memory ends. */
static bool prepare(struct timed *t)
{
    int wanted = sets_for(t);
    char message[256], name[32];
    struct exchange exchange;
    for (int i = 0; i < wanted && !process_interrupted(); i++) {
        text_set(name, sizeof name, "timed %d", i);
        uint64_t seed = plan_seed(t->grader, t->task->task, name, 0);
        if (!call_make(&t->call[i], t->task->task, t->speed->arg, seed, true, message)) {
            call_free(&t->call[i]);
            break;
        }
        bool ready = request_set(t, PROTOCOL_PREPARE, i, 0, &exchange);
        if (!ready && t->speed->outcome.finding.reason != REASON_ENVIRONMENT)
            return false;
        if (!ready) {
            call_free(&t->call[i]);
            break;
        }
        t->speed->sets = i + 1;
    }
    if (t->speed->sets >= 2) {
        memset(&t->speed->outcome.finding, 0, sizeof t->speed->outcome.finding);
        t->speed->verdict = SPEED_NOT_TIMED;
        return true;
    }
    t->speed->verdict = SPEED_INCONCLUSIVE;
    text_set(t->speed->note, sizeof t->speed->note,
             "not timed: memory is too short for two sets of inputs; end what else uses it and run it again");
    return false;
}

/* ---- verification -------------------------------------------------------------------------------------- */

/* The outputs in the arena are, bit for bit, those that were judged before. */
static bool unchanged(const struct timed *t, int set)
{
    const struct call *call = &t->call[set];
    if (!t->judged[set] || memcmp(call->run.result, t->result[set], sizeof call->run.result) != 0)
        return false;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct protocol_buffer *spec = &call->spec[i];
        const char *data = t->grader->arena.base + spec->offset + spec->guard;
        if (spec->role == PROTOCOL_OUT && memcmp(data, call->run.buffer[i].data, spec->bytes) != 0)
            return false;
    }
    return true;
}

static bool verify_set(struct timed *t, int set, bool everything)
{
    struct exchange exchange;
    if (!everything && t->judged[set]) {
        if (!request_set(t, PROTOCOL_FETCH, set, 0, &exchange))
            return false;
        if (unchanged(t, set))
            return true;
    }
    if (!request_set(t, PROTOCOL_FETCH, set, 1, &exchange))
        return false;
    memcpy(exchange.reply.result, t->result[set], sizeof exchange.reply.result);
    call_take(&t->call[set], &t->grader->arena, &exchange.reply);
    t->judged[set] = judge_call(&t->call[set], NULL, &t->speed->outcome.finding);
    if (!t->judged[set])
        t->speed->verdict = SPEED_WRONG;
    return t->judged[set];
}

static bool verify(struct timed *t, bool everything)
{
    for (int i = 0; i < t->speed->sets; i++)
        if (process_interrupted() || !verify_set(t, i, everything))
            return false;
    return true;
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

/* One timed call on every set, and all outputs verified. */
static bool run_round(struct timed *t, bool counted)
{
    struct exchange exchange;
    double sum = 0;
    if (process_interrupted() || !request_set(t, PROTOCOL_ROUND, 0, 0, &exchange))
        return false;
    memcpy(t->result, exchange.mailbox.result, sizeof t->result);
    speed_take_waves(t->speed, &exchange.mailbox);
    for (int i = 0; i < t->speed->sets; i++) {
        sum += exchange.reply.milliseconds[i] * 1e-3;
        if (counted)
            t->seconds[t->runs++] = exchange.reply.milliseconds[i] * 1e-3;
    }
    if (sum > exchange.seconds * 1.05 + 1e-4) {
        t->speed->verdict = SPEED_INCONCLUSIVE;
        text_set(t->speed->note, sizeof t->speed->note,
                 "the events claim %.3f ms, but only %.3f ms passed by the grader's clock: run it again",
                 sum * 1e3, exchange.seconds * 1e3);
        return false;
    }
    return verify(t, false);
}

static enum speed_verdict verdict_for(const struct timed *t, const struct stats *time)
{
    if (t->limit == 0)
        return SPEED_SHOWN;
    if (time->high * (1 + ROOF_ERROR) <= t->limit)
        return SPEED_ENOUGH;
    return time->low * (1 - ROOF_ERROR) > t->limit ? SPEED_TOO_SLOW : SPEED_INCONCLUSIVE;
}

static void describe(struct timed *t)
{
    double sorted[MOST_RUNS + PROTOCOL_MAX_SETS];
    memcpy(sorted, t->seconds, (size_t)t->runs * sizeof *sorted);
    stats_describe(sorted, t->runs, &t->speed->time);
}

static bool run_rounds(struct timed *t)
{
    for (int i = 0; i < WARM_UP_ROUNDS; i++)
        if (!run_round(t, false))
            return false;
    double begun = process_clock();
    enum speed_verdict verdict = SPEED_INCONCLUSIVE;
    while (t->runs < LEAST_RUNS ||
           (verdict == SPEED_INCONCLUSIVE && t->runs < MOST_RUNS && process_clock() - begun < BUDGET)) {
        if (!run_round(t, true))
            return false;
        describe(t);
        verdict = verdict_for(t, &t->speed->time);
    }
    if (!verify(t, true))
        return false;
    t->speed->verdict = verdict;
    return true;
}

/* ---- the grader's own clock ---------------------------------------------------------------------------- */

/* The most that a call may take by the grader's clock if the events have seen all of it. */
static double wall_allowed(const struct timed *t)
{
    return 1.5 * t->speed->time.median + 30e-6;
}

/* Seconds a call, measured from outside over many calls: the least of a few batches. */
static bool measure_wall(struct timed *t)
{
    double median = t->speed->time.median;
    double runs = median > 0 ? BATCH_SECONDS / median : 2000;
    uint32_t count = runs < 4 ? 4 : runs > 2000 ? 2000 : (uint32_t)runs;
    for (int i = 0; i < BATCHES || (i < MOST_BATCHES && t->speed->wall > wall_allowed(t)); i++) {
        struct exchange exchange;
        if (process_interrupted() || !request_set(t, PROTOCOL_BATCH, 0, count, &exchange))
            return false;
        double wall = exchange.seconds / count;
        if (i == 0 || wall < t->speed->wall)
            t->speed->wall = wall;
    }
    return true;
}

/* Work that outlives the function's stream is not between the events; the clock sees it. */
static void judge_wall(struct timed *t)
{
    struct grader_speed *speed = t->speed;
    if (speed->wall <= wall_allowed(t))
        return;
    speed->wall_counts = true;
    text_set(speed->note, sizeof speed->note,
             "between the events it takes %.4g ms, but %.4g ms a call by the grader's own clock: something "
             "goes on outside of the default stream. The clock counts.",
             speed->time.median * 1e3, speed->wall * 1e3);
    if (t->limit > 0)
        speed->verdict = speed->wall <= t->limit ? SPEED_ENOUGH : SPEED_TOO_SLOW;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* While something else uses the GPU, or its clock is low, its times say little about the kernel. */
static void judge_whether_busy(struct timed *t)
{
    struct grader_speed *speed = t->speed;
    if (speed->verdict != SPEED_ENOUGH && speed->verdict != SPEED_TOO_SLOW)
        return;
    if (!t->grader->roof.busy[0] && (speed->verdict == SPEED_ENOUGH || roof_still_holds(t->grader)))
        return;
    speed->verdict = SPEED_INCONCLUSIVE;
    text_set(speed->note, sizeof speed->note,
             "%s. Run it again when nothing else uses this GPU; if it is always so: ./grader --recalibrate",
             t->grader->roof.busy);
}

static void explain_inconclusive(struct grader_speed *speed)
{
    if (speed->verdict == SPEED_INCONCLUSIVE && !speed->note[0])
        text_set(
            speed->note, sizeof speed->note,
            "the threshold lies within the spread of %d runs: run it again when nothing else uses this GPU",
            speed->time.count);
}

static void time_prepared(struct timed *t)
{
    struct exchange exchange;
    if (run_rounds(t) && measure_wall(t))
        judge_wall(t);
    judge_whether_busy(t);
    if (t->speed->verdict != SPEED_WRONG)
        speed_refuse_impossible(t->speed, speed_least_seconds(t->speed, &t->grader->roof, t->task->task));
    explain_inconclusive(t->speed);
    if (t->grader->process[BACKEND_GPU].pid != 0 && t->speed->verdict != SPEED_WRONG)
        request_set(t, PROTOCOL_RELEASE, 0, 0, &exchange);
    else
        process_stop(&t->grader->process[BACKEND_GPU]);
}

void grader_time(struct grader *grader, struct grader_task *task)
{
    struct grader_speed *speed = &task->speed;
    if (!grader->roof.known) {
        speed->verdict = SPEED_INCONCLUSIVE;
        text_set(speed->note, sizeof speed->note, "not timed: %.480s", grader->roof.why_not);
        return;
    }
    struct timed *t = calloc(1, sizeof *t);
    if (!t) {
        speed->verdict = SPEED_INCONCLUSIVE;
        text_set(speed->note, sizeof speed->note, "not timed: no memory");
        return;
    }
    t->grader = grader;
    t->task = task;
    t->speed = speed;
    memcpy(speed->arg, task->task->speed->gpu_arg, sizeof speed->arg);
    speed_set_roof(speed, &grader->roof, task->task);
    t->limit = speed->limit;
    progress_begin("%s %s: timing", the_lab.name, task->task->id);
    if (prepare(t))
        time_prepared(t);
    for (int i = 0; i < speed->sets; i++)
        call_free(&t->call[i]);
    free(t);
}
