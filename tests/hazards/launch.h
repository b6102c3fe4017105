/* The memory of the kernels of tests/hazards/ (see suite.h), and one launch. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/hazards/suite.h"

/* Addresses on the device. */
struct hazard_memory {
    int *x, *zeros, *fresh, *gone;
};
enum { X_COUNT = 4096, X_BYTES = X_COUNT * sizeof(int), ZEROS_BYTES = 1024, FRESH_BYTES = 4096 };

/* Allocated and filled as suite.h says. */
static inline struct hazard_memory hazard_memory_create(void)
{
    static int numbers[X_COUNT];
    struct hazard_memory memory;

    for (int i = 0; i < X_COUNT; i++)
        numbers[i] = i;
    cudaMalloc((void **)&memory.gone, 4096);
    cudaMalloc((void **)&memory.x, X_BYTES);
    cudaMalloc((void **)&memory.zeros, ZEROS_BYTES);
    cudaMalloc((void **)&memory.fresh, FRESH_BYTES);
    cudaMemcpy(memory.x, numbers, X_BYTES, cudaMemcpyHostToDevice);
    cudaMemset(memory.zeros, 0, ZEROS_BYTES);
    cudaFree(memory.gone);
    return memory;
}

/* After a fault the device has to be reset, and reads all kernels of the file anew. */
static inline void hazard_memory_free(const struct hazard_memory *memory)
{
    if (cudaFree(memory->x) != cudaSuccess || cudaFree(memory->zeros) != cudaSuccess ||
        cudaFree(memory->fresh) != cudaSuccess)
        cudaDeviceReset();
}

/* Launches the kernel and waits for its end; what became of it. */
static inline cudaError_t hazard_launch(const struct hazard_program *program, struct hazard_memory *memory)
{
    void *arguments[] = {&memory->x, &memory->zeros, &memory->fresh, &memory->gone};
    dim3 grid = {program->blocks, 1, 1}, block = {program->threads, 1, 1};

    if (program->cooperative)
        cudaLaunchCooperativeKernel(program->kernel, grid, block, arguments, program->dynamic_shared, NULL);
    else
        cudaLaunchKernel(program->kernel, grid, block, arguments, program->dynamic_shared, NULL);
    return cudaDeviceSynchronize();
}
