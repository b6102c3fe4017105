#include "harness/change/change.h"

#include "harness/result/score.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/cause/explain.h"
#include "harness/change/change_internal.h"
#include "harness/change/sources.h"
#include "harness/judge/call.h"
#include "harness/report/failure.h"
#include "harness/source/uses.h"

#define SOURCE_MOST 2 /* batches of changes of the source; */
#define SOURCE_FEW  1 /* … where the wrong input and the right one are both known; none for a second task */
/* Warp instructions of the case that is told, if nothing is known of its cause: that is worth a longer wait. */
#define CASE_UNKNOWN UINT64_C(12000000)
/* Seconds of the clock, for what waits: what works is limited by its instructions. */
#define LAST_RESORT 240.0

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

/* Where what the line uses comes from. */
static void add_used(struct trial *t)
{
    int lines[USES_MOST];
    char *text = t->at > 0 ? trial_read_file(t->grader->build.source_path) : NULL;
    for (int i = text ? uses_find(text, t->at, lines) : 0; i-- > 0;)
        add_line(t, lines[i]);
    free(text);
}

bool trial_has_given(const struct trial *t, int line)
{
    return line >= 0 && line < TRIAL_LINES_MOST && t->given[line];
}

struct grader_case *trial_case_of(struct grader *grader, const struct failure *failure)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++)
            if (&grader->tasks[i].cases[k].outcome[BACKEND_SIM] == failure->outcome)
                return &grader->tasks[i].cases[k];
    return NULL;
}

/* ---- what is told -------------------------------------------------------------------------------------- */

static void say_outcome(const struct trial *t, char *text, size_t size)
{
    const int failing = t->task->failed;
    const char *task = t->task->task->id; /* others may fail for another reason */
    if (failing == 1)
        text_append(text, size, ", the failing case comes out right");
    else if (t->wrong_count == failing && failing == 2)
        text_append(text, size, ", both failing cases of %s come out right", task);
    else if (t->wrong_count == failing)
        text_append(text, size, ", all %d failing cases of %s come out right", failing, task);
    else
        text_append(text, size, ", %d of the %d failing cases of %s %s right", t->wrong_count, failing, task,
                    t->wrong_count == 1 ? "was tried, and comes out" : "were tried, and all come out");
}

/* Two sentences, one line each: what was changed and where; the change itself. That it is the mistake, neither says. */
struct trial_told {
    int line;
    char first[768], whole[1024];
};

