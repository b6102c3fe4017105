/*
 * Runs one kernel of tests/hazards/, as suite.c does: for the tools that watch a real GPU, and for the
 * simulator (tests/gpu/sanitizer compares them).
 *
 *   hazard                    lists the kernels: "wrong NAME CLASS" or "right NAME none"
 *   hazard wrong|right NAME   runs it; what it did is of no interest, so the exit status is 0
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/hazards/suite.h"

#define SECONDS_MAX 30 /* some kernels never end on a GPU */

extern const struct hazard_program wrong_programs[], right_programs[];

/* As enum sim_hazard_class has them. */
static const char *const classes[] = {
    "out of bounds",  "use after free", "misaligned", "uninitialised", "race in shared memory",
    "race in global", "barrier",        "mask",       "deadlock",
};

static void list(const char *set, const struct hazard_program *programs)
{
    for (; programs->name != NULL; programs++)
        printf("%s %s %s\n", set, programs->name, programs->hazard < 0 ? "none" : classes[programs->hazard]);
}

static void run(const struct hazard_program *program)
{
    int *x, *zeros, *fresh, *gone;
    static int numbers[4096];
    void *arguments[] = {&x, &zeros, &fresh, &gone};
    dim3 grid = {program->blocks, 1, 1}, block = {program->threads, 1, 1};

    for (int i = 0; i < 4096; i++)
        numbers[i] = i;
    cudaMalloc((void **)&gone, 4096);
    cudaMalloc((void **)&x, sizeof numbers);
    cudaMalloc((void **)&zeros, 1024);
    cudaMalloc((void **)&fresh, 4096);
    cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(zeros, 0, 1024);
    cudaFree(gone);
    if (program->cooperative)
        cudaLaunchCooperativeKernel(program->kernel, grid, block, arguments, program->dynamic_shared, NULL);
    else
        cudaLaunchKernel(program->kernel, grid, block, arguments, program->dynamic_shared, NULL);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(int count, char **names)
{
    alarm(SECONDS_MAX);
    if (count < 3) {
        list("wrong", wrong_programs);
        list("right", right_programs);
        return 0;
    }
    const struct hazard_program *programs = strcmp(names[1], "wrong") == 0 ? wrong_programs : right_programs;
    for (; programs->name != NULL; programs++) {
        if (strcmp(programs->name, names[2]) == 0) {
            run(programs);
            return 0;
        }
    }
    fprintf(stderr, "hazard: there is no %s kernel %s\n", names[1], names[2]);
    return 2;
}
