/*
 * Speed without a GPU: the simulator counts the work of a call at the size that a GPU is judged at, and says how
 * long the device of its profile would take. The roofs are that device's, the thresholds those of a GPU. The model
 * judges with the benefit of the doubt: what may be fast enough within its margin of error is fast enough.
 */
#include "harness/speed/model.h"

#include <math.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/cause/explain.h"
#include "harness/judge/call.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/sampled.h"
#include "harness/judge/seed.h"
#include "harness/result/grader.h"
#include "harness/speed/limit.h"
#include "harness/speed/slow.h"
#include "harness/speed/work.h"
#include "sim/model/model.h"

#define MODEL_TIMEOUT      60.0
#define MODEL_INSTRUCTIONS UINT64_C(400000000) /* of a launch that is not sampled, or of a sample */
#define WHOLE_INSTRUCTIONS UINT64_C(4000000000)
#define LEAST_BYTES        0.9   /* of those that a task needs: footprints are extrapolated */
#define CONFIDENCE         1.96  /* standard errors, for 95 % */
#define MOST_ROUGH         0.05  /* of the time may come from the older model, whose error was not measured */
#define MOST_DOUBT         0.5   /* what takes twice as long as it may is too slow, however poor the sample */
#define SMALL_SECONDS      50e-6 /* that launches and latency may take at a small size */

static bool usable(double value)
{
    return isfinite(value) && value > 0;
}

static double gflops(const struct sim_profile *model, int lanes)
{
    return 2.0 * lanes * model->sm_count * model->clock_ghz;
}

/* What calibrate would measure on the device. */
static void fill_roof(const struct sim_profile *model, struct grader_roof *roof)
{
    struct sim_rates rates;
    sim_profile_rates(model, &rates);
    memset(roof, 0, sizeof *roof);
    roof->known = true;
    text_set(roof->name, sizeof roof->name, "%s", model->name);
    roof->copy_gbs = model->dram_gbs;
    roof->read_gbs = rates.read_gbs;
    roof->write_gbs = rates.write_gbs;
    roof->copy_word_gbs = rates.word_gbs;
    roof->copy_dword_gbs = rates.dword_gbs;
    roof->fp32_gflops = gflops(model, model->fp32_lanes);
    roof->fp64_gflops = gflops(model, model->fp64_lanes);
    memcpy(roof->block_ns, rates.block_ns, sizeof roof->block_ns);
    roof->atomic_int_ns = rates.atomic_int_ns;
    roof->atomic_float_ns = rates.atomic_float_ns;
    roof->atomic_double_ns = rates.atomic_double_ns;
    roof->launch_us = rates.next_launch_us;
    roof->l2_bytes = (double)model->l2_bytes;
}

/* ---- asking the simulator ------------------------------------------------------------------------------ */

bool model_place(struct grader *grader, const struct lab_task *task, const int64_t *small,
                 const int64_t *large, struct call *call, struct protocol_request *request, char message[256])
{
    struct call full;
    const uint64_t seed = plan_own_seed(grader, task, "modeled time", 0);
    if (!call_shape(&full, task, large, false) || !call_make(call, task, small, seed, false, message))
        return false;
    call_place_unseen(call, plan_own_seed(grader, task, "modeled time", 1), &grader->arena[BACKEND_SIM],
                      request);
    memcpy(request->arg, large, sizeof request->arg);
    request->secret = plan_sample_seed(grader, task);
    for (int i = 0; i < call->run.buffer_count; i++)
        request->buffer[i].full = full.spec[i].bytes;
    return true;
}

/* Which blocks are run. */
enum blocks {
    SAMPLE,
    ALL,
    ALL_WATCHED, /* hazards are looked for */
};

