/* All that is planned: cases and counters in the simulator, in a thread of their own; cases and speed on the GPU. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/result/grader.h"
#include "harness/grade/large.h"
#include "harness/speed/sets.h"
#include "harness/grade/special.h"
#include "harness/change/change.h"
#include "harness/grade/unoptimized.h"
#include "harness/lab/real.h"

/* ---- verdicts and points ------------------------------------------------------------------------------- */

/* The runs in which is counted and timed have results too. */
bool task_is_right(const struct grader_task *task)
{
    return task->failed == 0 && task->passed > 0 && task->speed.verdict != SPEED_WRONG &&
           (!task->counters.outcome.run || task->counters.outcome.passed);
}

/* No time is no reason to fail only where none was asked for: --only names cases, or the task has no speed. */
static bool figures_hold(const struct grader_task *task)
{
    if (task->counters.exceeded)
        return false;
    switch (task->speed.verdict) {
    case SPEED_ENOUGH:
    case SPEED_SHOWN: return true;
    case SPEED_NOT_TIMED: return !task->speed.asked;
    default: return false;
    }
}

bool task_is_done(const struct grader_task *task)
{
    return task_is_right(task) && figures_hold(task);
}

bool task_is_open(const struct grader_task *task)
{
    return task_is_right(task) && !task->counters.exceeded && task->speed.verdict == SPEED_INCONCLUSIVE;
}

/*
 * All for right and fast; two thirds for right but too slow or with too much traffic; nothing without
 * evidence.
 */
static int points_for(const struct grader_task *task)
{
    const enum speed_verdict verdict = task->speed.verdict;
    if (task->task->shown_only || !task_is_right(task) || task_is_open(task))
        return 0;
    if (task_is_done(task))
        return task->task->points;
    const bool no_evidence = task->speed.asked && (verdict == SPEED_NOT_TIMED || verdict == SPEED_IMPOSSIBLE);
    return no_evidence ? 0 : task->task->points * 2 / 3;
}

int task_take_levels(struct grader_task *task)
{
    const struct lab_speed *ask = task->task->speed;
    struct grader_speed *speed = &task->speed;
    int points = 0;
    if (!task_is_done(task) || !ask || !ask->levels || speed->modeled || speed->time.count == 0 ||
        sizeof(real) == sizeof(double))
        return 0;
    for (const struct lab_level *level = ask->levels; level->fraction > 0; level++) {
        if (speed->roof / speed_seconds(speed) < level->fraction) {
            speed->next_level = level;
            break;
        }
        speed->level = level;
        points += level->points;
    }
    return points;
}

/* ---- ending early -------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t chosen = PTHREAD_COND_INITIALIZER;

void grader_give_up(struct grader *grader, const char *why)
{
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&grader->ending))
        text_set(grader->trouble, sizeof grader->trouble, "%s", why);
    atomic_store(&grader->ending, true);
    pthread_cond_broadcast(&chosen);
    pthread_mutex_unlock(&mutex);
    process_cancel();
}

bool grader_is_ending(const struct grader *grader)
{
    return process_interrupted() || atomic_load(&grader->ending);
}

/* ---- in the simulator ---------------------------------------------------------------------------------- */

/* What was counted says nothing about a task that is wrong. */
static void drop_counters(struct grader_task *task)
{
    memset(&task->counters, 0, sizeof task->counters);
}

static void settle(struct grader *grader, struct grader_task *task)
{
    cases_settle(grader, task);
    if (task->failed > 0 || task->passed == 0)
        drop_counters(task);
}

/* Is its speed to be found? */
static bool asks_for_speed(const struct grader *grader, const struct grader_task *task)
{
    return task->selected && task->task->speed && !grader->case_filter && !grader->cases_only &&
           task_is_right(task) && !grader_is_ending(grader);
}

static void model_speeds(struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        settle(grader, task);
        if (!asks_for_speed(grader, task))
            continue;
        task->speed.asked = true;
        grader_model(grader, task);
    }
}

static void wait_for_choice(struct grader *grader)
{
    pthread_mutex_lock(&mutex);
    while (!grader->backend_chosen && !grader_is_ending(grader))
        pthread_cond_wait(&chosen, &mutex);
    pthread_mutex_unlock(&mutex);
}

