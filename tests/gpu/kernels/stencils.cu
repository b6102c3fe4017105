/* Stencils and convolutions in one, two and three dimensions. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

static __constant__ float taps[64];

static __global__ void stencil_1d(const float *x, float *y, int n)
{
    const int i = INDEX;
    if (i >= 3 && i < n - 3) {
        y[i] = x[i - 3] + x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2] + x[i + 3];
    }
}

static __global__ void stencil_1d_tile(const float *x, float *y, int n)
{
    __shared__ float s[256 + 16];
    const int i = INDEX, t = threadIdx.x + 8;
    s[t] = x[i + 8];
    if (threadIdx.x < 8) {
        s[threadIdx.x] = x[i];
        s[t + 256] = x[i + 264];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -8; k <= 8; k++) {
        sum += s[t + k];
    }
    y[i] = sum;
}

/* Five points, n x n. */
static __global__ void stencil_2d(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = (size_t)r * n + c;
    if (c > 0 && c < n - 1 && r > 0 && r < n - 1) {
        y[i] = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}

static __global__ void stencil_2d_tile(const float *x, float *y, int n)
{
    __shared__ float s[10][34];
    const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        const int row = (int)blockIdx.y * 8 + k / 34 - 1, column = (int)blockIdx.x * 32 + k % 34 - 1;
        const bool inside = row >= 0 && row < n && column >= 0 && column < n;
        s[k / 34][k % 34] = inside ? x[(size_t)row * n + column] : 0;
    }
    __syncthreads();
    const int i = threadIdx.y + 1, j = threadIdx.x + 1;
    y[(size_t)r * n + c] = 0.2f * (s[i][j] + s[i][j - 1] + s[i][j + 1] + s[i - 1][j] + s[i + 1][j]);
}

/* A mean over 5 x 5, all from global memory. */
static __global__ void blur(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = -2; i <= 2; i++) {
        for (int j = -2; j <= 2; j++) {
            const int row = min(max(r + i, 0), n - 1), column = min(max(c + j, 0), n - 1);
            sum += x[(size_t)row * n + column] * taps[(i + 2) * 5 + j + 2];
        }
    }
    y[(size_t)r * n + c] = sum;
}

/* The median of 3 x 3 by a partial sort in registers. */
static __global__ void median_3x3(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float v[9];
    if (c < 1 || c >= n - 1 || r < 1 || r >= n - 1) {
        return;
    }
#pragma unroll
    for (int k = 0; k < 9; k++) {
        v[k] = x[(size_t)(r + k / 3 - 1) * n + c + k % 3 - 1];
    }
#pragma unroll
    for (int i = 0; i < 5; i++) {
#pragma unroll
        for (int k = i + 1; k < 9; k++) {
            const float low = fminf(v[i], v[k]), high = fmaxf(v[i], v[k]);
            v[i] = low, v[k] = high;
        }
    }
    y[(size_t)r * n + c] = v[4];
}

/* Seven points, n x n x n, one thread per point. */
static __global__ void stencil_3d(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    const int p = blockIdx.z, plane = n * n, i = p * plane + r * n + c;
    if (c > 0 && c < n - 1 && r > 0 && r < n - 1 && p > 0 && p < n - 1) {
        y[i] = x[i] * 0.4f + 0.1f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n] + x[i - plane] + x[i + plane]);
    }
}

/* The same, each thread walks through the planes and keeps three values. */
static __global__ void stencil_3d_march(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    const int plane = n * n;
    if (c < 1 || c >= n - 1 || r < 1 || r >= n - 1) {
        return;
    }
    int i = r * n + c;
    float below = x[i], here = x[i + plane];
    for (int p = 1; p < n - 1; p++) {
        i += plane;
        const float above = x[i + plane];
        y[i] = 0.4f * here + 0.1f * (below + above + x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
        below = here, here = above;
    }
}

static __global__ void convolve_constant(const float *x, float *y, int n)
{
    const int i = INDEX;
    float sum = 0;
    if (i < n) {
#pragma unroll
        for (int k = 0; k < 32; k++) {
            sum += taps[k] * x[i + k];
        }
        y[i] = sum;
    }
}

static __global__ void convolve_global_taps(const float *x, const float *h, float *y, int n, int count)
{
    const int i = INDEX;
    float sum = 0;
    if (i < n) {
        for (int k = 0; k < count; k++) {
            sum += h[k] * x[i + k];
        }
        y[i] = sum;
    }
}

/* Four outputs per thread, a sliding window in registers. */
static __global__ void convolve_four(const float *x, float *y)
{
    const int i = INDEX * 4;
    float window[20], sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 20; k += 4) {
        const float4 v = *(const float4 *)&x[i + k];
        window[k] = v.x, window[k + 1] = v.y, window[k + 2] = v.z, window[k + 3] = v.w;
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
#pragma unroll
        for (int o = 0; o < 4; o++) {
            sum[o] += taps[k] * window[k + o];
        }
    }
    *(float4 *)&y[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

#define PLANE <<<dim3(n / 32, n / 8), dim3(32, 8)>>>
#define SPACE <<<dim3(n / 32, n / 4, n), dim3(32, 4)>>>

const struct model_kernel model_stencils[] = {
    {"stencil_1d", "stencil", {1 << 21, 1 << 23, 1 << 25}, RUN(stencil_1d<<<n / 256, 256>>>(b->x, b->y, n))},
    {"stencil_1d_tile",
     "stencil",
     {1 << 21, 1 << 22, 1 << 24},
     RUN(stencil_1d_tile<<<n / 256, 256>>>(b->x, b->y, n))},
    {"stencil_2d", "stencil", {1024, 2048, 4096}, RUN(stencil_2d PLANE(b->x, b->y, n))},
    {"stencil_2d_tile", "stencil", {512, 1024, 2048}, RUN(stencil_2d_tile PLANE(b->x, b->y, n))},
    {"blur", "stencil", {384, 768, 1536}, RUN(blur PLANE(b->x, b->y, n))},
    {"median_3x3", "stencil", {512, 1024, 2048}, RUN(median_3x3 PLANE(b->x, b->y, n))},
    {"stencil_3d", "stencil", {64, 128, 256}, RUN(stencil_3d SPACE(b->x, b->y, n))},
    {"stencil_3d_march", "stencil", {64, 128, 256}, RUN(stencil_3d_march PLANE(b->x, b->y, n))},
    {"convolve_constant",
     "convolution",
     {1 << 20, 1 << 21, 1 << 23},
     RUN(convolve_constant<<<n / 256, 256>>>(b->x, b->y, n))},
    {"convolve_global_taps",
     "convolution",
     {1 << 18, 1 << 20, 1 << 22},
     RUN(convolve_global_taps<<<n / 256, 256>>>(b->x, b->x + 4096, b->y, n, 64))},
    {"convolve_four",
     "convolution",
     {1 << 22, 1 << 23, 1 << 25},
     RUN(convolve_four<<<n / 1024, 256>>>(b->x, b->y))},
    END,
};
