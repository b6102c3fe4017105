/*
 * Variants of lab 06's summit beside the summit itself and CUB, in one process: which way to keep a part of the array
 * in L2, and how many loads in flight, read memory fastest?
 *
 *     apart      the summit's way: first the part that stays in L2, then the rest
 *     mixed      of every few tiles, one stays: while memory delivers the others, L2 delivers this one
 *     evict_last as `mixed`; what stays is marked as the last to be evicted
 *
 * All take turns; a time is the median of one of 20 calls in a row. The kernel is the summit's, without its comments.
 */
#include <math.h>
#include <string.h>

#include <cub/cub.cuh>

#include "common/lab.h"
#include "lab06_coop_groups/lab06.h"

#define RUNS  31
#define BATCH 20

#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
static const int VECTOR_SIZE = sizeof(vector) / sizeof(real);
static const int MOST_BLOCKS = 4096;

static __device__ real sums_of_blocks[MOST_BLOCKS];
static __device__ unsigned blocks_finished; /* 0 between two launches */

enum way { APART, MIXED, EVICT_LAST };

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static __device__ real sum_of(vector v)
{
#ifdef REAL_DOUBLE
    return v.x + v.y;
#else
    return (v.x + v.y) + (v.z + v.w);
#endif
}

/* A load whose line L2 evicts after all others. */
static __device__ vector load_to_stay(const vector *address)
{
    unsigned long long policy;
    vector v;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#ifdef REAL_DOUBLE
    asm volatile("ld.global.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                 : "=d"(v.x), "=d"(v.y)
                 : "l"(address), "l"(policy));
#else
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(address), "l"(policy));
#endif
    return v;
}

template <way how, bool stays> static __device__ vector load(const vector *address)
{
    return !stays ? __ldcs(address) : how == EVICT_LAST ? load_to_stay(address) : __ldcg(address);
}

/* Adds this thread's vectors of the tile that begins at `first`: `loads` of them, all in flight together. */
template <way how, bool stays, int threads, int loads>
static __device__ void add_tile(const vector *x, int first, int count, real *sum)
{
    const vector zero = {};
    vector v[loads];
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int i = first + l * threads + threadIdx.x;
        v[l] = i < count ? load<how, stays>(&x[i]) : zero;
    }
#pragma unroll
    for (int l = 0; l < loads; l++) {
        sum[l] += sum_of(v[l]);
    }
}

/* `kept` vectors stay in L2: the first ones, or about as many of all tiles. */
template <way how, int threads, int loads>
static __device__ real sum_of_tiles(const vector *x, int count, int kept)
{
    const int tile = threads * loads, step = gridDim.x * tile;
    real sum[loads] = {};
    if (how == APART) {
        for (int first = blockIdx.x * tile; first < kept; first += step) {
            add_tile<how, true, threads, loads>(x, first, kept, sum);
        }
        for (int first = kept + blockIdx.x * tile; first < count; first += step) {
            add_tile<how, false, threads, loads>(x, first, count, sum);
        }
    } else {
        const int period = kept == 0 ? MOST_BLOCKS : (count + kept - 1) / kept;
        int turn = blockIdx.x % period; /* not all blocks at the same time */
        for (int first = blockIdx.x * tile; first < count; first += step) {
            if (turn == 0) {
                add_tile<how, true, threads, loads>(x, first, count, sum);
            } else {
                add_tile<how, false, threads, loads>(x, first, count, sum);
            }
            turn = turn == 0 ? period - 1 : turn - 1;
        }
    }
    real total = 0;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        total += sum[l];
    }
    return total;
}

template <int threads> static __device__ real sum_of_block(real value)
{
    typedef cub::BlockReduce<real, threads> reduction;
    __shared__ typename reduction::TempStorage storage;
    __syncthreads();
    return reduction(storage).Sum(value);
}