/* One call at the size of a GPU. False: it did not end, `finding` says why. `sampled`: its results, or NULL. */
static bool call_full_size(struct grader *grader, const struct lab_task *task, enum blocks blocks,
                           struct exchange *exchange, struct grader_finding *finding, struct sampled *sampled)
{
    struct call call = {0};
    const struct sampled none = {0};
    char message[256] = "the task does not allow these sizes";
    struct process *process = &grader->process[BACKEND_SIM];
    struct protocol_request request = {
        .hazards = blocks == ALL_WATCHED,
        .counters = true,
        .whole = blocks == SAMPLE                           ? PROTOCOL_SAMPLE
                 : blocks == ALL && task->speed->all_blocks ? PROTOCOL_ALL_APART
                                                            : PROTOCOL_ALL,
        .instruction_limit = blocks == SAMPLE ? MODEL_INSTRUCTIONS : WHOLE_INSTRUCTIONS};
    memset(finding, 0, sizeof *finding);
    double begun = process_clock();
    const bool placed =
        model_place(grader, task, task->speed->sim_arg, task->speed->gpu_arg, &call, &request, message);
    begun = phase_add(PHASE_INPUTS, begun);
    if (placed) {
        sampled_ask(&call, sampled ? sampled : &none, &request);
        process_ask(process, &request, PROTOCOL_MODEL, MODEL_TIMEOUT, exchange);
        phase_add(PHASE_SIMULATOR, begun);
        explain_exchange(exchange, process, &request, MODEL_TIMEOUT, finding);
        if (finding->reason != REASON_NONE && exchange->outcome == EXCHANGE_REPLY)
            process_stop(process); /* after a CUDA error nothing in that process can be relied on */
        if (finding->reason == REASON_NONE && sampled)
            sampled_compare(&call, task->speed->gpu_arg, &exchange->mailbox, request.whole, sampled);
    } else {
        finding->reason = REASON_ENVIRONMENT;
        text_set(finding->headline, sizeof finding->headline, "%s", message);
    }
    call_free(&call);
    return finding->reason == REASON_NONE;
}

/* ---- judging ------------------------------------------------------------------------------------------- */

static double least_seconds(const struct grader_speed *speed)
{
    return speed->time.median * (1 - speed->less);
}

static enum speed_verdict verdict_for(const struct grader_speed *speed)
{
    if (speed->limit == 0)
        return SPEED_SHOWN;
    return least_seconds(speed) <= speed->limit ? SPEED_ENOUGH : SPEED_TOO_SLOW;
}

static double error_of(double standard_error)
{
    return isfinite(standard_error) ? CONFIDENCE * fabs(standard_error) : 1;
}

double model_sample_error(const struct protocol_mailbox *mailbox)
{
    return error_of(mailbox->model_error);
}

/* The model's error, that of a sample, and that of blocks which were not watched: they have nothing to do with each other. */
static void set_margin(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    const struct sim_band band = sim_model_band(mailbox->limiter);
    const double others = hypot(model_sample_error(mailbox), error_of(mailbox->unlike_error));
    speed->less = fmin(hypot(band.less, others), MOST_DOUBT);
    speed->more = hypot(band.more, others);
}

/*
 * A stage may be about loads in flight, or about arithmetic behind them, which other blocks hide in the model better than
 * on a GPU. Then what is counted of them decides (speed/habit.h): the former where the time alone passes only by its margin.
 */
static void let_loads_decide(struct grader_speed *speed, const struct lab_speed *ask)
{
    if (speed->verdict != SPEED_ENOUGH || !speed->loads[0] ||
        !(speed->in_doubt || ask->arithmetic_behind > 0))
        return;
    speed->verdict = SPEED_TOO_SLOW;
    speed->in_doubt = false;
    text_set(
        speed->note, sizeof speed->note,
        "the model cannot tell whether this is fast enough, so what is counted decides: how far apart a load and the "
        "use of its result are");
}

static bool lacks_bytes(double needed, const struct protocol_mailbox *mailbox)
{
    const double error = CONFIDENCE * fabs(mailbox->model_error);
    return mailbox->model_bytes * (1 + error) < LEAST_BYTES * needed;
}

/* Whoever leaves work out touches less memory than there is to touch. */
static void refuse_missing_work(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    if (!lacks_bytes(speed->bytes, mailbox))
        return;
    speed->verdict = SPEED_IMPOSSIBLE;
    text_set(
        speed->note, sizeof speed->note,
        "%.4g bytes of the inputs were read and of the outputs stored, but the task needs at least %.4g: at this size "
        "the work was not done",
        mailbox->model_bytes, speed->bytes);
}

/* Where the longest launch alone would be fast enough, what costs most in it is not what makes the call slow. */
static void tell_rest(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    const struct protocol_waste *waste = &mailbox->waste;
    const double all = mailbox->model_seconds, longest = waste->launch_seconds;
    if (!speed->slow[0] || longest > speed->limit || all <= speed->limit)
        return;
    text_set(
        speed->slow, sizeof speed->slow,
        "the longest launch, that of %s, takes %.4g of the %.4g ms, which alone would be fast enough: the rest goes "
        "into other launches, or into copies and fills of memory (cudaMemcpy, cudaMemset).",
        waste->launch.kernel, 1e3 * longest, 1e3 * all);
    speed->slow_share = 1 - longest / all;
    speed->slow_is_fault = false;
}

