/* Small applications: physics, finance, images, text, sorting, random numbers. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

static __global__ void n_body(const float4 *p, float4 *y, int n)
{
    const float4 me = p[INDEX];
    float ax = 0, ay = 0, az = 0;
    for (int k = 0; k < n; k++) {
        const float4 other = p[k];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        const float f = other.w * inverse * inverse * inverse;
        ax += f * dx, ay += f * dy, az += f * dz;
    }
    y[INDEX] = make_float4(ax, ay, az, 0);
}

static __global__ void n_body_tile(const float4 *p, float4 *y, int n)
{
    __shared__ float4 s[128];
    const float4 me = p[INDEX];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 128) {
        s[threadIdx.x] = p[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 128; k++) {
            const float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float f = s[k].w * inverse * inverse * inverse;
            ax += f * dx, ay += f * dy, az += f * dz;
        }
        __syncthreads();
    }
    y[INDEX] = make_float4(ax, ay, az, 0);
}

/* n x n points, at most 256 steps each. */
static __global__ void mandelbrot(unsigned *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    const float a = -2.2f + 3.0f * c / n, b = -1.5f + 3.0f * r / n;
    float re = 0, im = 0;
    unsigned steps = 0;
    while (steps < 256 && re * re + im * im < 4) {
        const float t = re * re - im * im + a;
        im = 2 * re * im + b;
        re = t;
        steps++;
    }
    y[r * n + c] = steps;
}

static __device__ float normal_distribution(float d)
{
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302744f)))));
    return d > 0 ? 1 - tail : tail;
}

static __global__ void black_scholes(const float *x, float *y, int n)
{
    const int i = INDEX;
    const float s = 30 * x[i], k = 30 * x[i + n], t = x[i + 2 * n];
    const float root = sqrtf(t), d1 = (logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root),
                d2 = d1 - 0.3f * root;
    const float discount = k * expf(-0.02f * t), n1 = normal_distribution(d1), n2 = normal_distribution(d2);
    y[i] = s * n1 - discount * n2;
    y[i + n] = discount * (1 - n2) - s * (1 - n1);
}

/* Pi by a linear congruential generator per thread. */
static __global__ void monte_carlo(unsigned *y, int rounds)
{
    unsigned state = (unsigned)INDEX * 747796405u + 1, inside = 0;
    for (int r = 0; r < rounds; r++) {
        state = state * 1664525 + 1013904223;
        const float a = (state >> 8) * 0x1p-24f;
        state = state * 1664525 + 1013904223;
        const float b = (state >> 8) * 0x1p-24f;
        inside += a * a + b * b < 1;
    }
    atomicAdd(y, inside);
}

/* One step of a bitonic sort in global memory. */
static __global__ void bitonic_step(const unsigned *u, unsigned *y, int d, int size)
{
    const int i = INDEX, partner = i ^ d;
    const unsigned a = u[i], b = u[partner];
    const bool keep_small = ((i & d) == 0) == ((i & size) == 0);
    y[i] = keep_small ? min(a, b) : max(a, b);
}

/* Search for each element in a sorted table of 2^20 multiples of 4096. */
static __global__ void binary_search(const unsigned *u, const unsigned *table, unsigned *y, int size)
{
    const unsigned key = u[INDEX];
    int low = 0, high = size;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (table[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    y[INDEX] = low;
}

static __global__ void make_sorted(unsigned *p, int size)
{
    for (int i = INDEX; i < size; i += gridDim.x * blockDim.x) {
        p[i] = (unsigned)i * (0xffffffffu / size);
    }
}

/* One k-means step: the nearest of 16 centers for points of two dimensions. */
static __global__ void nearest_center(const float2 *points, const float2 *centers, float *y)
{
    __shared__ float2 s[16];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = centers[threadIdx.x];
    }
    __syncthreads();
    const float2 p = points[INDEX];
    float best = 1e30f;
    int which = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const float dx = p.x - s[k].x, dy = p.y - s[k].y, d = dx * dx + dy * dy;
        which = d < best ? k : which;
        best = fminf(best, d);
    }
    y[INDEX] = which;
}

/* Layer normalization: a block per row of 1024. */
static __global__ void layer_norm(const float *x, float *y)
{
    __shared__ float s[2][8];
    const float4 v = ((const float4 *)x)[INDEX];
    float sum = v.x + v.y + v.z + v.w, squares = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    }
    if (threadIdx.x % 32 == 0) {
        s[0][threadIdx.x / 32] = sum, s[1][threadIdx.x / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0;
    for (int k = 0; k < 8; k++) {
        sum += s[0][k], squares += s[1][k];
    }
    const float mean = sum / 1024, scale = rsqrtf(squares / 1024 - mean * mean + 1e-5f);
    ((float4 *)y)[INDEX] =
        make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
}

/* Softmax of rows of 128, a warp each. */
static __global__ void softmax(const float *x, float *y)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    float v[4], largest = -1e30f, sum = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = x[row * 128 + k * 32 + lane];
        largest = fmaxf(largest, v[k]);
    }
    for (int d = 16; d > 0; d /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
    }
    for (int k = 0; k < 4; k++) {
        v[k] = __expf(v[k] - largest);
        sum += v[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    for (int k = 0; k < 4; k++) {
        y[row * 128 + k * 32 + lane] = v[k] / sum;
    }
}

/* Floyd and Warshall, one step k of n x n distances. */
static __global__ void shortest_paths(const float *x, float *y, int n, int k)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    y[r * n + c] = fminf(x[r * n + c], x[r * n + k] + x[k * n + c]);
}

