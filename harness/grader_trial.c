#include "harness/grader_trial.h"

#include <stdlib.h>
#include <string.h>

#include "harness/grader_call.h"
#include "harness/grader_failure.h"
#include "harness/grader_kernel_text.h"
#include "harness/grader_phase.h"
#include "harness/grader_progress.h"
#include "harness/grader_trial_internal.h"
#include "sim/device/launch_change.h"
#include "sim/ptx/ptx_change.h"

#define CHANGES_MOST 200
#define CHANGES_FEW  60               /* where the wrong input and the right one are both known */
#define CASE_MOST    UINT64_C(400000) /* warp instructions of a case that is tried */
/* … of the case that is told, if nothing is known of its cause: a few changes of launches are worth a longer wait then. */
#define CASE_UNKNOWN UINT64_C(12000000)
#define WRONG_MOST   8 /* cases */
#define RIGHT_MOST   2
/*
 * A student waits for this: six seconds on a machine that does nothing else, about. What is counted is work and not
 * time, so that the verdict is the same on a busy machine: see cost_of.
 */
#define WORK_MOST     6.0
#define WORK_LAUNCHES 2.5  /* … of it, for changes of launches */
#define WORK_UNKNOWN  16.0 /* … for those, of a long case whose cause is not known */
#define HOST_MOST     0.5  /* seconds of processor time that a case may take by itself */
#define LAST_RESORT   60.0 /* seconds of the clock */
#define TRY_TIMEOUT   30.0

struct trial_case {
    struct call call;
    struct lab_expect expect[LAB_MAX_BUFFERS + 1]; /* of buffer i - 1: the returned values come first */
    uint64_t instructions;
    uint64_t
        again; /* stores of what was stored already, without a change: a change must not be right by more of them */
    bool is_made;
    struct grader_case *of;
};

struct trial {
    struct grader *grader;
    const struct grader_task *task;
    struct process *process;
    struct exchange exchange;
    uint64_t functions; /* that the cases use */
    double work, end;   /* done so far, in seconds of a quiet machine; when the clock ends it */
    int most;           /* changes to be tried */
    uint64_t case_most; /* warp instructions of the case that is told */
    int found;          /* number of the one of the kernels that makes it right */
    bool hazards;       /* what is told is a hazard that the values do not show */
    bool is_race;       /* … or a race, whose values may be wrong as well */
    int32_t near[16];   /* lines that the finding names */
    int near_count;
    struct trial_case cases[WRONG_MOST + RIGHT_MOST];
    int case_count, wrong_count; /* the wrong ones come first */
    struct trial_launches launches;
};

/* What is changed: change number `kernels`, -2 for none, or the launches of a line. */
struct attempt {
    int kernels;
    struct protocol_launch_change launch;
};

static const struct attempt nothing = {.kernels = -2};

/* ---- one call ------------------------------------------------------------------------------------------ */

/*
 * About the seconds that a call takes when nothing else runs: a call by itself, and what it simulates, which is known
 * for the program without a change; with one, it may have come to its limit. Host code that computes for long has
 * nothing but its processor time, which other programs change little: a part of it counts, so that it does not matter
 * elsewhere.
 */
static double cost_of(const struct protocol_request *request, const struct trial_case *c,
                      const struct protocol_change *made)
{
    const double each = 0.004, warp_instruction = request->hazards ? 4e-7 : 1e-7;
    const double instructions = (double)(made->at_limit ? request->instruction_limit : c->instructions);
    const double cost = each + instructions * warp_instruction, host = made->processor_seconds / 8;
    return host > cost ? host : cost;
}

static bool is_over(const struct trial *t, double work)
{
    return grader_is_ending(t->grader) || t->work > work || process_clock() > t->end;
}

static uint64_t most_of(const struct trial *t, const struct trial_case *c)
{
    return c == &t->cases[0] ? t->case_most : CASE_MOST;
}

