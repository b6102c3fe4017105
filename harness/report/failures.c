/* The report's part about what failed. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/judge/seed.h"
#include "harness/report/failure.h"
#include "harness/report/report.h"
#include "harness/source/line.h"
#include "harness/source/source.h"
#include "harness/source/uses.h"

/* The rest of a text behind its first line. */
static const char *rest_of(const char *text)
{
    text += strcspn(text, "\n");
    return *text ? text + 1 : text;
}

/* "(a) copy, one element (n = 1)" */
static void print_title(const struct report *report, const char *title, const struct failure *failure)
{
    char numbers[128];
    const bool in_simulator = failure->backend == BACKEND_SIM && report->grader->backend == BACKEND_GPU;
    plan_arguments(failure->task->task, failure->arg, numbers, sizeof numbers);
    fprintf(report->out, "\n%s%s%s (%s) %s, %s (%s)%s\n", BOLD(report), title, PLAIN(report),
            failure->task->task->part, failure->task->task->id, failure->name, numbers,
            in_simulator ? ", in the simulator" : "");
}

static bool same_accesses(const struct protocol_hazard *a, const struct protocol_hazard *b)
{
    return strcmp(a->name, b->name) == 0 && a->here.line == b->here.line && a->there.line == b->there.line;
}

/* --verbose: the other hazards, each once. */
static void print_hazards(const struct report *report, const struct grader_outcome *outcome)
{
    const struct protocol_hazard *told = failure_hazard(outcome);
    if (!told && outcome->finding.reason == REASON_HAZARD) /* told in other words */
        told = &outcome->hazard[0];
    for (int i = 0; i < outcome->hazard_count; i++) {
        const struct protocol_hazard *hazard = &outcome->hazard[i];
        bool is_new = !told || !same_accesses(hazard, told);
        for (int k = 0; k < i && is_new; k++)
            is_new = !same_accesses(hazard, &outcome->hazard[k]);
        if (is_new)
            text_print(report->out, 2, hazard->message, 0);
    }
}

/* The cause and its place first; then what it led to. */
static void print_finding(const struct report *report, const struct failure *failure)
{
    const struct grader_finding *finding = &failure->outcome->finding;
    const bool verbose = report->grader->options.verbose || report->explains;
    char sentence[1700];
    failure_sentence(report->grader, failure, sentence, sizeof sentence);
    fputs(RED(report), report->out);
    text_print(report->out, 2, sentence, 0);
    fputs(PLAIN(report), report->out);
    text_print(report->out, 2, finding->reason == REASON_VALUES ? finding->shape : "", 0);
    if (finding->cause[0]) {
        text_print(report->out, 2, rest_of(finding->cause), 0);
        text_print(report->out, 2, finding->headline, 0);
    }
    text_print(report->out, 2, finding->detail, verbose ? 0 : 11);
    if (verbose)
        print_hazards(report, failure->outcome);
}

#define SOURCE_AROUND 3 /* lines before and after the one in question */

/* How the numbers that the line uses are made: the mistake is often there. Else those with which its function is called. */
static void print_uses(const struct report *report, const char *file, int line, int call_line)
{
    char text[1024];
    uses_say(file, line, call_line, text, sizeof text);
    if (!text[0] && call_line > 0)
        uses_say(file, call_line, 0, text, sizeof text);
    text_print(report->out, 2, text, 0);
}

/* Two threads store to one element at one line. */
static bool is_same_store(const struct facts *facts)
{
    const struct fact *hazard = fact_find(facts, FACT_HAZARD);
    return hazard && hazard->detail == SIM_DETAIL_STORES;
}

