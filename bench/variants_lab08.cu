/*
 * Variants of lab 08's step 08, for `make bench-variants`: what could bring it from 94 to 95 % of the rate at 2^24
 * (appendix, section 6). One file for all; the build compiles it with
 *
 *     VECTORS      vectors per group of outputs: 5 are 20 outputs
 *     GROUPS       groups per thread
 *     PLACES       vectors in a group's ring; at least VECTORS + 1. If the ring does not divide 1024, the loop ends in
 *                  the middle of its last turn
 *     BLOCKS       per SM, for __launch_bounds__
 *     PARTS        the blocks left over after full rounds are divided into so many parts, each with its share of the
 *                  taps. Parts come first, and the last part of a block adds the sums of all. The ring must divide
 *                  1024 / PARTS
 *     ASYNC        1: all of a thread's loads of the tile are in flight together (cp.async); 0: four, as in step 08
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

#define THREADS  128
#define OUTPUTS  (VECTORS * VECTOR_SIZE) /* per group */
#define RING     (PLACES * VECTOR_SIZE)
#define REST     (LAB08_TAPS % RING) /* taps of the last turn, if it is not a whole one */
#define STRIDE   (THREADS * OUTPUTS) /* from a thread's group to its next */
#define OF_BLOCK (GROUPS * STRIDE)   /* outputs */
#define TILE     (LAB08_TAPS + OF_BLOCK)

#if PARTS > 1
#define MOST_SHARED 256 /* blocks that are divided into parts */
static __device__ vector part_sums[MOST_SHARED * PARTS * (OF_BLOCK / VECTOR_SIZE)];
static __device__ unsigned parts_done[MOST_SHARED]; /* 0 between two launches */
#endif

static __constant__ real c_h[LAB08_TAPS];

/* Starts or makes the copy of one vector to shared memory. */
static __device__ void copy_vector(real *to, const real *from)
{
#if ASYNC
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
    *(vector *)to = *(const vector *)from;
#endif
}

/* As in step 08. */
static __device__ void load_tile(const real *d_x, int n, int first, real *s_x)
{
    const int from = first - LAB08_TAPS;
    if (from >= 0 && from + TILE <= n) {
#pragma unroll 4
        for (int j = threadIdx.x * VECTOR_SIZE; j < TILE; j += THREADS * VECTOR_SIZE) {
            copy_vector(&s_x[j], &d_x[from + j]);
        }
#if ASYNC
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    } else {
        for (int j = threadIdx.x; j < TILE; j += THREADS) {
            s_x[j] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
        }
    }
}

/* As in step 08. */
static __device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
    if (i + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[i + j] = *(const vector *)&sum[j];
        }
    } else {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (i + j < outputs) {
                d_y[i + j] = sum[j];
            }
        }
    }
}

/* As in step 08. */
static __device__ void add_taps(const real *ring, int k, int t, real *sum)
{
#pragma unroll
    for (int i = 1 - VECTOR_SIZE; i < OUTPUTS; i++) {
#pragma unroll
        for (int u = t; u < t + VECTOR_SIZE; u++) {
            const int j = i + u - t;
            if (j >= 0 && j < OUTPUTS) {
                sum[j] += c_h[k + u] * ring[(2 * RING + i - t) % RING];
            }
        }
    }
}

/* Taps k + from .. k + to - 1 of a turn. */
template <int from, int to>
static __device__ __forceinline__ void add_part_of_turn(const real *mine, real ring[GROUPS][RING], int k,
                                                        real sum[GROUPS][OUTPUTS])
{
#pragma unroll
    for (int t = from; t < to; t += VECTOR_SIZE) {
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            *(vector *)&ring[g][RING - VECTOR_SIZE - t] =
                *(const vector *)&mine[g * STRIDE - VECTOR_SIZE - t];
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            add_taps(ring[g], k, t, sum[g]);
        }
    }
}

