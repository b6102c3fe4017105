/* Reductions, scans, histograms. n: elements. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

#define ALL 0xffffffffu

static __device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(ALL, v, d);
    }
    return v;
}

/* By halves, in y: the first n elements are the input of the next level. */
static __global__ void reduce_global(const float *x, float *y)
{
    const int first = blockIdx.x * blockDim.x;
    y[first + threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            y[first + threadIdx.x] += y[first + threadIdx.x + d];
        }
        __syncthreads();
    }
}

template <int threads> static __global__ void reduce_shared(const float *x, float *y)
{
    __shared__ float s[threads];
    s[threadIdx.x] = x[INDEX];
    __syncthreads();
    for (int d = threads / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            s[threadIdx.x] += s[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = s[0];
    }
}

/* The textbook's first version: neighbors are added, so that the active threads lie apart. */
static __global__ void reduce_interleaved(const float *x, float *y)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[INDEX];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (threadIdx.x % (2 * d) == 0) {
            s[threadIdx.x] += s[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = s[0];
    }
}

static __global__ void reduce_shuffle(const float *x, float *y)
{
    __shared__ float s[32];
    float v = warp_sum(x[INDEX]);
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = v;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            y[blockIdx.x] = v;
        }
    }
}

static __global__ void reduce_grid_stride(const float4 *x, float *y, int n)
{
    float sum = 0;
    for (int i = INDEX; i < n / 4; i += gridDim.x * blockDim.x) {
        const float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(y, sum);
    }
}

static __global__ void reduce_atomic_per_thread(const unsigned *u, unsigned *y)
{
    atomicAdd(y, u[INDEX]);
}

static __global__ void reduce_atomic_per_block(const float *x, float *y)
{
    __shared__ float s;
    if (threadIdx.x == 0) {
        s = 0;
    }
    __syncthreads();
    atomicAdd(&s, x[INDEX]);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(y, s);
    }
}

/* Dot product in double, several elements per thread. */
static __global__ void dot_double(const double *x, double *y, int n)
{
    double sum = 0;
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i] * x[i];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(ALL, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        y[INDEX / 32] = sum;
    }
}

/* The largest element and its place, by shared memory. */
static __global__ void arg_max(const float *x, float *y)
{
    __shared__ float value[256];
    __shared__ int place[256];
    value[threadIdx.x] = x[INDEX];
    place[threadIdx.x] = INDEX;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d && value[threadIdx.x + d] > value[threadIdx.x]) {
            value[threadIdx.x] = value[threadIdx.x + d];
            place[threadIdx.x] = place[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = value[0] + place[0];
    }
}

static __global__ void scan_warp(const float *x, float *y)
{
    float v = x[INDEX];
    for (int d = 1; d < 32; d *= 2) {
        const float left = __shfl_up_sync(ALL, v, d);
        v += threadIdx.x % 32 >= d ? left : 0;
    }
    y[INDEX] = v;
}

/* Hillis and Steele, two buffers in shared memory. */
static __global__ void scan_block(const float *x, float *y)
{
    __shared__ float s[2][512];
    int from = 0;
    s[0][threadIdx.x] = x[INDEX];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        const float left = threadIdx.x >= d ? s[from][threadIdx.x - d] : 0;
        s[1 - from][threadIdx.x] = s[from][threadIdx.x] + left;
        from = 1 - from;
        __syncthreads();
    }
    y[INDEX] = s[from][threadIdx.x];
}

/* Blelloch: up and down a tree, with bank conflicts. */
static __global__ void scan_tree(const float *x, float *y)
{
    __shared__ float s[512];
    const int t = threadIdx.x, first = blockIdx.x * 512;
    s[2 * t] = x[first + 2 * t];
    s[2 * t + 1] = x[first + 2 * t + 1];
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        if (t < 256 / d) {
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
        }
    }
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < 256 / d - 1) {
            s[d * (2 * t + 3) - 1] += s[d * (2 * t + 2) - 1];
        }
    }
    __syncthreads();
    y[first + 2 * t] = s[2 * t];
    y[first + 2 * t + 1] = s[2 * t + 1];
}

static __global__ void histogram_global(const unsigned *u, unsigned *y, int bins, int n)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&y[u[i] % bins], 1u);
    }
}

template <int bins> static __global__ void histogram_shared(const unsigned *u, unsigned *y, int used, int n)
{
    __shared__ unsigned s[bins];
    for (int k = threadIdx.x; k < bins; k += blockDim.x) {
        s[k] = 0;
    }
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&s[u[i] % used], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += blockDim.x) {
        atomicAdd(&y[k], s[k]);
    }
}