/* A random walk on a lattice of 256 x 256 sites: loads whose places depend on the ones before. */
static __global__ void random_walk(const float *x, float *y, int steps)
{
    unsigned state = (unsigned)INDEX * 747796405u + 1, place = state >> 16;
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        sum += x[place];
        state = state * 1664525 + 1013904223 + (sum > 1000);
        place = (place + (state >> 30 == 0   ? 1
                          : state >> 30 == 1 ? -1
                          : state >> 30 == 2 ? 256
                                             : -256)) &
                0xffff;
    }
    y[INDEX] = sum;
}

/* Newton's method for the cube root in double, until it stands still. */
static __global__ void cube_roots(const float *x, double *y)
{
    const double v = x[INDEX] * 1000;
    double root = v, last = 0;
    while (fabs(root - last) > 1e-12 * root) {
        last = root;
        root = (2 * root + v / (root * root)) / 3;
    }
    y[INDEX] = root;
}

/* Gauss and Jordan: solves four equations per thread, in registers. */
static __global__ void solve_small(const float *x, float *y)
{
    float a[4][5];
    const int i = INDEX;
#pragma unroll
    for (int k = 0; k < 20; k++) {
        a[k / 5][k % 5] = x[k * gridDim.x * blockDim.x + i] + (k % 6 == 0 ? 4 : 0);
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const float scale = 1 / a[p][p];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float factor = r == p ? 0 : a[r][p] * scale;
#pragma unroll
            for (int c = 0; c < 5; c++) {
                a[r][c] -= factor * a[p][c];
            }
        }
    }
    y[i] = a[0][4] / a[0][0] + a[1][4] / a[1][1] + a[2][4] / a[2][2] + a[3][4] / a[3][3];
}

/* Radix-2 butterflies of a Fourier transform of 512 points per block, in shared memory. */
static __global__ void fourier(const float2 *x, float2 *y)
{
    __shared__ float2 s[512];
    const int first = blockIdx.x * 512, t = threadIdx.x;
    s[__brev(t) >> 23] = x[first + t];
    s[__brev(t + 256) >> 23] = x[first + t + 256];
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        const int k = t % half, i = (t - k) * 2 + k;
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);
        const float2 a = s[i], b = s[i + half];
        const float2 w = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        s[i] = make_float2(a.x + w.x, a.y + w.y);
        s[i + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    y[first + t] = s[t];
    y[first + t + 256] = s[t + 256];
}

#define X(T)  ((const T *)b->x)
#define U(T)  ((const T *)b->u)
#define Y(T)  ((T *)b->y)
#define PLANE <<<dim3(n / 32, n / 8), dim3(32, 8)>>>

const struct model_kernel model_applications[] = {
    {"n_body", "application", {512, 2048, 4096}, RUN(n_body<<<n / 128, 128>>>(X(float4), Y(float4), n))},
    {"n_body_tile",
     "application",
     {512, 2048, 4096},
     RUN(n_body_tile<<<n / 128, 128>>>(X(float4), Y(float4), n))},
    {"mandelbrot",
     "application",
     {256, 512, 1024},
     RUN(mandelbrot<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(Y(unsigned), n))},
    {"black_scholes",
     "application",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(black_scholes<<<n / 128, 128>>>(b->x, b->y, n))},
    {"monte_carlo", "application", {32, 128, 512}, RUN(monte_carlo<<<b->sms * 8, 256>>>(Y(unsigned), n))},
    {"bitonic_step",
     "sort",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(bitonic_step<<<n / 256, 256>>>(b->u, Y(unsigned), 1024, 4096))},
    {"binary_search",
     "application",
     {1 << 17, 1 << 19, 1 << 21},
     LAUNCH(binary_search<<<n / 256, 256>>>(b->u, b->p, Y(unsigned), 1 << 20)),
     LAUNCH(make_sorted<<<256, 256>>>(b->p, 1 << 20))},
    {"nearest_center",
     "application",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(nearest_center<<<n / 256, 256>>>(X(float2), X(float2), b->y))},
    {"layer_norm", "application", {2048, 8192, 32768}, RUN(layer_norm<<<n, 256>>>(b->x, b->y))},
    {"softmax", "application", {1 << 15, 1 << 16, 1 << 18}, RUN(softmax<<<n / 8, 256>>>(b->x, b->y))},
    {"shortest_paths", "application", {1024, 2048, 4096}, RUN(shortest_paths PLANE(b->x, b->y, n, n / 2))},
    {"random_walk", "application", {16, 64, 256}, RUN(random_walk<<<b->sms * 4, 256>>>(b->x, b->y, n))},
    {"cube_roots",
     "application",
     {1 << 16, 1 << 18, 1 << 20},
     RUN(cube_roots<<<n / 128, 128>>>(b->x, Y(double)))},
    {"solve_small",
     "application",
     {1 << 16, 1 << 19, 1 << 22},
     RUN(solve_small<<<n / 128, 128>>>(b->x, b->y))},
    {"fourier", "application", {1024, 4096, 16384}, RUN(fourier<<<n, 256>>>(X(float2), Y(float2)))},
    END,
};
