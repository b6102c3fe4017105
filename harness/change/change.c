#include "harness/change/change.h"

#include "harness/result/score.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/cause/kernel_text.h"
#include "harness/change/change_internal.h"
#include "harness/change/sources.h"
#include "harness/judge/call.h"
#include "harness/report/failure.h"
#include "sim/device/launch_change.h"
#include "sim/ptx/ptx_change.h"

#define CHANGES_MOST 200
#define CHANGES_ALL  800 /* if changes of the source were in vain, too */
#define CHANGES_FEW  60  /* where the wrong input and the right one are both known */
#define SOURCE_MOST  3   /* batches of changes of the source; */
#define SOURCE_FEW   1   /* … there */
/* … of the case that is told, if nothing is known of its cause: a few changes of launches are worth a longer wait then. */
#define CASE_UNKNOWN UINT64_C(12000000)
/*
 * A student waits for this: six seconds on a machine that does nothing else, about. What is counted is work and not
 * time, so that the verdict is the same on a busy machine: see cost_of.
 */
#define WORK_MOST     6.0
#define WORK_LAUNCHES 2.5  /* … of it, for changes of launches */
#define WORK_MORE     3.0  /* … for the changes between CHANGES_MOST and CHANGES_ALL */
#define WORK_UNKNOWN  16.0 /* … for those, of a long case whose cause is not known */
#define LAST_RESORT   60.0 /* seconds of the clock */

static const struct attempt nothing = {.kernels = -2};

/* ---- which lines ----------------------------------------------------------------------------------------- */

static void add_line(struct trial *t, long line)
{
    const int most = sizeof t->near / sizeof *t->near;
    for (int i = 0; i < t->near_count; i++)
        if (t->near[i] == line)
            return;
    if (line > 0 && t->near_count < most)
        t->near[t->near_count++] = (int32_t)line;
}

/* ---- which change -------------------------------------------------------------------------------------- */

/* A store that adds is tried as an atomic addition, which takes part in no race; += would. */
static bool hides_race(const struct trial *t, const struct protocol_change *change)
{
    return t->is_race && change->kind == PTX_CHANGE_ADD;
}

/*
 * The first of the changes of the kernels, from number `first` on and fewer than `most`, that make all cases right; false:
 * none does. Of a line that is given, only if none of the next ones is of the student's.
 */
static bool find_change(struct trial *t, int first, int most, double work, struct protocol_change *found)
{
    struct attempt attempt = {.kernels = -1};
    t->found = -1;
    trial_ask(t, &t->cases[0], &attempt, false);
    const int count = (int)t->exchange.mailbox.change.count;
    most = most < count ? most : count;
    for (attempt.kernels = first; attempt.kernels < most; attempt.kernels++) {
        if (trial_is_over(t, work))
            break;
        if (!trial_makes_all_right(t, &attempt) || hides_race(t, &t->exchange.mailbox.change))
            continue;
        struct protocol_change change = t->exchange.mailbox.change;
        trial_locate(&t->grader->build, &change);
        const bool given = trial_is_given(&t->grader->build, change.place.line);
        if (!given || t->found < 0) {
            *found = change;
            t->found = attempt.kernels;
        }
        if (!given)
            break;
        most = most < t->found + CHANGES_FEW ? most : t->found + CHANGES_FEW;
    }
    return t->found >= 0;
}

/* The same of the changes of launches. */
static const struct protocol_launch_change *find_launch(struct trial *t, bool races)
{
    const bool is_long = t->cases[0].instructions > TRIAL_CASE_MOST;
    const double most = t->work + (is_long ? WORK_UNKNOWN : WORK_LAUNCHES);
    const char *slash = strrchr(t->grader->build.source, '/');
    trial_ask(t, &t->cases[0], &nothing, false);
    trial_find_launches(&t->cases[0].call, &t->exchange.mailbox, slash ? slash + 1 : t->grader->build.source,
                        races, &t->launches);
    for (int i = 0; i < t->launches.count; i++) {
        const struct attempt attempt = {.kernels = -2, .launch = t->launches.change[i]};
        if (trial_is_over(t, most))
            return NULL;
        if (trial_makes_all_right(t, &attempt))
            return &t->launches.change[i];
    }
    return NULL;
}

