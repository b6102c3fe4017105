/* The report: fits a screen; what passed, the first thing that is wrong, how fast, what to do next. */
#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/phase.h"
#include "harness/base/text.h"
#include "harness/cause/warning.h"
#include "harness/judge/seed.h"
#include "harness/lab/real.h"
#include "harness/report/failure.h"
#include "harness/report/kept.h"
#include "harness/result/score.h"
#include "harness/speed/work.h"
#include "harness/wire/sandbox.h"

static int max(int a, int b)
{
    return a > b ? a : b;
}

/* ---- head and table ------------------------------------------------------------------------------------ */

static void print_head(const struct report *report)
{
    const struct grader *g = report->grader;
    fprintf(report->out, "%s%s  %s%s   (real = %s)\n", BOLD(report), the_lab.name, the_lab.title,
            PLAIN(report), sizeof(real) == sizeof(double) ? "double" : "float");
    char text[sizeof g->build.source + 256];
    text_set(text, sizeof text, "%s, seed %llu, %s%s%s", g->build.source, (unsigned long long)g->seed,
             g->backend == BACKEND_GPU || strstr(g->device, "simulated") ? "" : "simulated ",
             g->device[0] ? g->device : "device",
             g->backend == BACKEND_GPU ? ", hazards looked for in the simulator" : "");
    text_print(report->out, 0, text, 0);
    fputc('\n', report->out);
    if (the_lab.step)
        fprintf(report->out, "One of the lab's steps: graded for the last stage only.\n\n");
}

/* The limit to speak of: one that is exceeded rather than one of accesses that there are none of; NULL: all hold. */
static const struct lab_counter_limit *exceeded_limit(const struct grader_task *task)
{
    const struct lab_counter_limit *none = NULL;
    for (const struct lab_counter_limit *limit = task->task->limits; limit && limit->meaning; limit++) {
        const struct grader_counter *c = &task->counters.counter[limit->counter];
        if (c->exceeded && !c->nothing_counted)
            return limit;
        if (c->exceeded && !none)
            none = limit;
    }
    return none;
}

static const char *exceeded_text(const struct grader_task *task)
{
    static const char *const words[LAB_COUNTER_COUNT] = {
        [LAB_LOAD_SECTORS_PER_REQUEST] = "uncoalesced loads",
        [LAB_STORE_SECTORS_PER_REQUEST] = "uncoalesced stores",
        [LAB_SHARED_CONFLICTS] = "bank conflicts",
        [LAB_DIVERGENT_BRANCHES] = "divergence",
        [LAB_IDLE_LANES] = "divergence",
        [LAB_LOADS_PER_PRODUCT] = "too many loads",
        [LAB_READS_PER_PRODUCT] = "too many reads",
        [LAB_BYTES_LOADED] = "data loaded repeatedly",
        [LAB_SHARED_PER_WARP] = "not by shuffles",
    };
    const struct lab_counter_limit *limit = exceeded_limit(task);
    const bool nothing = task->counters.counter[limit->counter].nothing_counted;
    return nothing && limit->counter != LAB_SHARED_PER_WARP ? "not as the lab asks" : words[limit->counter];
}

static const char *task_state(const struct report *report, const struct grader_task *task, const char **color)
{
    *color = RED(report);
    if (!task_is_right(task))
        return task->passed + task->failed == 0 ? (*color = "", "not run") : "FAILED";
    if (task->counters.exceeded)
        return exceeded_text(task);
    if (task->speed.verdict == SPEED_TOO_SLOW)
        return "too slow";
    if (task->speed.verdict == SPEED_IMPOSSIBLE)
        return "impossible speed";
    if (task->speed.verdict == SPEED_NOT_TIMED && task->speed.asked)
        return "no time to judge";
    *color = YELLOW(report);
    if (task->speed.verdict == SPEED_INCONCLUSIVE)
        return "right, speed inconclusive";
    *color = GREEN(report);
    if (task->task->intended_hazard)
        return "as intended";
    return task->task->shown_only ? "ok (given)" : "ok";
}

/* What does not fit is cut behind a word. */
static void put_title(const struct report *report, const char *title)
{
    const int width = report->title_width;
    int length = (int)strlen(title);
    const bool fits = length <= width;
    for (length = fits ? length : width - 3; !fits && length > 0 && !strchr(" ,", title[length]);)
        length--;
    fprintf(report->out, " %.*s%-*s", length, title, width - length, fits ? "" : "...");
}

