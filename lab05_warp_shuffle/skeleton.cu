/*
 * Lab 05, inside a warp.
 *
 *   (a) sum with __syncwarp   one warp does the last five halvings, and the other warps need not wait for it
 *   (b) sum with shuffles     lanes read each other's registers, without shared memory
 *   (c) scan                  all partial sums, of a warp and then of a block; compaction, which needs them
 *   (d) divergence            what a branch costs when the lanes of a warp disagree
 *   (e) optional: a scan of the whole array, in several passes
 *   (f) optional: the same in one pass
 *
 * A warp is 32 threads with consecutive numbers; a thread's number in its warp is its lane. The lanes usually
 * execute each instruction together. But since Volta each lane has its own program counter, and only
 * synchronization guarantees that all lanes have reached the same line.
 */
#include "common/check.h"
#include "lab05.h"

#define WARP_SIZE 32
#define ALL_LANES 0xffffffffu /* one bit for each lane that takes part */

static int block_count(int n, int block_size)
{
    return (n + block_size - 1) / block_size;
}

/* ---- (a) sum with __syncwarp --------------------------------------------------------------------------- */

__global__ void sum_syncwarp(const real *d_x, int n, real *d_y)
{
    __shared__ real s_x[LAB05_BLOCK_SIZE];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    s_x[tid] = i < n ? d_x[i] : 0;
    __syncthreads();

    /* Offsets 64 and 32: numbers that other warps have written are added, so the whole block has to wait. */
    for (int offset = LAB05_BLOCK_SIZE / 2; offset >= WARP_SIZE; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
        __syncthreads();
    }

    // TODO 1: 32 numbers are left, and the first warp alone can add them: with offsets 16, 8, 4, 2 and 1,
    // lanes 0 .. offset - 1 add, as before. What they write must be visible in the next step: call
    // __syncwarp() after each step, in all lanes of the warp.
    // end of TODO 1

    if (tid == 0) {
        atomicAdd(d_y, s_x[0]);
    }
}

