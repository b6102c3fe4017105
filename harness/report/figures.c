/* The figures of the report: how fast, and how much memory traffic. */
#include <math.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/report/report.h"
#include "harness/result/score.h"
#include "sim/model/model.h"

/* Work, intensity, both rates; how the last launch fills the GPU; and how it was measured. */
static void print_roofline(const struct report *report, const struct grader_speed *s, double seconds)
{
    fprintf(report->out, "        %.4g bytes, %.4g flop: %.4g GB/s, %.4g GFLOP/s\n", s->bytes, s->flops,
            s->bytes / seconds * 1e-9, s->flops / seconds * 1e-9);
    fprintf(report->out, "        %.3g flop per byte, on the %s side of the ridge at %.3g",
            s->flops / s->bytes, s->memory_bound ? "memory" : "arithmetic", s->gflops / s->copy_gbs);
    if (s->modeled)
        fprintf(report->out, "; limited by %s\n", s->limiter);
    else
        fprintf(report->out, "; %d runs over %d sets of inputs\n", s->time.count, s->sets);
    if (s->waves.blocks > 0) {
        const double waves = s->waves.blocks / s->waves.wave, last = waves - ceil(waves) + 1;
        char text[160];
        text_set(text, sizeof text,
                 "%.0f blocks, %d per SM at a time: %.2f waves of %.0f, the last %.0f%% full",
                 s->waves.blocks, s->waves.blocks_per_sm, waves, s->waves.wave, 100 * last);
        text_print(report->out, 8, text, 0);
    }
    if (s->sampled_blocks > 0)
        fprintf(report->out, "        %.0f blocks were simulated, a sample\n", s->sampled_blocks);
    if (s->slow[0]) {
        fprintf(report->out, "        what costs most:\n");
        text_print(report->out, 10, s->slow, 0);
    }
}

/* Which part the roof is, and what the threshold is of where that is not the roof; behind `needed`. */
static void print_parts(const struct report *report, const struct grader_speed *s, const char *needed)
{
    char text[512];
    text_set(text, sizeof text, "%s%sthe roof: %s, %.4g ms", needed, needed[0] ? "; " : "", s->part.what,
             s->part.seconds * 1e3);
    if (s->limit > 0 && s->method.seconds > 0 &&
        s->limit * s->method_fraction <= s->method.seconds * (1 + 1e-9))
        text_append(text, sizeof text, "; needed: %.3g%% of the best that this method allows (%s, %.4g ms)",
                    100 * s->method_fraction, s->method.what, s->method.seconds * 1e3);
    text_print(report->out, 8, text, 0);
}

/* "0.4762 ms -32% +15%   846.6 GB/s   27.2% of the roof (needed: 15%, 0.864 ms)"; returns how many columns wide that is. */
static int print_time(const struct report *report, const struct grader_speed *s, const char *color)
{
    const double seconds = speed_seconds(s);
    int width = fprintf(report->out, "%s%8.4g ms%s", color, seconds * 1e3, PLAIN(report)) -
                (int)strlen(color) - (int)strlen(PLAIN(report));
    if (s->modeled && s->more == 0)
        width += fprintf(report->out, " (rough)");
    else if (s->modeled)
        width += fprintf(report->out, " -%.0f%% +%.0f%%", 100 * s->less, 100 * s->more);
    else
        width +=
            fprintf(report->out, " +-%.1f%%", 50 * (s->time.quartile3 - s->time.quartile1) / s->time.median);
    return width + fprintf(report->out, "  %6.4g %s  %5.1f%% of the roof",
                           s->memory_bound ? s->bytes / seconds * 1e-9 : s->flops / seconds * 1e-9,
                           s->memory_bound ? "GB/s" : "GFLOP/s", 100 * s->roof / seconds);
}

static void print_next_level(const struct report *report, const struct lab_level *level)
{
    char text[512];
    text_set(text, sizeof text, "next, from %.3g%% of the roof, %d points more: %s", 100 * level->fraction,
             level->points, level->name);
    text_print(report->out, 8, text, 0);
}