struct grader_case *trial_case_of(struct grader *grader, const struct failure *failure)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++)
            if (&grader->tasks[i].cases[k].outcome[BACKEND_SIM] == failure->outcome)
                return &grader->tasks[i].cases[k];
    return NULL;
}

/* Puts the sentence behind the first line. */
static void put_second(char *text, size_t size, const char *sentence)
{
    char *rest = strdup(text);
    const int first = (int)strcspn(text, "\n");
    if (rest)
        text_set(text, size, "%.*s\n%s\n%s", first, rest, sentence, rest[first] ? rest + first + 1 : "");
    free(rest);
}

/*
 * Where the cause is not known, this is it. A hazard comes before it, and so does a cause that names the wrong input
 * and the right one. `second`: what is known comes before in any case.
 */
static void put(const struct grader *grader, const char *sentence, int line, bool second,
                struct grader_finding *finding)
{
    char rest[sizeof finding->detail];
    fact_add_tried(&finding->facts, grader->build.source, line);
    if (finding->reason != REASON_VALUES && !finding->cause[0]) {
        text_set(rest, sizeof rest, "%s", finding->detail);
        text_set(finding->detail, sizeof finding->detail, "%s\n%s", sentence, rest);
        return;
    }
    if (finding->reason != REASON_VALUES || finding->known >= KNOWN_WHY ||
        (second && finding->cause[0] && finding->line > 0)) {
        put_second(finding->cause, sizeof finding->cause, sentence);
        return;
    }
    if (finding->guess > 0 && finding->guess < sizeof finding->detail)
        finding->detail[finding->guess] = '\0'; /* a guess that was made without knowing it */
    text_set(rest, sizeof rest, "%s", finding->cause);
    text_set(finding->cause, sizeof finding->cause, "%s\n%s", sentence, rest);
    text_set(finding->file, sizeof finding->file, "%s", grader->build.source);
    finding->line = line;
    finding->known = second
                         ? KNOWN_MORE
                         : KNOWN_WHY; /* what another case's values say comes before a change of a launch */
}

/* With those of another case: see trial_tell_stores. */
static bool is_told_of_stores(const struct grader_finding *finding)
{
    return finding->reason == REASON_HAZARD && !fact_find(&finding->facts, FACT_HAZARD);
}

static void put_change(struct trial *t, const struct protocol_change *change)
{
    char sentence[768];
    trial_sentence(&t->grader->build, change, t->wrong_count, t->task->failed, sentence, sizeof sentence);
    for (int i = 0; i < t->wrong_count; i++) {
        struct grader_outcome *outcome = &t->cases[i].of->outcome[BACKEND_SIM];
        if (!trial_tell_stores(&t->grader->build, t->task, sentence, change->place.line, outcome) &&
            !is_told_of_stores(&outcome->finding))
            put(t->grader, sentence, change->place.line, false, &outcome->finding);
    }
}

/* Several threads store or add to the element, as far as its cause is known. */
static bool is_shared(const struct grader_finding *finding)
{
    return fact_find(&finding->facts, FACT_OVERWRITTEN) || fact_find(&finding->facts, FACT_STORED_TWICE) ||
           fact_find(&finding->facts, FACT_DOUBLED);
}

static void put_launch(struct trial *t, const struct protocol_launch_change *change)
{
    char sentence[768];
    trial_launch_sentence(&t->grader->build, &t->cases[0].call, &t->launches, change,
                          is_shared(&t->cases[0].of->outcome[BACKEND_SIM].finding), t->wrong_count,
                          t->task->failed, sentence, sizeof sentence);
    for (int i = 0; i < t->wrong_count; i++)
        put(t->grader, sentence, change->line, true, &t->cases[i].of->outcome[BACKEND_SIM].finding);
}

