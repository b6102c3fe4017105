#include "harness/grader_unoptimized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/grader_failure.h"
#include "harness/grader_phase.h"
#include "harness/grader_process.h"
#include "harness/grader_progress.h"
#include "harness/grader_recompile.h"
#include "harness/grader_trial_internal.h"

#define NOT_OPTIMIZED "-Xcicc -O0"

static bool is_trap(const struct grader_finding *finding)
{
    return strstr(finding->detail, "executed a trap") != NULL;
}

/* Is it known only where it goes wrong, and not why? Of a variable without a value, nvcc leaves no trace but where it ends. */
static bool is_unexplained(const struct grader_finding *finding)
{
    return finding->reason == REASON_VALUES && !finding->after_others &&
           (finding->telling == 0 || strstr(finding->cause, "that was never set"));
}

/* The student's file under its own name, so that its lines are named. */
static bool write_source(const struct grader_build *build, const char *path)
{
    char name[RECOMPILE_PATH + 8];
    char *text = trial_read_file(build->source_path);
    recompile_name(path, ".cu", name);
    FILE *file = text ? fopen(name, "w") : NULL;
    if (file) {
        fputs("#line 1 \"", file);
        for (const char *s = build->source_path; *s; s++)
            fprintf(file, strchr("\\\"", *s) ? "\\%c" : "%c", *s);
        fprintf(file, "\"\n%s", text);
    }
    free(text);
    return file && fclose(file) == 0;
}

/* The case with the file as it is compiled without optimization. False: that cannot be run. */
static bool run_unoptimized(struct grader *grader, const struct grader_task *task,
                            const struct grader_case *c, struct grader_outcome *outcome)
{
    char folder[RECOMPILE_FOLDER], path[RECOMPILE_PATH];
    double ignored = 0;
    if (!recompile_is_possible(&grader->build) || !recompile_make_folder(folder))
        return false;
    snprintf(path, sizeof path, "%s/worker", folder);
    const pid_t compiler =
        write_source(&grader->build, path) ? recompile_begin(&grader->build, path, NOT_OPTIMIZED) : 0;
    const bool is_made = compiler > 0 && recompile_wait(compiler, &ignored);
    if (is_made && !grader_is_ending(grader)) {
        struct process worker;
        process_init(&worker, path, grader->fresh.model, grader->fresh.arena);
        cases_run_in(grader, task, c, &worker, outcome);
        process_stop(&worker);
    }
    recompile_drop(0, path);
    rmdir(folder);
    return is_made && outcome->run;
}

/* What the simulator cannot run, or what takes too long there, says nothing. */
static bool says_more(const struct grader_outcome *was, const struct grader_outcome *is)
{
    const bool is_value = is->finding.reason == REASON_VALUES && is->finding.telling > 0;
    if (is->passed || is_trap(&is->finding))
        return false;
    return is->finding.reason == REASON_HAZARD || (is_value && !is_trap(&was->finding));
}

/* " at student.cu:30", or "": in the line of the report that says of the trap which thread came there. */
static void find_place(const struct grader_finding *trap, char *place, size_t size)
{
    const char *at = strstr(trap->detail, "executed a trap"), *end;
    text_set(place, size, "%s", "");
    while (at && at > trap->detail && at[-1] != '\n')
        at--;
    if (at && (end = strstr(at, ": thread")) && end < at + strcspn(at, "\n"))
        text_set(place, size, " at %.*s", (int)(end - at), at);
}

/* Cases that end at the same trap have the same cause. */
static void put_place(struct grader *grader, const char *place, const struct grader_finding *found)
{
    char other[256];
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++) {
            struct grader_finding *finding = &grader->tasks[i].cases[k].outcome[BACKEND_SIM].finding;
            find_place(finding, other, sizeof other);
            if (!is_trap(finding) || !other[0] || strcmp(other, place) != 0)
                continue;
            finding->line = found->line;
            text_set(finding->file, sizeof finding->file, "%s", found->file);
        }
}

static void tell(struct grader *grader, struct grader_outcome *outcome, const struct grader_outcome *found)
{
    const struct grader_finding was = outcome->finding;
    struct grader_finding *finding = &outcome->finding;
    char place[256];
    find_place(&was, place, sizeof place);
    if (is_trap(&was) && found->finding.line > 0)
        put_place(grader, place, &found->finding);
    *finding = found->finding;
    finding->stays = true;
    outcome->hazard_count = found->hazard_count;
    memcpy(outcome->hazard, found->hazard, sizeof outcome->hazard);
    if (is_trap(&was))
        text_append(
            finding->detail, sizeof finding->detail,
            "That is what happens without optimization. With it, the kernel stops in a trap%s: "
            "nvcc takes for granted that no thread does what is not defined, and leaves out what follows.\n",
            place);
    else if (finding->reason != REASON_VALUES)
        text_append(
            finding->detail, sizeof finding->detail,
            "That is what happens without optimization. With it, only wrong values are seen: nvcc leaves out "
            "what is not defined, and may do anything instead.\n");
    else
        text_append(
            finding->detail, sizeof finding->detail,
            "That was found with the file compiled without optimization; with it, the values may differ.\n");
}

void unoptimized_explain(struct grader *grader)
{
    struct failures failures;
    struct grader_outcome found = {0};
    if (grader_is_ending(grader) || !failures_find(grader, &failures))
        return;
    const struct failure *first = failures.first;
    struct grader_case *c = first && first->is_case && !first->open ? trial_case_of(grader, first) : NULL;
    struct grader_outcome *outcome = c ? &c->outcome[BACKEND_SIM] : NULL;
    if (outcome && (is_trap(&outcome->finding) || is_unexplained(&outcome->finding))) {
        const double begun = process_clock();
        progress_begin("%s %s: without optimization", the_lab.name, first->task->task->id);
        if (run_unoptimized(grader, first->task, c, &found) && says_more(outcome, &found))
            tell(grader, outcome, &found);
        phase_add(PHASE_CAUSES, begun);
    }
    failures_free(&failures);
}
