/* Launches: few blocks, few threads, waves and tails, tiny and big blocks, low occupancy, empty kernels, grid.sync. */
#include <cooperative_groups.h>
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

static __global__ void nothing(float *y)
{
    if (y == NULL) {
        y[0] = 1;
    }
}

/* Something between arithmetic and memory, a fixed amount per thread. */
static __global__ void some_work(const float *x, float *y, int rounds)
{
    float v = x[INDEX];
    for (int r = 0; r < rounds; r++) {
        v = v * 0.99f + 0.01f;
    }
    y[INDEX] = v;
}

static __global__ void store_index(float *y)
{
    y[INDEX] = INDEX;
}

/* Limited to few warps per SM by dynamic shared memory. */
static __global__ void streams_with_shared(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        s[threadIdx.x] = x[i];
        y[i] = s[threadIdx.x] + 1;
    }
}

/* Blocks of a size that is no power of two, each with a barrier and some shared memory. */
static __global__ void odd_blocks(const float *x, float *y)
{
    __shared__ float s[1000];
    s[threadIdx.x] = x[INDEX] * 2;
    __syncthreads();
    y[INDEX] = s[blockDim.x - 1 - threadIdx.x];
}

/* Many registers: limited to few warps per SM by these. */
static __global__ void __launch_bounds__(128) many_registers(const float *x, float *y, int rounds)
{
    float v[96];
#pragma unroll
    for (int k = 0; k < 96; k++) {
        v[k] = x[INDEX + k];
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 96; k++) {
            v[k] = v[k] * v[(k + 1) % 96] + 0.1f;
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) {
        sum += v[k];
    }
    y[INDEX] = sum;
}

/* One block adds up everything. */
static __global__ void one_block_sum(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += x[i];
    }
    y[threadIdx.x] = sum;
}

static __global__ void one_thread_sum(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    y[0] = sum;
}

static __global__ void grid_barriers(float *y, int rounds)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int r = 0; r < rounds; r++) {
        y[INDEX] = r;
        grid.sync();
    }
}

/* Jacobi iterations on a line, with a grid barrier after each. */
static __global__ void grid_jacobi(const float *x, float *y, int n, int rounds)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const float *from = x;
    for (int r = 0; r < rounds; r++) {
        float *to = y + (r & 1) * (n + 32);
        for (int i = INDEX + 1; i < n - 1; i += gridDim.x * blockDim.x) {
            to[i] = 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
        }
        grid.sync();
        from = to;
    }
}

static void cooperative(const void *kernel, int blocks, int threads, void **arguments)
{
    cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, 0);
}

static void run_grid_barriers(const struct model_buffers *b, int n)
{
    float *y = b->y;
    void *arguments[] = {&y, &n};
    cooperative((const void *)grid_barriers, b->sms, 256, arguments);
}

static void run_grid_barriers_full(const struct model_buffers *b, int n)
{
    float *y = b->y;
    void *arguments[] = {&y, &n};
    cooperative((const void *)grid_barriers, b->sms * 8, 256, arguments);
}

static void run_grid_jacobi(const struct model_buffers *b, int n)
{
    const float *x = b->x;
    float *y = b->y;
    int rounds = 8;
    void *arguments[] = {&x, &y, &n, &rounds};
    cooperative((const void *)grid_jacobi, b->sms * 4, 256, arguments);
}

