/*
 * Lab 06, cooperative groups, and the summit of the reduction.
 *
 *   (a) tiles         a block divided into groups of 2 to 32 threads
 *   (b) two kernels   add in registers, then in shared memory; a second launch adds the blocks' sums
 *   (c) one kernel    the same with a barrier for the whole grid
 *   (d) wide loads    16 bytes at a time; then the summit: as fast as memory can be read
 *
 * A cooperative group is an object that stands for a set of threads that work together. It knows how many
 * there are (size) and which of them the calling thread is (thread_rank), and it makes them wait for each
 * other (sync). A tile within a warp also has shuffles. They need no mask, because the group knows its lanes.
 */
#include <cooperative_groups.h>

#include "common/check.h"
#include "lab06.h"

namespace cg = cooperative_groups;

/* ---- (a) tiles ----------------------------------------------------------------------------------------- */

#define TILE_THREADS 256

/*
 * The size of a tile must be known when the kernel is compiled, so it is a template parameter: the
 * compiler generates one kernel for each size that is launched.
 */
template <int tile_size> __global__ void sum_tiles(const real *d_x, int n, real *d_y)
{
    // TODO 1: Divide the block into tiles of tile_size threads (cg::tiled_partition<tile_size>). Each thread
    // brings its element, or 0 past the end. Add up the tile's values by halves with the group's own
    // shfl_down(value, offset). The tile's first thread writes the sum, unless the whole tile lies past
    // the end of d_x.
    // end of TODO 1
}

void lab06_tile_sums(const real *d_x, int n, real *d_y, int tile)
{
    if (n == 0) {
        return;
    }
    const int blocks = (n + TILE_THREADS - 1) / TILE_THREADS;
    switch (tile) {
    case 2: sum_tiles<2><<<blocks, TILE_THREADS>>>(d_x, n, d_y); break;
    case 4: sum_tiles<4><<<blocks, TILE_THREADS>>>(d_x, n, d_y); break;
    case 8: sum_tiles<8><<<blocks, TILE_THREADS>>>(d_x, n, d_y); break;
    case 16: sum_tiles<16><<<blocks, TILE_THREADS>>>(d_x, n, d_y); break;
    case 32: sum_tiles<32><<<blocks, TILE_THREADS>>>(d_x, n, d_y); break;
    }
    CHECK(cudaGetLastError());
}

/* ---- what (b), (c) and (d) share ----------------------------------------------------------------------- */

#define SUM_THREADS 1024
#define MAX_BLOCKS  4096

/* Each block's sum. This global memory exists from the start of the program, so no call needs cudaMalloc. */
__device__ real block_sums[MAX_BLOCKS];

/* The sum of one value from each thread of the block; only thread 0 gets it. At most 1024 threads. */
__device__ real block_sum(real value)
{
    __shared__ real s_sum[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    for (int offset = 16; offset > 0; offset /= 2) {
        value += warp.shfl_down(value, offset);
    }
    if (warp.thread_rank() == 0) {
        s_sum[warp.meta_group_rank()] = value; /* which tile of the block this is */
    }
    block.sync();
    value = 0;
    if (warp.meta_group_rank() == 0) {
        value = warp.thread_rank() < warp.meta_group_size() ? s_sum[warp.thread_rank()] : 0;
        for (int offset = 16; offset > 0; offset /= 2) {
            value += warp.shfl_down(value, offset);
        }
    }
    block.sync(); /* now s_sum may be overwritten */
    return value;
}

/*
 * The grid-stride loop: thread t of a grid of T threads adds elements t, t + T, t + 2 T, ... in a
 * register. Only after that must threads cooperate.
 */
__device__ real strided_sum(const real *x, int n)
{
    real sum = 0;
    // TODO 2: Write that loop. The grid has gridDim.x * blockDim.x threads.
    // end of TODO 2
    return sum;
}

/*
 * How many blocks of SUM_THREADS threads `kernel` gets for n elements: as many as the GPU holds at the same
 * time, but none without an element; at least one, at most MAX_BLOCKS.
 */
static int block_count(const void *kernel, int n)
{
    int device = 0;
    int sm_count = 0;
    int blocks_per_sm = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, kernel, SUM_THREADS, 0));
    const int resident = min(sm_count * blocks_per_sm, MAX_BLOCKS);
    const int needed = (n + SUM_THREADS - 1) / SUM_THREADS;
    return max(1, min(needed, resident));
}