static void judge(struct grader_speed *speed, const struct grader_roof *roof, const struct lab_task *task,
                  const struct protocol_mailbox *mailbox)
{
    speed_set_roof(speed, roof, task);
    speed->time.count = 1;
    speed->time.median = mailbox->model_seconds;
    set_margin(speed, mailbox);
    speed->sampled_blocks = (double)mailbox->sampled_blocks;
    text_set(speed->limiter, sizeof speed->limiter, "%s", mailbox->limiter);
    slow_take(speed, &mailbox->waste);
    tell_rest(speed, mailbox);
    work_take(speed, task, mailbox);
    speed_take_waves(speed, mailbox);
    speed_take_sm(speed, mailbox);
    speed->verdict = verdict_for(speed);
    speed->in_doubt = speed->verdict == SPEED_ENOUGH && speed->time.median > speed->limit;
    let_loads_decide(speed, task->speed);
    /* The model serves bytes and operations at the rates that the roofs are made of. */
    speed_refuse_impossible(speed, (1 - speed->less) * speed_least_seconds(speed, roof, task));
    refuse_missing_work(speed, mailbox);
}

/* The margins are those of the model of machine code: a time without it decides nothing. */
static void refuse_rough_time(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    if (mailbox->rough_share <= MOST_ROUGH ||
        (speed->verdict != SPEED_ENOUGH && speed->verdict != SPEED_TOO_SLOW))
        return;
    speed->verdict = SPEED_INCONCLUSIVE;
    speed->in_doubt = false;
    speed->less = speed->more = 0;
    text_set(
        speed->note, sizeof speed->note,
        "a rough estimate, which is not judged: it does not come from the kernel's machine code (ptxas makes that)");
}

/*
 * A small call is mostly launches and latency, and its arrays fit into L2: what takes longer than all of that is too slow, and
 * of nothing else is known that it is fast enough.
 */
static void judge_small(struct grader_speed *speed, const struct lab_task *task, const char *why)
{
    char numbers[128];
    if (speed->verdict == SPEED_SHOWN || speed->verdict == SPEED_IMPOSSIBLE)
        return;
    plan_arguments(task, speed->arg, numbers, sizeof numbers);
    speed->in_doubt = false;
    speed->verdict =
        least_seconds(speed) <= speed->limit + SMALL_SECONDS ? SPEED_INCONCLUSIVE : SPEED_TOO_SLOW;
    text_set(
        speed->note, sizeof speed->note,
        "modeled only at %s, which says little about large inputs: at the size that is judged on a GPU, the "
        "simulator did not finish (%.300s)",
        numbers, why);
}

struct call_plan model_small_plan(const struct grader *grader, const struct lab_task *task)
{
    return (struct call_plan){
        .task = task,
        .arg = task->speed->sim_arg,
        .seed = plan_own_seed(grader, task, "modeled time", 0),
        .backend = BACKEND_SIM,
        .timeout = MODEL_TIMEOUT,
        .instruction_limit = MODEL_INSTRUCTIONS,
    };
}

static bool take(struct grader *grader, struct grader_task *task, const struct exchange *exchange)
{
    struct grader_roof roof;
    if (!usable(exchange->mailbox.model_seconds)) {
        text_set(task->speed.note, sizeof task->speed.note,
                 "the simulator modeled no time, so there is nothing to judge: was a kernel launched?");
        return false;
    }
    fill_roof(grader->model, &roof);
    judge(&task->speed, &roof, task->task, &exchange->mailbox);
    return true;
}

/* At full size. */
static bool take_time(struct grader *grader, struct grader_task *task, const struct exchange *exchange)
{
    const bool taken = take(grader, task, exchange);
    if (taken)
        refuse_rough_time(&task->speed, &exchange->mailbox);
    return taken;
}

/*
 * The results are wrong at this size alone: a race of its many blocks or turns, if there is one, or the values. False: they are
 * right where all blocks are run in the worker, too, whose host code looks at what kernels have stored.
 */
static bool explain_wrong(struct grader *grader, const struct lab_task *task, const struct sampled *all,
                          struct exchange *exchange, struct grader_outcome *outcome)
{
    struct sampled again = {0};
    struct grader_finding ended, *finding = &outcome->finding;
    *outcome = (struct grader_outcome){.run = true};
    *finding = (struct grader_finding){.reason = REASON_VALUES};
    sampled_tell(all, task, finding);
    if (task->gathers || !call_full_size(grader, task, ALL_WATCHED, exchange, &ended, &again))
        return true;
    if (exchange->mailbox.hazard_count > 0 && fact_is_race(exchange->mailbox.hazard[0].class))
        explain_hazards(&exchange->mailbox, finding);
    return again.wrong;
}

