/* Launches of litmus tests: see launch.h. */
#include "tests/litmus/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULTS = TERMS_MAX }; /* registers, then locations */

bool litmus_device_create(struct litmus_device *device, unsigned instances, unsigned groups, unsigned stride)
{
    size_t words = (size_t)instances * LOCATIONS_MAX * stride, results = (size_t)instances * RESULTS;

    *device = (struct litmus_device){
        .instances_max = instances, .stride_max = stride, .groups_max = groups, .busy_words = 1u << 20};
    device->host = malloc((words > results ? words : results) * sizeof(unsigned));
    if (device->host && cudaMalloc((void **)&device->memory, words * sizeof(unsigned)) == cudaSuccess &&
        cudaMalloc((void **)&device->results, results * sizeof(unsigned)) == cudaSuccess &&
        cudaMalloc((void **)&device->meeting, groups * sizeof(unsigned)) == cudaSuccess &&
        cudaMalloc((void **)&device->busy, device->busy_words * sizeof(unsigned)) == cudaSuccess)
        return true;
    fprintf(stderr, "litmus: no memory for %u instances: %s\n", instances,
            cudaGetErrorString(cudaGetLastError()));
    return false;
}

void litmus_device_destroy(struct litmus_device *device)
{
    cudaFree(device->memory);
    cudaFree(device->results);
    cudaFree(device->meeting);
    cudaFree(device->busy);
    free(device->host);
}

unsigned litmus_instances(const struct litmus_test *test, const struct litmus_shape *shape)
{
    return shape->groups * shape->sets * (32 / (unsigned)test->lanes);
}

/* Blocks of at most 512 threads, and at most five sets have barriers of their own (generate.c). */
unsigned litmus_sets_max(const struct litmus_test *test)
{
    return test->warps <= 2 ? 4 : 2;
}

/* ---- before a launch ------------------------------------------------------------------------------------------ */

static cudaError_t fill_memory(const struct litmus_device *device, const struct litmus_test *test,
                               unsigned instances, unsigned stride)
{
    size_t each = (size_t)instances * stride;
    bool zero = true;

    for (int l = 0; l < test->location_count; l++)
        zero &= test->initial[l] == 0;
    if (zero)
        return cudaMemset(device->memory, 0, each * (unsigned)test->location_count * sizeof(unsigned));
    for (int l = 0; l < test->location_count; l++)
        for (size_t i = 0; i < each; i++)
            device->host[(size_t)l * each + i] = (unsigned)test->initial[l];
    return cudaMemcpy(device->memory, device->host, each * (unsigned)test->location_count * sizeof(unsigned),
                      cudaMemcpyHostToDevice);
}

static cudaError_t prepare(const struct litmus_device *device, const struct litmus_test *test,
                           const struct litmus_shape *shape, unsigned instances)
{
    cudaError_t status = cudaMemset(device->results, 0xff, (size_t)instances * RESULTS * sizeof(unsigned));

    if (status == cudaSuccess && shape->meet)
        status = cudaMemset(device->meeting, 0, shape->groups * sizeof(unsigned));
    return status == cudaSuccess ? fill_memory(device, test, instances, shape->stride) : status;
}

/* ---- after it ------------------------------------------------------------------------------------------------- */

/* Where the kernels put instance i of a location: litmus_location in kernel.h. */
static size_t word_of(const struct litmus_arguments *a, unsigned location, unsigned i)
{
    return ((size_t)location * a->instances + (i * a->factor[location] & (a->instances - 1))) * a->stride;
}

static cudaError_t fetch(const struct litmus_device *device, const struct litmus_test *test,
                         const struct litmus_arguments *a, struct outcome *outcome)
{
    size_t words = (size_t)a->instances * a->stride * (unsigned)test->location_count;
    bool in_results = test->shared;
    size_t results = in_results ? RESULTS : (size_t)test->register_count;
    cudaError_t status = cudaMemcpy(device->host, device->results, a->instances * results * sizeof(unsigned),
                                    cudaMemcpyDeviceToHost);

    for (unsigned i = 0; i < a->instances; i++) {
        for (int k = 0; k < RESULTS; k++) {
            bool used = k < REGISTERS_MAX ? k < test->register_count
                                          : in_results && test->observed[k - REGISTERS_MAX];
            outcome[i].value[k] = used ? (int)device->host[(size_t)k * a->instances + i] : VALUE_NONE;
        }
    }
    if (status != cudaSuccess || in_results)
        return status;
    status = cudaMemcpy(device->host, device->memory, words * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < a->instances; i++)
        for (int l = 0; l < test->location_count; l++)
            if (test->observed[l])
                outcome[i].value[REGISTERS_MAX + l] = (int)device->host[word_of(a, (unsigned)l, i)];
    return status;
}

static void count_outcomes(const struct verdict *verdict, const struct outcome *outcome, unsigned count,
                           struct litmus_tally *tally)
{
    for (unsigned i = 0; i < count; i++) {
        int found = verdict_outcome(verdict, &outcome[i]);
        tally->total++;
        if (found >= 0)
            tally->seen[found]++;
        else if (tally->forbidden++ == 0)
            tally->first_forbidden = outcome[i];
    }
}

static struct litmus_arguments make_arguments(const struct litmus_device *device,
                                              const struct litmus_shape *shape, unsigned instances)
{
    struct litmus_arguments a = {
        .memory = device->memory,
        .results = device->results,
        .meeting = shape->meet ? device->meeting : NULL,
        .busy = device->busy,
        .groups = shape->groups,
        .instances = instances,
        .stride = shape->stride,
        .seed = shape->seed,
        .delay_most = shape->delay_most,
        .delay_step = shape->delay_step,
        .busy_words = device->busy_words,
        .busy_rounds = shape->busy_rounds,
    };

    for (unsigned l = 0; l < LOCATIONS_MAX; l++)
        a.factor[l] = (shape->seed * 2654435761u >> (4 * l) & 0xfff) | 1;
    return a;
}

cudaError_t litmus_launch(const struct litmus_device *device, const struct litmus_test *test,
                          const void *kernel, const struct litmus_shape *shape, const struct verdict *verdict,
                          struct litmus_tally *tally)
{
    unsigned instances = litmus_instances(test, shape);
    struct litmus_arguments a = make_arguments(device, shape, instances);
    void *arguments[] = {&a};
    dim3 grid = {shape->groups * (unsigned)test->blocks + shape->busy_blocks, 1, 1};
    dim3 block = {shape->sets * (unsigned)test->warps * 32, 1, 1};
    cudaError_t status = prepare(device, test, shape, instances);
    struct outcome *outcome = malloc(instances * sizeof *outcome);

    if (!outcome)
        return cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL);
    if (status == cudaSuccess)
        status = cudaDeviceSynchronize();
    if (status == cudaSuccess)
        status = fetch(device, test, &a, outcome);
    if (status == cudaSuccess)
        count_outcomes(verdict, outcome, instances, tally);
    free(outcome);
    return status;
}