/* ---- (b) two kernels ----------------------------------------------------------------------------------- */

__global__ void sum_of_blocks(const real *d_x, int n)
{
    const real sum = block_sum(strided_sum(d_x, n));
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = sum;
    }
}

/* One block adds the sums of all blocks. It starts when the kernel before it has ended. */
__global__ void sum_of_sums(int count, real *d_y)
{
    const real sum = block_sum(strided_sum(block_sums, count));
    if (threadIdx.x == 0) {
        *d_y = sum;
    }
}

void lab06_sum_two_kernels(const real *d_x, int n, real *d_y)
{
    // TODO 3: Launch sum_of_blocks with block_count(...) blocks of SUM_THREADS threads, then sum_of_sums
    // with one block. Kernels run in the order of their launches: no other synchronization is needed.
    // end of TODO 3
}

/* ---- (c) one kernel ------------------------------------------------------------------------------------ */

__global__ void sum_with_grid_sync(const real *d_x, int n, real *d_y)
{
    // TODO 4: Begin as sum_of_blocks does. Then make the whole grid wait (cg::this_grid().sync()), and let
    // block 0 add the gridDim.x sums and write *d_y.
    // end of TODO 4
}

/*
 * Blocks that wait for all others must not keep any of them from starting: all blocks have to be on the
 * GPU together. cudaLaunchCooperativeKernel guarantees this, or fails. It takes the kernel's arguments
 * as an array of pointers to them.
 */
void lab06_sum_grid_sync(const real *d_x, int n, real *d_y)
{
    const int blocks = block_count((const void *)sum_with_grid_sync, n);
    void *arguments[] = {&d_x, &n, &d_y};
    CHECK(cudaLaunchCooperativeKernel((const void *)sum_with_grid_sync, dim3(blocks), dim3(SUM_THREADS),
                                      arguments, 0, 0));
}

/* ---- (d) wide loads, one at a time --------------------------------------------------------------------- */

/* 16 bytes, which one instruction can load. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif

#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

__device__ real sum_of(vector v)
{
#ifdef REAL_DOUBLE
    return v.x + v.y;
#else
    return (v.x + v.y) + (v.z + v.w);
#endif
}

/* As strided_sum, with vectors: thread t of a grid of T threads adds vectors t, t + T, t + 2 T, ... of `count`. */
__device__ real strided_sum_of_vectors(const vector *x, int count)
{
    real sum = 0;
    // TODO 5: Write that loop. Each iteration loads one vector and adds its numbers (sum_of).
    // end of TODO 5
    return sum;
}

/* As sum_of_blocks. Block 0 adds the elements after the last whole vector, up to three, one by one. */
__global__ void sum_wide(const real *d_x, int n)
{
    real value = strided_sum_of_vectors((const vector *)d_x, n / VECTOR_SIZE);
    if (blockIdx.x == 0 && threadIdx.x < n % VECTOR_SIZE) {
        value += d_x[n - 1 - threadIdx.x];
    }
    value = block_sum(value);
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = value;
    }
}

void lab06_sum_wide(const real *d_x, int n, real *d_y)
{
    const int count = block_count((const void *)sum_wide, n / VECTOR_SIZE);
    sum_wide<<<count, SUM_THREADS>>>(d_x, n);
    CHECK(cudaGetLastError());
    sum_of_sums<<<1, SUM_THREADS>>>(count, d_y);
    CHECK(cudaGetLastError());
}

/* ---- (d) the summit ------------------------------------------------------------------------------------ */

#define SUMMIT_THREADS       512
#define SUMMIT_BLOCKS_PER_SM 3

/*
 * Numbers that fit in L2 can still be there when they are added again: with __ldcg they are likely to stay.
 * Numbers that do not fit only evict each other; __ldcs marks what it loads as the first to be evicted.
 * __ldcg bypasses L1, which would not help. The kernel below keeps as much of a long array in L2 as fits.
 */
template <bool fits_in_l2> __device__ vector load(const vector *address)
{
    return fits_in_l2 ? __ldcg(address) : __ldcs(address);
}

