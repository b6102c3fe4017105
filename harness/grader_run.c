/* All that is planned, task by task: cases first, then counters, then speed. */
#include <stdlib.h>
#include <string.h>

#include "harness/grader.h"
#include "harness/grader_progress.h"

#define CASE_TIMEOUT 10.0 /* seconds; --size: twenty times as long */
#define LONG_FAILURE 1.0  /* a case that fails after so many seconds is the task's last */
/* Warp instructions of one launch in the simulator: a hundred times what any case needs, and a
   loop without an end is named with its line long before the time is up. */
#define CASE_INSTRUCTIONS UINT64_C(30000000)

/* The case of --size, which may be as large as the user likes. */
static bool is_extra(const struct grader_case *c)
{
    return strncmp(c->name, "--size", 6) == 0;
}

static double timeout_for(const struct grader *grader, const struct grader_case *c)
{
    if (grader->options.timeout > 0)
        return grader->options.timeout;
    return is_extra(c) ? 20 * CASE_TIMEOUT : CASE_TIMEOUT;
}

/* The second call: other inputs and, in the simulator, another order of warps and blocks. */
static void call_again(struct grader *grader, struct grader_case *c, struct call_plan *plan,
                       const struct lab_task *task, struct grader_outcome *outcome)
{
    struct exchange exchange;
    struct grader_outcome second;
    plan->previous = plan->seed;
    plan->seed = plan_seed(grader, task, c->name, 1);
    plan->schedule_seed = plan->seed;
    grader_call(grader, plan, &second, &exchange);
    if (!second.passed) {
        char headline[sizeof second.finding.headline];
        text_set(headline, sizeof headline, "called a second time: %.480s", second.finding.headline);
        memcpy(second.finding.headline, headline, sizeof headline);
    }
    second.seconds += outcome->seconds;
    free(outcome->hazard);
    *outcome = second;
}

static void run_on(struct grader *grader, const struct lab_task *task, struct grader_case *c,
                   enum grader_backend backend)
{
    struct grader_outcome *outcome = &c->outcome[backend];
    struct exchange exchange;
    struct call_plan plan = {
        .task = task,
        .arg = c->arg,
        .seed = plan_seed(grader, task, c->name, 0),
        .backend = backend,
        .timeout = timeout_for(grader, c),
        .hazards = backend == BACKEND_SIM,
        .instruction_limit = is_extra(c) ? 0 : CASE_INSTRUCTIONS,
    };
    progress_begin("%s %s: %s%s", the_lab.name, task->id, c->name,
                   backend == BACKEND_SIM && grader->backend == BACKEND_GPU ? " (hazards)" : "");
    grader_call(grader, &plan, outcome, &exchange);
    if (outcome->passed && c->repeat)
        call_again(grader, c, &plan, task, outcome);
}

/* A case too large for this GPU's memory is left out; anything else about the environment ends all. */
static bool environment_failed(struct grader_case *c, enum grader_backend backend, char message[512])
{
    struct grader_outcome *outcome = &c->outcome[backend];
    if (!outcome->run || outcome->finding.reason != REASON_ENVIRONMENT)
        return false;
    if (c->gpu_only && strstr(outcome->finding.headline, "allocate")) {
        c->status = CASE_NOT_RUN;
        return false;
    }
    text_set(message, 512, "%s", outcome->finding.headline);
    return true;
}

static bool run_case(struct grader *grader, struct grader_task *task, struct grader_case *c,
                     char message[512])
{
    if (c->gpu_only && grader->backend == BACKEND_SIM)
        return true;
    c->status = CASE_PASSED;
    if (grader->backend == BACKEND_GPU)
        run_on(grader, task->task, c, BACKEND_GPU);
    if (!c->gpu_only && !process_interrupted())
        run_on(grader, task->task, c, BACKEND_SIM);
    for (int i = 0; i < 2; i++)
        if (c->outcome[i].run && !c->outcome[i].passed)
            c->status = CASE_FAILED;
    return !environment_failed(c, BACKEND_GPU, message) && !environment_failed(c, BACKEND_SIM, message);
}

/* The others would take as long, and say the same. */
static bool took_too_long(const struct grader_case *c)
{
    for (int i = 0; i < 2; i++)
        if (c->status == CASE_FAILED &&
            (c->outcome[i].finding.reason == REASON_TIMEOUT || c->outcome[i].seconds > LONG_FAILURE))
            return true;
    return false;
}

static bool run_cases(struct grader *grader, struct grader_task *task, char message[512])
{
    bool give_up = false;
    for (int i = 0; i < task->case_count && !process_interrupted(); i++) {
        struct grader_case *c = &task->cases[i];
        if (give_up)
            c->status = CASE_SKIPPED;
        else if (!run_case(grader, task, c, message))
            return false;
        give_up = give_up || took_too_long(c);
        task->passed += c->status == CASE_PASSED;
        task->failed += c->status == CASE_FAILED || c->status == CASE_SKIPPED;
    }
    return true;
}

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
    if (!task_is_done(task) || !ask || !ask->levels || speed->modelled || speed->time.count == 0 ||
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

static void judge_figures(struct grader *grader, struct grader_task *task)
{
    if (grader->case_filter || !task_is_right(task))
        return;
    if (task->task->limits && task->task->limit_arg)
        grader_count(grader, task);
    if (!task->task->speed || !task_is_right(task) || process_interrupted())
        return;
    task->speed.asked = true;
    if (grader->backend == BACKEND_GPU)
        grader_time(grader, task);
    else
        grader_model(grader, task);
}

static bool needs_roof(const struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && grader->tasks[i].task->speed)
            return grader->backend == BACKEND_GPU && !grader->case_filter;
    return false;
}

bool grader_run(struct grader *grader, char message[512])
{
    if (needs_roof(grader))
        roof_measure(grader);
    for (int i = 0; i < the_lab.task_count && !process_interrupted(); i++) {
        struct grader_task *task = &grader->tasks[i];
        if (!task->selected)
            continue;
        if (!run_cases(grader, task, message))
            return false;
        judge_figures(grader, task);
        task->points = points_for(task);
        task->open_points = task_is_open(task) && !task->task->shown_only ? task->task->points : 0;
        task->extra_points = task_take_levels(task);
    }
    if (!grader->device[0])
        text_set(grader->device, sizeof grader->device, "%s", grader->process[grader->backend].device);
    return true;
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
        if (!task->selected || task->task->shown_only || task->case_count == 0)
            continue;
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
