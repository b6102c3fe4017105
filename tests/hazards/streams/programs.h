/*
 * What the programs about streams and the host share (README.md). Each is a function PROGRAM(name) that runs in a
 * process of its own, and returns 0 if it saw what a right program sees, 1 if not.
 */
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define PROGRAM(name) static int name(void)
#define N             1024
#define BYTES         (N * sizeof(int))
#define GRID(stream)  4, 256, 0, stream /* <<<GRID(stream)>>>: a thread for each of N elements */

struct program {
    const char *name;
    int (*run)(void);
};

/* On a device, STREAMS_CYCLES in the environment makes every kernel wait before it begins: other work overtakes it. */
static inline long long cycles_before(void)
{
    const char *text = getenv("STREAMS_CYCLES");
    return text != NULL ? atoll(text) : 0;
}

static __device__ void wait_for(long long cycles)
{
    long long begin = clock64();
    while (cycles > 0 && clock64() - begin < cycles)
        ;
}
static __device__ int element()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
static __global__ void fill(int *p, int value, long long cycles)
{
    wait_for(cycles);
    p[element()] = value;
}
static __global__ void add(int *p, int value, long long cycles)
{
    wait_for(cycles);
    p[element()] += value;
}
static __global__ void copy(int *to, const int *from, long long cycles)
{
    wait_for(cycles);
    to[element()] = from[element()];
}
static __global__ void count(int *counter, long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x == 0)
        atomicAdd(counter, 1);
}
static __global__ void fill_half(int *p, int value, long long cycles)
{
    wait_for(cycles);
    if (element() < N / 2)
        p[element()] = value;
}
#define LATE cycles_before()

/* N ints of the device, all 0; nothing is under way when they are there. */
static inline int *zeros_on_device(void)
{
    int *p = NULL;
    cudaMalloc(&p, BYTES);
    cudaMemset(p, 0, BYTES);
    cudaDeviceSynchronize();
    return p;
}

static inline cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    return stream;
}

/* A stream that the legacy default stream does not wait for, nor it for that one. */
static inline cudaStream_t new_stream_apart(void)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}

static inline cudaEvent_t new_event(void)
{
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return event;
}

/* N ints of pinned host memory, all 0. */
static inline int *zeros_pinned(void)
{
    int *p = NULL;
    cudaMallocHost(&p, BYTES);
    memset(p, 0, BYTES);
    return p;
}

/* Waits for all work, copies the memory, and compares all elements: 0 if they are as expected. */
static inline int differs(const int *on_device, int expected)
{
    static int host[N];
    if (cudaDeviceSynchronize() != cudaSuccess ||
        cudaMemcpy(host, on_device, BYTES, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < N; i++)
        if (host[i] != expected)
            return 1;
    return 0;
}

static int run_program(const struct program *programs, int count, char **names)
{
    for (; programs->name != NULL; programs++) {
        if (count < 2)
            printf("%s\n", programs->name);
        else if (strcmp(programs->name, names[1]) == 0)
            return programs->run();
    }
    return count < 2 ? 0 : 2;
}