static void print_task(const struct report *report, const struct grader_task *task)
{
    const char *color, *state = task_state(report, task, &color);
    int not_run = task->case_count - task->passed - task->failed;
    char points[32] = "";
    if (task->open_points > 0)
        text_set(points, sizeof points, "open/%d", task->task->points);
    else if (!task->task->shown_only && !task->task->optional && !report->grader->only.cases)
        text_set(points, sizeof points, "%3d/%d", task->points, task->task->points);
    fprintf(report->out, "  (%s) %-*s", task->task->part, report->id_width, task->task->id);
    put_title(report, task->task->title);
    fprintf(report->out, " %2d of %-2d %7s  %s%s%s", task->passed, task->passed + task->failed, points, color,
            state, PLAIN(report));
    if (not_run > 0 && report->grader->options.verbose)
        fprintf(report->out, " (%d not run here)", not_run);
    fputc('\n', report->out);
}

#define TABLE_WIDTH 26 /* of what stands beside a task's name, title and state */
#define LEAST_TITLE 20

static bool is_in_table(const struct grader_task *task)
{
    return task->selected && task->case_count > 0;
}

/* The columns are as wide as this lab's tasks need; titles share what the terminal has left. */
static void measure_columns(struct report *report)
{
    int titles = 0, states = 0;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        const char *color, *state = is_in_table(task) ? task_state(report, task, &color) : "not begun";
        report->id_width = max(report->id_width, (int)strlen(task->task->id));
        titles = max(titles, (int)strlen(task->task->title));
        states = max(states, (int)strlen(state));
    }
    const int room = text_width(report->out) - TABLE_WIDTH - report->id_width - states;
    report->title_width = max(LEAST_TITLE, titles < room ? titles : room);
}

static void print_case(const struct report *report, const struct lab_task *task, const struct grader_case *c)
{
    static const char *const words[] = {[CASE_PASSED] = "ok",
                                        [CASE_FAILED] = "FAILED",
                                        [CASE_NOT_RUN] = "not run",
                                        [CASE_SKIPPED] = "skipped"};
    char numbers[128];
    double seconds = c->outcome[0].seconds + c->outcome[1].seconds;
    plan_arguments(task, c->arg, numbers, sizeof numbers);
    fprintf(report->out, "        %-8s %-32s %-34s %6.3f s\n", words[c->status], c->name,
            strncmp(c->name, "--size", 6) == 0 ? "" : numbers, seconds);
    for (int i = 0; i < 2; i++)
        text_print(report->out, 12, c->outcome[i].printed, 0); /* the program's own words */
}

static void print_skipped(const struct report *report)
{
    char text[128];
    int skipped = 0;
    for (int i = 0; i < the_lab.task_count; i++)
        skipped += report->grader->tasks[i].skipped;
    if (skipped == 0)
        return;
    text_set(text, sizeof text,
             "%d cases of tasks that have already failed %s not run; to run all: ./grader --all", skipped,
             skipped == 1 ? "was" : "were");
    text_print(report->out, 2, text, 0);
}

static void print_not_begun(const struct report *report, const struct lab_task *task)
{
    fprintf(report->out, "  (%s) %-*s", task->part, report->id_width, task->id);
    put_title(report, task->title);
    fprintf(report->out, " %18snot begun\n", "");
}

static void print_tasks(const struct report *report)
{
    fprintf(report->out, "  %-*s cases%s\n", report->id_width + report->title_width + 5, "task",
            report->grader->only.cases ? "" : "     points");
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        if (task->task->optional && !task->selected && !report->grader->options.only)
            print_not_begun(report, task->task);
        if (!is_in_table(task))
            continue;
        print_task(report, task);
        for (int k = 0; k < task->case_count && report->grader->options.verbose; k++)
            print_case(report, task->task, &task->cases[k]);
    }
    print_skipped(report);
}

/* ---- shown on purpose ---------------------------------------------------------------------------------- */