static void print_speed(const struct report *report, const struct grader_task *task)
{
    const struct grader_speed *s = &task->speed;
    const char *color = s->verdict == SPEED_TOO_SLOW || s->verdict == SPEED_IMPOSSIBLE ? RED(report)
                        : s->verdict == SPEED_INCONCLUSIVE                             ? YELLOW(report)
                        : s->verdict == SPEED_ENOUGH                                   ? GREEN(report)
                                                                                       : "";
    fprintf(report->out, "  (%s) %-*s ", task->task->part, report->id_width, task->task->id);
    if (s->time.count == 0) {
        fputc('\n', report->out);
        text_print(report->out, 8, s->note[0] ? s->note : "not timed", 0);
        return;
    }
    char needed[64] = "";
    const int width = print_time(report, s, color) + report->id_width + 7;
    if (s->limit > 0)
        text_set(needed, sizeof needed, "needed: %.3g%%, %.4g ms", 100 * s->roof / s->limit, s->limit * 1e3);
    const bool fits = width + (int)strlen(needed) + 3 <= text_width(report->out);
    if (needed[0] && fits)
        fprintf(report->out, " (%s)", needed);
    fputc('\n', report->out);
    print_parts(report, s, fits ? "" : needed);
    if (report->grader->options.verbose ||
        (report->explains && !task_is_done(task) && !task->task->shown_only))
        print_roofline(report, s, speed_seconds(s));
    if (s->in_doubt && !s->note[0])
        text_print(report->out, 8,
                   "fast enough if a GPU takes less than the modeled time, within the margin: passed", 0);
    if (s->note[0])
        text_print(report->out, 8, s->note, 0);
    if (s->level)
        fprintf(report->out, "        %s%d points more%s: %s\n", GREEN(report), task->extra_points,
                PLAIN(report), s->level->name);
    if (s->next_level)
        print_next_level(report, s->next_level);
}

static void print_model(const struct report *report)
{
    const struct sim_profile *model = report->grader->model;
    char text[512];
    const struct sim_kept own = sim_model_kept(model ? model->key : NULL),
                          kept = own.on ? own : sim_model_kept("h100");
    fprintf(report->out, "\n%sModeled speed%s (computed for %s, not measured)\n", BOLD(report), PLAIN(report),
            report->grader->device);
    text_set(
        text, sizeof text,
        "By the model; a GPU decides in the end. Within the margin shown were, on %s, the times of %d of 10 "
        "kernels that it was checked with, and of %d of 10 that it had never met.%s What may be fast enough "
        "within that margin passes.",
        kept.on, kept.checked, kept.unmet, own.on ? "" : " On this GPU none was measured.");
    text_print(report->out, 8, text, 0);
    if (model && 10 * model->cc_major + model->cc_minor < SIM_OLDEST_CODE) {
        text_set(
            text, sizeof text,
            "modeled from code for compute capability %d.%d: this device has %d.%d, and would need its own",
            SIM_OLDEST_CODE / 10, SIM_OLDEST_CODE % 10, model->cc_major, model->cc_minor);
        text_print(report->out, 8, text, 0);
    }
}

void report_speeds(const struct report *report)
{
    const struct grader *g = report->grader;
    bool any = false;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &g->tasks[i];
        if (!task->selected || (task->speed.time.count == 0 && !task->speed.note[0]))
            continue;
        if (!any && g->backend == BACKEND_GPU)
            fprintf(report->out, "\n%sSpeed%s (this GPU copies %.4g GB/s, both ways together%s%s)\n",
                    BOLD(report), PLAIN(report), g->roof.copy_gbs, g->roof.date[0] ? "; measured " : "",
                    g->roof.date);
        else if (!any)
            print_model(report);
        any = true;
        print_speed(report, task);
    }
}

/* No limit is set, but one line needs much more than its accesses have to. */
static bool wastes_much(const struct grader_counter *counter, const struct protocol_counters *c, int which)
{
    if (counter->limit >= 0)
        return false;
    switch ((enum lab_counter)which) {
    case LAB_LOAD_SECTORS_PER_REQUEST: return c->load_sectors >= 2 * c->load_sectors_ideal;
    case LAB_STORE_SECTORS_PER_REQUEST: return c->store_sectors >= 2 * c->store_sectors_ideal;
    case LAB_SHARED_CONFLICTS: return c->shared_wavefronts >= 2 * c->shared_wavefronts_ideal;
    default: return false;
    }
}

