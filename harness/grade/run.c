/* All that is planned: cases and counters in the simulator, in a thread of their own; cases and speed on the GPU. */
#include "harness/grade/run.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "harness/change/change.h"
#include "harness/grade/cases.h"
#include "harness/grade/counter.h"
#include "harness/grade/device.h"
#include "harness/grade/large.h"
#include "harness/grade/unoptimized.h"
#include "harness/grade/unseen.h"
#include "harness/result/grader.h"
#include "harness/result/score.h"
#include "harness/speed/model.h"
#include "harness/speed/roof.h"
#include "harness/speed/sets.h"
#include "harness/speed/timing.h"

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
    return task->selected && task->task->speed && !grader->only.cases && !grader->cases_only &&
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

/* Small cases first, of all tasks: what is wrong is mostly wrong there, and a hazard says why. */
static void *simulate(void *argument)
{
    struct grader *grader = argument;
    cases_run(grader, BACKEND_SIM, CASES_SMALL);
    unoptimized_begin(grader);
    unseen_run(grader);
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        if (task->selected && task->task->limits && task->task->limit_arg && !grader->only.cases &&
            !grader->cases_only && task->case_count > 0 && !cases_failed(task) && !grader_is_ending(grader))
            grader_count(grader, task);
    }
    grader_wait_for_choice(grader);
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
    grader_choose(grader, gpu ? BACKEND_GPU : BACKEND_SIM);
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
        grader_choose(grader, BACKEND_SIM);
        simulate(grader);
    }
    unoptimized_explain(grader);
    trial_run(grader);
    text_set(message, 512, "%s", grader->trouble);
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        task->points = task_points(task);
        task->open_points = task_is_open(task) && !task->task->shown_only ? task->task->points : 0;
        task->extra_points = task_take_levels(task);
    }
    return !grader->trouble[0];
}
