#include "harness/speed/work.h"

#include <math.h>
#include <string.h>

#include "harness/lab/real.h"
#include "harness/speed/habit.h"
#include "harness/speed/slow.h"
#include "sim/model/alone.h"

#define EXCESS_LEAST   1.4  /* times the arithmetic that the task needs */
#define LINE_LEAST     0.2  /* of the launch's arithmetic: a line with less is not named */
#define LAUNCHES_SHARE 0.25 /* of the modeled time: of less nothing is said */
#define SLOW_SHARE     0.5  /* of the time: what costs so much comes before work for nothing */

#define SAY(...) text_append(text, size, __VA_ARGS__)

/* "2.5", "8", "128" */
static const char *times_text(double times, char number[32])
{
    text_set(number, 32, times < 10 ? "%.2g" : "%.0f", times);
    return number;
}

/* ---- launches and blocks ------------------------------------------------------------------------------- */

/* Then no SM is without a block, in most launches. */
static bool fills_the_gpu(const struct protocol_site *site, const struct protocol_mailbox *mailbox)
{
    return site->launches == 0 || site->all_blocks / site->launches >= mailbox->sm_count;
}

static void take_launches(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    const struct protocol_site *site = &mailbox->busy;
    char *text = speed->many_launches;
    const size_t size = sizeof speed->many_launches;
    text_set(text, size, "%s", "");
    if (site->launch.place.line <= 0 || fills_the_gpu(site, mailbox) ||
        !(site->seconds >= LAUNCHES_SHARE * mailbox->model_seconds))
        return;
    SAY("%s:%d: %s is launched %llu times from this line, one launch after another, with ",
        text_file_name(site->launch.place.file), site->launch.place.line, site->launch.kernel,
        (unsigned long long)site->launches);
    if (site->fewest_blocks < site->most_blocks)
        SAY("%llu to %llu blocks", (unsigned long long)site->fewest_blocks,
            (unsigned long long)site->most_blocks);
    else
        SAY("%llu blocks each", (unsigned long long)site->most_blocks);
    SAY(". Each launch costs microseconds, however little it does, and few blocks leave most SMs idle. Launch the kernel "
        "once, with a grid that has all the blocks, and take the block's part of the work from blockIdx.");
    text_singular(text);
}

/* To two digits: of a sample more are not known. */
static uint64_t rounded(uint64_t count)
{
    uint64_t unit = 1;
    while (count / unit >= 100)
        unit *= 10;
    return (count + unit / 2) / unit * unit;
}

static void take_idle(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    const struct protocol_site *site = &mailbox->idle;
    const uint64_t needed = site->blocks - site->idle_blocks;
    char *text = speed->idle_blocks;
    const size_t size = sizeof speed->idle_blocks;
    text_set(text, size, "%s", "");
    if (site->launch.place.line <= 0 || site->idle_blocks < mailbox->sm_count)
        return;
    SAY("%s:%d: too many blocks: of the %llu blocks that %s is launched with, only some %llu store something in global "
        "memory (estimated from the blocks that were run).",
        text_file_name(site->launch.place.file), site->launch.place.line, (unsigned long long)site->blocks,
        site->launch.kernel, (unsigned long long)rounded(needed));
    SAY(" Starting a block takes time, too: divide the number of elements by what a block makes of them, and round up.");
    text_singular(text);
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static void say_lines(const struct protocol_arithmetic *arithmetic, const char *file, char *text, size_t size)
{
    bool any = false;
    for (uint32_t i = 0; i < arithmetic->count; i++) {
        const struct protocol_place *place = &arithmetic->line[i];
        const double share = arithmetic->line_flops[i] / arithmetic->flops_of_launch;
        if (!(share >= LINE_LEAST) || strcmp(place->file, file) != 0)
            continue;
        SAY("%s line %d", any ? ", by" : " Much of it is executed by", place->line);
        if (place->call_line > 0)
            SAY(", called at line %d", place->call_line);
        SAY(" (%.0f%%)", 100 * fmin(share, 1));
        any = true;
    }
    if (any)
        SAY(".");
}

static void take_excess(struct grader_speed *speed, const struct lab_task *task,
                        const struct protocol_mailbox *mailbox)
{
    const struct protocol_arithmetic *arithmetic = &mailbox->arithmetic;
    const double needed = task->speed->flops ? task->speed->flops(speed->arg) : 0;
    const double times = needed > 0 ? arithmetic->flops / needed : 0;
    char *text = speed->excess, number[32];
    const size_t size = sizeof speed->excess;
    text_set(text, size, "%s", "");
    if (times < EXCESS_LEAST || arithmetic->count == 0 || !(arithmetic->flops_of_launch > 0))
        return;
    const struct protocol_place *place = &arithmetic->line[0];
    SAY("%s:%d: the kernel executes %s times the arithmetic that the task needs (%.3g floating-point operations "
        "instead of %.3g).",
        text_file_name(place->file), place->line, times_text(times, number), arithmetic->flops, needed);
    say_lines(arithmetic, place->file, text, size);
    SAY(" Compute each value once, and only where it is stored.");
}

/* ---- one lane alone ------------------------------------------------------------------------------------ */

#define SOLO_LEAST 0.05 /* of the instructions: of less nothing is said */

/* What all lanes could do with it. */
static void say_sharing(const struct protocol_alone *alone, double share, char *text, size_t size)
{
    if (share >= SOLO_LEAST)
        SAY(": of all the instructions that warps execute, %.0f%% are executed by a single lane",
            100 * share);
    if (alone->what == SIM_ALONE_LOAD)
        SAY(". Let all threads share this work: combined by halves, %.0f values take %.0f steps.",
            alone->times, ceil(log2(alone->times)));
    else if (alone->what == SIM_ALONE_ATOMIC) /* it may wait for something */
        SAY(".");
    else
        SAY(". Let all threads share this work, each with elements of its own: then up to %u are done at a time.",
            alone->each_warp ? 32 : alone->threads);
}

static void take_alone(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    const struct protocol_alone *alone = &mailbox->alone;
    const unsigned others = (alone->each_warp ? 32 : alone->threads) - 1;
    char *text = speed->alone;
    const size_t size = sizeof speed->alone;
    text_set(text, size, "%s", "");
    speed->alone_share = 0;
    if (alone->place.line <= 0 || !(alone->times >= 1) || alone->threads < 2)
        return;
    speed->alone_share = fmin(alone->share, 1);
    static const char *const names[] = {
        [SIM_ALONE_LOAD] = "load", [SIM_ALONE_STORE] = "store", [SIM_ALONE_ATOMIC] = "atomic operation"};
    SAY("%s:%d: one thread of each %s executes this %s %.0f times, one after another, while the other %u wait",
        text_file_name(alone->place.file), alone->place.line, alone->each_warp ? "warp" : "block",
        names[alone->what <= SIM_ALONE_ATOMIC ? alone->what : SIM_ALONE_LOAD], alone->times, others);
    if (alone->place.call_line > 0)
        SAY(" (called at line %d)", alone->place.call_line);
    say_sharing(alone, speed->alone_share, text, size);
}

void work_take(struct grader_speed *speed, const struct lab_task *task,
               const struct protocol_mailbox *mailbox)
{
    take_launches(speed, mailbox);
    take_idle(speed, mailbox);
    take_excess(speed, task, mailbox);
    take_alone(speed, mailbox);
    habit_take(speed, task, &mailbox->habits);
    slow_take_apart(speed, task->speed, &mailbox->habits.apart);
}

/* ---- what is told -------------------------------------------------------------------------------------- */

/* The outcome of the last case, of a task that is right in all of them; NULL: it is not. */
static const struct grader_outcome *last_outcome(const struct grader_task *task)
{
    const struct grader_outcome *last = NULL;
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_outcome *outcome = &task->cases[i].outcome[BACKEND_SIM];
        if (outcome->run && !outcome->passed)
            return NULL;
        if (outcome->run)
            last = outcome;
    }
    return last;
}