/* Of wrong values and wrong addresses, where no change has shown what to correct: what is wrong may come from before. */
static void print_used(const struct report *report, const struct failure *failure)
{
    const struct grader_finding *finding = &failure->outcome->finding;
    const struct facts *facts = &finding->facts;
    const bool asks = finding->reason == REASON_VALUES || fact_is_hazard(facts, SIM_HAZARD_OUT_OF_BOUNDS) ||
                      failure_is_unwritten_read(finding) || is_same_store(facts);
    /* Where the grid is too small, the launch's numbers. */
    const struct fact *few = fact_find(facts, FACT_FEW_BLOCKS);
    const bool is_launch = few && few->place[0].line > 0;
    const int line = is_launch ? few->place[0].line : failure_line(report->grader, failure);
    char *file = NULL;
    if (line > 0 && asks && !report->explains && !fact_find(facts, FACT_TRIED) &&
        !fact_find(facts, FACT_REMARK))
        file = trial_read_file(report->grader->build.source_path);
    if (file)
        print_uses(report, file, line, is_launch ? few->place[0].call_line : failure_at(failure)->call_line);
    free(file);
}

/* --explain: the line in question as it stands in the file, with those around it. */
static void print_source(const struct report *report, const struct failure *failure)
{
    const int line = failure_line(report->grader, failure);
    char *file = line > 0 ? trial_read_file(report->grader->build.source_path) : NULL;
    const struct protocol_hazard *hazard = failure_hazard(failure->outcome);
    if (!file)
        return;
    fputc('\n', report->out);
    for (int at = line > SOURCE_AROUND ? line - SOURCE_AROUND : 1; at <= line + SOURCE_AROUND; at++) {
        char text[TRIAL_LINE];
        trial_take_line(file, at, text);
        fprintf(report->out, "  %c %4d  %s\n", at == line ? '>' : ' ', at, text);
    }
    print_uses(report, file, line, failure_at(failure)->call_line);
    if (hazard && hazard->there.line != line && strcmp(hazard->there.file, hazard->here.file) == 0)
        print_uses(report, file, hazard->there.line, hazard->there.call_line);
    free(file);
}

static void print_printed(const struct report *report, const struct grader_outcome *outcome)
{
    if (!outcome->printed[0])
        return;
    fprintf(report->out, "  Your program printed:\n");
    text_print(report->out, 4, outcome->printed, report->grader->options.verbose || report->explains ? 0 : 3);
}

/* What the lab gives need not be looked through, where the file has it as it is. */
static void print_changed(const struct report *report, const struct failure *failure)
{
    int lines[TRIAL_CHANGED_MOST];
    char text[256];
    const int count = failure_changed(report->grader, failure, lines);
    if (count == 0)
        return;
    text_set(text, sizeof text, "Outside of the TODOs, line%s ", count == 1 ? "" : "s");
    for (int i = 0; i < count; i++)
        text_append(text, sizeof text, "%s%d", i == 0 ? "" : i + 1 == count ? " and " : ", ", lines[i]);
    text_append(text, sizeof text,
                count == 1 ? " is not as the lab gives it." : " are not as the lab gives them.");
    text_print(report->out, 2, text, 0);
}

static bool follows_from(const struct failures *failures, const struct todo *todo,
                         const struct grader_task *task)
{
    for (int i = 0; i < failures->count; i++)
        if (failures->all[i].task == task && failures->all[i].open == todo)
            return true;
    return false;
}

/* The tasks that need the TODO: "(a) reduce, (a) sum". */
static void name_tasks(const struct report *report, const struct failures *failures, const struct todo *todo,
                       char *text, size_t size)
{
    text_set(text, size, "%s", "");
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        if (task->selected && follows_from(failures, todo, task))
            text_append(text, size, "%s(%s) %s", text[0] ? ", " : "", task->task->part, task->task->id);
    }
}

/* What fails because of it is not called wrong: it is not written yet. */
static void print_open(const struct report *report, const struct failures *failures, const struct todo *todo)
{
    char tasks[512], text[600];
    fprintf(report->out, "\n%sTODO %d is still open:%s %s:%d\n", BOLD(report), todo->number, PLAIN(report),
            report->grader->build.source, todo->line);
    text_print(report->out, 2, todo->text, 0);
    name_tasks(report, failures, todo, tasks, sizeof tasks);
    if (!tasks[0])
        return;
    text_set(text, sizeof text, "Until it is done, these fail: %s.", tasks);
    text_print(report->out, 2, text, 0);
}

