/*
 * Lab 08, step 09: beyond the roof. Fewer multiplications: fast FIR, two levels.
 *
 * The change: separate even and odd outputs, taps and elements (polyphase: H0, H1 are the even and odd taps):
 *
 *     y even[m] = H0 * x[2m]     + H1 * x[2m - 1]           * : a convolution of half the length, 512 taps
 *     y odd[m]  = H0 * x[2m + 1] + H1 * x[2m]
 *
 * These are four convolutions of half the length, for half as many outputs: no gain. But with
 *
 *     A = (H0 + H1) * x[2m]     B = H1 * (x[2m - 1] - x[2m])     C = H0 * (x[2m + 1] - x[2m])
 *
 * y even = A + B and y odd = A + C: three instead of four. Applied once more inside each of the three, this makes 9
 * convolutions with 256 taps instead of 16. Each of nine warps computes one of these, and at the end every output is a
 * sum of four results. Expected: 9 / 16 of the multiply-adds, so up to 1.78 times the rate of step 07, less about 10 %
 * for the sums before and after. The drawback: differences of elements and sums of taps are rounded, and then cancel;
 * the error bound is relative not only to the output's own terms, but to its neighbors' as well (see the appendix).
 */
#include "common/check.h"
#include "lab08.h"

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define BRANCHES 9
#define THREADS  (32 * BRANCHES)
#define TAPS     (LAB08_TAPS / 4) /* per branch */
#ifdef REAL_DOUBLE
#define OUTPUTS (5 * VECTOR_SIZE) /* per lane: as many as 48 KB of shared memory can hold */
#else
#define OUTPUTS (7 * VECTOR_SIZE)
#endif
#define RING   (8 * VECTOR_SIZE)
#define LENGTH (32 * OUTPUTS)  /* results per branch and block; a block has four times as many outputs */
#define TILE   (TAPS + LENGTH) /* elements per branch */

__constant__ real c_g[BRANCHES][TAPS];
__device__ real taps_of_branches[BRANCHES][TAPS];

/* Branch 3 a + b takes A, B or C (a = 0, 1, 2) of the first level, and within it A, B or C (b = 0, 1, 2). */
static __global__ void prepare_taps(const real *d_h)
{
    const int k = threadIdx.x;
    const real h0 = d_h[4 * k];
    const real h1 = d_h[4 * k + 1];
    const real h2 = d_h[4 * k + 2];
    const real h3 = d_h[4 * k + 3];
    const real even[3] = {h0 + h1, h1, h0}; /* of H0 + H1, H1, H0: element 2 k ... */
    const real odd[3] = {h2 + h3, h3, h2};  /* ... and 2 k + 1 */
    for (int a = 0; a < 3; a++) {
        taps_of_branches[3 * a][k] = even[a] + odd[a];
        taps_of_branches[3 * a + 1][k] = odd[a];
        taps_of_branches[3 * a + 2][k] = even[a];
    }
}

/* x[i], 0 outside. */
static __device__ real element(const real *d_x, int n, int i)
{
    return i >= 0 && i < n ? d_x[i] : 0;
}

/* The nine sequences, from x[first - 1024 ...] on: element j of each stands for the four from 4 j on. */
static __device__ void split(const real *d_x, int n, int first, real (*s)[TILE])
{
    for (int j = threadIdx.x; j < TILE; j += THREADS) {
        const int i = first - LAB08_TAPS + 4 * j;
        __align__(16) real x[8]; /* x[i - 4 .. i + 3] */
        if (i >= 4 && i + 4 <= n) {
#pragma unroll
            for (int v = 0; v < 8; v += VECTOR_SIZE) {
                *(vector *)&x[v] = *(const vector *)&d_x[i - 4 + v];
            }
        } else {
            for (int v = 0; v < 8; v++) {
                x[v] = element(d_x, n, i - 4 + v);
            }
        }
        /* The elements of the first level's A, B and C: at 2 m, 2 m - 1 and 2 m + 1, where 4 j = 2 (2 m). */
        const real centre[3] = {x[4], x[3] - x[4], x[5] - x[4]};
        const real before[3] = {x[2], x[1] - x[2], x[3] - x[2]};
        const real after[3] = {x[6], x[5] - x[6], x[7] - x[6]};
#pragma unroll
        for (int a = 0; a < 3; a++) {
            s[3 * a][j] = centre[a];
            s[3 * a + 1][j] = before[a] - centre[a];
            s[3 * a + 2][j] = after[a] - centre[a];
        }
    }
}

/* Computes one branch, as step 07 does: results lane * OUTPUTS ... in sum. */
static __device__ void convolve_branch(const real *s, int branch, int lane, real *sum)
{
    __align__(16) real ring[RING];
    const real *mine = &s[TAPS + lane * OUTPUTS];
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&ring[j] = *(const vector *)&mine[j];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
    }
#pragma unroll 1
    for (int k = 0; k < TAPS; k += RING) {
#pragma unroll
        for (int t = 0; t < RING; t += VECTOR_SIZE) {
            *(vector *)&ring[RING - VECTOR_SIZE - t] = *(const vector *)&mine[-VECTOR_SIZE - t];
            /* Element i = x[... + i - t] serves tap k + u for output i + u - t, if that one exists. */
#pragma unroll
            for (int i = 1 - VECTOR_SIZE; i < OUTPUTS; i++) {
#pragma unroll
                for (int u = t; u < t + VECTOR_SIZE; u++) {
                    const int j = i + u - t;
                    if (j >= 0 && j < OUTPUTS) {
                        sum[j] += c_g[branch][k + u] * ring[(RING + i - t) % RING];
                    }
                }
            }
        }
        mine -= RING;
    }
}

__global__ void __launch_bounds__(THREADS) convolve(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s[BRANCHES][TILE];
    const int first = blockIdx.x * (4 * LENGTH);
    const int outputs = n + LAB08_TAPS - 1;
    split(d_x, n, first, s);
    __syncthreads();

    /* The compiler cannot know that the number of a warp is the same in all its lanes; a shuffle tells it so,
       and then the taps can go through uniform registers. */
    const int branch = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
    const int lane = threadIdx.x % 32;
    __align__(16) real sum[OUTPUTS];
    convolve_branch(s[branch], branch, lane, sum);
    __syncwarp(); /* no lane still reads this branch's elements: the results may overwrite them */
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&s[branch][lane * OUTPUTS + j] = *(const vector *)&sum[j];
    }
    __syncthreads();

    for (int m = threadIdx.x; m < LENGTH; m += THREADS) {
        const real a01 = s[0][m] + s[1][m];
        const real a02 = s[0][m] + s[2][m];
        __align__(16) const real y[4] = {a01 + (s[3][m] + s[4][m]), a01 + (s[6][m] + s[7][m]),
                                         a02 + (s[3][m] + s[5][m]), a02 + (s[6][m] + s[8][m])};
        const int i = first + 4 * m;
        if (i + 4 <= outputs) {
#pragma unroll
            for (int v = 0; v < 4; v += VECTOR_SIZE) {
                *(vector *)&d_y[i + v] = *(const vector *)&y[v];
            }
        } else {
            for (int v = 0; v < 4; v++) {
                if (i + v < outputs) {
                    d_y[i + v] = y[v];
                }
            }
        }
    }
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    void *d_taps = NULL;
    CHECK(cudaGetSymbolAddress(&d_taps, taps_of_branches));
    prepare_taps<<<1, TAPS>>>(d_h);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyToSymbolAsync(c_g, d_taps, sizeof(c_g), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = 4 * LENGTH;
    convolve<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}