static void ask(struct trial *t, const struct trial_case *c, const struct attempt *attempt, bool hazards)
{
    struct protocol_request request = {.hazards = hazards,
                                       .counters = attempt->kernels < 0 && attempt->launch.kind == 0,
                                       .launch_change = attempt->launch,
                                       .instruction_limit = 4 * c->instructions + 100000};
    const char *slash = strrchr(t->grader->build.source, '/');
    if (c->instructions == 0)
        request.instruction_limit = most_of(t, c);
    text_set(request.change_in, sizeof request.change_in, "%s", slash ? slash + 1 : t->grader->build.source);
    request.change = attempt->kernels;
    request.change_of = t->functions;
    request.change_near_count = (uint32_t)t->near_count;
    memcpy(request.change_near, t->near, sizeof request.change_near);
    call_place(&c->call, t->process->arena, &request);
    process_ask(t->process, &request, PROTOCOL_TRY, TRY_TIMEOUT, &t->exchange);
    t->work += cost_of(&request, c, &t->exchange.mailbox.change);
}

static bool is_right(const struct trial_case *c)
{
    const struct call *call = &c->call;
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->damage[i].bytes_after || call->damage[i].bytes_before || call->damage[i].inputs_changed)
            return false;
    for (int i = 0; i <= call->run.buffer_count; i++) {
        const struct lab_expect *expect = &c->expect[i];
        if (!expect->want)
            continue;
        const struct compare_view view = {
            .type = i == 0 ? LAB_REAL : call->run.buffer[i - 1].type,
            .doubles = i == 0,
            .got = i == 0 ? (const void *)call->run.result : call->run.buffer[i - 1].data,
            .want = expect->want,
            .tolerance = expect->tolerance,
            .count = expect->count,
            .arg = call->run.arg,
        };
        if (!compare_agrees(&view))
            return false;
    }
    return true;
}

/*
 * The case with the change: does it come to its end with the right values, and without `hazards` where they are
 * looked for?
 */
static bool makes_right(struct trial *t, struct trial_case *c, const struct attempt *attempt, bool hazards)
{
    struct protocol_reply reply = {0};
    ask(t, c, attempt, hazards);
    const struct protocol_change *made = &t->exchange.mailbox.change;
    if (t->exchange.outcome != EXCHANGE_REPLY || !made->ended || made->status != PROTOCOL_OK ||
        t->exchange.mailbox.hazard_count > 0 || t->exchange.mailbox.again_count > c->again)
        return false;
    memcpy(reply.result, made->result, sizeof reply.result);
    call_take(&c->call, t->process->arena, &reply, true, true);
    return is_right(c);
}

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

/* "student.cu:38", "line 38" */
static void add_lines_of(struct trial *t, const char *text)
{
    static const char *const marks[] = {".cu:", " line "};
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
        for (const char *at = text; (at = strstr(at, marks[m]));) {
            at += strlen(marks[m]);
            add_line(t, strtol(at, NULL, 10));
        }
}

/* ---- which cases --------------------------------------------------------------------------------------- */

static bool make_case(struct trial *t, struct grader_case *from, struct trial_case *c)
{
    char message[256];
    const struct lab_task *task = t->task->task;
    c->is_made = true;
    c->of = from;
    c->again = from->outcome[BACKEND_SIM].again_count;
    if (!call_make(&c->call, task, from->arg, plan_seed(t->grader, task, from->name, 0), false, message))
        return false;
    for (int i = 0; i <= c->call.run.buffer_count; i++)
        if ((i == 0 ? task->result_count > 0 : c->call.run.buffer[i - 1].role == LAB_OUT) &&
            !call_expect(&c->call, i - 1, &c->expect[i]))
            return false;
    ask(t, c, &nothing, false);
    c->instructions = t->exchange.mailbox.counters.warp_instructions;
    t->functions |= t->exchange.mailbox.change.functions;
    return t->exchange.outcome == EXCHANGE_REPLY && c->instructions <= most_of(t, c) &&
           t->exchange.mailbox.change.processor_seconds <= HOST_MOST;
}

static void free_case(struct trial_case *c)
{
    for (int i = 0; i <= LAB_MAX_BUFFERS; i++)
        call_expect_free(&c->expect[i]);
    if (c->is_made)
        call_free(&c->call);
    memset(c, 0, sizeof *c);
}

static bool is_wanted(const struct grader_case *c, bool wrong)
{
    const struct grader_outcome *outcome = &c->outcome[BACKEND_SIM];
    const enum grader_reason reason = outcome->finding.reason;
    if (!outcome->run || c->gpu_only || outcome->passed == wrong)
        return false;
    return !wrong || ((reason == REASON_VALUES || reason == REASON_HAZARD || reason == REASON_GUARD ||
                       reason == REASON_CHECK || reason == REASON_EXECUTION) &&
                      !outcome->finding.after_others);
}

