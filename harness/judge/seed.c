#include "harness/judge/seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "harness/judge/call.h"

void plan_arguments(const struct lab_task *task, const int64_t *arg, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < LAB_MAX_ARGS && task->arg_names[i]; i++)
        text_append(text, size, "%s%s = %lld", i ? ", " : "", task->arg_names[i], (long long)arg[i]);
}

static uint64_t hash_text(uint64_t seed, const char *text)
{
    for (; *text; text++)
        seed = lab_random_u64(seed, 0, (unsigned char)*text);
    return seed;
}

bool plan_same_inputs(const struct lab_task *a, const struct lab_task *b)
{
    return a->shape == b->shape && a->fill == b->fill;
}

/* By name, so that --only and --size do not change the inputs of a case. */
uint64_t plan_own_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                       int repeat)
{
    uint64_t seed = hash_text(hash_text((uint32_t)grader->seed, task->id), case_name);
    seed = lab_random_u64(seed, 1, (uint64_t)repeat);
    return seed ? seed : 1; /* 0 means "none" elsewhere */
}

uint64_t plan_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                   int repeat)
{
    const struct lab_task *first = task;
    for (int i = the_lab.task_count - 1; i >= 0; i--)
        if (plan_same_inputs(&the_lab.tasks[i], task))
            first = &the_lab.tasks[i];
    return plan_own_seed(grader, first, case_name, repeat);
}

uint64_t plan_sample_seed(const struct grader *grader, const struct lab_task *task)
{
    const uint64_t bits = grader->seed >> 32;
    return plan_seed(grader, task, "sample", 0) ^ (bits ? lab_random_u64(bits, 0, 0) : 0);
}

uint64_t seed_drawn(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        perror("grader: getrandom");
        exit(2);
    }
    return seed ? seed : 1;
}

static bool is_of_a_case(const struct lab_task *task, const int64_t *arg)
{
    for (const struct lab_case *c = task->cases; c->name; c++)
        if (memcmp(c->arg, arg, sizeof c->arg) == 0)
            return true;
    return false;
}

int64_t plan_size_step(const struct lab_task *task)
{
    int64_t step = 0;
    for (const struct lab_case *c = task->cases; c->name; c++)
        for (int64_t size = c->arg[task->size_arg], rest; size != 0; size = rest) {
            rest = step % size;
            step = size;
        }
    return step > 0 ? step : 1;
}

#define DRAWS 8 /* the contract may not allow the first ones */

bool plan_other_size(const struct grader *grader, const struct lab_task *task, const char *case_name,
                     const int64_t *arg, int64_t other[LAB_MAX_ARGS])
{
    const int64_t step = plan_size_step(task), size = arg[task->size_arg] / step;
    int64_t least = 0;
    for (const struct lab_case *c = task->cases; c->name; c++)
        if (c->arg[task->size_arg] / step < size / 2 && c->arg[task->size_arg] / step >= least)
            least = c->arg[task->size_arg] / step + 1;
    const uint64_t seed = plan_seed(grader, task, case_name, 4);
    struct call call;
    memcpy(other, arg, LAB_MAX_ARGS * sizeof *arg);
    for (uint64_t i = 0; i < DRAWS && least < size; i++) {
        const uint64_t drawn = lab_random_u64(seed, 0, i) % (uint64_t)(size - least);
        other[task->size_arg] = (least + (int64_t)drawn) * step;
        if (!is_of_a_case(task, other) && call_shape(&call, task, other, true))
            return true;
    }
    return false;
}

/* Set 0 has the inputs of the large case of the same numbers, where there is one: they are there already. */
uint64_t plan_timed_seed(const struct grader *grader, const struct lab_task *task, int set)
{
    char name[32];
    for (const struct lab_case *c = task->cases; c->name && set == 0; c++)
        if (c->gpu_only && memcmp(c->arg, task->speed->gpu_arg, sizeof c->arg) == 0)
            return plan_seed(grader, task, c->name, 0);
    text_set(name, sizeof name, "timed %d", set);
    return plan_seed(grader, task, name, 0);
}
