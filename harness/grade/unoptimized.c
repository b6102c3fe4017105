#include "harness/grade/unoptimized.h"

#include "harness/grade/cases.h"
#include "harness/result/score.h"
#include "harness/source/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/change/change_internal.h"
#include "harness/change/recompile.h"
#include "harness/report/failure.h"
#include "harness/wire/process.h"

#define NOT_OPTIMIZED "-Xcicc -O0"

static bool is_trap(const struct grader_finding *finding)
{
    return fact_find(&finding->facts, FACT_TRAP) != NULL;
}

/* Shared memory that is never filled: what nvcc knows to be undefined, it does not store. */
static bool is_never_filled(const struct grader_finding *finding)
{
    const struct fact *hazard = fact_find(&finding->facts, FACT_HAZARD);
    return finding->reason == REASON_HAZARD && hazard && hazard->what == SIM_HAZARD_UNINITIALIZED &&
           hazard->space == SIM_SPACE_SHARED;
}

/* Is it known only where it goes wrong, and not why? Of a variable without a value, nvcc leaves no trace but where it ends. */
static bool is_unexplained(const struct grader_finding *finding)
{
    if (is_never_filled(finding))
        return true;
    return finding->reason == REASON_VALUES && !fact_find(&finding->facts, FACT_AFTER_OTHERS) &&
           (finding->known == KNOWN_WHERE || fact_find(&finding->facts, FACT_NO_VALUE));
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

/* ---- the file, compiled without optimization ----------------------------------------------------------- */

struct unoptimized {
    char folder[RECOMPILE_FOLDER], path[RECOMPILE_PATH], ptx[RECOMPILE_PATH + 8];
    pid_t compiler; /* 0: it cannot be compiled, or has been */
    bool is_made;
};

static void drop(struct unoptimized *u)
{
    recompile_drop(u->compiler, u->path);
    if (u->folder[0])
        rmdir(u->folder);
    free(u);
}

/* Begins to compile it; NULL: that is not possible. */
static struct unoptimized *begin(const struct grader_build *build)
{
    struct unoptimized *u = recompile_is_possible(build) ? calloc(1, sizeof *u) : NULL;
    if (!u)
        return NULL;
    if (recompile_make_folder(u->folder)) {
        snprintf(u->path, sizeof u->path, "%s/worker", u->folder);
        recompile_name(u->path, ".o", u->ptx);
        u->compiler =
            write_source(build, u->path) ? recompile_begin(build, u->path, NOT_OPTIMIZED, RECOMPILE_PTX) : 0;
    }
    if (u->compiler > 0)
        return u;
    drop(u);
    return NULL;
}

static bool wait_until_made(struct unoptimized *u)
{
    if (u->compiler > 0)
        u->is_made = recompile_wait(u->compiler);
    u->compiler = 0;
    return u->is_made;
}

/* A worker whose kernels are those. */
static void make_worker(const struct unoptimized *u, const struct grader *grader, struct process *worker)
{
    process_init(worker, grader->fresh.path, grader->fresh.model, grader->fresh.arena);
    worker->program = u->ptx;
}

/* The case with the file as it is compiled without optimization. False: that cannot be run. */
static bool run_unoptimized(struct grader *grader, const struct grader_task *task,
                            const struct grader_case *c, struct grader_outcome *outcome)
{
    struct unoptimized *u = begin(&grader->build);
    if (u && wait_until_made(u) && !grader_is_ending(grader)) {
        struct process worker;
        make_worker(u, grader, &worker);
        cases_run_in(grader, task, c, &worker, outcome);
        process_stop(&worker);
    }
    if (u)
        drop(u);
    return outcome->run;
}

/* ---- of what fails ------------------------------------------------------------------------------------- */

/* What the simulator cannot run, or what takes too long there, says nothing. */
static bool says_more(const struct grader_outcome *was, const struct grader_outcome *is)
{
    const bool is_value = is->finding.reason == REASON_VALUES && is->finding.known > KNOWN_WHERE;
    if (is->passed || is_trap(&is->finding))
        return false;
    const struct fact *hazard = fact_find(&is->finding.facts, FACT_HAZARD);
    if (is_never_filled(&was->finding))
        return is->finding.reason == REASON_HAZARD && hazard && hazard->space == SIM_SPACE_LOCAL &&
               is->finding.line != was->finding.line;
    return is->finding.reason == REASON_HAZARD || (is_value && !is_trap(&was->finding));
}

/* " at student.cu:30", or "". */
static void name_place(const struct fact *trap, char *text, size_t size)
{
    const char *slash = trap ? strrchr(trap->place[0].file, '/') : NULL;
    text_set(text, size, "%s", "");
    if (trap && trap->place[0].line > 0)
        text_set(text, size, " at %s:%d", slash ? slash + 1 : trap->place[0].file, trap->place[0].line);
}

/* Cases that end at the same trap have the same cause. */
static void put_place(struct grader *grader, const struct protocol_place *place,
                      const struct grader_finding *found)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++) {
            struct grader_finding *finding = &grader->tasks[i].cases[k].outcome[BACKEND_SIM].finding;
            const struct fact *trap = fact_find(&finding->facts, FACT_TRAP);
            if (!trap || place->line == 0 || trap->place[0].line != place->line ||
                strcmp(trap->place[0].file, place->file) != 0)
                continue;
            finding->line = found->line;
            text_set(finding->file, sizeof finding->file, "%s", found->file);
        }
}