/*
 * What never happens in a task's cases is known of the cases that one worker has run: if a case of another task ended the
 * worker between them, nothing is known of all of them.
 */
static bool one_worker_ran_all(const struct grader_task *task)
{
    int worker = 0;
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_outcome *outcome = &task->cases[i].outcome[BACKEND_SIM];
        if (outcome->run && worker != 0 && outcome->worker != worker)
            return false;
        if (outcome->run)
            worker = outcome->worker;
    }
    return true;
}

bool work_for_nothing(const struct grader *grader, const struct grader_task *task, char *text, size_t size)
{
    const struct grader_outcome *outcome = last_outcome(task);
    const struct protocol_place *place = outcome ? &outcome->note.place : NULL;
    if (!place || place->line <= 0 || !one_worker_ran_all(task) ||
        strcmp(text_file_name(place->file), text_file_name(grader->build.source)) != 0)
        return false;
    text_set(text, size, "%s:%d: %s", text_file_name(place->file), place->line, outcome->note.text);
    return true;
}

/* What the lab says, unless a counter contradicts it. */
static bool say_of_lab(const struct grader_task *task, char *text, size_t size)
{
    const struct lab_speed *ask = task->task->speed;
    const double wider = ask->advice_counter <= LAB_STORE_SECTORS_PER_REQUEST ? sizeof(real) / 4.0 : 1;
    const struct grader_counter *counter = &task->counters.counter[ask->advice_counter];
    if (!ask->advice ||
        (ask->advice_from > 0 && task->counters.measured && !(counter->value >= ask->advice_from * wider)))
        return false;
    text_set(text, size, "%s", ask->advice);
    return true;
}

static bool take(const char *from, char *text, size_t size)
{
    if (from[0])
        text_set(text, size, "%s", from);
    return from[0] != 0;
}

void work_advice(const struct grader *grader, const struct grader_task *task, char *text, size_t size)
{
    const struct grader_speed *speed = &task->speed;
    if (take(speed->many_launches, text, size) || take(speed->idle_blocks, text, size) ||
        (speed->alone_share >= SLOW_SHARE && take(speed->alone, text, size)))
        return;
    if (take(speed->kept, text, size))
        return; /* it makes loads and stores of one value where there need be none */
    if (speed->slow_share >= SLOW_SHARE && take(speed->slow, text, size))
        return;
    if (take(speed->excess, text, size) || take(speed->alone, text, size) || take(speed->loads, text, size) ||
        work_for_nothing(grader, task, text, size) || take(speed->slow, text, size) ||
        say_of_lab(task, text, size))
        return;
    text_set(text, size, "no line stands out by what it costs; what holds the kernel back is %s.",
             speed->limiter[0] ? speed->limiter : "not known");
}
