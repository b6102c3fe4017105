/* Right kernels: parts of blocks and warps, several readers, the non-coherent path. Sections are those of the PTX ISA's memory consistency model. */
#include <cooperative_groups.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- bar.arrive and bar.sync ---- */

/* The consumer says that the buffer is empty before the producer fills it again. */
KERNEL(full_and_empty_barriers)
{
    __shared__ int s[32];
    for (int k = 0; k < 3; k++) {
        if (T < 32) {
            if (k > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[T] = x[32 * k + T];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[1024 + 32 * k + T] = s[63 - T];
            if (k < 2)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
/* One producer, two groups of consumers, each with a barrier of its own. */
KERNEL(one_producer_two_consumers)
{
    __shared__ int s[64];
    if (T < 32) {
        s[T] = x[T];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[32 + T] = x[32 + T];
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else if (T < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[1024 + T] = s[63 - T];
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        x[1024 + T] = s[T - 32];
    }
}

/* ---- parts of a warp ---- */

/* Each half exchanges words within itself. */
KERNEL(syncwarp_of_each_half)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp(T < 16 ? 0x0000ffffu : 0xffff0000u);
    x[T] = s[T ^ 15];
}
/* T ^ 30 is as odd or even as T. */
KERNEL(syncwarp_of_odd_and_even_lanes)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp(T % 2 ? 0xaaaaaaaau : 0x55555555u);
    x[T] = s[T ^ 30];
}
/* Each half by itself, then all of them. */
KERNEL(halves_then_whole_warp)
{
    __shared__ int s[32];
    s[T] = x[T];
    if (T < 16) {
        __syncwarp(0x0000ffffu);
        x[T] = s[15 - T];
    } else {
        __syncwarp(0xffff0000u);
        x[T] = s[47 - T];
    }
    __syncwarp();
    x[1024 + T] = s[31 - T];
}
/* T ^ 7 stays in the tile. */
KERNEL(tile_of_eight)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T];
    tile.sync();
    x[T] = s[T ^ 7];
}
/* Tiles of a branch: only some of the tiles of a warp run it. */
KERNEL(tile_in_a_branch)
{
    __shared__ int s[64];
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(cg::this_thread_block());
    if (tile.meta_group_rank() % 3 == 1) {
        s[T] = x[T];
        tile.sync();
        x[T] = s[T ^ 3] + tile.shfl_xor(s[T], 1);
    }
}
/* Words and barrier of the same lanes. */
KERNEL(coalesced_group_of_a_branch)
{
    __shared__ int s[64];
    if (T % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int rank = (int)group.thread_rank(), size = (int)group.size();
        int *mine = s + T / 32 * 32;
        mine[rank] = x[T];
        group.sync();
        x[T] = mine[size - 1 - rank];
    }
}
/* The lane four further on has the same label. */
KERNEL(labeled_partition)
{
    __shared__ int s[32];
    auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 4);
    s[T] = x[T];
    group.sync();
    x[T] = s[(T + 4) % 32];
}
/* The lane two further on is in the same part. */
KERNEL(binary_partition)
{
    __shared__ int s[32];
    auto group = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 2 == 0);
    s[T] = x[T];
    group.sync();
    x[T] = s[(T + 2) % 32];
}
/* Diverged in a loop: each lane leaves at another time, and the rest go on with their own mask. */
KERNEL(shrinking_mask)
{
    __shared__ int s[32];
    unsigned mask = FULL;
    s[T] = x[T];
    __syncwarp();
    for (int k = 0; k < T % 4; k++) {
        mask = __ballot_sync(mask, k + 1 < T % 4);
        if (k + 1 == T % 4)
            break;
    }
    x[T] = s[31 - T] + (int)(mask & 0);
}
/* A vote between two __syncwarp()s. */
KERNEL(vote_and_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];
    int any = __any_sync(FULL, x[T] > 40);
    __syncwarp();
    x[T] = s[31 - T] + any;
}
/* The grid's barrier in two parts: what the second part reads comes after the wait. */
KERNEL(grid_barrier_arrive_and_wait)
{
    cg::grid_group grid = cg::this_grid();
    x[B * 64 + T] = T + 1;
    auto token = grid.barrier_arrive();
    x[2048 + B * 64 + T] = T;
    grid.barrier_wait(std::move(token));
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T];
}

/* ---- readers ---- */

/* The reader releases, the writer acquires. */
KERNEL(writer_waits_for_one_reader)
{
    if (T == 0 && B == 0) {
        x[1024] = x[0];
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 1)
            ;
        x[0] = 7;
    }
}
/* All 33, more than a warp has lanes. */
KERNEL(writer_waits_for_33_readers)
{
    if (T == 0 && B < 33) {
        x[1024 + B] = x[0];
        add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 33)
            ;
        x[0] = 7;
    }
}
/* Lanes of two warps in one block. */
KERNEL(writer_waits_for_33_lanes)
{
    __shared__ int data, done;
    if (T == 64)
        data = done = 0;
    __syncthreads();
    if (T < 33) {
        x[T] = data;
        __threadfence_block();
        atomicAdd_block(&done, 1);
    } else if (T == 64) {
        while (atomicAdd_block(&done, 0) < 33)
            ;
        __threadfence_block();
        data = 7;
    }
}

/* ---- the non-coherent path ---- */

/* No thread writes these words. */
KERNEL(ldg_of_input)
{
    x[1024 + B * 64 + T] = __ldg(&x[63 - T]);
}
/* Written words are neighbors of the words read. */
KERNEL(ldg_beside_written_words)
{
    if (T % 2)
        x[T] = 7;
    __syncthreads();
    if (T % 2 == 0)
        x[1024 + T] = __ldg(&x[T]);
}
/* ld.global.cg and .cv are coherent. */
KERNEL(ldcg_behind_a_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = __ldcg(x) + __ldcv(x);
    }
}

extern "C" const struct hazard_program right_parts_programs[];
const struct hazard_program right_parts_programs[] = {
    RIGHT(full_and_empty_barriers, 1, 64),
    RIGHT(one_producer_two_consumers, 1, 96),
    RIGHT(syncwarp_of_each_half, 1, 32),
    RIGHT(syncwarp_of_odd_and_even_lanes, 1, 32),
    RIGHT(halves_then_whole_warp, 1, 32),
    RIGHT(tile_of_eight, 1, 64),
    RIGHT(tile_in_a_branch, 1, 64),
    RIGHT(coalesced_group_of_a_branch, 1, 64),
    RIGHT(labeled_partition, 1, 32),
    RIGHT(binary_partition, 1, 32),
    RIGHT(shrinking_mask, 1, 32),
    RIGHT(vote_and_syncwarp, 1, 32),
    RIGHT_GRID(grid_barrier_arrive_and_wait, 2, 64),
    RIGHT_GRID(writer_waits_for_one_reader, 2, 32),
    RIGHT_GRID(writer_waits_for_33_readers, 34, 32),
    RIGHT(writer_waits_for_33_lanes, 1, 96),
    RIGHT(ldg_of_input, 4, 64),
    RIGHT(ldg_beside_written_words, 1, 64),
    RIGHT_GRID(ldcg_behind_a_flag, 2, 32),
    {},
};
