/*
 * The report's part about what a right program does besides: it prints, it keeps memory, it stores things twice, it
 * spends time for nothing.
 */
#include <string.h>

#include "harness/base/text.h"
#include "harness/report/failure.h"
#include "harness/report/report.h"
#include "harness/speed/slow.h"
#include "harness/speed/work.h"

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

static void print_note(const struct report *report, const struct grader_task *task,
                       const struct grader_outcome *outcome)
{
    char text[512];
    const struct protocol_place *place = &outcome->first_print;
    text_set(text, sizeof text, "Note: (%s) %s prints", task->task->part, task->task->id);
    if (outcome->print_count > 0 && place->line > 0)
        text_append(
            text, sizeof text,
            " in a kernel, %s:%d, %llu times in one case. A printf slows the kernel down: remove it. It prints",
            text_file_name(place->file), place->line, (unsigned long long)outcome->print_count);
    text_append(text, sizeof text, ":");
    fputc('\n', report->out);
    text_print(report->out, 0, text, 0);
    text_print(report->out, 4, outcome->printed, report->grader->options.verbose ? 0 : 3);
}

static void put_note(const struct report *report, const char *note)
{
    fputc('\n', report->out);
    text_print(report->out, 0, note, 0);
}

/* Whether what is known of the task's speed is told as advice: what is said of its traffic comes first. */
static bool is_told(const struct grader_task *task)
{
    return !task->counters.exceeded && task->speed.verdict == SPEED_TOO_SLOW;
}

static void print_idle(const struct report *report, const struct failures *failures)
{
    char next[1536];
    report_next(report->grader, failures, next, sizeof next);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        char text[768], what[640];
        if (!work_for_nothing(report->grader, task, what, sizeof what))
            continue;
        text_set(text, sizeof text, "Note: (%s) %s, %s", task->task->part, task->task->id, what);
        if (!strstr(next, what)) /* which is the report's last line */
            put_note(report, text);
        return;
    }
}

/* Of tasks that are fast enough: work for nothing, and, where nothing fails (`is_right`), what could be faster. */
static void print_work(const struct report *report, bool is_right)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        const struct grader_speed *speed = &task->speed;
        const char *const what[] = {
            speed->many_launches, speed->idle_blocks,
            speed->excess,        speed->alone,
            speed->loads,         speed->apart,
            speed->kept,          is_right && slow_is_a_fault(speed) ? speed->slow : ""};
        char text[1200];
        for (size_t k = 0; k < sizeof what / sizeof *what && !is_told(task) && !task->task->shown_only; k++) {
            bool known = false;
            for (size_t other = 0; other < k; other++)
                known = known || strcmp(what[other], what[k]) == 0;
            text_set(text, sizeof text, "Note: (%s) %s, %s", task->task->part, task->task->id, what[k]);
            if (what[k][0] && !known)
                put_note(report, text);
        }
    }
}

static void print_prints(const struct report *report)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_outcome *outcome = printing_outcome(&report->grader->tasks[i]);
        if (!outcome)
            continue;
        print_note(report, &report->grader->tasks[i], outcome);
        return;
    }
}

static bool put_device_leak(const struct report *report, const struct grader_task *task,
                            const struct grader_outcome *outcome)
{
    char note[512];
    if (outcome->leaked_count == 0)
        return false;
    text_set(
        note, sizeof note,
        "Note: (%s) every call of %s leaves %d allocation%s of device memory (%llu bytes) that %s never freed: %s. "
        "Free it with cudaFree.",
        task->task->part, task->task->id, outcome->leaked_count, outcome->leaked_count == 1 ? "" : "s",
        (unsigned long long)outcome->leaked_bytes, outcome->leaked_count == 1 ? "is" : "are",
        outcome->leaked_name);
    put_note(report, note);
    return true;
}

static bool put_again(const struct report *report, const struct grader_task *task,
                      const struct grader_outcome *outcome)
{
    char note[640];
    /* Where values are wrong, this may be why; and of a kernel that is there to show its race there is nothing to improve. */
    if (outcome->again_count == 0 || outcome->again_place.line <= 0 || task->failed > 0 ||
        task->task->intended_hazard)
        return false;
    text_set(
        note, sizeof note,
        "Note: (%s) %s: at %s:%d several threads store the same value to the same element, %s first. The result is "
        "right, but one thread is enough: let each thread store elements of its own, or let only one of them store.",
        task->task->part, task->task->id, text_file_name(outcome->again_place.file),
        outcome->again_place.line, outcome->again_object);
    put_note(report, note);
    return true;
}

typedef bool (*note_fn)(const struct report *report, const struct grader_task *task,
                        const struct grader_outcome *outcome);

/* Each kind of note once, for the first case that passed and has it. */
static void print_first(const struct report *report, note_fn put)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < report->grader->tasks[i].case_count; k++) {
            const struct grader_task *task = &report->grader->tasks[i];
            const struct grader_outcome *outcome = &task->cases[k].outcome[BACKEND_SIM];
            if (outcome->run && outcome->passed && put(report, task, outcome))
                return;
        }
}

void report_notes(const struct report *report, const struct failures *failures)
{
    print_prints(report);
    print_first(report, put_device_leak);
    print_first(report, put_again);
    print_idle(report, failures);
    print_work(report, !failures->first);
}
