/*
 * Lab 05, inside a warp.
 *
 *   (a) sum with __syncwarp   the last five halvings belong to one warp: no need to stop the block
 *   (b) sum with shuffles     lanes hand each other registers, without shared memory
 *   (c) scan                  every prefix sum, of a warp and then of a block
 *   (d) divergence            what a branch costs when the lanes of a warp disagree
 *   (e) optional: a scan of the whole array in passes
 *   (f) optional: ... and in one
 *
 * A warp is 32 threads with consecutive numbers; a thread's place in it is its lane. The 32 lanes share
 * one instruction at a time. Since Volta each of them has a program counter of its own: they
 * usually move together, but only synchronisation guarantees it.
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

    /* As long as more than one warp adds, the whole block has to wait. */
    for (int offset = LAB05_BLOCK_SIZE / 2; offset >= WARP_SIZE; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
        __syncthreads();
    }

    // TODO 1: 32 numbers are left, and the first warp alone can add them: offsets 16, 8, 4, 2, 1, where
    // lanes 0 .. offset - 1 add, as ever. What they wrote must be there for the next step: __syncwarp()
    // after each, called by all lanes of the warp.
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
 * __shfl_down_sync(mask, value, offset) gives each lane the `value` of the lane `offset` further up. All
 * lanes named in the mask must call it, and they wait for one another. No memory is involved, so there
 * is nothing else to synchronise. Lane 0 returns with the sum of the warp.
 */
__device__ real warp_sum(real value)
{
    // TODO 2: Offsets 16, 8, 4, 2, 1: add the value of the lane `offset` further up. Lanes near the end get
    // numbers of no use; that does no harm, since only lane 0 counts in the end.
    // end of TODO 2
    return value;
}

__global__ void sum_shuffle(const real *d_x, int n, real *d_y)
{
    // TODO 3: Add up each warp with warp_sum (0 past the end of d_x; no early return: all 32 lanes are named
    // in the mask, so all must come along). Lane 0 of each warp leaves the sum in shared memory. When all
    // have, thread 0 adds these few numbers, and adds the result to *d_y, atomically.
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
 * Inclusive scan of a warp (Hillis and Steele): after the step with offset 1 each lane holds the sum of
 * up to two values, after 2 of up to four, and after 16 of all values up to its own.
 * __shfl_up_sync looks downwards: a lane gets the value of the lane `offset` below.
 */
__device__ real warp_scan(real value)
{
    // TODO 4: In the steps 1, 2, 4, 8, 16: fetch the value of the lane `offset` below, and add it, unless
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
 * A block has 8 warps. Each scans its own 32 values; what is missing is the sum of all warps before it.
 * The last lane of a warp has the warp's sum, and 8 such sums are again something to scan.
 */
__global__ void scan_blocks(const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    real sum = warp_scan(i < n ? d_x[i] : 0);

    // TODO 5: The last lane of each warp leaves its sum in shared memory. Then the first warp, all 32 lanes
    // of it, scans these sums (0 where there is no warp) and puts them back. Then every thread adds what
    // stands there for the warp before its own; warp 0 has none. Each time the block must wait until the
    // others have written.
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

/* Even and odd lanes disagree: the warp runs both formulas, one after the other, half empty each time. */
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
    // TODO 6: The block still has the same elements, but the first half of its threads takes the even ones,
    // the second half the odd ones: then all lanes of a warp take the same branch. (Neighbors are now two
    // words apart. The grader shows what that costs in sectors, and what the branch no longer costs.)
    // end of TODO 6
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
    // TODO 7: One thread per block of the scan. The grid covers `blocks` threads and may have more.
    // end of TODO 7
}

/* Adds to each element of d_y the sum of all blocks before its own; d_sums holds the scanned sums. */
__global__ void add_sums(const real *d_sums, int n, real *d_y)
{
    // TODO 8: One thread per element, in blocks of 256, as in scan_blocks. Block 0 has nothing before it.
    // end of TODO 8
}

void lab05_scan(const real *d_x, int n, real *d_y, real *d_sums)
{
    // TODO 9: Scan the blocks (lab05_block_scan). If there is more than one block: take the sums of all but the
    // last, scan these sums, and add them. The sums are an array like any other: this function can scan them,
    // in place, with the rest of d_sums as the room for their own sums. Nothing to do if n is 0.
    // end of TODO 9
}

/* ---- (f) optional: the scan of a whole array, in one pass ---------------------------------------------- */

#define ROUNDS (LAB05_PIECE / LAB05_SCAN_BLOCK) /* elements per thread */
#define PARTS  (LAB05_PIECE / WARP_SIZE)        /* of 32 elements, which one warp scans in one round */

/* What a block has told the blocks after it: nothing yet, the sum of its own piece, the sum of all up to its end. */
enum { NOTHING, OWN_SUM, SUM_UP_TO_HERE };

/* Block b leaves its own sum in d_sums[2 b], the sum up to its end in d_sums[2 b + 1], and says so in d_state[1 + b]. */
__device__ void tell(int block, real sum, unsigned state, real *d_sums, unsigned *d_state)
{
    // TODO 10: First the sum, then the state. A block that sees the state must see the sum as well, so between the
    // two stands __threadfence(). Others read the state while it is written: write it with atomicExch.
    // end of TODO 10
}

/* The sum of all pieces before that of `block`. */
__device__ real look_back(int block, const real *d_sums, unsigned *d_state)
{
    real before = 0;
    // TODO 11: From block - 1 down: read the state, atomically (atomicAdd of 0), until it is no longer NOTHING.
    // Fence. Then add the sum that is there. With SUM_UP_TO_HERE nothing is missing any more; with OWN_SUM go on
    // to the block before.
    // end of TODO 11
    return before;
}

/*
 * d_state[0] counts the blocks that have begun. A block takes its piece by this number, not by blockIdx.x: so
 * whatever it waits for belongs to a block that has begun before it and will end.
 */
__global__ void scan_once(const real *d_x, int n, real *d_y, real *d_sums, unsigned *d_state)
{
    __shared__ real s_sum[PARTS]; /* of each part, and later of all up to its end */
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

    // TODO 12: Warp 0 scans the 64 sums in s_sum, 32 at a time; the second 32 need the sum of the first as well.
    // Then its thread 0 tells the sum of the piece, looks back, leaves what it finds in s_before, and tells the sum
    // up to here. All other threads must wait for both.
    // end of TODO 12

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
