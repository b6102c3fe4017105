/* What a task is judged by: its roof, the time that is allowed, and the least time that can be true. */
#include "harness/speed/limit.h"

#include <math.h>

#include "harness/lab/real.h"
#include "harness/result/grader.h"
#include "harness/speed/roof.h"
#include "harness/wire/protocol.h"

#define CHEAP_BYTES 1e9 /* of all sets: then four instead of two */
#define FAR_LONGER  8   /* what is read may come from L2 then: no time that matters */

/* The longest time that is allowed: by the roof, or by the lab's method where that is what takes long. */
static void set_limit(struct grader_speed *speed, const struct lab_task *task)
{
    const struct lab_speed *ask = task->speed;
    const double fraction = sizeof(real) == sizeof(double) ? ask->fraction_double : ask->fraction;
    if (task->shown_only || fraction <= 0)
        return;
    speed->limit = speed->roof / fraction;
    if (ask->method_fraction > 0)
        speed->limit = fmax(speed->limit, speed->method.seconds / ask->method_fraction);
}

void speed_set_roof(struct grader_speed *speed, const struct grader_roof *roof, const struct lab_task *task)
{
    const struct lab_speed *ask = task->speed;
    speed->copy_gbs = roof->copy_gbs;
    speed->gflops = sizeof(real) == sizeof(double) ? roof->fp64_gflops : roof->fp32_gflops;
    speed->bytes = ask->bytes(speed->arg);
    speed->flops = ask->flops ? ask->flops(speed->arg) : 0;
    speed->part = roof_longest(roof, ask, &ask->roof, speed->arg, true);
    speed->roof = speed->part.seconds;
    speed->memory_bound = speed->flops * speed->copy_gbs <= speed->bytes * speed->gflops;
    if (ask->method_fraction > 0) {
        speed->method = roof_longest(roof, ask, &ask->method, speed->arg, false);
        speed->method_fraction = ask->method_fraction;
    }
    set_limit(speed, task);
}

static bool is_arithmetic(const struct grader_roof *roof, const struct lab_speed *ask, const int64_t *arg,
                          double bytes)
{
    const double gflops = sizeof(real) == sizeof(double) ? roof->fp64_gflops : roof->fp32_gflops;
    return ask && ask->flops && ask->flops(arg) * roof->copy_gbs > FAR_LONGER * bytes * gflops;
}

int speed_sets(const struct grader_roof *roof, const struct lab_task *task, const int64_t *arg, double bytes)
{
    if (bytes <= 0 || is_arithmetic(roof, task->speed, arg, bytes))
        return 2;
    const double least = 4 * bytes <= CHEAP_BYTES ? 4 : 2;
    return (int)fmin(fmax(ceil(4 * roof->l2_bytes / bytes), least), PROTOCOL_MAX_SETS);
}

double speed_least_seconds(const struct grader_speed *speed, const struct grader_roof *roof,
                           const struct lab_task *task)
{
    const struct lab_speed *ask = task->speed;
    const double flops = speed->flops / (speed->gflops * 1e9);
    return fmax(roof_longest(roof, ask, &ask->roof, speed->arg, false).seconds,
                flops / fmax(ask->flops_saved, 1));
}
