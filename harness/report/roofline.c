/*
 * --roofline: the tasks that were timed, in the plot of the paper: S. Williams, A. Waterman, D. Patterson, "Roofline"
 * (CACM 52, 2009).
 */
#include <math.h>
#include <string.h>

#include "harness/report/report.h"

enum { COLUMNS = 60, ROWS = 16, LABEL_WIDTH = 9 };

/* A logarithm to base 2, a whole number at both ends; `steps` columns or rows from `low` to `high`. */
struct axis {
    double low, high;
    int steps;
};

struct plot {
    struct axis intensity, rate;
    double gflops, copy_gbs;
    char cell[ROWS][COLUMNS + 1];
};

static bool is_shown(const struct grader_task *task)
{
    return task->selected && task->speed.time.count > 0;
}

static double intensity_of(const struct grader_speed *s)
{
    return s->flops / s->bytes;
}

static double gflops_of(const struct grader_speed *s)
{
    return s->flops / speed_seconds(s) * 1e-9;
}

/* What a kernel of this intensity can reach: Williams et al., "min(peak, bandwidth x intensity)". */
static double attainable(const struct plot *plot, double intensity)
{
    return fmin(plot->gflops, plot->copy_gbs * intensity);
}

static int place(const struct axis *axis, double value)
{
    const int at = (int)lround((log2(value) - axis->low) / (axis->high - axis->low) * (axis->steps - 1));
    return at < 0 ? 0 : at >= axis->steps ? axis->steps - 1 : at;
}

static double value_at(const struct axis *axis, int at)
{
    return exp2(axis->low + (axis->high - axis->low) * at / (axis->steps - 1));
}

static void extend(struct axis *axis, double value)
{
    axis->low = fmin(axis->low, floor(log2(value)));
    axis->high = fmax(axis->high, ceil(log2(value)));
}

/* Both axes reach from below the lowest point to beyond the ridge. False: no task has anything to show. */
static bool begin(struct plot *plot, const struct grader *g)
{
    bool any = false;
    memset(plot, 0, sizeof *plot);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_speed *s = &g->tasks[i].speed;
        if (!is_shown(&g->tasks[i]) || s->flops <= 0 || s->bytes <= 0 || s->gflops <= 0 || s->copy_gbs <= 0)
            continue;
        if (!any) {
            plot->gflops = s->gflops;
            plot->copy_gbs = s->copy_gbs;
            plot->intensity.low = plot->intensity.high = log2(s->gflops / s->copy_gbs);
            plot->rate.low = plot->rate.high = log2(s->gflops);
        }
        any = true;
        extend(&plot->intensity, intensity_of(s));
        extend(&plot->rate, gflops_of(s));
    }
    plot->intensity.low = floor(plot->intensity.low) - 1;
    plot->intensity.high = ceil(plot->intensity.high) + 1;
    plot->rate.low = floor(plot->rate.low);
    plot->rate.high = ceil(plot->rate.high);
    plot->intensity.steps = COLUMNS;
    plot->rate.steps = ROWS;
    return any;
}

static void draw_roof(struct plot *plot)
{
    for (int r = 0; r < ROWS; r++)
        memset(plot->cell[r], ' ', COLUMNS);
    for (int c = 0; c < COLUMNS; c++) {
        const double intensity = value_at(&plot->intensity, c), roof = attainable(plot, intensity);
        if (log2(roof) >= plot->rate.low)
            plot->cell[place(&plot->rate, roof)][c] = roof < plot->gflops ? '/' : '-';
    }
}

/* In the cell of its intensity and rate; if another task is there, in the next one to the right that is free. */
static void draw_task(struct plot *plot, const struct grader_task *task)
{
    const struct grader_speed *s = &task->speed;
    char *row = plot->cell[place(&plot->rate, gflops_of(s))];
    int column = place(&plot->intensity, intensity_of(s));
    while (column + 1 < COLUMNS && row[column] >= 'a' && row[column] <= 'z')
        column++;
    row[column] = task->task->part[0];
}

/* The power of two that belongs to this row or column; 0: none does. */
static double tick(const struct axis *axis, int at)
{
    for (double power = axis->low; power <= axis->high; power++)
        if (place(axis, exp2(power)) == at)
            return exp2(power);
    return 0;
}

static void print_plot(const struct plot *plot, FILE *out)
{
    char ticks[COLUMNS + 16] = "";
    int length = 0;
    for (int r = ROWS - 1; r >= 0; r--) {
        const double rate = tick(&plot->rate, r);
        if (rate > 0)
            fprintf(out, "  %*.*f |%s\n", LABEL_WIDTH, rate < 1 ? 2 : 0, rate, plot->cell[r]);
        else
            fprintf(out, "  %*s |%s\n", LABEL_WIDTH, "", plot->cell[r]);
    }
    fprintf(out, "  %*s +", LABEL_WIDTH, "GFLOP/s");
    for (int c = 0; c < COLUMNS; c++) {
        const double intensity = tick(&plot->intensity, c);
        fputc(intensity > 0 ? '+' : '-', out);
        if (intensity > 0 && c >= length)
            length +=
                snprintf(ticks + length, sizeof ticks - (size_t)length, "%*s%g ", c - length, "", intensity);
    }
    fprintf(out, "\n  %*s  %s FLOP per byte\n", LABEL_WIDTH, "", ticks);
}

static void print_legend(const struct plot *plot, const struct grader_task *task, FILE *out)
{
    const struct grader_speed *s = &task->speed;
    if (s->flops <= 0) {
        fprintf(out, "  (%s) %-19s no floating-point arithmetic: not in the plot\n", task->task->part,
                task->task->id);
        return;
    }
    const double reached = gflops_of(s), most = attainable(plot, intensity_of(s));
    fprintf(out, "  (%s) %-19s %.3g FLOP per byte: %.4g GFLOP/s, %.1f%% of the %.4g under the roof there\n",
            task->task->part, task->task->id, intensity_of(s), reached, 100 * reached / most, most);
}

void report_roofline(const struct report *report)
{
    const struct grader *g = report->grader;
    struct plot plot;
    fprintf(report->out, "\n%sRoofline%s (%s, both axes logarithmic; a letter is a task)\n", BOLD(report),
            PLAIN(report), g->backend == BACKEND_GPU ? "measured on this GPU" : "modeled, not measured");
    if (!begin(&plot, g)) {
        fprintf(report->out, "  no task with floating-point arithmetic was timed\n");
        return;
    }
    draw_roof(&plot);
    for (int i = 0; i < the_lab.task_count; i++)
        if (is_shown(&g->tasks[i]) && g->tasks[i].speed.flops > 0)
            draw_task(&plot, &g->tasks[i]);
    print_plot(&plot, report->out);
    fprintf(report->out, "  the roof: %.4g GB/s (a copy) up to %.3g FLOP per byte, %.4g GFLOP/s from there\n",
            plot.copy_gbs, plot.gflops / plot.copy_gbs, plot.gflops);
    for (int i = 0; i < the_lab.task_count; i++)
        if (is_shown(&g->tasks[i]))
            print_legend(&plot, &g->tasks[i], report->out);
}
