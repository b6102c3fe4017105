/*
 * The cases of a task. In the simulator and, where there is one, on a GPU: in two threads at a time. All small ones
 * are run, so that the report can tell what explains most of them; only where wrong cases take long does a task end
 * earlier. Large cases, which a GPU alone runs, are for tasks whose small ones are right. What is reported does not
 * depend on which thread was first.
 */
#include "harness/grade/cases.h"

#include <string.h>

#include "harness/base/progress.h"
#include "harness/grade/again.h"
#include "harness/grade/run_call.h"
#include "harness/grade/state.h"
#include "harness/judge/call_plan.h"
#include "harness/judge/seed.h"
#include "harness/report/early.h"
#include "harness/report/failure.h"
#include "harness/result/grader.h"
#include "harness/result/score.h"

/* Seconds; --size: twenty times as long. A case takes less than 0.1 in the simulator; a GPU's first call may take some. */
#define CASE_TIMEOUT     4.0
#define CASE_TIMEOUT_GPU 10.0
/*
 * A wrong case after which the task's others are not run, also with --all; and what a task's wrong cases may take
 * together, without --all. In the simulator that is warp instructions, a second and two of them, about: a busy machine
 * must not change which cases a report tells of. The clock is the last resort there.
 */
#define LONG_INSTRUCTIONS UINT64_C(5000000)
#define ALL_INSTRUCTIONS  UINT64_C(10000000)
#define LONG_FAILURE      1.0 /* seconds on a GPU */
#define ALL_FAILURES      2.0
#define LAST_RESORT       5.0 /* times as long in the simulator */
/* Warp instructions of one launch in the simulator: a hundred times what any case needs, and a
   loop without an end is named with its line long before the time is up. */
#define CASE_INSTRUCTIONS UINT64_C(30000000)
/* A case that is called with another size, which takes as long at most, or half as long twice, has at most so many. */
#define OTHER_SIZE_INSTRUCTIONS UINT64_C(1000000)
/* … and one that is called once more: all of them together take a twentieth of a grading. */
#define SHORT_INSTRUCTIONS UINT64_C(20000)
/* Of a case of a task of which the cause is known for a smaller one: what takes longer is left out. */
#define MORE_INSTRUCTIONS UINT64_C(3000000)

/* The case of --size, which may be as large as the user likes. */
static bool is_extra(const struct grader_case *c)
{
    return strncmp(c->name, "--size", 6) == 0;
}

static double timeout_for(const struct grader *grader, const struct grader_case *c,
                          enum grader_backend backend)
{
    const double seconds = backend == BACKEND_GPU ? CASE_TIMEOUT_GPU : CASE_TIMEOUT;
    if (grader->options.timeout > 0)
        return grader->options.timeout;
    return is_extra(c) ? 20 * seconds : seconds;
}

static uint64_t instructions_for(const struct grader *grader, const struct grader_task *task,
                                 const struct grader_case *c)
{
    if (is_extra(c))
        return 0;
    return task->has_cause && !grader->options.all ? MORE_INSTRUCTIONS : CASE_INSTRUCTIONS;
}

/* Call number `number`, from 1: other inputs and, in the simulator, another order of warps and blocks. */
static void call_again(struct grader *grader, struct grader_case *c, struct call_plan *plan, int number,
                       const char *when, struct grader_outcome *outcome)
{
    struct exchange exchange;
    struct grader_outcome second;
    plan->previous = plan->arg == c->arg ? plan->seed : 0;
    plan->seed = plan_seed(grader, plan->task, c->name, number);
    plan->schedule_seed = plan->seed;
    const int before = grader->process[plan->backend].calls;
    grader_call(grader, plan, &second, &exchange);
    if (!second.passed) {
        state_explain(grader, plan, before, &exchange, &second);
        char headline[sizeof second.finding.headline];
        text_set(headline, sizeof headline, "%s: %.460s", when, second.finding.headline);
        memcpy(second.finding.headline, headline, sizeof headline);
    }
    second.seconds += outcome->seconds;
    *outcome = second;
}