static void add_cases(struct trial *t, bool wrong, int most, const struct grader_case *first)
{
    for (int i = 0; i < t->task->case_count && most > 0; i++) {
        struct grader_case *from = &t->task->cases[i];
        struct trial_case *c = &t->cases[t->case_count];
        if (from == first || !is_wanted(from, wrong))
            continue;
        if (make_case(t, from, c)) {
            t->case_count++;
            most--;
        } else {
            free_case(c);
        }
    }
}

/* The one that is told first; other wrong ones; some that are right. False: it cannot be tried. */
static bool choose_cases(struct trial *t, struct grader_case *first)
{
    if (!is_wanted(first, true) || !make_case(t, first, &t->cases[0])) {
        free_case(&t->cases[0]);
        return false;
    }
    t->case_count = 1;
    add_cases(t, true, WRONG_MOST - 1, first);
    t->wrong_count = t->case_count;
    add_cases(t, false, RIGHT_MOST, first);
    return true;
}

/* ---- which change -------------------------------------------------------------------------------------- */

/* Without hazards first, which is faster. */
static bool makes_all_right(struct trial *t, const struct attempt *attempt)
{
    if (!t->hazards && !makes_right(t, &t->cases[0], attempt, false))
        return false;
    for (int i = 0; i < t->case_count; i++)
        if (!makes_right(t, &t->cases[i], attempt, true))
            return false;
    return true;
}

/* A store that adds is tried as an atomic addition, which takes part in no race; += would. */
static bool hides_race(const struct trial *t, const struct protocol_change *change)
{
    return t->is_race && change->kind == PTX_CHANGE_ADD;
}

/*
 * The first of the changes of the kernels that make all cases right; false: none does. Of a line that is given, only if none of
 * the next ones is of the student's.
 */