static void tell_trial(const struct trial *t, const struct trial_words *words, struct trial_told *told)
{
    const char *file = text_file_name(t->grader->build.source);
    const int held = t->held_count;
    told->line = words->line;
    text_set(told->first, sizeof told->first, "%s:%d: %swith %s", file, words->line, words->seen,
             words->what);
    if (words->part[0])
        text_append(told->first, sizeof told->first, ", `%s`", words->part);
    say_outcome(t, told->first, sizeof told->first);
    text_append(told->first, sizeof told->first, " (tried in the simulator).");
    text_set(told->whole, sizeof told->whole, "%s:%d: %s%s", file, words->line, words->seen, words->how);
    say_outcome(t, told->whole, sizeof told->whole);
    text_append(told->whole, sizeof told->whole,
                " (tried in the simulator), and so %s %d call%s with other inputs or sizes.",
                held == 1 ? "does" : "do", held, held == 1 ? "" : "s");
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
 * Where the cause is not known, this is it. A hazard comes before it, and so does a cause that has a place, or names the wrong
 * input and the right one.
 */
static void put(const struct grader *grader, const char *sentence, int line, struct grader_finding *finding)
{
    char rest[sizeof finding->detail];
    if (finding->reason != REASON_VALUES && !finding->cause[0]) {
        text_set(rest, sizeof rest, "%s", finding->detail);
        text_set(finding->detail, sizeof finding->detail, "%s\n%s", sentence, rest);
        finding->consequence += strlen(sentence) + 1;
        return;
    }
    if (finding->reason != REASON_VALUES || finding->known >= KNOWN_WHY ||
        (finding->cause[0] && finding->line > 0)) {
        put_second(finding->cause, sizeof finding->cause, sentence);
        return;
    }
    text_set(rest, sizeof rest, "%s", finding->cause);
    text_set(finding->cause, sizeof finding->cause, "%s\n%s", sentence, rest);
    text_set(finding->file, sizeof finding->file, "%s", grader->build.source);
    finding->line = line;
    finding->known = KNOWN_MORE; /* what another case's values say comes before */
}

/* In the environment, REPAIRS=first: the change itself, which --explain and a hint tell, is told at once; none: it is not looked for. */
static bool is_wished(const char *what)
{
    const char *wish = getenv("REPAIRS");
    return wish && strcmp(wish, what) == 0;
}

/* Of a deadlock it is told who waits where: a change that may not mend all of it would only lead away. */
static bool leads_away(const struct trial *t)
{
    return fact_is_hazard(&t->cases[0].of->outcome[BACKEND_SIM].finding.facts, SIM_HAZARD_DEADLOCK) &&
           t->wrong_count < t->task->failed;
}

static void put_words(struct trial *t, const struct trial_words *words)
{
    struct trial_told told;
    if (leads_away(t))
        return;
    tell_trial(t, words, &told);
    const char *sentence = is_wished("first") ? told.whole : told.first;
    for (int i = 0; i < t->wrong_count; i++) {
        struct grader_finding *finding = &t->cases[i].of->outcome[BACKEND_SIM].finding;
        put(t->grader, sentence, told.line, finding);
        fact_add_tried(&finding->facts, t->grader->build.source, told.line);
        text_set(finding->change, sizeof finding->change, "%s", told.whole);
        if (i == 0)
            finding->known = KNOWN_PROVED;
    }
}

/* ---- what is tried ------------------------------------------------------------------------------------- */

static bool is_race(const struct grader_finding *finding)
{
    return finding->reason == REASON_HAZARD && fact_is_racing(&finding->facts);
}

/* Where the kernels are launched. */
static void add_launches(struct trial *t)
{
    const struct protocol_mailbox *mailbox = &t->exchange.mailbox;
    trial_ask(t, &t->cases[0], 0, false);
    for (uint32_t i = 0; i < mailbox->seen_count && i < PROTOCOL_MAX_SEEN; i++)
        add_line(t, mailbox->seen[i].line);
}

static void try_changes(struct trial *t, struct grader_case *first, bool is_second)
{
    struct grader_finding *finding = &first->outcome[BACKEND_SIM].finding;
    const bool is_known = finding->reason != REASON_VALUES || finding->known >= KNOWN_WHY;
    add_launches(t);
    t->repairs = repair_begin(t, is_second ? 0 : is_known ? SOURCE_FEW : SOURCE_MOST);
    struct trial_words words;
    if (!t->repairs || !repair_try(t->repairs, t))
        repair_left_out(t->repairs, finding->change, sizeof finding->change);
    else if (repair_tell(t->repairs, t, &words))
        put_words(t, &words);
    repair_end(t->repairs);
}

/* False: nothing could be tried. */
static bool try_failure(struct grader *grader, const struct failure *failure, bool is_second)
{
    struct grader_case *first = trial_case_of(grader, failure);
    struct trial *t = first ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return false;
    const double begun = process_clock();
    t->end = begun + LAST_RESORT;
    t->grader = grader;
    t->task = failure->task;
    t->process = &grader->fresh;
    const struct grader_finding *finding = &first->outcome[BACKEND_SIM].finding;
    t->hazards =
        finding->reason == REASON_HAZARD && !fact_is_hazard(&finding->facts, SIM_HAZARD_OUT_OF_BOUNDS);
    t->is_by_luck = finding->reason == REASON_HAZARD && !finding->detail[finding->consequence];
    t->race = is_race(finding) ? failure_hazard(&first->outcome[BACKEND_SIM]) : NULL;
    t->case_most = finding->reason == REASON_VALUES && !finding->cause[0] ? CASE_UNKNOWN : TRIAL_CASE_MOST;
    trial_find_given(&grader->build, t->given, TRIAL_LINES_MOST);
    const struct protocol_hazard *hazard = failure_hazard(&first->outcome[BACKEND_SIM]);
    t->at = finding->line;
    t->is_access =
        hazard && (hazard->class == SIM_HAZARD_OUT_OF_BOUNDS || hazard->class == SIM_HAZARD_MISALIGNED);
    add_line(t, finding->line);
    for (int i = 0; i < finding->facts.line_count; i++)
        add_line(t, finding->facts.line[i]);
    t->named_count = t->near_count;
    add_used(t);
    progress_begin("%s %s: what would make it right?", the_lab.name, t->task->task->id);
    const bool can = trial_choose_cases(t, first);
    if (can)
        try_changes(t, first, is_second);
    phase_add(PHASE_TRIALS, begun);
    trial_free_cases(t);
    process_stop(t->process);
    free(t);
    return can;
}

/* A condition before a barrier that came out the same for all threads would silence that, and be no less wrong. */
static bool parts_threads(const struct failure *failure)
{
    const struct protocol_hazard *hazard = failure_hazard(failure->outcome);
    return hazard && hazard->parts_threads;
}

/* Where memory was freed too early is known; a change with which nothing uses it any more says less. */
static bool may_be_tried(const struct failure *failure)
{
    const struct facts *facts = &failure->outcome->finding.facts;
    return failure->is_case && !failure->open && !parts_threads(failure) &&
           !fact_is_hazard(facts, SIM_HAZARD_USE_AFTER_FREE) && !fact_find(facts, FACT_BY_LUCK);
}

/* What is wrong with another task that the first failure does not explain: there may be two mistakes. NULL: nothing. */
static const struct failure *find_second(const struct grader *grader, const struct failures *failures)
{
    const struct failure *second = NULL;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct failure *other = failures_other(failures, &grader->tasks[i]);
        if (other && other->task != failures->first->task && may_be_tried(other) &&
            (!second || failure_compare(other, second) < 0))
            second = other;
    }
    return second;
}

void trial_run(struct grader *grader)
{
    struct failures failures;
    if (is_wished("none") || grader_is_ending(grader) || !failures_find(grader, &failures))
        return;
    const bool is_second =
        failures.first && may_be_tried(failures.first) && try_failure(grader, failures.first, false);
    const struct failure *second = failures.first ? find_second(grader, &failures) : NULL;
    if (second && !grader_is_ending(grader))
        try_failure(grader, second, is_second);
    failures_free(&failures);
}