/* The first call of the case. */
static struct call_plan plan_for(const struct grader *grader, const struct grader_task *of,
                                 const struct grader_case *c, enum grader_backend backend)
{
    return (struct call_plan){
        .task = of->task,
        .name = c->name,
        .arg = c->arg,
        .seed = plan_seed(grader, of->task, c->name, 0),
        .backend = backend,
        .timeout = timeout_for(grader, c, backend),
        .hazards = backend == BACKEND_SIM,
        .instruction_limit = instructions_for(grader, of, c),
    };
}

/* `story`: see struct call_plan; of the second call if there is one. */
static void run_on(struct grader *grader, const struct grader_task *of, struct grader_case *c,
                   enum grader_backend backend, FILE *story)
{
    const struct lab_task *task = of->task;
    struct grader_outcome *outcome = &c->outcome[backend];
    struct exchange exchange;
    struct call_plan plan = plan_for(grader, of, c, backend);
    plan.has_cause = of->has_cause && !story;
    plan.has_telling_cause = of->has_telling_cause && !story;
    plan.story = story;
    progress_begin("%s %s: %s", the_lab.name, task->id, c->name);
    const int before = grader->process[backend].calls;
    grader_call(grader, &plan, outcome, &exchange);
    if (!outcome->passed && !story)
        again_without_others(grader, &plan, &exchange, outcome);
    if (!outcome->passed && !story && outcome->finding.known < KNOWN_PROVED)
        state_explain(grader, &plan, before, &exchange, outcome);
    if (outcome->passed && !story)
        again_between(grader, &plan, &exchange, outcome);
    if (outcome->passed && !story)
        again_in_another_order(grader, &plan, &exchange, outcome);
    if (outcome->passed && c->repeat)
        call_again(grader, c, &plan, 1, "in a second call", outcome);
    if (!outcome->passed)
        early_tell(grader, &plan, &outcome->finding);
}

void cases_run_in(struct grader *grader, const struct grader_task *task, const struct grader_case *c,
                  struct process *process, struct grader_outcome *outcome)
{
    struct exchange exchange;
    struct call_plan plan = plan_for(grader, task, c, BACKEND_SIM);
    plan.instruction_limit = CASE_INSTRUCTIONS;
    plan.process = process;
    grader_call(grader, &plan, outcome, &exchange);
}

void cases_tell(struct grader *grader, const struct grader_task *task, const char *case_name, FILE *story)
{
    for (int i = 0; i < task->case_count; i++) {
        struct grader_case copy = task->cases[i];
        if (strcmp(copy.name, case_name) == 0 && !copy.gpu_only) /* there is no room for its buffers */
            run_on(grader, task, &copy, BACKEND_SIM, story);
    }
}

void cases_tell_access(struct grader *grader, const struct grader_task *task,
                       const struct protocol_place *place, FILE *story)
{
    struct grader_case counted = {.name = "counting memory traffic"};
    struct grader_outcome outcome;
    struct exchange exchange;
    memcpy(counted.arg, task->task->limit_arg, sizeof counted.arg);
    struct call_plan plan = plan_for(grader, task, &counted, BACKEND_SIM);
    plan.story = story;
    plan.look_at = place;
    grader_call(grader, &plan, &outcome, &exchange);
}

/* Makes it `which` if that is less. */
static void lower(atomic_int *number, int which)
{
    int last = atomic_load(number);
    while (which < last && !atomic_compare_exchange_weak(number, &last, which))
        ;
}

/* With --all too: the others would take as long, and say the same. */
static bool took_too_long(const struct grader_outcome *outcome, enum grader_backend backend)
{
    if (outcome->finding.reason == REASON_TIMEOUT)
        return true;
    if (backend == BACKEND_SIM)
        return outcome->instructions > LONG_INSTRUCTIONS || outcome->seconds > LAST_RESORT * LONG_FAILURE;
    return outcome->seconds > LONG_FAILURE;
}