/* What the tasks that are there to show a hazard have shown: the last case, on each backend. */
static void print_shown(const struct report *report)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        const struct grader_case *c = NULL;
        for (int k = 0; k < task->case_count && task->task->intended_hazard; k++)
            if (task->cases[k].outcome[BACKEND_SIM].run && task->cases[k].outcome[BACKEND_SIM].passed)
                c = &task->cases[k];
        if (!c)
            continue;
        const struct grader_finding *sim = &c->outcome[BACKEND_SIM].finding;
        const struct grader_finding *gpu = &c->outcome[BACKEND_GPU].finding;
        fprintf(report->out, "\n%sShown on purpose:%s (%s) %s, %s\n", BOLD(report), PLAIN(report),
                task->task->part, task->task->id, c->name);
        text_print(report->out, 2, sim->headline, 0);
        text_print(report->out, 2, sim->detail, 6);
        if (gpu->reason == REASON_VALUES) {
            fprintf(report->out, "  On the GPU: %s\n", gpu->headline);
            text_print(report->out, 2, gpu->detail, 3);
        }
    }
}

/* Until they are gone, also when make did not compile anything. */
static void print_warnings(const struct report *report)
{
    struct warning warnings[WARNINGS_MAX];
    const int count = warnings_read(&report->grader->build, warnings);
    char text[sizeof warnings[0].place + sizeof warnings[0].meaning + 8];
    for (int i = 0; i < count; i++) {
        if (i == 0)
            fprintf(report->out, "\n%sThe compiler warns:%s\n", BOLD(report), PLAIN(report));
        text_set(text, sizeof text, "%s: %s", warnings[i].place, warnings[i].meaning);
        text_print(report->out, 2, text, 0);
    }
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Nothing is counted of what there is a place for: that which was done instead. */
static bool has_substitute(const struct grader_task *task, const struct lab_counter_limit *limit)
{
    return limit->counter == LAB_SHARED_PER_WARP && task->counters.worst[limit->counter].place.line > 0;
}

static const char *meaning_of(const struct grader_task *task)
{
    const struct lab_counter_limit *limit = exceeded_limit(task);
    if (!limit)
        return "";
    return task->counters.counter[limit->counter].nothing_counted && !has_substitute(task, limit)
               ? "the simulator counted no access of this kind, so that there is nothing to judge: "
                 "the kernel should do the work, in the way that the lab asks for."
               : limit->meaning;
}

/* The line at which a limit that is exceeded is exceeded most, and by what. */
static void counter_place(const struct grader_task *task, char *text, size_t size)
{
    const struct lab_counter_limit *limit = exceeded_limit(task);
    const struct protocol_place *place = limit ? &task->counters.worst[limit->counter].place : NULL;
    if (!place || place->line <= 0 ||
        (task->counters.counter[limit->counter].nothing_counted && !has_substitute(task, limit)))
        return;
    text_append(text, size, "%s:%d: ", text_file_name(place->file), place->line);
}

/* What is to be done about a right task's figures; NULL: nothing. `text` may hold it. */
static const char *figures_advice(const struct grader *grader, const struct grader_task *task, char *text,
                                  size_t size)
{
    if (task->counters.exceeded)
        return meaning_of(task);
    switch (task->speed.verdict) {
    case SPEED_TOO_SLOW: work_advice(grader, task, text, size); return text;
    case SPEED_IMPOSSIBLE: return "let the kernels that the function launches do all of the work.";
    case SPEED_NOT_TIMED: return task->speed.asked ? "launch a kernel that does the work." : NULL;
    case SPEED_INCONCLUSIVE: return "its speed could not be judged; see above, and run the grader again.";
    default: return NULL;
    }
}

/* Right, but too much traffic, too slow or without a verdict: what the lab says about it. */
static bool say_figures(const struct grader *grader, const struct grader_task *task, const char *head,
                        char *text, size_t size)
{
    char own[1200];
    const char *advice =
        task->selected && !task->task->shown_only ? figures_advice(grader, task, own, sizeof own) : NULL;
    if (!advice)
        return false;
    text_set(text, size, "%s (%s) %s: ", head, task->task->part, task->task->id);
    counter_place(task, text, size);
    text_append(text, size, "%s", advice);
    return true;
}

static bool next_for_figures(const struct grader *grader, bool open, char *text, size_t size)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (task_is_open(&grader->tasks[i]) == open &&
            say_figures(grader, &grader->tasks[i], "Next:", text, size))
            return true;
    return false;
}

/* Beside what fails: what is to be done next is that. */
static void print_figures(const struct report *report)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        char text[1536];
        if (task->failed > 0 || (!task->counters.exceeded && task->speed.verdict != SPEED_TOO_SLOW) ||
            !say_figures(report->grader, task, "Note:", text, sizeof text))
            continue;
        fputc('\n', report->out);
        text_print(report->out, 0, text, 0);
    }
}