void lab05_sum_syncwarp(const real *d_x, int n, real *d_y)
{
    CHECK(cudaMemsetAsync(d_y, 0, sizeof(real)));
    if (n > 0) {
        sum_syncwarp<<<block_count(n, LAB05_BLOCK_SIZE), LAB05_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/* ---- (b) sum with shuffles ----------------------------------------------------------------------------- */

/*
 * __shfl_down_sync(mask, value, offset) gives each lane the `value` of the lane `offset` higher. All
 * lanes named in the mask must call it, and they wait for one another. No memory is involved, so no
 * other synchronization is needed. In lane 0 the function below returns the sum of the warp.
 */
__device__ real warp_sum(real value)
{
    // TODO 2: With offsets 16, 8, 4, 2 and 1, add the value of the lane `offset` higher. Lanes near the end
    // get useless numbers, which does no harm, because only the result of lane 0 is used.
    // end of TODO 2
    return value;
}

__global__ void sum_shuffle(const real *d_x, int n, real *d_y)
{
    // TODO 3: Add up each warp with warp_sum (0 past the end of d_x; no early return, because other lanes
    // read this lane's value). Lane 0 of each warp leaves the sum in shared memory. When all have done so,
    // thread 0 adds these few numbers, and adds the result to *d_y atomically.
    // end of TODO 3
}

void lab05_sum_shuffle(const real *d_x, int n, real *d_y)
{
    CHECK(cudaMemsetAsync(d_y, 0, sizeof(real)));
    if (n > 0) {
        sum_shuffle<<<block_count(n, LAB05_BLOCK_SIZE), LAB05_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/* ---- (c) scan ------------------------------------------------------------------------------------------ */

/*
 * Inclusive scan of a warp (Hillis and Steele): after the step with offset 1, each lane holds the sum of
 * up to two values; after offset 2, of up to four; and after offset 16, of all values up to its own, inclusive.
 * __shfl_up_sync moves values up: a lane gets the value of the lane `offset` lower.
 */
__device__ real warp_scan(real value)
{
    // TODO 4: With offsets 1, 2, 4, 8 and 16, get the value of the lane `offset` lower, and add it, unless
    // there is no such lane. Only some lanes add, but all of them must call the shuffle.
    // end of TODO 4
    return value;
}

__global__ void scan_warps(const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const real sum = warp_scan(i < n ? d_x[i] : 0);
    if (i < n) {
        d_y[i] = sum;
    }
}

void lab05_warp_scan(const real *d_x, int n, real *d_y)
{
    if (n > 0) {
        scan_warps<<<block_count(n, LAB05_BLOCK_SIZE), LAB05_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/*
 * A block has 8 warps. Each scans its own 32 values, which then still lack the sum of all warps before it.
 * The last lane of each warp has the warp's sum; a scan of these 8 sums gives what is missing.
 */
__global__ void scan_blocks(const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    real sum = warp_scan(i < n ? d_x[i] : 0);

    // TODO 5: The last lane of each warp leaves its sum in shared memory. Then all 32 lanes of the first
    // warp scan these sums (0 where there is no warp) and put them back, into 32 elements. Then every thread
    // adds the scanned sum of the warp before its own, except in warp 0. Before the second and the third
    // step, the block must wait until all its threads have done the previous step.
    // end of TODO 5

    if (i < n) {
        d_y[i] = sum;
    }
}

void lab05_block_scan(const real *d_x, int n, real *d_y)
{
    if (n > 0) {
        scan_blocks<<<block_count(n, LAB05_SCAN_BLOCK), LAB05_SCAN_BLOCK>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/*
 * Compaction: the positive elements of each block of 256, in their order, without gaps. __ballot_sync(mask, condition)
 * gives all lanes the same 32 bits: bit k tells whether the condition holds in lane k. __popc counts the ones.
 */
__global__ void compact_blocks(const real *d_x, int n, real *d_y, unsigned *d_count)
{
    // TODO 6: Keep this thread's element if it is positive (past the end of d_x there is none). Let all lanes call
    // __ballot_sync. The element's index is the number of kept ones before it: in its own warp (count the bits of the
    // lower lanes) and in the warps before it (leave each warp's count in shared memory, with one barrier). Store it
    // there, from the block's first element of d_y on. Thread 0 stores how many the block keeps in d_count[blockIdx.x].
    // end of TODO 6
}

void lab05_compact(const real *d_x, int n, real *d_y, unsigned *d_count)
{
    if (n > 0) {
        compact_blocks<<<block_count(n, LAB05_SCAN_BLOCK), LAB05_SCAN_BLOCK>>>(d_x, n, d_y, d_count);
        CHECK(cudaGetLastError());
    }
}

/* ---- (d) divergence ------------------------------------------------------------------------------------ */

__device__ real even_formula(real x)
{
    for (int k = 0; k < LAB05_ROUNDS; k++) {
        x = x * (real)(255.0 / 256) + (real)(1.0 / 512);
    }
    return x;
}

__device__ real odd_formula(real x)
{
    for (int k = 0; k < LAB05_ROUNDS; k++) {
        x = x * ((real)(127.0 / 128) - x * (real)(1.0 / 128));
    }
    return x;
}

/* Even and odd lanes take different branches: the warp runs both formulas in turn, each for half of its lanes. */
__global__ void diverge_inside(const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_y[i] = i % 2 == 0 ? even_formula(d_x[i]) : odd_formula(d_x[i]);
    }
}

void lab05_diverge_inside(const real *d_x, int n, real *d_y)
{
    if (n > 0) {
        diverge_inside<<<block_count(n, LAB05_BLOCK_SIZE), LAB05_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

__global__ void diverge_between(const real *d_x, int n, real *d_y)
{
    // TODO 7: The block still has the same elements, but the first half of its threads takes the even ones,
    // the second half the odd ones: then all lanes of a warp take the same branch. (Neighboring lanes
    // now access elements two apart. The grader shows what this costs in sectors, and what it saves in branches.)
    // end of TODO 7
}

void lab05_diverge_between(const real *d_x, int n, real *d_y)
{
    if (n > 0) {
        diverge_between<<<block_count(n, LAB05_BLOCK_SIZE), LAB05_BLOCK_SIZE>>>(d_x, n, d_y);
        CHECK(cudaGetLastError());
    }
}

/* ---- (e) optional: the scan of a whole array, in passes ------------------------------------------------ */

/* d_sums[b] = the sum of block b of 256 elements, which is the last element of its scan in d_y; whole blocks only. */
__global__ void take_sums(const real *d_y, int blocks, real *d_sums)
{
    // TODO 8: One thread per block of the scan. The grid has `blocks` threads or more.
    // end of TODO 8
}

/* Adds to each element of d_y the sum of all blocks before its own; d_sums holds the scanned sums. */
__global__ void add_sums(const real *d_sums, int n, real *d_y)
{
    // TODO 9: One thread per element, in blocks of 256, as in scan_blocks. Block 0 has nothing before it.
    // end of TODO 9
}

void lab05_scan(const real *d_x, int n, real *d_y, real *d_sums)
{
    // TODO 10: Scan the blocks (lab05_block_scan). If there is more than one block, take the sums of all but the
    // last, scan these sums, and add them. The sums are an array like any other: this function can scan them
    // in place, with the rest of d_sums as room for the next level's sums. If n is 0, there is nothing to do.
    // end of TODO 10
}

/* ---- (f) optional: the scan of a whole array, in one pass ---------------------------------------------- */

#define ROUNDS (LAB05_PIECE / LAB05_SCAN_BLOCK) /* elements per thread */
#define PARTS  (LAB05_PIECE / WARP_SIZE)        /* parts of 32 elements: a warp scans one in each round */

/* What a block has published: nothing yet, the sum of its own piece, or the sum of all elements up to its end. */
enum { NOTHING, OWN_SUM, SUM_UP_TO_HERE };

/* Block b publishes its sum in d_sums[2 b], the sum up to its end in d_sums[2 b + 1], its state in d_state[1 + b]. */
__device__ void tell(int block, real sum, unsigned state, real *d_sums, unsigned *d_state)
{
    // TODO 11: Write the sum, then the state. A block that sees the state must also see the sum, so call
    // __threadfence() between the two. Other blocks read the state meanwhile, so write it with atomicExch.
    // end of TODO 11
}

/* The sum of all pieces before the piece of `block`. */
__device__ real look_back(int block, const real *d_sums, unsigned *d_state)
{
    real before = 0;
    // TODO 12: For each block from block - 1 down, read its state atomically (atomicAdd of 0) until it is no
    // longer NOTHING. After a fence, add the sum that belongs to this state. If the state is SUM_UP_TO_HERE,
    // the total is complete; if it is OWN_SUM, go on to the block before it.
    // end of TODO 12
    return before;
}

/*
 * d_state[0] counts the blocks that have begun. A block takes its piece by this number, not by blockIdx.x. So
 * it waits only for blocks that began before it, which are sure to finish.
 */
__global__ void scan_once(const real *d_x, int n, real *d_y, real *d_sums, unsigned *d_state)
{
    __shared__ real s_sum[PARTS]; /* the sum of each part, and later of all parts up to it */
    __shared__ real s_before;     /* the sum of all pieces before this one */
    __shared__ int s_block;
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    if (threadIdx.x == 0) {
        s_block = (int)atomicAdd(&d_state[0], 1u);
    }
    __syncthreads();
    const int block = s_block;

    real sum[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        const int i = block * LAB05_PIECE + k * LAB05_SCAN_BLOCK + threadIdx.x;
        sum[k] = warp_scan(i < n ? d_x[i] : 0);
        if (lane == WARP_SIZE - 1) {
            s_sum[k * (LAB05_SCAN_BLOCK / WARP_SIZE) + warp] = sum[k];
        }
    }
    __syncthreads();

    // TODO 13: Warp 0 scans the 64 sums in s_sum, 32 at a time; the second 32 need the sum of the first as well.
    // Then thread 0 calls tell with the sum of the piece, looks back, stores the result in s_before, and calls
    // tell with the sum up to here. All other threads must wait until s_sum and s_before are ready.
    // end of TODO 13

    for (int k = 0; k < ROUNDS; k++) {
        const int i = block * LAB05_PIECE + k * LAB05_SCAN_BLOCK + threadIdx.x;
        const int part = k * (LAB05_SCAN_BLOCK / WARP_SIZE) + warp;
        if (i < n) {
            d_y[i] = s_before + (part > 0 ? s_sum[part - 1] : 0) + sum[k];
        }
    }
}

void lab05_scan_once(const real *d_x, int n, real *d_y, real *d_sums, unsigned *d_state)
{
    if (n > 0) {
        const int blocks = block_count(n, LAB05_PIECE);
        CHECK(cudaMemsetAsync(d_state, 0, (1 + blocks) * sizeof *d_state));
        scan_once<<<blocks, LAB05_SCAN_BLOCK>>>(d_x, n, d_y, d_sums, d_state);
        CHECK(cudaGetLastError());
    }
}
