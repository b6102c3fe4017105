/* --launches: the kernels that the timed tasks launch, for ./grader --occupancy. */
#include "harness/base/progress.h"
#include "harness/grade/devices.h"
#include "harness/result/grader.h"
#include "harness/speed/model.h"

static void print_shapes(const struct grader_task *task, const struct protocol_mailbox *mailbox, FILE *out)
{
    for (uint32_t i = 0; i < mailbox->shape_count; i++) {
        const struct protocol_shape *shape = &mailbox->shape[i];
        fprintf(out, "%s %s %llu %llu %llu\n", task->task->id, shape->kernel,
                (unsigned long long)shape->block[0] * shape->block[1] * shape->block[2],
                (unsigned long long)shape->dynamic_shared,
                (unsigned long long)shape->grid[0] * shape->grid[1] * shape->grid[2]);
    }
}

void launches_print(struct grader *grader, FILE *out)
{
    static struct protocol_mailbox mailbox;
    for (int i = 0; i < the_lab.task_count && !process_interrupted(); i++) {
        const struct grader_task *task = &grader->tasks[i];
        if (task->selected && task->task->speed) {
            grader_model_launches(grader, task->task, &mailbox);
            progress_clear();
            print_shapes(task, &mailbox, out);
        }
    }
}