void report_next(const struct grader *grader, const struct failures *failures, char *text, size_t size)
{
    text_set(text, size, "%s", "");
    if (failures->first)
        failure_next(grader, failures->first, text, size);
    else if (!next_for_figures(grader, false, text, size) && !next_for_figures(grader, true, text, size) &&
             !grader->options.only)
        text_set(text, size, "Next: read the questions at the end of %s/README.md.", the_lab.folder);
}

static void print_next(const struct report *report, const struct failures *failures)
{
    char text[1536];
    fputc('\n', report->out);
    report_next(report->grader, failures, text, sizeof text);
    text_print(report->out, 0, text, 0);
}

/* The change with which the failure is right, or that none was found. */
static void print_tried(const struct report *report, const struct failure *failure)
{
    if (!failure->outcome->finding.change[0])
        return;
    fprintf(report->out, "\n%sWhat was tried:%s\n", BOLD(report), PLAIN(report));
    text_print(report->out, 4, failure->outcome->finding.change, 0);
}

/* Phases of two threads overlap. */
static void print_phases(const struct report *report)
{
    fprintf(report->out, "\n%sSeconds%s", BOLD(report), PLAIN(report));
    for (int i = 0; i < PHASE_COUNT; i++)
        if (phase_seconds((enum phase)i) > 0)
            fprintf(report->out, "  %s %.2f", phase_name((enum phase)i), phase_seconds((enum phase)i));
    fputc('\n', report->out);
    if (report->grader->first_failure > 0)
        fprintf(report->out, "First wrong case known after %.2f s\n", report->grader->first_failure);
}

/* What fails though no points are lost: ", but these fail: (e) scan". */
static void name_free(const struct grader *grader, char *text, size_t size)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &grader->tasks[i];
        if (task->selected && task->failed > 0)
            text_append(text, size, "%s(%s) %s", text[0] ? ", " : ", but these fail: ", task->task->part,
                        task->task->id);
    }
}

static void print_score(const struct report *report)
{
    static const char *const words[] = {
        [GRADER_PASSED] = "passed", [GRADER_FAILED] = "FAILED", [GRADER_INCONCLUSIVE] = "inconclusive"};
    int maximum, open, score = grader_score(report->grader, &maximum, &open);
    const int verdict = grader_verdict(report->grader);
    const char *only = report->grader->options.only;
    char open_text[48] = "", failed[256] = "";
    if (open > 0)
        text_set(open_text, sizeof open_text, ", %d open", open);
    if (verdict == GRADER_FAILED && score == maximum)
        name_free(report->grader, failed, sizeof failed);
    fprintf(report->out, "%s",
            verdict == GRADER_PASSED   ? GREEN(report)
            : verdict == GRADER_FAILED ? RED(report)
                                       : YELLOW(report));
    if (report->grader->only.cases)
        fprintf(report->out, "%s (only %s \"%s\": no score)", words[verdict],
                report->grader->only.whole ? "the case" : "cases that contain", only);
    else
        fprintf(report->out, "%s: %d of %d points%s%s%s%s%s", words[verdict], score, maximum, open_text,
                failed, only ? " (only " : "", only ? only : "", only ? ")" : "");
    fprintf(report->out, "%s  %.1f s\n", PLAIN(report), report->grader->seconds);
}

bool report_print(const struct grader *grader, FILE *out, bool color, report_draw_fn draw, void *context)
{
    struct report report = {.grader = grader, .out = out, .color = color, .explains = draw != NULL};
    struct failures failures;
    if (!failures_find(grader, &failures))
        return false;
    measure_columns(&report);
    print_head(&report);
    print_tasks(&report);
    report_failures(&report, &failures);
    if (draw && failures.first) {
        print_tried(&report, failures.first);
        draw(context, &failures, out);
    }
    print_warnings(&report);
    if (grader_passed(grader) || grader->options.verbose || grader->options.only)
        print_shown(&report);
    report_speeds(&report);
    if (grader->options.roofline)
        report_roofline(&report);
    report_counters(&report);
    if (draw && !failures.first)
        draw(context, &failures, out);
    report_notes(&report, &failures);
    if (failures.first)
        print_figures(&report);
    if (grader->options.verbose) {
        print_phases(&report);
        fprintf(out, "Sandbox: %s\n", sandbox_says());
    }
    kept_update(grader, out);
    print_next(&report, &failures);
    print_score(&report);
    failures_free(&failures);
    return true;
}
