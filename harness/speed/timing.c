/*
 * Speed on a GPU. The inputs are several sets that together exceed the L2 cache; a round calls the
 * student's function once on each set between two events, and the outputs of every round are
 * verified: all of the first and the last round, of those between them pieces that are drawn after
 * the call (pieces.h). The median is compared with the threshold; when the threshold lies within what the
 * median is known to, there are more rounds, and in the end "inconclusive" rather than a guess.
 *
 * Calls could be answered with what earlier calls have kept. In each round the contents lie in other places, so what was
 * kept by pointer is wrong; and at last a set gets inputs that no call has had, so what was kept by content is of no use.
 */
#include "harness/speed/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/judge/call.h"
#include "harness/judge/judge.h"
#include "harness/judge/seed.h"
#include "harness/lab/pieces.h"
#include "harness/result/grader.h"
#include "harness/speed/limit.h"
#include "harness/speed/roof.h"
#include "harness/speed/sets.h"

#define WARM_UP_ROUNDS 2
#define LEAST_RUNS     20
#define MOST_RUNS      240
#define BUDGET         20.0 /* seconds for further rounds when the verdict is open */
#define ROOF_ERROR     0.01 /* calibration repeats to within 1 % */
#define BATCH_SECONDS  0.01 /* length of a batch on the grader's own clock */
#define BATCHES        3
#define MOST_BATCHES   15 /* while they contradict the events: a busy machine is slow by chance */
#define MOST_RENEWALS  5  /* while the calls with new inputs take longer: likewise */

struct timed {
    struct grader *grader;
    struct grader_task *task;
    struct grader_speed *speed;
    struct grader_sets *sets;
    double result[PROTOCOL_MAX_SETS][LAB_MAX_RESULTS]; /* scalars of the last round */
    double seconds[MOST_RUNS + PROTOCOL_MAX_SETS];
    int runs;
    double last[PROTOCOL_MAX_SETS]; /* seconds of each set's call in the last round */
    double limit;                   /* seconds; 0: none */
};

/* ---- requests ------------------------------------------------------------------------------------------ */

/* Sends a request; false if it failed, and the speed's finding says how. */
static bool request_set(struct timed *t, uint32_t kind, int set, uint32_t runs, struct exchange *exchange)
{
    struct protocol_request request = {.set = (uint32_t)set, .runs = runs};
    if (kind == PROTOCOL_ROUND)
        request.draw = seed_drawn();
    text_set(request.task, sizeof request.task, "%s", t->task->task->id);
    memcpy(request.arg, t->speed->arg, sizeof request.arg);
    const double begun = process_clock();
    const bool good = sets_request(t->grader, &request, kind, &t->speed->outcome.finding, exchange);
    phase_add(kind == PROTOCOL_FETCH ? PHASE_FETCHING : PHASE_TIMING, begun);
    if (!good)
        t->speed->verdict = SPEED_WRONG;
    return good;
}

/* ---- input sets ---------------------------------------------------------------------------------------- */

/* Fewer sets than wanted, but two at least, if memory ends. */
static bool prepare(struct timed *t)
{
    struct grader_finding *finding = &t->speed->outcome.finding;
    t->sets = sets_prepare(t->grader, t->task->task, t->speed->arg, finding);
    t->speed->sets = t->sets ? t->sets->count : 0;
    if (finding->reason != REASON_NONE && finding->reason != REASON_ENVIRONMENT) {
        t->speed->verdict = SPEED_WRONG;
        return false;
    }
    memset(finding, 0, sizeof *finding);
    if (t->speed->sets >= 2)
        return true;
    t->speed->verdict = SPEED_INCONCLUSIVE;
    text_set(
        t->speed->note, sizeof t->speed->note,
        "not timed: there is not enough memory for two sets of inputs; end other programs that use it and run it again");
    return false;
}

/* ---- verification -------------------------------------------------------------------------------------- */

static bool same_pieces(const void *data, uint64_t bytes, uint64_t draw, const struct fingerprint *judged)
{
    const uint64_t count = pieces_count(bytes);
    struct fingerprint *now = judged ? calloc(count + 1, sizeof *now) : NULL;
    bool same = now != NULL;
    if (same)
        fingerprint_pieces(data, bytes, draw, now);
    for (uint64_t i = 0; i < count && same; i++)
        same = !piece_is_drawn(draw, bytes, i) || fingerprint_same(&now[i], &judged[i]);
    free(now);
    return same;
}