/* More blocks only hide what is wrong. */
static bool put_loop(struct trial *t, const struct protocol_launch_change *change)
{
    char sentence[768];
    int line;
    if (!trial_loop_sentence(&t->grader->build, &t->launches, change, t->wrong_count, t->task->failed,
                             sentence, sizeof sentence, &line))
        return false;
    for (int i = 0; i < t->wrong_count; i++)
        put(t->grader, sentence, line, false, &t->cases[i].of->outcome[BACKEND_SIM].finding);
    return true;
}

/*
 * Two built-in variables that are exchanged, as in blockIdx.x * gridDim.x + threadIdx.x: it may be right as well to replace
 * only one of them, here gridDim.x by blockDim.x, which is what most authors mean. Then both changes are told.
 */
static void try_builtin(struct trial *t, const struct protocol_change *exchange)
{
    struct attempt attempt = {.kernels = t->found + 1};
    if (exchange->kind != PTX_CHANGE_EXCHANGE || !trial_builtin_name(exchange->from))
        return;
    for (; attempt.kernels < CHANGES_MOST && !trial_is_over(t, WORK_MOST); attempt.kernels++) {
        const bool is_right = trial_makes_all_right(t, &attempt);
        struct protocol_change change = t->exchange.mailbox.change;
        if (change.kind > PTX_CHANGE_BUILTIN)
            return;
        if (is_right && change.kind == PTX_CHANGE_BUILTIN && change.place.line == exchange->place.line) {
            put_change(t, &change);
            return;
        }
    }
}

/* Does a change of the source make it right, in another line than this one? */
static bool try_source(struct trial *t, int other)
{
    char sentence[768];
    int line;
    if (!t->repairs || !repair_try(t->repairs, t, sentence, sizeof sentence, &line) || line == other)
        return false;
    for (int i = 0; i < t->wrong_count; i++) {
        struct grader_finding *finding = &t->cases[i].of->outcome[BACKEND_SIM].finding;
        put(t->grader, sentence, line, true, finding); /* a known cause with a place explains more */
        if (i > 0)
            continue;
        finding->facts.fact[finding->facts.count - 1].what = 1; /* that of the source */
        finding->known = KNOWN_PROVED;
    }
    return true;
}

/* The change is in a function that is called: the mistake may stand in the line that calls it. */
static bool try_callers(struct trial *t, const struct protocol_change *change)
{
    if (change->place.call_line <= 0)
        return false;
    repair_end(t->repairs);
    t->near_count = 0;
    add_line(t, change->place.call_line);
    add_line(t, change->place.line);
    t->repairs = repair_begin(t, SOURCE_FEW);
    return try_source(t, change->place.line);
}

/* A change of a launch and one of the kernels may both make it right: then both are told. False: none does. */
static bool try_cases(struct trial *t, bool races)
{
    struct protocol_change change = {0};
    const struct protocol_launch_change *launch = find_launch(t, races);
    if (launch && put_loop(t, launch))
        return true;
    if (launch)
        t->most = CHANGES_FEW;
    const bool is_found = find_change(t, 0, t->most, WORK_MOST, &change);
    const bool own = is_found && !trial_is_given(&t->grader->build, change.place.line);
    if (launch && own && trial_is_given(&t->grader->build, launch->line))
        launch = NULL;
    if (launch)
        put_launch(t, launch);
    const bool same = launch && launch->kind == SIM_LAUNCH_EXCHANGE && change.kind == PTX_CHANGE_ARGUMENTS;
    if (is_found && !same && !try_callers(t, &change)) {
        put_change(t, &change);
        try_builtin(t, &change);
    }
    return launch || is_found;
}

/* The rest of the changes of the kernels. */
static void try_rest(struct trial *t)
{
    struct protocol_change change = {0};
    if (find_change(t, CHANGES_MOST, CHANGES_ALL, t->work + WORK_MORE, &change))
        put_change(t, &change);
}

static bool is_race(const struct grader_finding *finding)
{
    return finding->reason == REASON_HAZARD && fact_is_racing(&finding->facts);
}

