/*
 * What a search finds fits what it has searched with. So each change that makes the cases right is judged by calls that the
 * search has not used: other inputs, other sizes, other orders of warps and blocks, and the tasks that were right.
 */
#include <string.h>

#include "harness/change/change_internal.h"
#include "harness/change/sources.h"
#include "harness/judge/seed.h"

#define ORDERS            2      /* of each case, beside the first one */
#define OTHER_MOST        20000u /* warp instructions of a case of another task */
#define REST_MOST         4
#define INSTRUCTIONS_MOST UINT64_C(2000000) /* of warps, in all of these calls */
#define REPEAT            100               /* of plan_seed: further calls of a grading have lower numbers */

/* In other orders of blocks and warps, too: in the first one, a thread may find whatever it waits for. */
static bool holds_in_other_orders(struct trial *t, int choice)
{
    bool right = true;
    for (int seed = 1; seed <= ORDERS && right; seed++) {
        t->schedule_seed = (uint64_t)seed;
        for (int i = 0; i < t->case_count && right; i++)
            right = trial_makes_right(t, &t->cases[i], choice, true);
    }
    t->schedule_seed = 0;
    return right;
}

/* ---- tasks that are right ------------------------------------------------------------------------------ */

/* The longest one that is short enough; NULL: the task is not right, or has none. */
static struct grader_case *case_of_other(const struct trial *t, const struct grader_task *task)
{
    struct grader_case *longest = NULL;
    if (task == t->task || !task->selected || task->failed > 0 || task->task->intended_hazard)
        return NULL;
    for (int i = 0; i < task->case_count; i++) {
        struct grader_case *c = &task->cases[i];
        const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
        if (outcome->run && !c->gpu_only && outcome->passed && outcome->instructions <= OTHER_MOST &&
            (!longest || outcome->instructions > longest->outcome[BACKEND_SIM].instructions))
            longest = c;
    }
    return longest;
}

static void choose_others(struct trial *t)
{
    t->others_chosen = true;
    for (int i = 0; i < the_lab.task_count && t->other_count < TRIAL_OTHERS_MOST; i++) {
        const struct lab_task *task = t->grader->tasks[i].task;
        struct trial_case *c = &t->others[t->other_count];
        struct grader_case *from = case_of_other(t, &t->grader->tasks[i]);
        if (!from || (t->unchanged > 0 && !repair_has_task(t->repairs, task->id)))
            continue;
        if (trial_make_case(t, task, from, from->arg, plan_seed(t->grader, task, from->name, 0), c))
            t->other_count++;
        else
            trial_free_case(c);
    }
}

static bool breaks_others(struct trial *t, int choice)
{
    if (!t->others_chosen)
        choose_others(t);
    for (int i = 0; i < t->other_count; i++)
        if (!trial_makes_right(t, &t->others[i], choice, true))
            return true;
    return false;
}

/* ---- calls that the search does not use ---------------------------------------------------------------- */

static void hold(struct trial *t, struct grader_case *of, const int64_t *arg)
{
    uint64_t instructions = 0;
    for (int i = 0; i < t->held_count; i++)
        instructions += t->held[i].instructions;
    if (t->held_count == TRIAL_HELD_MOST || instructions > INSTRUCTIONS_MOST)
        return;
    struct trial_case *c = &t->held[t->held_count];
    const uint64_t seed = plan_seed(t->grader, t->task->task, of->name, REPEAT + t->held_count);
    if (trial_make_case(t, t->task->task, of, arg, seed, c)) {
        c->again = UINT64_MAX; /* how many there are without a change is not known here */
        t->held_count++;
    } else {
        trial_free_case(c);
    }
}

/* Between the smallest and the largest size of the lab's cases, for which the contract holds, but none of them. */
static bool is_other_size(const struct trial *t, const int64_t *arg, int at)
{
    bool smaller = false, larger = false;
    for (const struct lab_case *c = t->task->task->cases; c->name; c++) {
        if (memcmp(c->arg, arg, sizeof c->arg) == 0)
            return false;
        smaller |= c->arg[at] < arg[at];
        larger |= c->arg[at] > arg[at];
    }
    return smaller && larger;
}

