/*
 * Two threads store to the same element by one line: no order of them is missing, but one has the wrong element. Where a
 * change of the kernels gives each its own, that is the cause, and the race follows from it.
 */
#include "harness/change/change_internal.h"

#include <stdio.h>
#include <string.h>

#include "harness/cause/kernel_text.h"
#include "harness/report/failure.h"

/* The race, if the finding is one of these and nothing more is known; else NULL. */
static const struct protocol_hazard *race_of_stores(const struct grader_outcome *outcome)
{
    const struct protocol_hazard *hazard = failure_hazard(outcome);
    return hazard && !outcome->finding.cause[0] && hazard->detail == SIM_DETAIL_STORES &&
                   hazard->here.line == hazard->there.line
               ? hazard
               : NULL;
}

static void say_thread(const struct protocol_thread *thread, int line, char *text, size_t size)
{
    text_append(text, size, "thread (%u,%u,%u) of block (%u,%u,%u) writes it at line %d", thread->thread[0],
                thread->thread[1], thread->thread[2], thread->block[0], thread->block[1], thread->block[2],
                line);
}

/* "d_y[3] in global memory: thread … writes it at line 8, thread … writes it at line 8" */
static void tell_consequence(const struct protocol_hazard *hazard, const char *followed,
                             struct grader_finding *finding)
{
    text_set(finding->headline, sizeof finding->headline, "%s", "two threads store to the same element");
    text_set(finding->detail, sizeof finding->detail, "%s: ", hazard->object);
    say_thread(&hazard->there_thread, hazard->there.line, finding->detail, sizeof finding->detail);
    text_append(finding->detail, sizeof finding->detail, ", ");
    say_thread(&hazard->here_thread, hazard->here.line, finding->detail, sizeof finding->detail);
    text_append(finding->detail, sizeof finding->detail, "\n%s", followed);
}

static void tell(const struct grader_build *build, const char *sentence, int line,
                 struct grader_outcome *outcome)
{
    struct grader_finding *finding = &outcome->finding;
    const struct protocol_hazard *race = race_of_stores(outcome);
    char followed[sizeof finding->detail];
    text_set(followed, sizeof followed, "%s", finding->detail + finding->consequence);
    tell_consequence(race, followed, finding);
    fact_drop(&finding->facts, FACT_HAZARD);
    fact_add(&finding->facts, FACT_OVERWRITTEN, FACT_SEEN, &race->here)->place[1] = race->there;
    text_set(finding->cause, sizeof finding->cause, "%s", sentence);
    text_set(finding->file, sizeof finding->file, "%s", build->source);
    finding->line = line;
}

bool trial_tell_stores(const struct grader_build *build, const struct grader_task *task, const char *sentence,
                       int line, struct grader_outcome *tried)
{
    const struct protocol_hazard *race = race_of_stores(tried);
    if (!race)
        return false;
    for (int i = 0; i < task->case_count; i++) {
        struct grader_outcome *outcome = &task->cases[i].outcome[BACKEND_SIM];
        const struct protocol_hazard *other =
            outcome->run && !outcome->passed && outcome != tried ? race_of_stores(outcome) : NULL;
        if (other && other->here.line == race->here.line && strcmp(other->here.file, race->here.file) == 0)
            tell(build, sentence, line, outcome);
    }
    tell(build, sentence, line, tried);
    return true;
}