/* A race goes away wherever threads do, and where threads share elements, more of them cover what is missing. */
static bool goes_with_threads(const struct grader_finding *finding)
{
    return is_race(finding) || fact_find(&finding->facts, FACT_STORED_TWICE);
}

/* Where the kernels are launched. */
static void add_launches(struct trial *t)
{
    const struct protocol_mailbox *mailbox = &t->exchange.mailbox;
    trial_ask(t, &t->cases[0], &nothing, false);
    for (uint32_t i = 0; i < mailbox->seen_count && i < PROTOCOL_MAX_SEEN; i++)
        add_line(t, mailbox->seen[i].place.line);
}

static void try_changes(struct trial *t, struct grader_case *first)
{
    struct grader_finding *finding = &first->outcome[BACKEND_SIM].finding;
    const bool is_known = finding->reason != REASON_VALUES || finding->known >= KNOWN_WHY;
    add_launches(t);
    if (!t->is_race) /* the report has both accesses: nvcc would know nothing better */
        t->repairs = repair_begin(t, is_known ? SOURCE_FEW : SOURCE_MOST);
    if (!try_cases(t, goes_with_threads(finding)) &&
        !trial_tell_half_guard(t->grader, t->task, &first->outcome[BACKEND_SIM])) {
        kernel_explain_guard(t->grader, finding);
        if (!try_source(t, 0) && !is_known)
            try_rest(t);
    }
    repair_end(t->repairs);
}

static void try_failure(struct grader *grader, const struct failure *failure)
{
    struct grader_case *first = trial_case_of(grader, failure);
    struct trial *t = first ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return;
    const double begun = process_clock();
    t->end = begun + LAST_RESORT;
    t->grader = grader;
    t->task = failure->task;
    t->process = &grader->fresh;
    const struct grader_finding *finding = &first->outcome[BACKEND_SIM].finding;
    t->hazards =
        finding->reason == REASON_HAZARD && !fact_is_hazard(&finding->facts, SIM_HAZARD_OUT_OF_BOUNDS);
    t->is_race = is_race(finding);
    t->case_most = finding->reason == REASON_VALUES && !finding->cause[0] ? CASE_UNKNOWN : TRIAL_CASE_MOST;
    t->most = finding->reason == REASON_VALUES && finding->known >= KNOWN_WHY ? CHANGES_FEW : CHANGES_MOST;
    add_line(t, finding->line);
    for (int i = 0; i < finding->facts.line_count; i++)
        add_line(t, finding->facts.line[i]);
    progress_begin("%s %s: what would make it right?", the_lab.name, t->task->task->id);
    if (trial_choose_cases(t, first))
        try_changes(t, first);
    else if (!trial_tell_half_guard(grader, t->task, &first->outcome[BACKEND_SIM]))
        kernel_explain_guard(grader, &first->outcome[BACKEND_SIM].finding);
    phase_add(PHASE_TRIALS, begun);
    trial_free_cases(t);
    process_stop(t->process);
    free(t);
}

/* A condition before a barrier that came out the same for all threads would silence that, and be no less wrong. */
static bool parts_threads(const struct failure *failure)
{
    const struct protocol_hazard *hazard = failure_hazard(failure->outcome);
    return hazard && hazard->parts_threads;
}

/* Where memory was freed too early is known; a change with which nothing uses it any more says less. */
static bool is_known_to_be_freed(const struct failure *failure)
{
    return fact_is_hazard(&failure->outcome->finding.facts, SIM_HAZARD_USE_AFTER_FREE);
}

void trial_run(struct grader *grader)
{
    struct failures failures;
    if (grader_is_ending(grader) || !failures_find(grader, &failures))
        return;
    if (failures.first && failures.first->is_case && !failures.first->open &&
        !parts_threads(failures.first) && !is_known_to_be_freed(failures.first) &&
        !fact_find(&failures.first->outcome->finding.facts, FACT_BY_LUCK))
        try_failure(grader, failures.first);
    failures_free(&failures);
}