/*
 * Of the outputs in the arena the pieces that were drawn are, bit for bit, those that were judged before, maybe for a
 * task before this one.
 */
static bool unchanged(const struct timed *t, int set, uint64_t draw)
{
    const struct call *call = &t->sets->call[set];
    const struct sets_judged *judged = &t->sets->judged[set];
    if (!judged->right || memcmp(call->run.result, t->result[set], sizeof call->run.result) != 0)
        return false;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct protocol_buffer *spec = &call->spec[i];
        const char *data = t->grader->arena[BACKEND_GPU].base + spec->offset + spec->guard;
        if (spec->role != PROTOCOL_OUT)
            continue;
        if (!same_pieces(data, spec->bytes, draw, judged->output[i]))
            return false;
    }
    return true;
}

/* Of the grader's own copy: in the arena it might have changed since. */
static void keep_fingerprints(struct timed *t, int set)
{
    const struct call *call = &t->sets->call[set];
    const double begun = process_clock();
    for (int i = 0; i < call->run.buffer_count; i++) {
        const uint64_t bytes = call->spec[i].bytes;
        struct fingerprint **output = &t->sets->judged[set].output[i];
        if (call->spec[i].role != PROTOCOL_OUT)
            continue;
        free(*output);
        *output = calloc(pieces_count(bytes) + 1, sizeof **output);
        if (*output)
            fingerprint_pieces(call->run.buffer[i].data, bytes, 0, *output);
    }
    phase_add(PHASE_VERIFYING, begun);
}

/* What was fetched: the same as before, or right. `everything`: inputs and guards are there as well. */
static bool judge_set(struct timed *t, int set, bool everything)
{
    struct call *call = &t->sets->call[set];
    struct grader_finding *finding = &t->speed->outcome.finding;
    struct protocol_reply reply = {0};
    const double begun = process_clock();
    const bool same = unchanged(t, set, 0);
    if (same && !everything) {
        phase_add(PHASE_VERIFYING, begun);
        return true;
    }
    memcpy(reply.result, t->result[set], sizeof reply.result);
    if (!same && !call_have_outputs(call)) {
        finding->reason = REASON_ENVIRONMENT;
        text_set(finding->headline, sizeof finding->headline, "not enough memory for the outputs");
        return false;
    }
    call_take(call, &t->grader->arena[BACKEND_GPU], &reply, everything, !same);
    phase_add(PHASE_VERIFYING, begun);
    if (same)
        return judge_damage(call, finding);
    const bool right = judge_call(call, NULL, finding);
    if (right)
        keep_fingerprints(t, set);
    call_drop_outputs(call);
    return right;
}

static bool note_judged(struct timed *t, int set, bool everything)
{
    const bool right = judge_set(t, set, everything);
    t->sets->judged[set].right = right;
    if (!right)
        t->speed->verdict = SPEED_WRONG;
    return right;
}

/* Outputs, guards and inputs of every set. */
static bool verify_everything(struct timed *t)
{
    struct exchange exchange;
    for (int i = 0; i < t->speed->sets; i++)
        if (process_interrupted() || !request_set(t, PROTOCOL_FETCH, i, 1, &exchange) ||
            !note_judged(t, i, true))
            return false;
    return true;
}

/* Pieces are enough where the whole is known. Which ones is decided here, after the call. */
static uint64_t draw_pieces(const struct timed *t, int set)
{
    return t->sets->judged[set].right ? seed_drawn() : 0;
}

static void begin_fetching(struct timed *t, int set, struct protocol_request *request)
{
    *request = (struct protocol_request){.set = (uint32_t)set, .draw = draw_pieces(t, set)};
    process_send(&t->grader->process[BACKEND_GPU], request, PROTOCOL_FETCH);
}

/* The pieces that have come are as they were. */
static bool pieces_hold(struct timed *t, int set, uint64_t draw)
{
    const double begun = process_clock();
    const bool same = unchanged(t, set, draw);
    phase_add(PHASE_VERIFYING, begun);
    return same;
}

