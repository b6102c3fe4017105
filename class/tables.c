/* The class for programs: CSV, JSON, JUnit's XML, and the files that Gradescope and GitHub Classroom read. */
#include <stdlib.h>
#include <string.h>

#include "class/clean.h"
#include "class/files.h"
#include "class/report_parts.h"
#include "harness/base/json.h"

/* ---- class.csv ------------------------------------------------------------------------------------------------ */

static void csv_field(FILE *out, const char *text)
{
    char *shown = one_line(text);
    csv_text(out, shown);
    fputc(',', out);
    free(shown);
}

static void csv_row(const struct run *run, const struct submission *s, FILE *out)
{
    int days;
    const double mark = mark_of(run, s, &days);
    const struct value *head = value_get(s->result, "submission");
    csv_field(out, s->name);
    csv_field(out, s->id);
    csv_field(out, s->entry);
    csv_field(out, verdict_word(result_verdict(s)));
    fprintf(out, "%g,%g,%g,%g,%d,", mark, result_points(s, "score"), result_points(s, "open"),
            class_maximum(run), days);
    csv_field(out, result_reason(s));
    csv_field(out, s->again ? "a second one of the same name" : "");
    fprintf(out, "%.1f", value_number(head, "seconds", 0));
    for (const struct value *task = class_tasks(run); task; task = task->next)
        if (task_counts(task))
            fprintf(out, ",%g", task_mark(run, task_named(s, value_text(task, "id"))));
    fputs("\r\n", out);
}

bool write_csv(const struct run *run)
{
    struct new_file file;
    file_begin(&file, "%s/class.csv", run->results);
    fputs("name,id,file,verdict,mark,score,open,maximum,days_late,reason,note,seconds", file.out);
    for (const struct value *task = class_tasks(run); task; task = task->next)
        if (task_counts(task))
            fprintf(file.out, ",%s", value_text(task, "id"));
    fputs("\r\n", file.out);
    for (int i = 0; i < run->submissions.count; i++)
        if (run->submissions.all[i].result)
            csv_row(run, &run->submissions.all[i], file.out);
    return file_end(&file);
}

/* ---- class.json ------------------------------------------------------------------------------------------------ */

static void json_shown(struct json *json, const char *key, const char *text)
{
    char *shown = one_line(text);
    json_string(json, key, shown);
    free(shown);
}

static void put_submission(const struct run *run, const struct submission *s, struct json *json)
{
    int days;
    const double mark = mark_of(run, s, &days);
    json_object(json, NULL);
    json_string(json, "name", s->name);
    json_string(json, "id", s->id);
    json_shown(json, "file", s->entry);
    json_string(json, "key", s->key);
    json_string(json, "verdict", verdict_word(result_verdict(s)));
    json_number(json, "mark", mark);
    json_number(json, "score", result_points(s, "score"));
    json_number(json, "open", result_points(s, "open"));
    json_integer(json, "days_late", days);
    json_shown(json, "reason", result_reason(s));
    json_bool(json, "again", s->again);
    json_object(json, "tasks");
    for (const struct value *task = result_tasks(s) ? result_tasks(s)->first : NULL; task; task = task->next)
        if (task_counts(task))
            json_number(json, value_text(task, "id"), task_mark(run, task));
    json_end_object(json);
    json_end_object(json);
}

bool write_json(const struct run *run)
{
    struct new_file file;
    file_begin(&file, "%s/class.json", run->results);
    struct json json = {.out = file.out};
    json_object(&json, NULL);
    json_string(&json, "lab", run->lab);
    json_string(&json, "real", run->real);
    json_number(&json, "maximum", class_maximum(run));
    json_array(&json, "submissions");
    for (int i = 0; i < run->submissions.count; i++)
        if (run->submissions.all[i].result)
            put_submission(run, &run->submissions.all[i], &json);
    json_end_array(&json);
    json_end_object(&json);
    return file_end(&file);
}

/* ---- junit.xml --------------------------------------------------------------------------------------------------- */

static void xml_attribute(FILE *out, const char *name, const char *text)
{
    char *shown = one_line(text);
    fprintf(out, " %s=\"", name);
    xml_text(out, shown);
    fputc('"', out);
    free(shown);
}

static void put_case(const struct submission *s, const char *name, const char *state, FILE *out)
{
    fputs("    <testcase", out);
    xml_attribute(out, "classname", s->key);
    xml_attribute(out, "name", name);
    fputs(" time=\"0\">", out);
    if (strcmp(state, "passed") != 0) {
        fprintf(out, "<%s", strcmp(state, "inconclusive") == 0 ? "skipped" : state);
        xml_attribute(out, "message", strcmp(state, "inconclusive") == 0 ? "inconclusive" : result_reason(s));
        fputs("/>", out);
    }
    fputs("</testcase>\n", out);
}

