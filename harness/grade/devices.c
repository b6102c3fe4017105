/* --devices: what the tasks' kernels would take on every device that the simulator models. */
#include "harness/grade/devices.h"

#include <string.h>

#include "harness/base/progress.h"
#include "harness/grade/counter.h"
#include "harness/lab/real.h"
#include "harness/result/grader.h"
#include "sim/model/model.h"

#define NAME_WIDTH 13
#define CELL_WIDTH 24

static bool is_shown(const struct grader_task *task)
{
    return task->selected && task->task->speed;
}

static void print_head(const struct grader *grader, FILE *out)
{
    fprintf(out,
            "%s  %s: modeled time in ms, share of the device's roof/share needed, verdict   (real = %s)\n",
            the_lab.name, the_lab.title, sizeof(real) == sizeof(double) ? "double" : "float");
    fprintf(
        out,
        "+ fast enough, ~ fast enough within the model's margin, - too slow; results are not checked here\n\n");
    fprintf(out, "  %-*s", NAME_WIDTH, "");
    for (int i = 0; i < the_lab.task_count; i++)
        if (is_shown(&grader->tasks[i]))
            fprintf(out, " %*.*s", CELL_WIDTH, CELL_WIDTH, grader->tasks[i].task->id);
    fputc('\n', out);
}

static void print_cell(const struct grader_speed *speed, FILE *out)
{
    const char mark = speed->verdict == SPEED_SHOWN    ? ' '
                      : speed->verdict != SPEED_ENOUGH ? '-'
                      : speed->in_doubt                ? '~'
                                                       : '+';
    char needed[16] = "";
    if (speed->limit > 0)
        text_set(needed, sizeof needed, "/%.1f", 100 * speed->roof / speed->limit);
    if (speed->time.count == 0)
        fprintf(out, " %*s", CELL_WIDTH, speed->verdict == SPEED_WRONG ? "failed" : "no time");
    else
        fprintf(out, " %10.4g %5.1f%s%% %c", speed_seconds(speed) * 1e3,
                100 * speed->roof / speed_seconds(speed), needed, mark);
}

static void model_tasks(struct grader *grader, FILE *out)
{
    for (int i = 0; i < the_lab.task_count && !process_interrupted(); i++) {
        struct grader_task *task = &grader->tasks[i];
        if (!is_shown(task))
            continue;
        memset(&task->speed, 0, sizeof task->speed);
        grader_model(grader, task);
        progress_clear();
        print_cell(&task->speed, out);
    }
}

void devices_print(struct grader *grader, FILE *out)
{
    print_head(grader, out);
    for (int i = 0; sim_profile_at(i) && !process_interrupted(); i++) {
        if (grader->options.device && strcmp(grader->options.device, sim_profile_at(i)->key) != 0)
            continue;
        grader->model = sim_profile_at(i);
        process_set_model(&grader->process[BACKEND_SIM], grader->model->key);
        fprintf(out, "  %-*s", NAME_WIDTH, grader->model->key);
        model_tasks(grader, out);
        fputc('\n', out);
    }
}