/* Of a task's wrong cases. */
static bool took_too_long_together(const struct grader_task *task, enum grader_backend backend)
{
    if (backend == BACKEND_SIM)
        return task->wrong_instructions > ALL_INSTRUCTIONS ||
               task->wrong_seconds[backend] > LAST_RESORT * ALL_FAILURES;
    return task->wrong_seconds[backend] > ALL_FAILURES;
}

static void forget(struct grader_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
}

/* A wrong case: are those behind it still to be run? `seconds`: that it took, with the search for its cause. */
static void take_wrong(const struct grader *grader, struct grader_task *task, int which,
                       enum grader_backend backend, double seconds)
{
    const struct grader_case *c = &task->cases[which];
    const bool all = grader->options.all;
    task->wrong_seconds[backend] += seconds;
    task->wrong_instructions += backend == BACKEND_SIM ? c->outcome[backend].instructions : 0;
    if (backend == BACKEND_SIM && c->outcome[backend].finding.cause[0]) {
        task->has_cause = true;
        task->has_telling_cause |= c->outcome[backend].finding.reason != REASON_VALUES ||
                                   c->outcome[backend].finding.known > KNOWN_WHERE;
    }
    lower(&task->first_wrong, which);
    if (!c->gpu_only)
        atomic_store(&task->small_wrong, true);
    if (took_too_long(&c->outcome[backend], backend) ||
        (!all && (c->gpu_only || took_too_long_together(task, backend))))
        lower(&task->last_case, which);
}

/* Of MORE_INSTRUCTIONS; what really does not end has a hazard that says so. */
static bool hit_the_lower_limit(const struct grader *grader, const struct grader_task *task,
                                const struct grader_outcome *outcome)
{
    return task->has_cause && !grader->options.all && outcome->hazard_count == 0 &&
           (outcome->finding.reason == REASON_TIMEOUT ||
            fact_is_error(&outcome->finding.facts, "cudaErrorLaunchTimeout"));
}

/* A case too large for this GPU's memory is left out; anything else about the environment ends all. */
static void take_outcome(struct grader *grader, struct grader_task *task, int which,
                         enum grader_backend backend, double seconds)
{
    struct grader_case *c = &task->cases[which];
    struct grader_outcome *outcome = &c->outcome[backend];
    if (outcome->passed)
        return;
    if (hit_the_lower_limit(grader, task, outcome)) {
        forget(outcome);
        lower(&task->last_case, which - 1);
        return;
    }
    if (outcome->finding.reason != REASON_ENVIRONMENT)
        take_wrong(grader, task, which, backend, seconds);
    else if (c->gpu_only && fact_find(&outcome->finding.facts, FACT_NO_MEMORY))
        forget(outcome);
    else
        grader_give_up(grader, outcome->finding.headline);
}

/* Large cases of a task whose small ones are wrong say nothing new. */
static bool is_spared(const struct grader *grader, const struct grader_task *task,
                      const struct grader_case *c)
{
    return c->gpu_only && !grader->options.all && atomic_load(&task->small_wrong);
}

static bool to_be_run(const struct grader_case *c, enum grader_backend backend, enum case_sizes sizes)
{
    if (c->outcome[backend].run)
        return false;
    return c->gpu_only == (sizes == CASES_LARGE);
}

/* False: it is wrong. */
static bool run_one(struct grader *grader, struct grader_task *task, int which, enum grader_backend backend,
                    enum case_sizes sizes)
{
    const struct grader_case *c = &task->cases[which];
    if (which > atomic_load(&task->last_case) || !to_be_run(c, backend, sizes) || is_spared(grader, task, c))
        return true;
    const double begun = process_clock();
    run_on(grader, task, &task->cases[which], backend, NULL);
    const bool passed = c->outcome[backend].passed;
    take_outcome(grader, task, which, backend, process_clock() - begun);
    return passed;
}

