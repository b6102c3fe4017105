#include "calculators/launches.h"

#include <stdbool.h>
#include <string.h>

#include "sim/text/plain_name.h"

static bool same_launch(const struct launch_shape *a, const struct launch_shape *b)
{
    return a->threads == b->threads && a->shared_dynamic == b->shared_dynamic &&
           strcmp(a->mangled, b->mangled) == 0;
}

/* ", reduce" behind what is there, if it fits. */
static void add_task(struct launch_shape *shape, const char *task)
{
    const size_t length = strlen(shape->tasks);
    snprintf(shape->tasks + length, sizeof shape->tasks - length, ", %s", task);
}

int launches_read(FILE *in, struct launch_shape *shapes, int most)
{
    char line[512];
    int count = 0, i;
    while (count < most && fgets(line, sizeof line, in)) {
        struct launch_shape new = {.kernel = -1};
        if (sscanf(line, "%63s %255s %u %zu", new.tasks, new.mangled, &new.threads, &new.shared_dynamic) !=
                4 ||
            new.threads < 1 || new.threads > 1024)
            continue;
        for (i = 0; i < count && !same_launch(&shapes[i], &new); i++)
            ;
        if (i < count)
            add_task(&shapes[i], new.tasks);
        else
            shapes[count++] = new;
    }
    return count;
}

static int kernel_of(const struct launch_shape *shape, const struct ptxas_kernel *kernels, int kernel_count)
{
    char name[sizeof kernels->name];
    for (int k = 0; k < kernel_count; k++)
        if (strncmp(kernels[k].mangled, shape->mangled, sizeof shape->mangled - 1) == 0)
            return k;
    plain_name(shape->mangled, name, sizeof name);
    for (int k = 0; k < kernel_count; k++)
        if (strcmp(kernels[k].name, name) == 0)
            return k;
    return -1;
}

void launches_match(struct launch_shape *shapes, int shape_count, const struct ptxas_kernel *kernels,
                    int kernel_count)
{
    for (int i = 0; i < shape_count; i++)
        shapes[i].kernel = kernel_of(&shapes[i], kernels, kernel_count);
}
