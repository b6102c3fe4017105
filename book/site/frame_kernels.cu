/* What the book's pictures with sliders are drawn of, besides lab 01's copy: frames.c runs it. */
#include "book/site/frame_kernels.h"

#include "common/lab.h"

static float *memory(size_t count)
{
    float *d_x;
    CHECK(cudaMalloc((void **)&d_x, count * sizeof *d_x));
    return d_x;
}

static void finish(void *d_x)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_x));
}

__global__ void load_column(float *d_y, int row)
{
    extern __shared__ float tile[];
    tile[threadIdx.y * row + threadIdx.x] = threadIdx.x;
    __syncthreads();
    d_y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x * row + threadIdx.y];
}

void frame_column(int row)
{
    float *d_y = memory(32 * 32);
    load_column<<<1, dim3(32, 32), 32 * row * sizeof *d_y>>>(d_y, row);
    finish(d_y);
}

__global__ void sum_without_barrier(float *d_sum)
{
    __shared__ float s_x[128];
    const int tid = threadIdx.x;
    s_x[tid] = tid;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
    }
    if (tid == 0) {
        *d_sum = s_x[0];
    }
}

void frame_race(void)
{
    float *d_sum = memory(1);
    sum_without_barrier<<<1, 128>>>(d_sum);
    finish(d_sum);
}

#define THREADS 256

/* Each thread loads LOADS numbers, and then adds them. */
template <int LOADS> __global__ void sum_of(const float *d_x, float *d_sum, int n)
{
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += LOADS * threads) {
        float x[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            x[k] = i + k * threads < n ? d_x[i + k * threads] : 0;
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            sum += x[k];
        }
    }
    d_sum[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

double frame_rate(int blocks, int loads)
{
    void (*const kernel)(const float *, float *, int) = loads == 1   ? sum_of<1>
                                                        : loads == 2 ? sum_of<2>
                                                        : loads == 4 ? sum_of<4>
                                                                     : sum_of<8>;
    struct cudaDeviceProp device;
    struct timer timer;
    float ms;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int grid = device.multiProcessorCount * blocks,
              n = (1 << 28) / (THREADS * grid * 8) * (THREADS * grid * 8);
    float *d_x = memory(n), *d_sum = memory(grid * THREADS);
    CHECK(timer_init(&timer));
    CHECK(timer_start(&timer));
    kernel<<<grid, THREADS>>>(d_x, d_sum, n);
    CHECK(timer_stop(&timer));
    CHECK(timer_milliseconds(&timer, &ms));
    CHECK(timer_destroy(&timer));
    finish(d_x);
    CHECK(cudaFree(d_sum));
    return 4.0 * n / ms * 1e-6;
}