/* This thread's sums over taps begin .. end - 1. `mine` points to the element with the number of its first output. */
static __device__ __forceinline__ void add_all_taps(const real *mine, int begin, int end,
                                                    real sum[GROUPS][OUTPUTS])
{
    __align__(16) real ring[GROUPS][RING];
    mine -= begin;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&ring[g][j] = *(const vector *)&mine[g * STRIDE + j];
        }
    }
#pragma unroll 1
    for (int k = begin; REST > 0 || k < end; k += RING) {
        add_part_of_turn<0, REST>(mine, ring, k, sum);
        if (REST > 0 && k + REST == end) {
            break;
        }
        add_part_of_turn<REST, RING>(mine, ring, k, sum);
        mine -= RING;
    }
}

#if PARTS > 1
/*
 * Stores the sums of part `part` of block `block`. True for the part that comes last: it has the sums of all parts
 * then, added in the order of the parts.
 */
static __device__ bool add_parts(int block, int part, real sum[GROUPS][OUTPUTS])
{
    constexpr int SIZE = OF_BLOCK / VECTOR_SIZE; /* vectors of a part */
    __shared__ bool is_last;
    vector *table = &part_sums[(size_t)block * PARTS * SIZE + threadIdx.x];
    real *flat = &sum[0][0];
#pragma unroll
    for (int v = 0; v < GROUPS * VECTORS; v++) {
        table[part * SIZE + v * THREADS] = *(const vector *)&flat[v * VECTOR_SIZE];
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&parts_done[block], 1u) == PARTS - 1;
    }
    __syncthreads();
    if (!is_last) {
        return false;
    }
    __threadfence();
#pragma unroll
    for (int v = 0; v < GROUPS * VECTORS; v++) {
        real total[VECTOR_SIZE] = {};
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            __align__(16) real more[VECTOR_SIZE];
            *(vector *)more = __ldcg(&table[p * SIZE + v * THREADS]);
#pragma unroll
            for (int e = 0; e < VECTOR_SIZE; e++) {
                total[e] += more[e];
            }
        }
#pragma unroll
        for (int e = 0; e < VECTOR_SIZE; e++) {
            flat[v * VECTOR_SIZE + e] = total[e];
        }
    }
    if (threadIdx.x == 0) {
        parts_done[block] = 0;
    }
    return true;
}
#endif

/* The first `shared` blocks of outputs are those that are divided into parts. */
__global__ void __launch_bounds__(THREADS, BLOCKS) convolve(const real *d_x, int n, real *d_y, int shared)
{
    __shared__ __align__(16) real s_x[TILE];
    __align__(16) real sum[GROUPS][OUTPUTS] = {};
    const int id = blockIdx.x, share = LAB08_TAPS / PARTS;
    const bool is_part = id < shared * PARTS;
    const int block = is_part ? id / PARTS : id - shared * (PARTS - 1);
    const int begin = is_part ? id % PARTS * share : 0, end = is_part ? begin + share : LAB08_TAPS;
    const int first = block * OF_BLOCK;
    load_tile(d_x, n, first, s_x);
    __syncthreads();
    add_all_taps(&s_x[LAB08_TAPS + threadIdx.x * OUTPUTS], begin, end, sum);
#if PARTS > 1
    if (is_part && !add_parts(block, id % PARTS, sum)) {
        return;
    }
#endif
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        store_outputs(sum[g], d_y, n + LAB08_TAPS - 1, first + g * STRIDE + threadIdx.x * OUTPUTS);
    }
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    const int blocks = (n + LAB08_TAPS - 1 + OF_BLOCK - 1) / OF_BLOCK;
    int shared = 0;
#if PARTS > 1
    static int sm_count = 0; /* queried once */
    if (sm_count == 0) {
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
    }
    shared = blocks % sm_count;
#endif
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    convolve<<<blocks + shared *(PARTS - 1), THREADS>>>(d_x, n, d_y, shared);
    CHECK(cudaGetLastError());
}