/* The first case of each task, then the second one of each, until one is wrong. */
static void run_by_turns(struct grader *grader, enum grader_backend backend)
{
    bool more = true, right = true;
    for (int which = 0; more && right; which++) {
        more = false;
        for (int i = 0; i < the_lab.task_count && right && !grader_is_ending(grader); i++)
            if (which < grader->tasks[i].case_count) {
                more = true;
                right = run_one(grader, &grader->tasks[i], which, backend, CASES_SMALL);
            }
    }
}

/* Those that have not been run: a task's own come one after another. */
static void run_by_task(struct grader *grader, enum grader_backend backend, enum case_sizes sizes)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int which = 0; which < grader->tasks[i].case_count && !grader_is_ending(grader); which++)
            run_one(grader, &grader->tasks[i], which, backend, sizes);
}

static bool any_is_wrong(const struct grader_task *task, enum grader_backend backend)
{
    for (int i = 0; i < task->case_count; i++)
        if (task->cases[i].outcome[backend].run && !task->cases[i].outcome[backend].passed)
            return true;
    return false;
}

/* The task's smallest case with inputs; NULL: there is none. */
static struct grader_case *smallest_case(const struct grader_task *task, enum grader_backend backend)
{
    struct grader_case *smallest = NULL;
    int64_t least = 0;
    for (int i = 0; i < task->case_count; i++) {
        struct failure shape = {.task = task, .arg = task->cases[i].arg};
        failure_measure(&shape);
        if (task->cases[i].outcome[backend].run && !shape.empty && (!smallest || shape.elements < least)) {
            smallest = &task->cases[i];
            least = shape.elements;
        }
    }
    return smallest;
}

/* False: the task is wrong now. */
static bool run_once_more(struct grader *grader, struct grader_task *task, struct grader_case *c,
                          struct call_plan *plan, int number, const char *when)
{
    struct grader_outcome *outcome = &c->outcome[plan->backend];
    progress_begin("%s %s: %s", the_lab.name, task->task->id, c->name);
    call_again(grader, c, plan, number, when, outcome);
    if (outcome->passed)
        return true;
    early_tell(grader, plan, &outcome->finding);
    take_outcome(grader, task, (int)(c - task->cases), plan->backend, outcome->seconds);
    return false;
}

/* The one that is called twice has had other inputs of its size. */
static bool is_short(const struct grader_case *c, enum grader_backend backend)
{
    return c->outcome[backend].run && !c->repeat && c->outcome[backend].instructions <= SHORT_INSTRUCTIONS;
}

/*
 * Cases become larger and larger, so that what an earlier call has left is overwritten by the next one. The short ones once
 * more, behind all others and with other inputs, find what is longer than this call's own, and what was kept for a size. The
 * smallest with other pointers finds what has been kept of the first ones, as a graph of launches.
 */
static void run_short_again(struct grader *grader, struct grader_task *task, enum grader_backend backend)
{
    struct grader_case *smallest = smallest_case(task, backend);
    bool right = !task->task->intended_hazard && !grader->only.cases && !any_is_wrong(task, backend);
    for (int i = 0; i < task->case_count && right && !grader_is_ending(grader); i++) {
        struct grader_case *c = &task->cases[i];
        struct call_plan plan = plan_for(grader, task, c, backend);
        if (c != smallest && !is_short(c, backend))
            continue;
        right = run_once_more(grader, task, c, &plan, 2, "in a further call, after larger cases");
        plan.elsewhere = true;
        if (right && c == smallest)
            right = run_once_more(grader, task, c, &plan, 4, "in a further call, with other pointers");
    }
}

