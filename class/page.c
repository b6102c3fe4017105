/* The class on a page: verdicts, points of each task, the commonest causes, the slowest gradings. */
#include <stdlib.h>
#include <string.h>

#include "class/files.h"
#include "class/report_parts.h"

#define ROWS 8

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_statistics(double *points, int count, FILE *out)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += points[i];
    qsort(points, (size_t)count, sizeof *points, ascending);
    fprintf(out, "%7.1f %7.1f", count ? sum / count : 0,
            count ? (points[count / 2] + points[(count - 1) / 2]) / 2 : 0);
}

static void put_verdicts(const struct run *run, FILE *out)
{
    int of[VERDICTS] = {0}, graded = 0, again = 0;
    for (int i = 0; i < run->submissions.count; i++)
        if (run->submissions.all[i].result) {
            of[result_verdict(&run->submissions.all[i])]++;
            again += run->submissions.all[i].again;
            graded++;
        }
    fprintf(out, "%s: %d of %d graded", run->lab, graded, run->submissions.count);
    for (int i = 0; i < VERDICTS; i++)
        if (of[i])
            fprintf(out, "; %d %s", of[i],
                    i == VERDICT_BUILD && of[i] > 1 ? "do not compile" : verdict_word((enum verdict)i));
    fputc('\n', out);
    if (again)
        fprintf(out, "%d of them second ones of the same name: choose which one counts\n", again);
    if (run->submissions.ignored_count)
        fprintf(out, "no submissions, so left out: %s%s\n", run->submissions.ignored[0],
                run->submissions.ignored_count > 1 ? ", ..." : "");
}

/* Of all that are graded; who has no such task has 0 points. */
static void put_points(const struct run *run, FILE *out)
{
    const struct submissions *all = &run->submissions;
    double *points = allocate((size_t)all->count * sizeof *points);
    int days;
    fprintf(out, "\n%-28s %7s %7s %7s %7s\n", "points", "of", "mean", "median", "full");
    for (const struct value *task = class_tasks(run); task; task = task->next) {
        int count = 0, full = 0;
        if (!task_counts(task))
            continue;
        for (int i = 0; i < all->count; i++)
            if (all->all[i].result) {
                const struct value *own = task_named(&all->all[i], value_text(task, "id"));
                points[count++] = task_mark(run, own);
                full += own && task_is_full(own);
            }
        fprintf(out, "(%s) %-24s %7g ", value_text(task, "part"), value_text(task, "id"),
                value_number(task, "maximum", 0));
        put_statistics(points, count, out);
        fprintf(out, " %7d\n", full);
    }
    int count = 0, full = 0;
    for (int i = 0; i < all->count; i++)
        if (all->all[i].result) {
            full += result_verdict(&all->all[i]) == VERDICT_PASSED;
            points[count++] = mark_of(run, &all->all[i], &days);
        }
    fprintf(out, "%-28s %7g ", "mark", class_maximum(run));
    put_statistics(points, count, out);
    fprintf(out, " %7d\n", full);
    free(points);
}

struct row {
    char *kind;
    int count, example;
};

static int most_first(const void *a, const void *b)
{
    return ((const struct row *)b)->count - ((const struct row *)a)->count;
}

static void put_causes(const struct run *run, FILE *out)
{
    const struct submissions *all = &run->submissions;
    struct row *rows = allocate((size_t)all->count * sizeof *rows);
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        char *kind = result_kind(&all->all[i]);
        int j = 0;
        while (j < count && strcmp(rows[j].kind, kind) != 0)
            j++;
        if (kind[0] && j == count)
            rows[count++] = (struct row){kind, 0, i};
        if (kind[0])
            rows[j].count++;
        if (!kind[0] || rows[j].kind != kind)
            free(kind);
    }
    qsort(rows, (size_t)count, sizeof *rows, most_first);
    if (count)
        fputs("\ncommonest first causes, and one of each\n", out);
    for (int j = 0; j < count && j < ROWS; j++) {
        char *reason = reason_line(&all->all[rows[j].example]), *kind = one_line(rows[j].kind);
        fprintf(out, "%4d  %-30s %s: %.100s\n", rows[j].count, kind, all->all[rows[j].example].name, reason);
        free(reason);
        free(kind);
    }
    for (int j = 0; j < count; j++)
        free(rows[j].kind);
    free(rows);
}

static double seconds_of(const struct submission *s)
{
    return value_number(value_get(s->result, "submission"), "seconds", 0);
}

static void put_slowest(const struct run *run, FILE *out)
{
    const struct submissions *all = &run->submissions;
    double before = 1e30;
    fputs("\nslowest to grade\n", out);
    for (int row = 0; row < 3; row++) {
        int slowest = -1;
        for (int i = 0; i < all->count; i++)
            if (seconds_of(&all->all[i]) < before &&
                (slowest < 0 || seconds_of(&all->all[i]) > seconds_of(&all->all[slowest])))
                slowest = i;
        if (slowest < 0)
            return;
        before = seconds_of(&all->all[slowest]);
        fprintf(out, "%6.1f s  %s\n", before, all->all[slowest].name);
    }
}

bool write_page(const struct run *run, int pairs)
{
    struct new_file file;
    file_begin(&file, "%s/class.txt", run->results);
    put_verdicts(run, file.out);
    put_points(run, file.out);
    put_causes(run, file.out);
    put_slowest(run, file.out);
    fprintf(file.out, "\nalike: %d %s%s\n", pairs, pairs == 1 ? "pair" : "pairs",
            pairs ? ", see similar.txt" : "");
    fflush(file.out);
    fputs(file.text, stdout);
    return file_end(&file);
}
