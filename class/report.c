#include "class/report.h"

#include <stdlib.h>
#include <string.h>

#include "class/clean.h"
#include "class/files.h"
#include "class/report_parts.h"

/* The days that the late file gives to a name or a number; -1: it does not. */
static int days_given(const struct run *run, const struct submission *s)
{
    int days = -1;
    if (!run->settings.late_file[0])
        return -1;
    char *text = file_read(run->settings.late_file, 16u << 20, NULL), *rest = text, *line;
    while (text && (line = strsep(&rest, "\r\n"))) {
        char *comma = strrchr(line, ',');
        if (comma)
            *comma = 0;
        if (comma && (strcmp(line, s->name) == 0 || strcmp(line, s->entry) == 0 ||
                      (s->id[0] && strcmp(line, s->id) == 0)))
            days = atoi(comma + 1);
    }
    free(text);
    return days;
}

double mark_of(const struct run *run, const struct submission *s, int *days)
{
    *days = settings_days(&run->settings, s->date, days_given(run, s));
    return (result_points(s, "score") + run->settings.open_points * result_points(s, "open")) *
           settings_factor(&run->settings, *days);
}

double class_maximum(const struct run *run)
{
    double maximum = 0;
    for (int i = 0; i < run->submissions.count && maximum == 0; i++)
        maximum = result_points(&run->submissions.all[i], "maximum");
    return maximum;
}

char *one_line(const char *text)
{
    char *flat = text_of("%s", text);
    for (char *at = flat; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    char *shown = clean(flat, false);
    free(flat);
    return shown;
}

char *reason_line(const struct submission *s)
{
    return one_line(result_reason(s));
}

bool task_counts(const struct value *task)
{
    const struct value *counts = value_get(task, "counts");
    return counts && counts->kind == 't';
}

double task_mark(const struct run *run, const struct value *task)
{
    return value_number(task, "points", 0) + run->settings.open_points * value_number(task, "open_points", 0);
}

const struct value *task_named(const struct submission *s, const char *id)
{
    const struct value *task = result_tasks(s) ? result_tasks(s)->first : NULL;
    while (task && strcmp(value_text(task, "id"), id) != 0)
        task = task->next;
    return task;
}

const struct value *class_tasks(const struct run *run)
{
    for (int i = 0; i < run->submissions.count; i++)
        if (result_tasks(&run->submissions.all[i]))
            return result_tasks(&run->submissions.all[i])->first;
    return NULL;
}

bool task_is_full(const struct value *task)
{
    return value_number(task, "points", 0) >= value_number(task, "maximum", 0);
}

const char *task_state(const struct value *task)
{
    return task_is_full(task)                         ? "passed"
           : value_number(task, "open_points", 0) > 0 ? "inconclusive"
                                                      : "failed";
}

/* "(a) reduce: sums of blocks" */
char *task_title(const struct value *task)
{
    return text_of("(%s) %s: %s", value_text(task, "part"), value_text(task, "id"),
                   value_text(task, "title"));
}

/* "day" or "days": what was handed in late, and what that costs. NULL: it was in time. */
char *late_sentence(const struct run *run, int days)
{
    if (days == 0)
        return NULL;
    return text_of("%d %s late: the points count %.0f %%.", days, days == 1 ? "day" : "days",
                   100 * settings_factor(&run->settings, days));
}

static void put_tasks(const struct run *run, const struct submission *s, FILE *out)
{
    const struct value *task = result_tasks(s) ? result_tasks(s)->first : NULL;
    for (; task; task = task->next)
        if (task_counts(task)) {
            char *title = task_title(task);
            fprintf(out, "  %5g of %3g  %s\n", task_mark(run, task), value_number(task, "maximum", 0), title);
            free(title);
        }
}

static char *report_of(const struct run *run, const struct submission *s)
{
    char *path = text_of("%s/reports/%s.txt", run->results, s->key), *text = file_read(path, 8u << 20, NULL);
    free(path);
    return text ? text : text_of("%s", "");
}

char *student_text(const struct run *run, const struct submission *s)
{
    struct new_file text;
    int days;
    const double mark = mark_of(run, s, &days), maximum = class_maximum(run);
    char *late = late_sentence(run, days), *reason = reason_line(s), *report = report_of(run, s);
    file_begin(&text, "%s", "");
    fprintf(text.out, "%s: %s\n", run->lab, verdict_word(result_verdict(s)));
    if (maximum > 0)
        fprintf(text.out, "%g of %g points\n", mark, maximum);
    if (late)
        fprintf(text.out, "%s\n", late);
    if (run->settings.student_sees >= SEES_TASKS)
        put_tasks(run, s, text.out);
    if (run->settings.student_sees == SEES_REPORT)
        fprintf(text.out, "\n%s", report);
    else if (result_verdict(s) >= VERDICT_BUILD)
        fprintf(text.out, "%s.\n", reason);
    fclose(text.out);
    free(text.path);
    free(late);
    free(reason);
    free(report);
    return text.text;
}

bool write_students(const struct run *run)
{
    bool written = true;
    for (int i = 0; i < run->submissions.count; i++) {
        const struct submission *s = &run->submissions.all[i];
        if (!s->result)
            continue;
        struct new_file file;
        char *text = student_text(run, s);
        file_begin(&file, "%s/students/%s.txt", run->results, s->key);
        fprintf(file.out, "%s\n%s", s->name, text);
        written &= file_end(&file);
        free(text);
    }
    return written;
}

bool write_similar(const struct run *run, const char *skeleton, int *pairs)
{
    struct new_file file;
    struct pair *pair = similar_find(run, skeleton, pairs);
    file_begin(&file, "%s/similar.txt", run->results);
    fputs(similar_meaning, file.out);
    fprintf(file.out, "%d %s of %g %% or more; the lines are those where the first like part begins.\n\n",
            *pairs, *pairs == 1 ? "pair" : "pairs", run->settings.similar_percent);
    for (int i = 0; i < *pairs; i++)
        if (pair[i].identical)
            fprintf(file.out, "the same file  %s, %s\n", run->submissions.all[pair[i].a].name,
                    run->submissions.all[pair[i].b].name);
        else
            fprintf(file.out, "%3.0f %%  %s:%d, %s:%d\n", pair[i].percent,
                    run->submissions.all[pair[i].a].name, pair[i].line_a,
                    run->submissions.all[pair[i].b].name, pair[i].line_b);
    free(pair);
    return file_end(&file);
}