/* All of its outputs once more, if only pieces have come, which are not what was judged before. */
static bool verify_whole(struct timed *t, int set)
{
    struct exchange exchange;
    return request_set(t, PROTOCOL_FETCH, set, 0, &exchange) && note_judged(t, set, false);
}

/* The outputs of every set: those of the next one come back while one's are compared. */
static bool verify_outputs(struct timed *t)
{
    struct protocol_request request;
    struct exchange exchange;
    bool in_doubt[PROTOCOL_MAX_SETS] = {false};
    begin_fetching(t, 0, &request);
    for (int i = 0; i < t->speed->sets; i++) {
        const double begun = process_clock();
        const bool fetched = sets_receive(t->grader, &request, &t->speed->outcome.finding, &exchange);
        phase_add(PHASE_FETCHING, begun);
        if (!fetched)
            t->speed->verdict = SPEED_WRONG;
        if (!fetched || process_interrupted())
            return false;
        const uint64_t draw = request.draw;
        if (i + 1 < t->speed->sets)
            begin_fetching(t, i + 1, &request);
        in_doubt[i] = draw != 0 && !pieces_hold(t, i, draw);
        if (draw == 0 && !note_judged(t, i, false))
            return false;
    }
    for (int i = 0; i < t->speed->sets; i++)
        if (in_doubt[i] && !verify_whole(t, i))
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
        t->last[i] = exchange.reply.milliseconds[i] * 1e-3;
        sum += t->last[i];
        if (counted)
            t->seconds[t->runs++] = t->last[i];
    }
    if (sum > exchange.seconds * 1.05 + 1e-4) {
        t->speed->verdict = SPEED_INCONCLUSIVE;
        text_set(t->speed->note, sizeof t->speed->note,
                 "the events claim %.3f ms, but only %.3f ms passed by the grader's clock: run it again",
                 sum * 1e3, exchange.seconds * 1e3);
        return false;
    }
    return verify_outputs(t);
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

/* The most that a call may take by another measure, if the median is what calls take. */
static double most_allowed(const struct timed *t)
{
    return 1.5 * t->speed->time.median + 30e-6;
}

/* The other measure decides. `why`: a sentence with room for the median and for `seconds`, in ms. */
static void let_decide(struct timed *t, double seconds, const char *why)
{
    struct grader_speed *speed = t->speed;
    speed->wall = seconds;
    speed->wall_counts = true;
    text_set(speed->note, sizeof speed->note, why, speed->time.median * 1e3, seconds * 1e3);
    if (t->limit > 0)
        speed->verdict = seconds <= t->limit ? SPEED_ENOUGH : SPEED_TOO_SLOW;
}

static bool renew(struct timed *t, int set)
{
    struct grader_finding *finding = &t->speed->outcome.finding;
    if (sets_renew(t->grader, set, finding))
        return true;
    const bool is_students = finding->reason != REASON_NONE && finding->reason != REASON_ENVIRONMENT;
    t->speed->verdict = is_students ? SPEED_WRONG : SPEED_INCONCLUSIVE;
    if (!is_students)
        text_set(t->speed->note, sizeof t->speed->note, "new inputs for one more call could not be made");
    sets_release(t->grader);
    return false;
}

/* Fast enough is said only if a call with inputs that no call had before is as fast as the others; the least of a few.
   It is the last one of its round: by then the GPU is awake. */
static bool measure_new(struct timed *t)
{
    const int last = t->speed->sets - 1;
    double least = INFINITY;
    if (t->limit == 0 || t->speed->verdict != SPEED_ENOUGH)
        return true;
    for (int i = 0; i < MOST_RENEWALS && least > most_allowed(t); i++) {
        if (process_interrupted() || !renew(t, last) || !run_round(t, false))
            return false;
        least = fmin(least, t->last[last]);
    }
    if (least > most_allowed(t))
        let_decide(
            t, least,
            "it takes %.4g ms, but %.4g ms with inputs that no call had before, as if results of earlier calls were "
            "used again. The new inputs decide.");
    return true;
}