/* As ./grader --size does it, for sizes of which the lab has no case: what is equal by chance differs there. */
static void hold_size(struct trial *t, const struct trial_case *like, int64_t size)
{
    const int at = t->task->task->size_arg;
    int64_t arg[LAB_MAX_ARGS];
    memcpy(arg, like->of->arg, sizeof arg);
    arg[at] = size;
    if (is_other_size(t, arg, at))
        hold(t, like->of, arg);
}

static bool is_searched(const struct trial *t, const struct grader_case *c)
{
    for (int i = 0; i < t->case_count; i++)
        if (t->cases[i].of == c)
            return true;
    return false;
}

/* Cases of the task for which the search had no room. */
static void hold_rest(struct trial *t)
{
    const int most = t->held_count + REST_MOST;
    for (int i = 0; i < t->task->case_count && t->held_count < most; i++) {
        struct grader_case *c = &t->task->cases[i];
        const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
        if (!c->gpu_only && outcome->run && outcome->instructions <= TRIAL_CASE_MOST && !is_searched(t, c))
            hold(t, c, c->arg);
    }
}

/* Like wrong cases and like one that was right, where there is one. */
static void choose_held(struct trial *t)
{
    const int last = t->case_count - 1;
    const int like[] = {0, last, t->wrong_count - 1};
    const int at = t->task->task->size_arg;
    t->held_chosen = true;
    for (int i = 0; i < 3 && i <= last; i++)
        hold(t, t->cases[like[i]].of, t->cases[like[i]].of->arg);
    hold_rest(t);
    for (int i = 0; i < 3 && i <= last && at >= 0; i++) {
        const struct trial_case *c = &t->cases[like[i]];
        const int64_t step = plan_size_step(t->task->task), steps = c->arg[at] / step;
        hold_size(t, c, (steps + 1 + i) * step);
        hold_size(t, c, (steps + steps / 2 + 3 * i) * step);
        hold_size(t, c, (steps - 1 - i) * step);
    }
}

static bool holds_elsewhere(struct trial *t, int choice)
{
    bool right = true;
    if (!t->held_chosen)
        choose_held(t);
    for (int i = 0; i < t->held_count && right; i++) {
        t->schedule_seed = (uint64_t)(i % 2 ? REPEAT + i : 0);
        right = trial_makes_right(t, &t->held[i], choice, true);
    }
    t->schedule_seed = 0;
    return right && t->held_count > 0;
}

/* ---- what is no longer done ---------------------------------------------------------------------------- */

/* Does the line where the failure shows access memory in one of the calls? */
static bool reaches(struct trial *t, int choice)
{
    bool found = false;
    t->watched = t->at;
    for (int i = 0; i < t->case_count + t->held_count && !found; i++) {
        trial_ask(t, i < t->case_count ? &t->cases[i] : &t->held[i - t->case_count], choice, false);
        found = t->exchange.mailbox.trial.accesses > 0;
    }
    t->watched = 0;
    return found;
}

/* With the change, what is wrong is never done: a way that is not taken. */
static bool leaves_out(struct trial *t, int choice)
{
    return t->at > 0 && !reaches(t, choice) && (t->is_access || reaches(t, t->unchanged));
}

/* What is not allowed is done less often also where it was allowed: as where wide loads make room for narrow ones. */
static bool does_less(struct trial *t, int choice)
{
    bool less = false;
    t->watched = t->is_access ? t->at : 0;
    for (int i = t->wrong_count; i < t->case_count && t->watched > 0 && !less; i++) {
        trial_ask(t, &t->cases[i], choice, false);
        const uint64_t changed = t->exchange.mailbox.trial.accesses;
        trial_ask(t, &t->cases[i], t->unchanged, false);
        less = changed < t->exchange.mailbox.trial.accesses;
    }
    t->watched = 0;
    return less;
}

bool trial_holds(struct trial *t, int choice)
{
    return holds_elsewhere(t, choice) && !leaves_out(t, choice) && !does_less(t, choice) &&
           holds_in_other_orders(t, choice) && !breaks_others(t, choice);
}
