#include "harness/report/early.h"

#include "harness/judge/call_plan.h"
#include "harness/judge/seed.h"
#include "harness/result/score.h"

#include <pthread.h>
#include <string.h>

#include "harness/base/clean.h"
#include "harness/base/progress.h"
#include "harness/report/failure.h"

/* Only what was seen: the cause may still turn out to be another one. */
static void say_what_is_wrong(const struct grader *grader, const struct grader_finding *finding, char *text,
                              size_t size)
{
    char place[256];
    failure_place(grader, finding->file, finding->line, place, sizeof place);
    if (place[0] && finding->reason != REASON_CHECK) /* whose own line names it */
        text_append(text, size, ": %s", place);
    text_append(text, size, ": %s", finding->headline);
}

/* The first of all open TODOs is what is to be done next; the case shows that this one, or another one, is needed. */
static void say_what_is_open(const struct grader *grader, const struct call_plan *plan, const char *where,
                             const struct todo *needed, const struct todo *first, char *text, size_t size)
{
    text_set(text, size, "TODO %d is still open: %s:%d. For want of ", first->number, grader->build.source,
             first->line);
    text_append(text, size, first->number == needed->number ? "it" : "TODO %d", needed->number);
    text_append(text, size, ", (%s) %s fails%s", plan->task->part, plan->task->id, where);
}

/* The sentence: from the task, the case, and what the finding says so far. */
static void write_sentence(const struct grader *grader, const struct call_plan *plan,
                           const struct grader_finding *finding, char *text, size_t size)
{
    char numbers[128], where[256];
    struct todo needed, first;
    plan_arguments(plan->task, plan->arg, numbers, sizeof numbers);
    text_set(where, sizeof where, ", in the case \"%s\"%s%s%s", plan->name, numbers[0] ? " (" : "", numbers,
             numbers[0] ? ")" : "");
    if (failure_is_undone(grader, plan->task, finding, &needed, &first)) {
        say_what_is_open(grader, plan, where, &needed, &first, text, size);
    } else {
        text_set(text, size, "(%s) %s is wrong%s", plan->task->part, plan->task->id, where);
        say_what_is_wrong(grader, finding, text, size);
    }
    text_append(text, size, ". The report follows when the rest is graded.\n");
    text_singular(text);
}

void early_tell(struct grader *grader, const struct call_plan *plan, const struct grader_finding *finding)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    char text[1024];
    if (!plan->name || plan->task->shown_only || finding->reason == REASON_ENVIRONMENT ||
        grader_is_ending(grader))
        return;
    pthread_mutex_lock(&mutex);
    const bool first = grader->first_failure == 0;
    if (first)
        grader->first_failure = process_clock() - grader->begun;
    pthread_mutex_unlock(&mutex);
    if (!first || !grader->tells_early)
        return;
    write_sentence(grader, plan, finding, text, sizeof text);
    text_clean(text, false);
    progress_tell(text, grader->begun);
}