/* Shared memory beyond 48 KB has to be asked for. */
static void run_with_shared(const struct model_buffers *b, int n, int blocks, int threads, int bytes)
{
    cudaFuncSetAttribute((const void *)streams_with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
    streams_with_shared<<<blocks, threads, bytes>>>(b->x, b->y, n);
}

const struct model_kernel model_launches[] = {
    {"empty_32_threads", "launch", {1 << 13, 1 << 16, 1 << 19}, RUN(nothing<<<n, 32>>>(b->y))},
    {"empty_128_threads", "launch", {1 << 14, 1 << 16, 1 << 18}, RUN(nothing<<<n, 128>>>(b->y))},
    {"empty_1024_threads", "launch", {1 << 13, 1 << 15, 1 << 18}, RUN(nothing<<<n, 1024>>>(b->y))},
    {"store_32_threads", "launch", {1 << 13, 1 << 16, 1 << 19}, RUN(store_index<<<n, 32>>>(b->y))},
    {"store_64_threads", "launch", {1 << 13, 1 << 16, 1 << 18}, RUN(store_index<<<n, 64>>>(b->y))},
    {"copy_of_1024_threads",
     "launch",
     {1 << 11, 1 << 13, 1 << 15},
     RUN(some_work<<<n, 1024>>>(b->x, b->y, 0))},
    {"copy_of_32_threads", "launch", {1 << 13, 1 << 16, 1 << 19}, RUN(some_work<<<n, 32>>>(b->x, b->y, 0))},
    {"blocks_of_96", "launch", {1 << 13, 1 << 16, 1 << 18}, RUN(odd_blocks<<<n, 96>>>(b->x, b->y))},
    {"blocks_of_416", "launch", {1 << 11, 1 << 14, 1 << 16}, RUN(odd_blocks<<<n, 416>>>(b->x, b->y))},
    {"blocks_of_1000", "launch", {1 << 10, 1 << 13, 1 << 15}, RUN(odd_blocks<<<n, 1000>>>(b->x, b->y))},
    {"one_block", "few blocks", {1 << 15, 1 << 18, 1 << 20}, RUN(one_block_sum<<<1, 1024>>>(b->x, b->y, n))},
    {"one_block_of_128",
     "few blocks",
     {1 << 12, 1 << 15, 1 << 17},
     RUN(one_block_sum<<<1, 128>>>(b->x, b->y, n))},
    {"one_warp", "few blocks", {1 << 10, 1 << 13, 1 << 15}, RUN(one_block_sum<<<1, 32>>>(b->x, b->y, n))},
    {"one_thread", "few blocks", {1 << 9, 1 << 11, 1 << 14}, RUN(one_thread_sum<<<1, 1>>>(b->x, b->y, n))},
    {"wave_minus_one", "waves", {512, 4096, 16384}, RUN(some_work<<<b->sms - 1, 1024>>>(b->x, b->y, n))},
    {"wave_exact", "waves", {512, 4096, 16384}, RUN(some_work<<<b->sms * 2, 1024>>>(b->x, b->y, n))},
    {"wave_plus_one", "waves", {512, 4096, 16384}, RUN(some_work<<<b->sms * 2 + 1, 1024>>>(b->x, b->y, n))},
    {"waves_two_and_a_half", "waves", {256, 1024, 4096}, RUN(some_work<<<b->sms * 5, 1024>>>(b->x, b->y, n))},
    {"half_of_the_sms", "waves", {4096, 8192, 32768}, RUN(some_work<<<b->sms / 2, 256>>>(b->x, b->y, n))},
    {"low_occupancy_100_KB",
     "occupancy",
     {1 << 20, 1 << 21, 1 << 24},
     RUN(run_with_shared(b, n, b->sms * 2, 128, 100 << 10))},
    {"low_occupancy_48_KB",
     "occupancy",
     {1 << 21, 1 << 22, 1 << 24},
     RUN(run_with_shared(b, n, b->sms * 8, 128, 48 << 10))},
    {"low_occupancy_one_warp",
     "occupancy",
     {1 << 17, 1 << 20, 1 << 22},
     RUN(run_with_shared(b, n, b->sms, 32, 200 << 10))},
    {"many_registers", "occupancy", {4, 16, 64}, RUN(many_registers<<<b->sms * 8, 128>>>(b->x, b->y, n))},
    {"grid_barriers", "cooperative", {8, 32, 100}, run_grid_barriers, NULL},
    {"grid_barriers_full", "cooperative", {4, 16, 64}, run_grid_barriers_full, NULL},
    {"grid_jacobi", "cooperative", {1 << 17, 1 << 20, 1 << 22}, run_grid_jacobi, NULL},
    END,
};