/* The longest case that is short enough; NULL: there is none, or the task has no size. */
static struct grader_case *case_for_other_size(const struct grader_task *task, enum grader_backend backend)
{
    struct grader_case *longest = NULL;
    uint64_t most = 0;
    for (int i = 0; i < task->case_count && task->task->size_arg >= 0; i++) {
        struct grader_case *c = &task->cases[i];
        const struct grader_outcome *outcome = &c->outcome[backend];
        if (!outcome->run || is_extra(c) || outcome->instructions > OTHER_SIZE_INSTRUCTIONS ||
            outcome->instructions < most)
            continue;
        longest = c;
        most = outcome->instructions;
    }
    return longest;
}

/*
 * The sizes of the lab's cases are known to whoever has read them. What is right for these only is found at a size below that of
 * the longest case, which the seed chooses; what is kept for a size, in a second call, if it is not long.
 */
static void run_other_size(struct grader *grader, struct grader_task *task, enum grader_backend backend)
{
    const bool right = !task->task->intended_hazard && !any_is_wrong(task, backend);
    struct grader_case *c = right ? case_for_other_size(task, backend) : NULL;
    int64_t arg[LAB_MAX_ARGS];
    char numbers[80], when[160];
    if (!c || !plan_other_size(grader, task->task, c->name, c->arg, arg))
        return;
    struct call_plan plan = plan_for(grader, task, c, backend);
    plan.arg = arg;
    plan_arguments(task->task, arg, numbers, sizeof numbers);
    text_set(when, sizeof when, "with %s, a size that none of the lab's cases has", numbers);
    progress_begin("%s %s: %s", the_lab.name, task->task->id, numbers);
    call_again(grader, c, &plan, 3, when, &c->outcome[backend]);
    if (c->outcome[backend].passed && arg[task->task->size_arg] <= c->arg[task->task->size_arg] / 2) {
        text_set(when, sizeof when, "in a further call with %s", numbers);
        call_again(grader, c, &plan, 5, when, &c->outcome[backend]);
    }
    if (!c->outcome[backend].passed)
        take_outcome(grader, task, (int)(c - task->cases), backend, c->outcome[backend].seconds);
}

void cases_run(struct grader *grader, enum grader_backend backend, enum case_sizes sizes)
{
    if (sizes == CASES_SMALL)
        run_by_turns(grader, backend);
    run_by_task(grader, backend, sizes);
    for (int i = 0; i < the_lab.task_count && sizes == CASES_SMALL && backend == BACKEND_SIM; i++)
        if (!grader_is_ending(grader)) {
            run_short_again(grader, &grader->tasks[i], backend);
            run_other_size(grader, &grader->tasks[i], backend);
        }
}

bool cases_failed(const struct grader_task *task)
{
    return any_is_wrong(task, BACKEND_GPU) || any_is_wrong(task, BACKEND_SIM);
}

static enum grader_case_status status_of(const struct grader *grader, const struct grader_task *task,
                                         int which)
{
    const struct grader_case *c = &task->cases[which];
    const bool too_large = c->gpu_only && grader->backend == BACKEND_SIM;
    if ((which > atomic_load(&task->last_case) || is_spared(grader, task, c)) && !too_large)
        return CASE_SKIPPED;
    bool run = false, failed = false;
    for (int backend = 0; backend < 2; backend++) {
        run = run || c->outcome[backend].run;
        failed = failed || (c->outcome[backend].run && !c->outcome[backend].passed);
    }
    return !run ? CASE_NOT_RUN : failed ? CASE_FAILED : CASE_PASSED;
}

void cases_settle(const struct grader *grader, struct grader_task *task)
{
    task->passed = task->failed = task->skipped = 0;
    for (int i = 0; i < task->case_count; i++) {
        struct grader_case *c = &task->cases[i];
        c->status = status_of(grader, task, i);
        for (int backend = 0; backend < 2 && c->status == CASE_SKIPPED; backend++)
            forget(&c->outcome[backend]); /* one of the threads may have been so far already */
        task->passed += c->status == CASE_PASSED;
        task->skipped += c->status == CASE_SKIPPED;
        task->failed += c->status == CASE_FAILED || c->status == CASE_SKIPPED;
    }
}