/* n: a multiple of a vector. */
template <way how, int threads, int per_sm, int loads>
__global__ void __launch_bounds__(threads, per_sm) sum_kernel(const real *d_x, int n, int kept, real *d_y)
{
    __shared__ bool is_last;
    const real sum =
        sum_of_block<threads>(sum_of_tiles<how, threads, loads>((const vector *)d_x, n / VECTOR_SIZE, kept));
    if (threadIdx.x == 0) {
        sums_of_blocks[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(&blocks_finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    real value = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += threads) {
        value += __ldcg(&sums_of_blocks[b]);
    }
    value = sum_of_block<threads>(value);
    if (threadIdx.x == 0) {
        *d_y = value;
        blocks_finished = 0;
    }
}

/* ---- the rows ------------------------------------------------------------------------------------------ */

static int sm_count, l2_bytes;
static void *d_work;
static size_t work_bytes;
static real *d_x, *d_y;
static int n;

/* `eighths` of L2 stay; `times` as many blocks as fit. */
template <way how, int threads, int per_sm, int loads, int eighths, int times> static void sum_variant()
{
    const long long room = (long long)l2_bytes / 8 * eighths / (long long)sizeof(vector);
    const int vectors = n / VECTOR_SIZE, kept = vectors < room ? vectors : (int)room;
    const int most = sm_count * per_sm * times, fit = most < MOST_BLOCKS ? most : MOST_BLOCKS;
    const int needed = (vectors + threads - 1) / threads, blocks = needed < fit ? needed : fit;
    sum_kernel<how, threads, per_sm, loads><<<blocks, threads>>>(d_x, n, kept, d_y);
    CHECK(cudaGetLastError());
}

static void sum_cub()
{
    size_t bytes = work_bytes;
    CHECK(cub::DeviceReduce::Sum(d_work, bytes, d_x, d_y, n));
}

static void sum_summit()
{
    lab06_sum(d_x, n, d_y);
}

static const struct {
    const char *name;
    void (*run)();
} rows[] = {
    {"CUB", sum_cub},
    {"lab 06's summit", sum_summit},
    {"apart, 512 x 3, 4 loads, 5/8 of L2", sum_variant<APART, 512, 3, 4, 5, 1>},
    {"apart, nothing stays", sum_variant<APART, 512, 3, 4, 0, 1>},
    {"mixed, 512 x 3, 4 loads, 3/8", sum_variant<MIXED, 512, 3, 4, 3, 1>},
    {"mixed, 512 x 3, 4 loads, 4/8", sum_variant<MIXED, 512, 3, 4, 4, 1>},
    {"mixed, 512 x 3, 4 loads, 5/8", sum_variant<MIXED, 512, 3, 4, 5, 1>},
    {"mixed, 512 x 3, 4 loads, 6/8", sum_variant<MIXED, 512, 3, 4, 6, 1>},
    {"mixed, 512 x 3, 8 loads, 5/8", sum_variant<MIXED, 512, 3, 8, 5, 1>},
    {"mixed, 512 x 2, 8 loads, 5/8", sum_variant<MIXED, 512, 2, 8, 5, 1>},
    {"mixed, 512 x 4, 4 loads, 5/8", sum_variant<MIXED, 512, 4, 4, 5, 1>},
    {"mixed, 256 x 6, 4 loads, 5/8", sum_variant<MIXED, 256, 6, 4, 5, 1>},
    {"mixed, 1024 x 2, 4 loads, 5/8", sum_variant<MIXED, 1024, 2, 4, 5, 1>},
    {"mixed, twice as many blocks", sum_variant<MIXED, 512, 3, 4, 5, 2>},
    {"mixed, 4 times as many blocks", sum_variant<MIXED, 512, 3, 4, 5, 4>},
    {"evict_last, 512 x 3, 4 loads, 4/8", sum_variant<EVICT_LAST, 512, 3, 4, 4, 1>},
    {"evict_last, 512 x 3, 4 loads, 5/8", sum_variant<EVICT_LAST, 512, 3, 4, 5, 1>},
    {"evict_last, 512 x 3, 4 loads, 6/8", sum_variant<EVICT_LAST, 512, 3, 4, 6, 1>},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* ---- the tables ---------------------------------------------------------------------------------------- */

static __global__ void fill(real *x, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        x[i] = (real)((i * 2654435761u >> 8) % 1000) / 1000;
    }
}

static void call(void *row)
{
    rows[*(const int *)row].run();
}

static bool compare(int count)
{
    static float ms[ROWS][RUNS];
    real sum[ROWS];
    struct timer timer;
    bool all_right = true;
    n = count;
    CHECK(timer_init(&timer));
    for (int k = -2; k < RUNS; k++) {
        for (int row = 0; row < ROWS; row++) {
            CHECK(cudaMemset(d_y, 0xff, sizeof(real)));
            ms[row][k < 0 ? 0 : k] = timer_batch(&timer, call, &row, BATCH);
            CHECK(cudaMemcpy(&sum[row], d_y, sizeof(real), cudaMemcpyDeviceToHost));
        }
    }
    CHECK(timer_destroy(&timer));
    printf("  sum of %-31d %9s %9s %7s %7s\n", n, "ms", "least", "ratio", "GB/s");
    float cub = 0;
    for (int row = 0; row < ROWS; row++) {
        const struct timing t = timer_describe(ms[row], RUNS);
        const bool right = fabs((double)sum[row] - sum[0]) <= (sizeof(real) == 4 ? 1e-5 : 1e-13) * sum[0];
        cub = row == 0 ? t.median : cub;
        all_right = all_right && right;
        printf("    %-36s %9.5f %9.5f %7.3f %7.0f%s\n", rows[row].name, t.median, t.least, cub / t.median,
               1e-6 * n * sizeof(real) / t.median, right ? "" : "  WRONG");
    }
    return all_right;
}

int main(void)
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    sm_count = device.multiProcessorCount;
    l2_bytes = device.l2CacheSize;
    CHECK(cudaMalloc(&d_x, ((size_t)1 << 28) * sizeof(real)));
    CHECK(cudaMalloc(&d_y, sizeof(real)));
    CHECK(cub::DeviceReduce::Sum(NULL, work_bytes, d_x, d_y, 1 << 28));
    CHECK(cudaMalloc(&d_work, work_bytes));
    fill<<<1024, 256>>>(d_x, 1 << 28);
    CHECK(cudaGetLastError());
    printf("%s, %s, against CUB %d: ms of one of %d calls in a row; ratio above 1: faster than CUB\n",
           device.name, sizeof(real) == sizeof(float) ? "float" : "double", CUB_VERSION, BATCH);
    const int sizes[] = {1 << 28, 100000000, 1 << 22, 1 << 16};
    bool right = true;
    for (int size : sizes) {
        right = compare(size) && right;
    }
    return right ? 0 : 1;
}