/* Where few blocks tell their largest element, it matters where the largest of all is. */
static void try_places(struct grader *grader, const struct lab_task *task, struct sampled *sample)
{
    struct grader_finding finding;
    struct exchange exchange = {0};
    for (int i = 0; i < PROTOCOL_PLACES && task->gathers == LAB_LARGEST && !sample->wrong; i++) {
        struct sampled again = {.put_at = 1 + sample->read_at[i]};
        sample->wrong = call_full_size(grader, task, SAMPLE, &exchange, &finding, &again) && again.wrong;
        if (sample->wrong)
            sample->largest_at = sample->read_at[i];
    }
}

/*
 * Where blocks of the sample have stored something else than the reference, they may depend on others; and where they have
 * stored too little, others may have stored more: then all blocks are run, and the time is theirs, for a function can do other
 * work in another call. Where that takes too long, it is not known.
 */
static void refuse_wrong_results(struct grader *grader, struct grader_task *task, struct exchange *exchange,
                                 struct sampled *sample)
{
    struct grader_finding finding;
    struct exchange whole = {0};
    struct grader_speed *speed = &task->speed;
    if (speed->verdict != SPEED_ENOUGH || !sampled_can(task->task))
        return;
    try_places(grader, task->task, sample);
    if (!sampled_is_doubtful(task->task, task->task->speed->gpu_arg, speed->bytes, &exchange->mailbox,
                             sample))
        return;
    struct sampled all = {.put_at = 1 + sample->largest_at};
    const bool ended = call_full_size(grader, task->task, ALL, &whole, &finding, &all);
    struct grader_outcome outcome;
    if (ended && (!all.wrong || !explain_wrong(grader, task->task, &all, &whole, &outcome))) {
        *exchange = whole;
        take_time(grader, task, exchange);
        return;
    }
    speed->in_doubt = false;
    if (ended) {
        speed->verdict = SPEED_WRONG;
        speed->outcome = outcome;
        return;
    }
    speed->verdict = SPEED_INCONCLUSIVE;
    text_set(speed->note, sizeof speed->note,
             "whether the results are right at this size is not known: the simulator did not finish (%.300s)",
             finding.headline);
}

/* Blocks wait for others, or use what these store; or a few do the work of all, and none of these is in the sample. */
static bool needs_all_blocks(const struct lab_task *task, bool ended, const struct exchange *exchange)
{
    const struct protocol_mailbox *mailbox = &exchange->mailbox;
    return ended
               ? mailbox->sampled_blocks > 0 && lacks_bytes(task->speed->bytes(task->speed->gpu_arg), mailbox)
               : !process_interrupted();
}

bool model_full(struct grader *grader, struct grader_task *task, struct exchange *exchange, char why[512])
{
    struct grader_finding finding;
    struct sampled sample = {0};
    task->speed.modeled = true;
    progress_begin("%s %s: modeling the time", the_lab.name, task->task->id);
    bool full = call_full_size(grader, task->task, SAMPLE, exchange, &finding, &sample);
    if (needs_all_blocks(task->task, full, exchange))
        full = call_full_size(grader, task->task, ALL, exchange, &finding, &sample);
    memcpy(task->speed.arg, full ? task->task->speed->gpu_arg : task->task->speed->sim_arg,
           sizeof task->speed.arg);
    text_set(why, 512, "%s", finding.headline);
    if (full && take_time(grader, task, exchange))
        refuse_wrong_results(grader, task, exchange, &sample);
    return full;
}

void model_small(struct grader *grader, struct grader_task *task, const struct exchange *exchange,
                 const char *why)
{
    if (!task->speed.outcome.passed)
        task->speed.verdict = SPEED_WRONG;
    else if (take(grader, task, exchange))
        judge_small(&task->speed, task->task, why);
}

void grader_model_launches(struct grader *grader, const struct lab_task *task,
                           struct protocol_mailbox *mailbox)
{
    struct grader_finding finding;
    struct exchange exchange = {0};
    progress_begin("%s %s: what it launches", the_lab.name, task->id);
    call_full_size(grader, task, SAMPLE, &exchange, &finding, NULL);
    *mailbox = exchange.mailbox;
}

void grader_model_slow(struct grader *grader, struct grader_task *task)
{
    struct grader_finding finding;
    struct exchange exchange = {0};
    progress_begin("%s %s: why it is slow", the_lab.name, task->task->id);
    if (!call_full_size(grader, task->task, SAMPLE, &exchange, &finding, NULL))
        return;
    slow_take(&task->speed, &exchange.mailbox.waste);
    work_take(&task->speed, task->task, &exchange.mailbox);
    speed_take_sm(&task->speed, &exchange.mailbox);
}
