#include "calculators/ptxas.h"

#include "sim/text/plain_name.h"

#include <string.h>

/* "ptxas info    : Compiling entry function '_Z5scalePf' for 'sm_90'": a kernel begins. */
static int begin_kernel(const char *line, struct ptxas_kernel *kernel)
{
    const char *at = strstr(line, "Compiling entry function '");
    memset(kernel, 0, sizeof *kernel);
    if (!at || sscanf(at, "Compiling entry function '%511[^']'", kernel->mangled) != 1)
        return 0;
    plain_name(kernel->mangled, kernel->name, sizeof kernel->name);
    return 1;
}

/* "Used 71 registers, used 1 barriers, 18432 bytes smem, 368 bytes cmem[0]" */
static void read_used(const char *line, struct ptxas_kernel *kernel)
{
    const char *used = strstr(line, "Used ");
    if (!used || sscanf(used, "Used %d registers", &kernel->registers) != 1)
        return;
    for (const char *part = strchr(used, ','); part; part = strchr(part + 1, ',')) {
        size_t bytes;
        int end = 0;
        if (sscanf(part, ", %zu bytes smem%n", &bytes, &end) == 1 && end > 0)
            kernel->shared_static = bytes;
    }
}

int ptxas_read(FILE *in, struct ptxas_kernel *kernels, int most)
{
    char line[2048];
    int count = 0;
    while (fgets(line, sizeof line, in)) {
        if (count < most && begin_kernel(line, &kernels[count])) {
            count++;
            continue;
        }
        if (count == 0)
            continue;
        struct ptxas_kernel *last = &kernels[count - 1];
        const char *stack = strstr(line, "bytes stack frame, ");
        if (stack)
            sscanf(stack, "bytes stack frame, %zu bytes spill stores, %zu bytes spill loads",
                   &last->spill_stores, &last->spill_loads);
        read_used(line, last);
    }
    return count;
}
