/* The page: verdict, tasks, what failed as it is printed, then each task's pictures, speeds and the source. */
#include "harness/html/html.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/file.h"
#include "harness/report/report.h"
#include "harness/result/score.h"
#include "picture/picture.h"

static const char *verdict_word(const struct grader *grader)
{
    const int verdict = grader_verdict(grader);
    return verdict == GRADER_PASSED ? "passed" : verdict == GRADER_FAILED ? "failed" : "inconclusive";
}

static void write_head(const struct html_page *page)
{
    FILE *out = page->out;
    int maximum, open, score = grader_score(page->grader, &maximum, &open);
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n<title>",
        out);
    fprintf(out, "%s: %s</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<main>\n", the_lab.name,
            verdict_word(page->grader), picture_style, html_style);
    fprintf(out, "<header class=\"%s\">\n<h1>%s: ", verdict_word(page->grader), the_lab.name);
    picture_escape(out, the_lab.title);
    fprintf(out, "</h1>\n<p class=\"verdict\">%s", verdict_word(page->grader));
    if (!page->grader->only.cases)
        fprintf(out, ": %d of %d points", score, maximum);
    fputs("</p>\n<p>", out);
    picture_escape(out, page->grader->build.source);
    fprintf(out, ", seed %llu, ", (unsigned long long)page->grader->seed);
    picture_escape(out, page->grader->device[0] ? page->grader->device : "device");
    fputs("</p>\n</header>\n", out);
}

static bool is_told(const struct grader_task *task)
{
    return task->selected && task->case_count > 0;
}

static void write_tasks(const struct html_page *page)
{
    fputs("<section>\n<h2>Tasks</h2>\n<ul class=\"tasks\">\n", page->out);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &page->grader->tasks[i];
        if (!is_told(task))
            continue;
        fprintf(page->out, "<li class=\"%s\"><b>(%s) %s</b> ",
                task_is_done(task)    ? "passed"
                : task_is_right(task) ? "slow"
                                      : "failed",
                task->task->part, task->task->id);
        picture_escape(page->out, task->task->title);
        fprintf(page->out, "<span>%d of %d cases", task->passed, task->passed + task->failed);
        if (!page->grader->only.cases && task->task->points > 0)
            fprintf(page->out, ", %d of %d points", task_points(task), task->task->points);
        fputs("</span></li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
    char next[1536];
    report_next(page->grader, page->failures, next, sizeof next);
    if (next[0]) {
        fputs("<p class=\"next\">", page->out);
        picture_escape(page->out, next);
        fputs("</p>\n", page->out);
    }
    fputs("</section>\n", page->out);
}

/* The same words as on the terminal. */
static void write_report(const struct html_page *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    const bool printed = report_print(page->grader, memory, false, NULL, NULL);
    fclose(memory);
    if (printed) {
        fputs("<section>\n<h2>Report</h2>\n<pre class=\"report\">", page->out);
        picture_escape(page->out, text);
        fputs("</pre>\n</section>\n", page->out);
    }
    free(text);
}

static void take_speed(const struct grader_task *task, struct picture_speed *to)
{
    const struct grader_speed *s = &task->speed;
    const double seconds = speed_seconds(s);
    snprintf(to->name, sizeof to->name, "(%s) %s", task->task->part, task->task->id);
    to->part = s->roof / seconds;
    to->needed = s->limit > 0 ? s->roof / s->limit : 0;
    to->right = s->verdict != SPEED_TOO_SLOW && s->verdict != SPEED_IMPOSSIBLE && s->verdict != SPEED_WRONG;
    if (s->flops > 0 && s->bytes > 0) {
        to->intensity = s->flops / s->bytes;
        to->gflops = s->flops / seconds * 1e-9;
    }
}

/* Those that were timed; `roof`: of the last one. */
static int take_speeds(const struct grader *grader, struct picture_speed *speeds, struct picture_roof *roof)
{
    int count = 0;
    memset(roof, 0, sizeof *roof);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &grader->tasks[i];
        if (!task->selected || task->speed.time.count == 0 || speed_seconds(&task->speed) <= 0)
            continue;
        take_speed(task, &speeds[count++]);
        if (task->speed.gflops > 0 && task->speed.copy_gbs > 0) {
            roof->gflops = task->speed.gflops;
            roof->gbs = task->speed.copy_gbs;
        }
    }
    return count;
}

static void write_speeds(const struct html_page *page)
{
    struct picture_roof roof;
    struct picture_speed *speeds = calloc((size_t)the_lab.task_count, sizeof *speeds);
    const int count = speeds ? take_speeds(page->grader, speeds, &roof) : 0;
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || speeds[i].intensity > 0;
    if (count > 0) {
        const bool measured = page->grader->backend == BACKEND_GPU;
        fprintf(page->out, "<section>\n<h2>Speed</h2>\n<p>%s.</p>\n<figure class=\"bars\">\n",
                measured ? "Measured on this GPU" : "By the model, not measured");
        picture_bars(page->out, speeds, count,
                     measured ? "of the roof, measured" : "of the roof, by the model",
                     "Speed of each task as a part of the roof; the report has the numbers");
        fputs("</figure>\n", page->out);
        if (any && roof.gbs > 0) {
            picture_fit_roof(&roof, speeds, count);
            fputs("<h3>Roofline</h3>\n<figure class=\"roofline\">\n", page->out);
            picture_roofline(page->out, &roof, speeds, count, "Tasks with arithmetic under the roofline");
            fputs("</figure>\n", page->out);
        }
        fputs("</section>\n", page->out);
        html_sm_write(page);
    }
    free(speeds);
}

struct cases {
    struct html_case **list;
    int count;
};

#define PICTURES_UP_TO                                                                                       \
    680000 /* bytes of the page: with the last case's pictures and the report it has less than 1 MB */

/* Of tasks that are right, or not; where there is no room any more, it says how to see the case. */
static void write_cases(const struct html_page *page, bool right)
{
    for (int i = 0; i < page->case_count; i++) {
        const struct html_case *of = page->cases[i];
        if (!of || !html_case_has_pictures(of) || task_is_right(of->task) != right)
            continue;
        if (ftell(page->out) < PICTURES_UP_TO) {
            html_case_write(page, of);
            continue;
        }
        fprintf(page->out, "<section>\n<h2>(%s) %s: ", of->task->task->part, of->task->task->id);
        picture_escape(page->out, of->c->name);
        fprintf(
            page->out,
            "</h2>\n<p>This page has no room for its pictures. A page of this task: <code>./grader --only "
            "%s --html FILE</code></p>\n</section>\n",
            of->task->task->id);
    }
}

static void write_page(const struct grader *grader, const struct failures *failures, void *context, FILE *out)
{
    const struct cases *cases = context;
    const struct html_page page = {
        .grader = grader, .failures = failures, .cases = cases->list, .case_count = cases->count, .out = out};
    write_head(&page);
    const bool passed = grader_passed(grader);
    write_tasks(&page);
    if (!passed)
        write_report(&page);
    write_cases(&page, false);
    write_cases(&page, true);
    write_speeds(&page);
    html_ladder_write(&page);
    if (passed)
        write_report(&page);
    html_source_write(&page);
    fprintf(page.out, "</main>\n<script>%s</script>\n</body>\n</html>\n", html_script);
}

bool html_write(const struct grader *grader, struct html_case **cases, int case_count, const char *path,
                char message[512])
{
    struct cases all = {cases, case_count};
    return file_write(grader, "--html", path, write_page, &all, message);
}
