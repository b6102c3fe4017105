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
    if (!hazard || outcome->finding.cause[0] || strncmp(hazard->name, "race", 4) != 0 ||
        hazard->here.line != hazard->there.line ||
        !strstr(hazard->message, "store to the same element at line"))
        return NULL;
    return hazard;
}

/* "race on d_y[3] in global memory (x.cu): thread … writes it at line 8, thread … writes it at line 8. Both …" */
static void tell_consequence(const struct protocol_hazard *hazard, struct grader_finding *finding)
{
    static const char begin[] = "race on ";
    const char *message = hazard->message, *followed = strstr(finding->detail, "The consequence: ");
    char rest[sizeof finding->detail];
    message += strncmp(message, begin, strlen(begin)) == 0 ? strlen(begin) : 0;
    const char *path = strstr(message, " ("), *threads = strstr(message, "): ");
    const char *end = threads ? strstr(threads, ". ") : NULL;
    text_set(rest, sizeof rest, "%s", followed ? followed : "");
    text_set(finding->headline, sizeof finding->headline, "%s", "two threads store to the same element");
    if (path && end && path < threads) /* the file is that of the sentence */
        text_set(finding->detail, sizeof finding->detail, "%.*s: %.*s\n%s", (int)(path - message), message,
                 (int)(end - threads) - 2, threads + 3, rest);
    else
        text_set(finding->detail, sizeof finding->detail, "%s\n%s", message, rest);
}

static void tell(const struct grader_build *build, const char *sentence, int line,
                 struct grader_outcome *outcome)
{
    struct grader_finding *finding = &outcome->finding;
    tell_consequence(race_of_stores(outcome), finding);
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

bool trial_tell_half_guard(const struct grader *grader, const struct grader_task *task,
                           struct grader_outcome *tried)
{
    const struct protocol_hazard *race = race_of_stores(tried);
    const char *slash = strrchr(grader->build.source, '/'), *file = slash ? slash + 1 : grader->build.source;
    struct source source;
    char array[64], sentence[512] = "";
    const char *place = strrchr(tried->finding.file, '/');
    if (!race || tried->finding.line <= 0 || strcmp(place ? place + 1 : tried->finding.file, file) != 0 ||
        (sscanf(race->message, "race on shared array %63[A-Za-z0-9_]", array) != 1 &&
         sscanf(race->message, "race on %63[A-Za-z0-9_]", array) != 1))
        return false;
    build_read_source(&grader->build, &source);
    const bool found =
        kernel_text_half_guard(&source, file, tried->finding.line, array, sentence, sizeof sentence);
    source_free(&source);
    return found && trial_tell_stores(&grader->build, task, sentence, tried->finding.line, tried);
}
