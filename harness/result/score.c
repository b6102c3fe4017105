#include "harness/result/score.h"

#include "harness/lab/real.h"

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
int task_points(const struct grader_task *task)
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