/* Rounds until the verdict is clear, or there is no more time. */
static bool run_until_clear(struct timed *t, enum speed_verdict *verdict)
{
    const double begun = process_clock();
    *verdict = SPEED_INCONCLUSIVE;
    t->runs = 0;
    while (t->runs < LEAST_RUNS ||
           (*verdict == SPEED_INCONCLUSIVE && t->runs < MOST_RUNS && process_clock() - begun < BUDGET)) {
        if (!run_round(t, true))
            return false;
        describe(t);
        *verdict = verdict_for(t, &t->speed->time);
    }
    return true;
}

/*
 * Too slow is said only if it is so twice, and if the GPU was all ours after each time: something else that uses it
 * comes and goes.
 */
static bool run_rounds(struct timed *t)
{
    enum speed_verdict verdict = SPEED_SHOWN, again;
    for (int i = 0; i < WARM_UP_ROUNDS; i++)
        if (!run_round(t, false))
            return false;
    if (!run_until_clear(t, &verdict))
        return false;
    if (verdict == SPEED_TOO_SLOW && !t->grader->roof.busy[0] && roof_still_holds(t->grader)) {
        const double first = t->speed->time.median;
        if (!run_until_clear(t, &again))
            return false;
        if (again != SPEED_TOO_SLOW && t->limit > 0) {
            verdict = SPEED_INCONCLUSIVE;
            text_set(t->speed->note, sizeof t->speed->note,
                     "at first it took %.4g ms, and then %.4g ms: something else uses this GPU now and then. "
                     "Run it again when nothing does",
                     first * 1e3, t->speed->time.median * 1e3);
        }
    }
    t->speed->verdict = verdict;
    return measure_new(t) && verify_everything(t);
}

/* ---- the grader's own clock ---------------------------------------------------------------------------- */

/* Calls of a batch, if one takes so many seconds. */
static uint32_t calls_of_batch(double seconds)
{
    const double calls = seconds > 0 ? BATCH_SECONDS / seconds : 2000;
    return calls < 4 ? 4 : calls > 2000 ? 2000 : (uint32_t)calls;
}

/* Seconds per call of a batch. No calls at its end: that waits for what other threads of the program have started meanwhile. */
static bool time_batch(struct timed *t, uint32_t count, double *seconds)
{
    struct exchange calls, rest;
    if (process_interrupted() || !request_set(t, PROTOCOL_BATCH, 0, count, &calls) ||
        !request_set(t, PROTOCOL_BATCH, 0, 0, &rest))
        return false;
    *seconds = (calls.seconds + rest.seconds) / count;
    return true;
}

/* Seconds a call, measured from outside over many calls: the least of a few batches. */
static bool measure_wall(struct timed *t)
{
    double least = INFINITY, seconds = t->speed->time.median;
    for (int i = 0; i < BATCHES || (i < MOST_BATCHES && least > most_allowed(t)); i++) {
        if (!time_batch(t, calls_of_batch(seconds), &seconds))
            return false;
        least = fmin(least, seconds);
    }
    t->speed->wall = least;
    return true;
}

/* Work that outlives the function's stream is not between the events; the clock sees it. */
static void judge_wall(struct timed *t)
{
    if (t->speed->wall > most_allowed(t))
        let_decide(
            t, t->speed->wall,
            "between the events it takes %.4g ms, but %.4g ms per call by the grader's own clock: something "
            "runs outside of the default stream. The grader's clock decides.");
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* While something else uses the GPU, or its clock is low, its times say little about the kernel. */
static void judge_whether_busy(struct timed *t)
{
    struct grader_speed *speed = t->speed;
    if (speed->verdict != SPEED_ENOUGH && speed->verdict != SPEED_TOO_SLOW)
        return;
    if (!t->grader->roof.busy[0] && (speed->verdict == SPEED_ENOUGH || roof_still_holds(t->grader)))
        return; /* a kernel that is fast enough beside something else is so without it */
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
    if (run_rounds(t) && !t->speed->wall_counts && measure_wall(t))
        judge_wall(t);
    judge_whether_busy(t);
    if (t->speed->verdict != SPEED_WRONG)
        speed_refuse_impossible(t->speed, speed_least_seconds(t->speed, &t->grader->roof, t->task->task));
    explain_inconclusive(t->speed);
    if (t->speed->verdict == SPEED_WRONG)
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
    free(t);
}