/*
 * Memory answers after some 700 cycles. To keep an H100's memory busy, each SM must have requests for about
 * 8 KB in flight at any time, and for more when answers are late. 1536 threads with 4 bytes each request 6 KB;
 * with 16 bytes each, 24 KB. Loads can be in flight together when none needs the result of another: load four
 * vectors first, then add them to four sums. A block takes a tile of neighboring vectors, four per thread,
 * then skips the tiles of all other blocks and takes its next one.
 */
template <bool fits_in_l2> __device__ real streamed_sum(const vector *x, int count)
{
    real sum = 0;
    // TODO 6: Write a loop over the block's tiles of 4 * blockDim.x vectors, of `count` in all, with four
    // loads in flight: load this thread's four vectors of the tile with load<fits_in_l2>(&x[...]), or zeros
    // past the last vector, then add them to four sums. The threads of a warp read neighboring vectors.
    // end of TODO 6
    return sum;
}

/* How many blocks have stored their sum. 0 between two launches. */
__device__ unsigned blocks_done;

/*
 * Is this the last block to get here? Each block takes a number after it has written its sum. Two fences make
 * this safe: no block can see the number before the sum, and the last block reads no sum before it has seen all
 * the numbers. So it may add the sums of all the others, and neither a second kernel nor a barrier for the grid
 * is needed.
 */
__device__ bool is_last_block(real sum)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        is_last = false;
        // TODO 7: Write the block's sum to block_sums. Fence (__threadfence()). Take a number from
        // blocks_done with atomicAdd; the block is the last one if it got gridDim.x - 1. Fence again.
        // end of TODO 7
    }
    __syncthreads();
    return is_last;
}

/*
 * d_x may begin at any element, a vector only at a multiple of 16 bytes. Block 0 adds the elements before the
 * first whole vector (`head` of them) and those after the last one, up to three each, one by one.
 *
 * __launch_bounds__ tells the compiler how many threads each SM should hold, and so how many registers each
 * thread may have: 40. Without it, the compiler used only 30 for doubles, too few for four vectors at a time,
 * and put the first addition, which has to wait for a load, before the last two loads.
 */
__global__ void __launch_bounds__(SUMMIT_THREADS, SUMMIT_BLOCKS_PER_SM)
    sum_streamed(const real *d_x, int n, int head, int most_kept, real *d_y)
{
    const int vectors = (n - head) / VECTOR_SIZE;
    const int tail = head + vectors * VECTOR_SIZE; /* the first element after the vectors */
    const vector *x = (const vector *)(d_x + head);
    const int kept = min(vectors, most_kept); /* vectors to keep in L2 */
    real value = streamed_sum<true>(x, kept) + streamed_sum<false>(x + kept, vectors - kept);
    if (blockIdx.x == 0) {
        const int tid = threadIdx.x;
        if (tid < head) {
            value += d_x[tid];
        }
        if (tid < n - tail) {
            value += d_x[tail + tid];
        }
    }
    const real sum = block_sum(value);
    if (!is_last_block(sum)) {
        return;
    }
    /* The blocks' sums are added in the same order each time, whichever block is the last. */
    value = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        value += __ldcg(&block_sums[b]); /* from L2, where the other SMs' sums are: L1 would not help */
    }
    value = block_sum(value);
    if (threadIdx.x == 0) {
        *d_y = value;
        blocks_done = 0;
    }
}

void lab06_sum(const real *d_x, int n, real *d_y)
{
    const int misplaced = (size_t)d_x % sizeof(vector) / sizeof(real); /* elements past a 16-byte boundary */
    int head = misplaced == 0 ? 0 : VECTOR_SIZE - misplaced;
    head = min(head, n);
    /* At least one vector per thread, and no more blocks than the GPU holds. */
    static int sm_count = 0, l2_bytes = 0; /* queried once: a query takes longer than a short sum */
    if (sm_count == 0) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    }
    const int resident = min(sm_count * SUMMIT_BLOCKS_PER_SM, MAX_BLOCKS);
    const int needed = (n / VECTOR_SIZE + SUMMIT_THREADS - 1) / SUMMIT_THREADS;
    const int blocks = max(1, min(needed, resident));
    /* Five eighths of L2 are for the vectors that stay: the others need some room in it, too. */
    const int most_kept = l2_bytes / 8 * 5 / (int)sizeof(vector);
    sum_streamed<<<blocks, SUMMIT_THREADS>>>(d_x, n, head, most_kept, d_y);
    CHECK(cudaGetLastError());
}