/* Only that it is wrong is known. */
static bool says_nothing(const struct grader_finding *finding)
{
    return finding->reason == REASON_VALUES && !finding->cause[0] && finding->line == 0;
}

/*
 * May what is told before explain it? Where no more than its place is known, a line that its task uses may; but a case in which
 * the simulator has found no hazard is not wrong because of one. A host that launches nothing may launch too little elsewhere.
 */
static bool may_explain(const struct source *source, const struct failure *before,
                        const struct failure *other)
{
    const bool is_hazard = failure_hazard(before->outcome) != NULL;
    const struct facts *facts = &other->outcome->finding.facts;
    const bool launches_less = fact_find(&before->outcome->finding.facts, FACT_NO_LAUNCH) &&
                               (fact_find(facts, FACT_FEW_BLOCKS) || fact_find(facts, FACT_NOT_STORED));
    return failure_explains(before, other) ||
           ((launches_less || !failure_knows_cause(other)) &&
            (!is_hazard || other->backend != BACKEND_SIM || other->outcome->hazard_count > 0) &&
            source_uses_line(source, other->task->task->id, failure_at(before)->line));
}

/* The same is seen in two tasks that use both lines: one mistake of what they share may be behind it. */
static bool is_the_same(const struct source *source, const struct failure *before,
                        const struct failure *other)
{
    return before->task != other->task && failure_says_the_same(before, other) &&
           source_uses_line(source, other->task->task->id, failure_at(before)->line) &&
           source_uses_line(source, before->task->task->id, failure_at(other)->line);
}

static bool is_told(const struct report *report, const struct failures *failures, const struct source *source,
                    int task, const struct failure *other)
{
    bool told = false;
    for (int i = -1; i < task && !told; i++) {
        const struct failure *before =
            i < 0 ? failures->first : failures_other(failures, &report->grader->tasks[i]);
        told = before && (may_explain(source, before, other) || is_the_same(source, before, other));
    }
    return told;
}

/* Behind the first sentence: a race's threads and lines; what else is known of a wrong value. */
static void print_more(const struct report *report, const struct grader_finding *finding)
{
    char text[sizeof finding->detail];
    text_set(text, sizeof text, "%.*s", (int)finding->consequence, finding->detail);
    text_print(report->out, 2, rest_of(finding->cause), 0);
    if (finding->reason == REASON_HAZARD)
        text_print(report->out, 2, text, 0);
    else if (says_nothing(finding))
        text_print(report->out, 2, finding->detail, 1);
}

/* What fails for another cause, of each task one, and each cause once. */
static void print_others(const struct report *report, const struct failures *failures)
{
    struct source source;
    build_read_source(&report->grader->build, &source);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        const struct failure *other = failures_other(failures, task);
        char sentence[1700], text[2000];
        if (!other || other->open || is_told(report, failures, &source, i, other))
            continue;
        failure_sentence(report->grader, other, sentence, sizeof sentence);
        text_set(text, sizeof text, "Then: (%s) %s, %s: %s", task->task->part, task->task->id, other->name,
                 sentence);
        fputc('\n', report->out);
        text_print(report->out, 0, text, 3);
        print_more(report, &other->outcome->finding);
        print_used(report, other);
        if (report->explains)
            print_source(report, other);
    }
    source_free(&source);
}

void report_failures(const struct report *report, const struct failures *failures)
{
    const struct failure *first = failures->first;
    const struct todo *open = todo_first_open(failures->todos, failures->todo_count);
    if (!first)
        return;
    if (first->open)
        print_open(report, failures, first->open);
    print_title(report, first->open ? "First seen in:" : "First failure:", first);
    print_finding(report, first);
    if (!first->open)
        print_used(report, first);
    print_changed(report, first);
    print_printed(report, first->outcome);
    if (report->explains)
        print_source(report, first);
    print_others(report, failures);
    for (int i = 0; i < failures->count && !first->open && open; i++)
        if (failures->all[i].open) {
            print_open(report, failures, open);
            break;
        }
}
