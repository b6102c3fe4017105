/*
 * Lab 04, atomics.
 *
 *   (a) sum         all blocks add to one number, and the host has nothing left to add
 *   (b) histogram   256 counters for all threads, first in global memory, then in shared memory
 *   (c) maximum     an atomic operation that the hardware does not have, built from one that it has
 *
 * y += s is three steps: read y, add s, write y. Two threads that do it at the same time both read the
 * old value, and one of the two additions is lost. An atomic operation is the three steps in one: no
 * other thread's operation on that address comes between them. The order in which the threads take
 * their turns is not defined.
 */
#include "common/check.h"
#include "lab04.h"

static int block_count(int n)
{
    return (n + LAB04_BLOCK_SIZE - 1) / LAB04_BLOCK_SIZE;
}

/* ---- (a) sum ------------------------------------------------------------------------------------------- */

/*
 * Lab 02's reduction by halves, as a function that all threads of a block call together: each brings
 * one number, and thread 0 gets the sum of all of them. The other threads get partial sums.
 */
static __device__ real block_sum(real value)
{
    __shared__ real s_x[LAB04_BLOCK_SIZE];
    const int tid = threadIdx.x;
    s_x[tid] = value;
    __syncthreads();
    for (int offset = LAB04_BLOCK_SIZE / 2; offset > 0; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
        __syncthreads();
    }
    return s_x[tid];
}

/* Wrong on purpose: every block reads *d_y, adds and writes, and nothing keeps the blocks apart. */
__global__ void sum_with_race(const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const real sum = block_sum(i < n ? d_x[i] : 0);
    if (threadIdx.x == 0) {
        *d_y += sum;
    }
}

void lab04_sum_race(const real *d_x, int n, real *d_y)
{
    if (n > 0) {
        sum_with_race<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

__global__ void sum_with_atomic(const real *d_x, int n, real *d_y)
{
    // TODO 1: Like sum_with_race, but one thread of the block adds the block's sum to *d_y in one piece:
    // atomicAdd(address, value).
    // end of TODO 1
}

void lab04_sum(const real *d_x, int n, real *d_y)
{
    // TODO 2: The blocks only ever add. Something must have set *d_y to 0 before they start, on the device
    // and in the same queue as the kernel: cudaMemsetAsync(d_y, 0, bytes). All bits 0 is the number 0.
    // end of TODO 2
    if (n > 0) {
        sum_with_atomic<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/* ---- (b) histogram ------------------------------------------------------------------------------------- */

/* Every key is an atomic operation in global memory, and equal keys wait for one another. */
__global__ void histogram_global(const unsigned *d_key, int n, unsigned *d_count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&d_count[d_key[i]], 1u);
    }
}

void lab04_histogram_global(const unsigned *d_key, int n, unsigned *d_count)
{
    CHECK(cudaMemsetAsync(d_count, 0, LAB04_BINS * sizeof(unsigned)));
    if (n > 0) {
        histogram_global<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_key, n, d_count);
        CHECK(cudaGetLastError());
    }
}

/*
 * Few blocks, many keys for each: a thread takes key i, then the one a whole grid further on, and so on
 * (a grid-stride loop). Neighboring threads still read neighboring words, and what a block does once,
 * clearing its counters and handing them over, is spread over many keys.
 */
#define HISTOGRAM_THREADS       512
#define HISTOGRAM_BLOCKS_PER_SM 4

__global__ void histogram_shared(const unsigned *d_key, int n, unsigned *d_count)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;

    // TODO 3: Declare 256 counters in shared memory, which begin with whatever was left there. Set all of
    // them to 0, for any number of threads in the block, and make sure that no thread counts before they are.
    // end of TODO 3

    for (int i = first; i < n; i += stride) {
        // TODO 4: Count d_key[i] in shared memory. Other threads of the block may want the same counter now.
        // end of TODO 4
    }

    // TODO 5: When all threads have counted, add the block's counters to d_count; other blocks do the same.
    // end of TODO 5
}

void lab04_histogram_shared(const unsigned *d_key, int n, unsigned *d_count)
{
    CHECK(cudaMemsetAsync(d_count, 0, LAB04_BINS * sizeof(unsigned)));
    if (n == 0) {
        return;
    }
    int device = 0;
    int sm_count = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    /* As many blocks as the GPU runs at the same time, but none that has nothing to do. */
    const int needed = (n + HISTOGRAM_THREADS - 1) / HISTOGRAM_THREADS;
    const int resident = sm_count * HISTOGRAM_BLOCKS_PER_SM;
    const int blocks = needed < resident ? needed : resident;
    histogram_shared<<<blocks, HISTOGRAM_THREADS>>>(d_key, n, d_count);
    CHECK(cudaGetLastError());
}

/* ---- (c) maximum --------------------------------------------------------------------------------------- */

/*
 * atomicMax exists for integers only. What exists for any 4 or 8 bytes is compare-and-swap:
 * atomicCAS(address, expected, wanted) writes `wanted` if `expected` still stands there, and in any case
 * returns what it found. It compares bits, so the number is passed as an integer with the same bits.
 */
#ifdef REAL_DOUBLE
typedef unsigned long long real_bits;
#else
typedef unsigned real_bits;
#endif

__device__ real_bits bits_of(real value)
{
#ifdef REAL_DOUBLE
    return __double_as_longlong(value);
#else
    return __float_as_uint(value);
#endif
}

__device__ real real_of(real_bits bits)
{
#ifdef REAL_DOUBLE
    return __longlong_as_double(bits);
#else
    return __uint_as_float(bits);
#endif
}

/*
 * Does `a` replace `b` as the maximum? Every comparison with NaN is false, also NaN == NaN,
 * and -0 == +0 is true: both cases are treated separately.
 */
__device__ bool replaces(real a, real b)
{
    if (b != b) {
        return false; /* NaN is there, and stays */
    }
    if (a != a) {
        return true;
    }
    if (a == 0 && b == 0) {
        return signbit(b) && !signbit(a);
    }
    return a > b;
}

__device__ void atomic_max(real *address, real value)
{
    // TODO 6: Guess that -infinity stands there; the first atomicCAS will tell what really does. As long as
    // `value` replaces the number that you believe to be there, try to swap it in. If the swap found
    // something else, another thread was faster: believe what was found, and look again. Stop when the
    // swap succeeded, or when the number that is there need not be replaced.
    // end of TODO 6
}

/* Lab 02's reduction by halves with another operation: the maximum of two instead of their sum. */
__global__ void max_with_cas(const real *d_x, int n, real *d_y)
{
    __shared__ real s_x[LAB04_BLOCK_SIZE];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    s_x[tid] = i < n ? d_x[i] : -INFINITY;
    __syncthreads();
    for (int offset = LAB04_BLOCK_SIZE / 2; offset > 0; offset /= 2) {
        if (tid < offset && replaces(s_x[tid + offset], s_x[tid])) {
            s_x[tid] = s_x[tid + offset];
        }
        __syncthreads();
    }
    if (tid == 0) {
        atomic_max(d_y, s_x[0]);
    }
}

/* A kernel of one thread: -infinity is not a byte pattern that cudaMemset could write. */
__global__ void set_to_lowest(real *d_y)
{
    *d_y = -INFINITY;
}

void lab04_max(const real *d_x, int n, real *d_y)
{
    set_to_lowest<<<1, 1>>>(d_y);
    CHECK(cudaGetLastError());
    if (n > 0) {
        max_with_cas<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}
