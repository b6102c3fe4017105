/*
 * Lab 04, atomics.
 *
 *   (a) sum         all blocks add to one number, so the host has nothing left to add
 *   (b) histogram   256 counters for all threads, first in global memory, then in shared memory
 *   (c) maximum     an atomic operation that the hardware does not have, built from one that it has
 *
 * y += s is three steps: read y, add s, write y. If two threads do this at the same time, both may read
 * the old value, and then one of the two additions is lost. An atomic operation does the three steps as
 * one: no other thread's atomic operation on the same address can come between them. The order in which
 * the threads take their turns is not defined.
 */
#include "common/check.h"
#include "lab04.h"

static int block_count(int n)
{
    return (n + LAB04_BLOCK_SIZE - 1) / LAB04_BLOCK_SIZE;
}

/* ---- (a) sum ------------------------------------------------------------------------------------------- */

/*
 * Lab 02's reduction by halves, as a function that all threads of a block call together: each passes
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

/* Wrong on purpose: every block reads *d_y, adds to it, and writes it; the steps of two blocks may overlap. */
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
    // TODO 1: Like sum_with_race, but let one thread of the block add the block's sum to *d_y atomically:
    // atomicAdd(address, value).
    // end of TODO 1
}

void lab04_sum(const real *d_x, int n, real *d_y)
{
    // TODO 2: The blocks only add to *d_y. So set it to 0 before they start, in the same queue as the
    // kernel: cudaMemsetAsync(d_y, 0, bytes). A number whose bits are all 0 is the number 0.
    // end of TODO 2
    if (n > 0) {
        sum_with_atomic<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/* ---- (b) histogram ------------------------------------------------------------------------------------- */

/* One atomic operation in global memory per key; the operations for equal keys wait for one another. */
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
 * Few blocks count many keys each. A thread takes key i, then key i plus the number of threads in the
 * grid, and so on (a grid-stride loop). Neighboring threads still read neighboring words, and each block
 * clears its counters, and adds them to the global ones, only once for many keys.
 */
#define HISTOGRAM_THREADS       512
#define HISTOGRAM_BLOCKS_PER_SM 4

__global__ void histogram_shared(const unsigned *d_key, int n, unsigned *d_count)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;

    // TODO 3: Declare 256 counters in shared memory, which hold garbage at first. Set all of them to 0, for
    // any number of threads in the block, and make sure that no thread counts before all of them are 0.
    // end of TODO 3

    for (int i = first; i < n; i += stride) {
        // TODO 4: Count d_key[i] in shared memory. Other threads of the block may need the same counter now.
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
    /* As many blocks as the GPU runs at the same time, but no more than there are keys for. */
    const int needed = (n + HISTOGRAM_THREADS - 1) / HISTOGRAM_THREADS;
    const int resident = sm_count * HISTOGRAM_BLOCKS_PER_SM;
    const int blocks = needed < resident ? needed : resident;
    histogram_shared<<<blocks, HISTOGRAM_THREADS>>>(d_key, n, d_count);
    CHECK(cudaGetLastError());
}

/* ---- (c) maximum --------------------------------------------------------------------------------------- */

/*
 * Compare-and-swap exists for any word of 4 or 8 bytes: atomicCAS(address, expected, wanted) stores `wanted` if the
 * word is still `expected`, and returns what it found in either case.
 */
__device__ void atomic_largest(unsigned *address, unsigned value)
{
    // TODO 6: Begin with the guess that the word is 0; the first atomicCAS returns what it really is. As long as `value` is
    // larger than the number that you expect in the word, try to swap `value` in. If the word holds another number,
    // expect that number from now on, and try again. Stop when a swap has succeeded, or when `value` is not larger.
    // end of TODO 6
}

/* The threads of a block agree on their largest in shared memory, and one thread brings it to global memory. */
__global__ void find_largest_key(const unsigned *d_key, int n, unsigned *d_largest)
{
    __shared__ unsigned s_largest;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        s_largest = 0;
    }
    __syncthreads();
    if (i < n) {
        atomic_largest(&s_largest, d_key[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomic_largest(d_largest, s_largest);
    }
}

void lab04_largest_key(const unsigned *d_key, int n, unsigned *d_largest)
{
    CHECK(cudaMemsetAsync(d_largest, 0, sizeof(unsigned)));
    if (n > 0) {
        find_largest_key<<<block_count(n), LAB04_BLOCK_SIZE>>>(d_key, n, d_largest);
        CHECK(cudaGetLastError());
    }
}

/*
 * atomicMax exists only for integers. For `real`, use compare-and-swap once more. It compares bits, so a number is
 * passed as an integer with the same bits.
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

__device__ bool replaces(real a, real b); /* does `a` replace `b` as the maximum? Below. */

__device__ void atomic_max(real *address, real value)
{
    // TODO 7: Begin with the guess that the word is -infinity; the first atomicCAS returns what it really is.
    // As long as `value` replaces the number that you expect in the word, try to swap `value` in. If the word
    // holds another number, expect that number from now on, and try again. Stop when a swap has succeeded, or
    // when the number in the word need not be replaced.
    // end of TODO 7
}

/*
 * Does `a` replace `b` as the maximum? Every comparison with NaN is false, even NaN == NaN,
 * and -0 == +0 is true: both cases need a branch of their own.
 */
__device__ bool replaces(real a, real b)
{
    // TODO 8: For ordinary numbers the last line is enough. Before it, decide the special cases: NaN replaces every
    // number and is never replaced (x != x is true for NaN only), and +0 replaces -0 (signbit(x) is true for -0).
    // end of TODO 8
    return a > b;
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

/* A kernel with one thread, because cudaMemset repeats a single byte, which cannot make -infinity. */
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
