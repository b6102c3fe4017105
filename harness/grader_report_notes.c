/* The report's part about what a right program does besides: it prints. */
#include <string.h>

#include "harness/grader_report.h"

/* The outcome of the task's largest case that passed and printed; NULL: none did. */
static const struct grader_outcome *printing_outcome(const struct grader_task *task)
{
    const struct grader_outcome *found = NULL;
    for (int i = 0; i < task->case_count; i++)
        for (int backend = 0; backend < 2; backend++) {
            const struct grader_outcome *outcome = &task->cases[i].outcome[backend];
            if (outcome->run && outcome->passed && outcome->printed[0] &&
                (!found || outcome->print_count >= found->print_count))
                found = outcome;
        }
    return found;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_note(const struct report *report, const struct grader_task *task,
                       const struct grader_outcome *outcome)
{
    char text[512];
    const struct protocol_place *place = &outcome->first_print;
    text_set(text, sizeof text, "Note: (%s) %s prints", task->task->part, task->task->id);
    if (outcome->print_count > 0 && place->line > 0)
        text_append(
            text, sizeof text,
            " in a kernel, %s:%d, %llu times in one case. A printf slows a kernel: take it out. It prints",
            file_name(place->file), place->line, (unsigned long long)outcome->print_count);
    text_append(text, sizeof text, ":");
    fputc('\n', report->out);
    report_text(report->out, 0, text, 0);
    report_text(report->out, 4, outcome->printed, report->grader->options.verbose ? 0 : 3);
}

void report_prints(const struct report *report)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_outcome *outcome = printing_outcome(&report->grader->tasks[i]);
        if (!outcome)
            continue;
        print_note(report, &report->grader->tasks[i], outcome);
        return;
    }
}