/* Then that is what there is to correct, and traffic of `task` that no limit forbids is none of it. */
static bool is_anything_wrong(const struct grader *grader, const struct grader_task *task)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].failed > 0 ||
            (&grader->tasks[i] != task && grader->tasks[i].speed.verdict == SPEED_TOO_SLOW))
            return true;
    return false;
}

static void print_counter(const struct report *report, const struct grader_task *task, int which,
                          const char *what, const char *unit)
{
    const struct grader_counter *c = &task->counters.counter[which];
    const struct protocol_place *place = &task->counters.worst[which].place;
    if (c->nothing_counted) {
        const char *asked = which == LAB_SHARED_CONFLICTS  ? "shared memory"
                            : which == LAB_SHARED_PER_WARP ? "shuffles"
                                                           : NULL;
        fprintf(report->out, "  (%s) %-*s %-33s %s%s%s\n", task->task->part, report->id_width, task->task->id,
                asked ? asked : what, RED(report),
                asked ? "not used, and the lab asks for it" : "none counted", PLAIN(report));
        return;
    }
    if (!c->asked && (c->value == 0 || which >= LAB_DIVERGENT_BRANCHES))
        return;
    const char *color = c->exceeded ? RED(report) : "", *plain = c->exceeded ? PLAIN(report) : "";
    int width = fprintf(report->out, "  (%s) %-*s %-33s %s%.4g%s%s", task->task->part, report->id_width,
                        task->task->id, what, color, c->value, unit, plain) -
                (int)(strlen(color) + strlen(plain));
    if (c->limit >= 0)
        width += fprintf(report->out, " (at most %.4g%s)", c->limit, unit);
    if (c->exceeded && c->value <= c->limit)
        width += fprintf(report->out, ", %.4g without requests that the task does not need", c->per_needed);
    if (memcmp(task->counters.arg, task->task->limit_arg, sizeof task->counters.arg) != 0)
        width += fprintf(report->out, " at the size that is timed");
    if (place->line > 0 && (c->exceeded || task->task->shown_only ||
                            (wastes_much(c, &task->counters.worst[which].counts, which) &&
                             !is_anything_wrong(report->grader, task)))) {
        char at[128];
        text_set(at, sizeof at, "%s:%d", text_file_name(place->file), place->line);
        fprintf(report->out, "%s%s",
                width + 2 + (int)strlen(at) > text_width(report->out) ? "\n        " : "  ", at);
    }
    fputc('\n', report->out);
}

void report_counters(const struct report *report)
{
    bool any = false;
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &report->grader->tasks[i];
        if (!task->counters.measured)
            continue;
        if (!any)
            fprintf(report->out, "\n%sCounted%s (in the simulator)\n", BOLD(report), PLAIN(report));
        any = true;
        print_counter(report, task, LAB_LOAD_SECTORS_PER_REQUEST, "sectors per load request", "");
        print_counter(report, task, LAB_STORE_SECTORS_PER_REQUEST, "sectors per store request", "");
        print_counter(report, task, LAB_SHARED_CONFLICTS, "shared memory: bank conflicts", "%");
        print_counter(report, task, LAB_DIVERGENT_BRANCHES, "divergent branches", "%");
        print_counter(report, task, LAB_IDLE_LANES, "idle lanes in a warp, on average", "%");
        print_counter(report, task, LAB_LOADS_PER_PRODUCT, "loads per 100 multiply-adds", "");
        print_counter(report, task, LAB_READS_PER_PRODUCT, "reads per 100 multiply-adds", "");
        print_counter(report, task, LAB_BYTES_LOADED, "bytes loaded per byte of the task", "");
        print_counter(report, task, LAB_SHARED_PER_WARP, "shared accesses per 32 elements", "");
    }
}