/* Small cases first, of all tasks: what is wrong is mostly wrong there, and a hazard says why. */
static void *simulate(void *argument)
{
    struct grader *grader = argument;
    cases_run(grader, BACKEND_SIM, CASES_SMALL);
    unoptimized_begin(grader);
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        if (task->selected && task->task->limits && task->task->limit_arg && !grader->case_filter &&
            !grader->cases_only && task->case_count > 0 && !cases_failed(task) && !grader_is_ending(grader))
            grader_count(grader, task);
    }
    wait_for_choice(grader);
    if (grader->backend == BACKEND_SIM) {
        large_run(grader);
        model_speeds(grader);
    }
    if (!unoptimized_check(grader) && grader->backend == BACKEND_SIM)
        for (int i = 0; i < the_lab.task_count; i++)
            settle(grader, &grader->tasks[i]);
    if (!grader->device[0])
        text_set(grader->device, sizeof grader->device, "%s", grader->process[BACKEND_SIM].device);
    process_stop(&grader->process[BACKEND_SIM]);
    if (grader->may_have_gpu)
        process_stop(&grader->fresh); /* it would die with this thread */
    return NULL;
}

/* ---- on a GPU ------------------------------------------------------------------------------------------ */

static void time_on_gpu(struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        if (!asks_for_speed(grader, task))
            continue;
        task->speed.asked = true;
        grader_time(grader, task);
        if (task->speed.verdict == SPEED_TOO_SLOW)
            grader_model_slow(grader, task);
    }
    sets_release(grader);
}

static void choose(struct grader *grader, enum grader_backend backend)
{
    pthread_mutex_lock(&mutex);
    grader->backend = backend;
    grader->backend_chosen = true;
    pthread_cond_broadcast(&chosen);
    pthread_mutex_unlock(&mutex);
}

/* The simulator's part in another thread. A kernel is timed when both have done their cases. */
static void grade_on_gpu(struct grader *grader)
{
    pthread_t simulator;
    char why[512];
    if (pthread_create(&simulator, NULL, simulate, grader) != 0) {
        grader_give_up(grader, "no thread for the simulator could be started");
        return;
    }
    sets_make_early(grader);
    const bool gpu = device_wait(grader, why);
    if (!gpu && grader->options.backend == BACKEND_GPU)
        grader_give_up(grader, why);
    choose(grader, gpu ? BACKEND_GPU : BACKEND_SIM);
    if (gpu) {
        roof_measure(grader);
        cases_run(grader, BACKEND_GPU, CASES_SMALL);
        cases_run(grader, BACKEND_GPU, CASES_LARGE);
        if (!grader_is_ending(grader))
            sets_prepare_early(grader);
    }
    pthread_join(simulator, NULL);
    if (!gpu || grader_is_ending(grader))
        return;
    for (int i = 0; i < the_lab.task_count; i++)
        settle(grader, &grader->tasks[i]);
    time_on_gpu(grader);
}

bool grader_run(struct grader *grader, char message[512])
{
    for (int i = 0; i < the_lab.task_count; i++) {
        atomic_store(&grader->tasks[i].last_case, INT_MAX);
        atomic_store(&grader->tasks[i].first_wrong, INT_MAX);
        atomic_store(&grader->tasks[i].small_wrong, false);
    }
    if (grader->may_have_gpu) {
        grade_on_gpu(grader);
    } else {
        choose(grader, BACKEND_SIM);
        simulate(grader);
    }
    special_explain(grader);
    unoptimized_explain(grader);
    trial_run(grader);
    text_set(message, 512, "%s", grader->trouble);
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        task->points = points_for(task);
        task->open_points = task_is_open(task) && !task->task->shown_only ? task->task->points : 0;
        task->extra_points = task_take_levels(task);
    }
    return !grader->trouble[0];
}

int grader_score(const struct grader *grader, int *maximum, int *open)
{
    int points = 0;
    *maximum = *open = 0;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &grader->tasks[i];
        if (!task->selected || task->task->shown_only)
            continue;
        points += task->points + task->extra_points;
        *open += task->open_points;
        *maximum += task->task->points;
    }
    return points;
}

int grader_verdict(const struct grader *grader)
{
    int verdict = GRADER_PASSED;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &grader->tasks[i];
        if (!task->selected || task->case_count == 0)
            continue;
        if (task->task->shown_only) { /* given: no points, but it must still work */
            if (task->failed > 0)
                return GRADER_FAILED;
            continue;
        }
        if (task->failed == 0 && (task->passed == 0 || task_is_done(task)))
            continue;
        if (!task_is_open(task))
            return GRADER_FAILED;
        verdict = GRADER_INCONCLUSIVE;
    }
    return verdict;
}

bool grader_passed(const struct grader *grader)
{
    return grader_verdict(grader) == GRADER_PASSED;
}