static bool find_change(struct trial *t, struct protocol_change *found)
{
    struct attempt attempt = {.kernels = -1};
    t->found = -1;
    ask(t, &t->cases[0], &attempt, false);
    int most = (int)t->exchange.mailbox.change.count;
    most = most < t->most ? most : t->most;
    for (attempt.kernels = 0; attempt.kernels < most; attempt.kernels++) {
        if (is_over(t, WORK_MOST))
            break;
        if (!makes_all_right(t, &attempt) || hides_race(t, &t->exchange.mailbox.change))
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
    const bool is_long = t->cases[0].instructions > CASE_MOST;
    const double most = t->work + (is_long ? WORK_UNKNOWN : WORK_LAUNCHES);
    const char *slash = strrchr(t->grader->build.source, '/');
    ask(t, &t->cases[0], &nothing, false);
    trial_find_launches(&t->cases[0].call, &t->exchange.mailbox, slash ? slash + 1 : t->grader->build.source,
                        races, &t->launches);
    for (int i = 0; i < t->launches.count; i++) {
        const struct attempt attempt = {.kernels = -2, .launch = t->launches.change[i]};
        if (is_over(t, most))
            return NULL;
        if (makes_all_right(t, &attempt))
            return &t->launches.change[i];
    }
    return NULL;
}

static struct grader_case *case_of(struct grader *grader, const struct failure *failure)
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
    if (finding->reason != REASON_VALUES && !finding->cause[0]) {
        text_set(rest, sizeof rest, "%s", finding->detail);
        text_set(finding->detail, sizeof finding->detail, "%s\n%s", sentence, rest);
        return;
    }
    if (finding->reason != REASON_VALUES || finding->telling == 2 ||
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
    finding->telling = second ? 1 : 2; /* what another case's values say comes before a change of a launch */
}

static void put_change(struct trial *t, const struct protocol_change *change)
{
    char sentence[768];
    trial_sentence(&t->grader->build, change, t->wrong_count, t->task->failed, sentence, sizeof sentence);
    for (int i = 0; i < t->wrong_count; i++) {
        struct grader_outcome *outcome = &t->cases[i].of->outcome[BACKEND_SIM];
        if (!trial_tell_stores(&t->grader->build, t->task, sentence, change->place.line, outcome) &&
            strcmp(outcome->finding.cause, sentence) != 0)
            put(t->grader, sentence, change->place.line, false, &outcome->finding);
    }
}

/* Several threads store or add to the element, as far as its cause is known. */
static bool is_shared(const struct grader_finding *finding)
{
    return strstr(finding->cause, "overwrite one another") ||
           strstr(finding->cause, "stored more than once") || strstr(finding->cause, "times instead") ||
           strstr(finding->cause, "several threads");
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

/*
 * Two built-in variables that are exchanged, as in blockIdx.x * gridDim.x + threadIdx.x: it may be right as well to replace
 * only one of them, here gridDim.x by blockDim.x, which is what most authors mean. Then both changes are told.
 */
static void try_builtin(struct trial *t, const struct protocol_change *exchange)
{
    struct attempt attempt = {.kernels = t->found + 1};
    if (exchange->kind != PTX_CHANGE_EXCHANGE || !trial_builtin_name(exchange->from))
        return;
    for (; attempt.kernels < CHANGES_MOST && !is_over(t, WORK_MOST); attempt.kernels++) {
        const bool is_right = makes_all_right(t, &attempt);
        struct protocol_change change = t->exchange.mailbox.change;
        if (change.kind > PTX_CHANGE_BUILTIN)
            return;
        if (is_right && change.kind == PTX_CHANGE_BUILTIN && change.place.line == exchange->place.line) {
            put_change(t, &change);
            return;
        }
    }
}

/* A change of a launch and one of the kernels may both make it right: then both are told. False: none does. */
static bool try_cases(struct trial *t, bool races)
{
    struct protocol_change change = {0};
    const struct protocol_launch_change *launch = find_launch(t, races);
    if (launch)
        t->most = CHANGES_FEW;
    const bool is_found = find_change(t, &change);
    const bool own = is_found && !trial_is_given(&t->grader->build, change.place.line);
    if (launch && own && trial_is_given(&t->grader->build, launch->line))
        launch = NULL;
    if (launch)
        put_launch(t, launch);
    const bool same = launch && launch->kind == SIM_LAUNCH_EXCHANGE && change.kind == PTX_CHANGE_ARGUMENTS;
    if (is_found && !same) {
        put_change(t, &change);
        try_builtin(t, &change);
    }
    return launch || is_found;
}

static bool is_race(const struct grader_finding *finding)
{
    return finding->reason == REASON_HAZARD && strstr(finding->headline, "race");
}

/* A race goes away wherever threads do, and where threads share elements, more of them cover what is missing. */
static bool goes_with_threads(const struct grader_finding *finding)
{
    return is_race(finding) || strstr(finding->cause, "stored more than once");
}

static void try_failure(struct grader *grader, const struct failure *failure)
{
    struct grader_case *first = case_of(grader, failure);
    struct trial *t = first ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return;
    const double begun = process_clock();
    t->end = begun + LAST_RESORT;
    t->grader = grader;
    t->task = failure->task;
    t->process = &grader->fresh;
    const struct grader_finding *finding = &first->outcome[BACKEND_SIM].finding;
    t->hazards = finding->reason == REASON_HAZARD && !strstr(finding->headline, "bounds");
    t->is_race = is_race(finding);
    t->case_most = finding->reason == REASON_VALUES && !finding->cause[0] ? CASE_UNKNOWN : CASE_MOST;
    t->most = finding->reason == REASON_VALUES && finding->telling == 2 ? CHANGES_FEW : CHANGES_MOST;
    add_line(t, finding->line);
    add_lines_of(t, finding->cause);
    add_lines_of(t, finding->detail);
    progress_begin("%s %s: what would make it right?", the_lab.name, t->task->task->id);
    if ((!choose_cases(t, first) || !try_cases(t, goes_with_threads(finding))) &&
        !trial_tell_half_guard(grader, t->task, &first->outcome[BACKEND_SIM]))
        kernel_explain_guard(grader, &first->outcome[BACKEND_SIM].finding);
    phase_add(PHASE_TRIALS, begun);
    for (int i = 0; i < WRONG_MOST + RIGHT_MOST; i++)
        free_case(&t->cases[i]);
    process_stop(t->process);
    free(t);
}

/* A condition before a barrier that came out the same for all threads would silence that, and be no less wrong. */
static bool parts_threads(const struct failure *failure)
{
    const struct protocol_hazard *hazard = failure_hazard(failure->outcome);
    return hazard && hazard->parts_threads;
}

void trial_run(struct grader *grader)
{
    struct failures failures;
    if (grader_is_ending(grader) || !failures_find(grader, &failures))
        return;
    if (failures.first && failures.first->is_case && !failures.first->open && !parts_threads(failures.first))
        try_failure(grader, failures.first);
    failures_free(&failures);
}