/* A histogram of the four bytes of each word, a copy per warp. */
static __global__ void histogram_per_warp(const unsigned *u, unsigned *y, int n)
{
    __shared__ unsigned s[4][256];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        s[k / 256][k % 256] = 0;
    }
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        for (int byte = 0; byte < 32; byte += 8) {
            atomicAdd(&s[threadIdx.x / 32][u[i] >> byte & 255], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        atomicAdd(&y[k], s[0][k] + s[1][k] + s[2][k] + s[3][k]);
    }
}

#define Y(T) ((T *)b->y)

const struct model_kernel model_sums[] = {
    {"reduce_global",
     "reduction",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(reduce_global<<<n / 128, 128>>>(b->x, b->y))},
    {"reduce_shared_64",
     "reduction",
     {1 << 19, 1 << 22, 1 << 24},
     RUN(reduce_shared<64><<<n / 64, 64>>>(b->x, b->y))},
    {"reduce_shared_256",
     "reduction",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(reduce_shared<256><<<n / 256, 256>>>(b->x, b->y))},
    {"reduce_shared_1024",
     "reduction",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(reduce_shared<1024><<<n / 1024, 1024>>>(b->x, b->y))},
    {"reduce_interleaved",
     "reduction",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(reduce_interleaved<<<n / 256, 256>>>(b->x, b->y))},
    {"reduce_shuffle",
     "reduction",
     {1 << 21, 1 << 22, 1 << 24},
     RUN(reduce_shuffle<<<n / 256, 256>>>(b->x, b->y))},
    {"reduce_grid_stride",
     "reduction",
     {1 << 22, 1 << 24, 1 << 27},
     RUN(reduce_grid_stride<<<b->sms * 8, 256>>>((const float4 *)b->x, b->y, n))},
    {"reduce_atomic_per_thread",
     "reduction",
     {1 << 18, 1 << 21, 1 << 24},
     RUN(reduce_atomic_per_thread<<<n / 256, 256>>>(b->u, Y(unsigned)))},
    {"reduce_atomic_per_block",
     "reduction",
     {1 << 17, 1 << 19, 1 << 22},
     RUN(reduce_atomic_per_block<<<n / 256, 256>>>(b->x, b->y))},
    {"dot_double",
     "reduction",
     {1 << 22, 1 << 23, 1 << 26},
     RUN(dot_double<<<b->sms * 8, 256>>>((const double *)b->x, Y(double), n))},
    {"arg_max", "reduction", {1 << 21, 1 << 22, 1 << 24}, RUN(arg_max<<<n / 256, 256>>>(b->x, b->y))},
    {"scan_warp", "scan", {1 << 21, 1 << 22, 1 << 24}, RUN(scan_warp<<<n / 256, 256>>>(b->x, b->y))},
    {"scan_block", "scan", {1 << 20, 1 << 22, 1 << 23}, RUN(scan_block<<<n / 512, 512>>>(b->x, b->y))},
    {"scan_tree", "scan", {1 << 20, 1 << 22, 1 << 24}, RUN(scan_tree<<<n / 512, 256>>>(b->x, b->y))},
    {"histogram_global_256",
     "histogram",
     {1 << 16, 1 << 19, 1 << 22},
     RUN(histogram_global<<<n / 1024, 256>>>(b->u, Y(unsigned), 256, n))},
    {"histogram_global_1M",
     "histogram",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(histogram_global<<<n / 1024, 256>>>(b->u, Y(unsigned), 1 << 20, n))},
    {"histogram_global_one_bin",
     "histogram",
     {1 << 15, 1 << 18, 1 << 21},
     RUN(histogram_global<<<n / 1024, 256>>>(b->u, Y(unsigned), 1, n))},
    {"histogram_shared_256",
     "histogram",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(histogram_shared<256><<<b->sms * 4, 256>>>(b->u, Y(unsigned), 256, n))},
    {"histogram_shared_4096",
     "histogram",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(histogram_shared<4096><<<b->sms * 2, 512>>>(b->u, Y(unsigned), 4096, n))},
    {"histogram_shared_one_bin",
     "histogram",
     {1 << 19, 1 << 21, 1 << 24},
     RUN(histogram_shared<256><<<b->sms * 4, 256>>>(b->u, Y(unsigned), 1, n))},
    {"histogram_per_warp",
     "histogram",
     {1 << 18, 1 << 21, 1 << 24},
     RUN(histogram_per_warp<<<b->sms * 8, 128>>>(b->u, Y(unsigned), n))},
    END,
};