/* A suite for each submission: its tasks, or else one case that says why there are none. */
static void put_suite(const struct submission *s, FILE *out)
{
    const struct value *first = result_tasks(s) ? result_tasks(s)->first : NULL;
    int tests = first == NULL, errors = first == NULL, failures = 0, skipped = 0;
    for (const struct value *task = first; task; task = task->next)
        if (task_counts(task)) {
            tests++;
            failures += strcmp(task_state(task), "failed") == 0;
            skipped += strcmp(task_state(task), "inconclusive") == 0;
        }
    fputs("  <testsuite", out);
    xml_attribute(out, "name", s->name);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n", tests,
            failures, errors, skipped, value_number(value_get(s->result, "submission"), "seconds", 0));
    if (!first)
        put_case(s, verdict_word(result_verdict(s)), "error", out);
    for (const struct value *task = first; task; task = task->next)
        if (task_counts(task)) {
            const char *state = task_state(task);
            char *title = task_title(task);
            put_case(s, title, strcmp(state, "failed") == 0 ? "failure" : state, out);
            free(title);
        }
    fputs("  </testsuite>\n", out);
}

bool write_junit(const struct run *run)
{
    struct new_file file;
    file_begin(&file, "%s/junit.xml", run->results);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file.out);
    for (int i = 0; i < run->submissions.count; i++)
        if (run->submissions.all[i].result)
            put_suite(&run->submissions.all[i], file.out);
    fputs("</testsuites>\n", file.out);
    return file_end(&file);
}

/* ---- Gradescope: results.json; GitHub Classroom: the runner's JSON --------------------------------------------------- */

static const struct value *tasks_shown(const struct run *run, const struct submission *s)
{
    return result_tasks(s) && run->settings.student_sees >= SEES_TASKS ? result_tasks(s)->first : NULL;
}

static void gradescope_test(const struct run *run, const struct value *task, struct json *json)
{
    char *title = task_title(task);
    json_object(json, NULL);
    json_shown(json, "name", title);
    json_number(json, "score", task_mark(run, task));
    json_number(json, "max_score", value_number(task, "maximum", 0));
    json_string(json, "status", task_is_full(task) ? "passed" : "failed");
    json_string(json, "visibility", run->settings.visibility);
    json_end_object(json);
    free(title);
}

static void put_gradescope(const struct run *run, const struct submission *s, struct json *json)
{
    int days;
    const double mark = mark_of(run, s, &days);
    char *text = student_text(run, s);
    json_object(json, NULL);
    json_number(json, "score", mark);
    json_number(json, "execution_time", value_number(value_get(s->result, "submission"), "seconds", 0));
    json_string(json, "output", text);
    json_string(json, "output_format", "text");
    json_string(json, "visibility", run->settings.visibility);
    json_string(json, "stdout_visibility", "hidden");
    json_array(json, "tests");
    const struct value *task =
        result_tasks(s) && run->settings.student_sees >= SEES_TASKS ? result_tasks(s)->first : NULL;
    for (; task; task = task->next)
        if (task_counts(task))
            gradescope_test(run, task, json);
    json_end_array(json);
    json_end_object(json);
    free(text);
}

/* A task, or NULL: the submission as a whole. */
static void classroom_test(const struct run *run, const struct submission *s, const struct value *task,
                           struct json *json)
{
    int days;
    const bool full = task ? task_is_full(task) : result_verdict(s) == VERDICT_PASSED;
    char *title = task ? task_title(task) : text_of("%s", run->lab);
    json_object(json, NULL);
    json_shown(json, "name", title);
    json_string(json, "status", full ? "pass" : result_verdict(s) < VERDICT_BUILD ? "fail" : "error");
    json_number(json, "score", task ? task_mark(run, task) : mark_of(run, s, &days));
    json_shown(json, "message", full || run->settings.student_sees < SEES_REPORT ? "" : result_reason(s));
    json_string(json, "test_code", "");
    json_string(json, "filename", "");
    json_integer(json, "line_no", 0);
    json_number(json, "duration", 0);
    json_end_object(json);
    free(title);
}

static void put_classroom(const struct run *run, const struct submission *s, struct json *json)
{
    const enum verdict verdict = result_verdict(s);
    const struct value *task = tasks_shown(run, s);
    json_object(json, NULL);
    json_integer(json, "version", 1);
    json_string(json, "status",
                verdict == VERDICT_PASSED ? "pass"
                : verdict < VERDICT_BUILD ? "fail"
                                          : "error");
    json_number(json, "max_score", class_maximum(run));
    json_array(json, "tests");
    if (!task)
        classroom_test(run, s, NULL, json);
    for (; task; task = task->next)
        if (task_counts(task))
            classroom_test(run, s, task, json);
    json_end_array(json);
    json_end_object(json);
}

static bool write_each(const struct run *run, const char *folder,
                       void (*put)(const struct run *, const struct submission *, struct json *))
{
    bool written = true;
    for (int i = 0; i < run->submissions.count; i++) {
        const struct submission *s = &run->submissions.all[i];
        if (!s->result)
            continue;
        struct new_file file;
        file_begin(&file, "%s/%s/%s.json", run->results, folder, s->key);
        struct json json = {.out = file.out};
        put(run, s, &json);
        written &= file_end(&file);
    }
    return written;
}

bool write_gradescope(const struct run *run)
{
    return write_each(run, "gradescope", put_gradescope);
}

bool write_classroom(const struct run *run)
{
    return write_each(run, "classroom", put_classroom);
}