/* The same for cases in which the same line reads what was never filled. */
static void put_never_filled(struct grader *grader, const struct grader_finding *was,
                             const struct grader_finding *found)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++) {
            struct grader_finding *finding = &grader->tasks[i].cases[k].outcome[BACKEND_SIM].finding;
            if (!is_never_filled(finding) || finding->line != was->line ||
                strcmp(finding->file, was->file) != 0)
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
    const struct fact *trap = fact_find(&was.facts, FACT_TRAP);
    name_place(trap, place, sizeof place);
    if (trap && found->finding.line > 0)
        put_place(grader, &trap->place[0], &found->finding);
    if (is_never_filled(&was))
        put_never_filled(grader, &was, &found->finding);
    *finding = found->finding;
    finding->known = KNOWN_PROVED;
    if (is_never_filled(&was))
        fact_add(&finding->facts, FACT_BY_LUCK, FACT_PROVED, NULL);
    outcome->hazard_count = found->hazard_count;
    memcpy(outcome->hazard, found->hazard, sizeof outcome->hazard);
    if (is_trap(&was))
        text_append(
            finding->detail, sizeof finding->detail,
            "That is what happens without optimization. With it, the kernel stops in a trap%s: "
            "nvcc takes for granted that no thread does what is not defined, and leaves out what follows.\n",
            place);
    else if (is_never_filled(&was))
        text_append(
            finding->detail, sizeof finding->detail,
            "That is what happens without optimization. With it, nvcc stores nothing there, since the value is not "
            "defined, and %s:%d reads what no thread has stored.\n",
            was.file, was.line);
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
    struct grader_outcome *outcome = c && !c->gpu_only ? &c->outcome[BACKEND_SIM] : NULL;
    if (outcome && (is_trap(&outcome->finding) || is_unexplained(&outcome->finding))) {
        const double begun = process_clock();
        progress_begin("%s %s: without optimization", the_lab.name, first->task->task->id);
        if (run_unoptimized(grader, first->task, c, &found) && says_more(outcome, &found))
            tell(grader, outcome, &found);
        phase_add(PHASE_CAUSES, begun);
    }
    failures_free(&failures);
}

/* ---- of what passes ------------------------------------------------------------------------------------ */

#define CASES_OF_TASK  2
#define CASE_MOST      UINT64_C(6000) /* warp instructions of a case, with optimization */
#define ALL_CASES_MOST UINT64_C(40000)

static bool is_to_be_checked(const struct grader_task *task, const struct grader_case *c)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    struct failure shape = {.task = task, .arg = c->arg};
    failure_measure(&shape);
    return !shape.empty && outcome->run && outcome->passed && outcome->instructions > 0 &&
           outcome->instructions <= CASE_MOST;
}

/* The smallest, and one between: numbers of cases. Returns how many. */
static int choose_cases(const struct grader_task *task, int chosen[CASES_OF_TASK])
{
    int fit = 0, count = 0, at = 0;
    for (int i = 0; i < task->case_count; i++)
        fit += is_to_be_checked(task, &task->cases[i]);
    for (int i = 0; i < task->case_count && count < CASES_OF_TASK; i++)
        if (is_to_be_checked(task, &task->cases[i])) {
            if (at == 0 || at == fit / 2)
                chosen[count++] = i;
            at++;
        }
    return count;
}

static void take(struct grader_outcome *outcome, const struct grader_outcome *found)
{
    *outcome = *found;
    fact_add(&outcome->finding.facts, FACT_BY_LUCK, FACT_PROVED, NULL);
    text_append(
        outcome->finding.detail, sizeof outcome->finding.detail,
        "That is what the file says, compiled without optimization. With it, nvcc has happened to leave this out, "
        "so that nothing is to be seen: another version of nvcc may not.\n");
}

/* False: a hazard was found, and the others need not be run. */
static bool check_task(struct grader *grader, struct grader_task *task, struct process *worker,
                       uint64_t *work)
{
    int chosen[CASES_OF_TASK];
    const int count = task->task->intended_hazard ? 0 : choose_cases(task, chosen);
    for (int i = 0; i < count && *work < ALL_CASES_MOST && !grader_is_ending(grader); i++) {
        struct grader_case *c = &task->cases[chosen[i]];
        struct grader_outcome found = {0};
        *work += c->outcome[BACKEND_SIM].instructions;
        cases_run_in(grader, task, c, worker, &found);
        if (!found.run || found.passed || found.finding.reason != REASON_HAZARD)
            continue;
        take(&c->outcome[BACKEND_SIM], &found);
        return false;
    }
    return true;
}

void unoptimized_begin(struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (cases_failed(&grader->tasks[i]))
            return;
    if (!grader_is_ending(grader))
        grader->unoptimized = begin(&grader->build);
}

bool unoptimized_check(struct grader *grader)
{
    struct unoptimized *u = grader->unoptimized;
    struct process worker;
    uint64_t work = 0;
    bool right = true;
    grader->unoptimized = NULL;
    if (!u)
        return true;
    const double begun = process_clock();
    progress_begin("%s: without optimization", the_lab.name);
    if (wait_until_made(u)) {
        make_worker(u, grader, &worker);
        for (int i = 0; i < the_lab.task_count && right; i++)
            right = !grader->tasks[i].selected || check_task(grader, &grader->tasks[i], &worker, &work);
        process_stop(&worker);
    }
    drop(u);
    phase_add(PHASE_SIMULATOR, begun);
    return right;
}
