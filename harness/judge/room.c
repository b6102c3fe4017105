#include "harness/judge/room.h"

#include "harness/judge/call.h"

static void widen(uint64_t *most, const struct lab_task *task, const int64_t *arg, bool two_outputs)
{
    struct call call;
    if (!arg || !call_shape(&call, task, arg, true))
        return;
    if (two_outputs)
        call_move_outputs(&call);
    if (call_arena_bytes(&call) > *most)
        *most = call_arena_bytes(&call);
}

uint64_t plan_arena_bytes(const struct grader *grader, enum grader_backend backend)
{
    uint64_t most = protocol_first_slot();
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &grader->tasks[i];
        const struct lab_speed *speed = task->task->speed;
        if (!task->selected)
            continue;
        for (int k = 0; k < task->case_count; k++)
            if (!task->cases[k].gpu_only || backend == BACKEND_GPU)
                widen(&most, task->task, task->cases[k].arg, false);
        widen(&most, task->task, task->task->limit_arg, false);
        if (speed)
            widen(&most, task->task, backend == BACKEND_GPU ? speed->gpu_arg : speed->sim_arg,
                  backend == BACKEND_GPU);
    }
    return most;
}
