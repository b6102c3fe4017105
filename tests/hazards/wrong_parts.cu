/*
 * Wrong kernels: parts of blocks and warps, several readers, the non-coherent path. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include <cooperative_groups.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- bar.arrive does not wait (9.7.13 barrier) ---- */

/* Both warps arrive, neither waits. */
KERNEL(both_warps_only_arrive)
{
    __shared__ int s[64];
    s[T] = x[T]; // <-
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    x[T] = s[63 - T]; // <-
}
/* The producer says that the data is there before it is. */
KERNEL(producer_arrives_before_it_writes)
{
    __shared__ int s[32];
    if (T < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[T] = x[T]; // <-
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[T] = s[63 - T]; // <-
    }
}
/* The producer fills the buffer again, and has not waited for the consumer. */
KERNEL(producer_does_not_wait_until_empty)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = x[T];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[T] = x[32 + T]; // <-
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[1024 + T] = s[63 - T]; // <-
        asm volatile("bar.sync 2, 64;" ::: "memory");
        x[2048 + T] = s[63 - T];
    }
}
/* The consumer arrives where it should wait. */
KERNEL(consumer_arrives_only)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = x[T]; // <-
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        x[T] = s[63 - T]; // <-
    }
}

/* ---- parts of a warp ---- */

/* Each half waits for itself, and reads the other one's words. */
KERNEL(syncwarp_of_each_half)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    __syncwarp(T < 16 ? 0x0000ffffu : 0xffff0000u);
    x[T] = s[31 - T]; // <-
}
/* Two masks in one instruction are two barriers. */
KERNEL(syncwarp_of_odd_and_even_lanes)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    __syncwarp(T % 2 ? 0xaaaaaaaau : 0x55555555u);
    x[T] = s[T ^ 1]; // <-
}
/* Tiles of 8 lanes, data of 16. */
KERNEL(tile_narrower_than_its_data)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T]; // <-
    tile.sync();
    x[T] = s[T ^ 15]; // <-
}
/* The group holds the lanes of this branch; the word comes from a lane of the other. */
KERNEL(coalesced_group_reads_other_branch)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    if (T % 4 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        group.sync();
        x[T] = s[T + 1]; // <-
    }
}
/* Lanes with the same label wait for each other; the neighbor has another label. */
KERNEL(partition_by_label)
{
    __shared__ int s[32];
    auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 3);
    s[T] = x[T]; // <-
    group.sync();
    x[T] = s[(T + 1) % 32]; // <-
}
/* Even lanes wait for even ones, and read odd ones' words. */
KERNEL(binary_partition_reads_other_part)
{
    __shared__ int s[32];
    auto group = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 2 == 0);
    s[T] = x[T]; // <-
    group.sync();
    x[T] = s[T ^ 1]; // <-
}
/* Votes and shuffles order no memory accesses (CUDA C++ Programming Guide, warp vote functions). */
KERNEL(vote_instead_of_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    int any = __any_sync(FULL, x[T] > 40);
    x[T] = s[31 - T] + any; // <-
}
/* The shuffle hands over a register, and orders nothing. */
KERNEL(shuffle_instead_of_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    int first = __shfl_sync(FULL, x[T], 0);
    x[T] = s[31 - T] + first; // <-
}
/* A __syncwarp() in one branch is none for the lanes of the other. */
KERNEL(syncwarp_in_one_branch)
{
    __shared__ int s[32];
    if (T < 16) {
        s[T] = x[T]; // <-
        __syncwarp(0x0000ffffu);
    }
    x[T] = s[T % 16 ^ 1]; // <-
}
/* The second exchange lacks its __syncwarp(). */
KERNEL(second_exchange_without_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp();
    int v = s[31 - T]; // <-
    s[T] = v;          // <-
    __syncwarp();
    x[T] = s[T ^ 1];
}
/* Tiles of a warp in one barrier each, of which only half execute it before they read. */
KERNEL(tile_syncs_in_one_branch)
{
    __shared__ int s[32];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = x[T]; // <-
    if (tile.meta_group_rank() == 0)
        tile.sync();
    x[T] = s[T ^ 15]; // <-
}
/* The grid's barrier is arrived at, and not waited for. */
KERNEL(grid_barrier_without_wait)
{
    cg::grid_group grid = cg::this_grid();
    x[B * 64 + T] = T + 1; // <-
    auto token = grid.barrier_arrive();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
    grid.barrier_wait(std::move(token));
}

/* ---- readers: all of them must be done before the word is written ---- */

/* Nothing waits for the only reader. */
KERNEL(one_reader_unordered)
{
    if (T == 0 && B == 0)
        x[1024] = x[0]; // <-
    else if (T == 0)
        x[0] = 7; // <-
}
/* The writer waits for all readers but one: the first, a middle or the last of them. */
KERNEL(first_of_two_readers_unordered)
{
    if (T == 0 && B < 2) {
        x[1024 + B] = x[0]; // <-
        if (B != 0)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 1)
            ;
        x[0] = 7; // <-
    }
}
/* The 18th of 33, more than a warp has lanes. */
KERNEL(middle_of_33_readers_unordered)
{
    if (T == 0 && B < 33) {
        x[1024 + B] = x[0]; // <-
        if (B != 17)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 32)
            ;
        x[0] = 7; // <-
    }
}
/* 33 lanes of two warps, and a writer in a third one. */
KERNEL(lane_of_33_unordered_in_shared_memory)
{
    __shared__ int data, done;
    if (T == 64)
        data = done = 0;
    __syncthreads();
    if (T < 33) {
        x[T] = data; // <-
        __threadfence_block();
        if (T != 21)
            atomicAdd_block(&done, 1);
    } else if (T == 64) {
        while (atomicAdd_block(&done, 0) < 32)
            ;
        __threadfence_block();
        data = 7; // <-
    }
}

/* ---- the non-coherent path: only for what no thread of the launch writes (ld.global.nc) ---- */

/* The barrier orders the write, but __ldg may find an older line in the cache. */
KERNEL(ldg_of_other_threads_word)
{
    x[T] = T + 1; // <-
    __syncthreads();
    x[1024 + T] = __ldg(&x[63 - T]); // <-
}
/* Not even its own write must be seen. */
KERNEL(ldg_of_own_word)
{
    x[T] = T + 1;               // <-
    x[1024 + T] = __ldg(&x[T]); // <-
}
/* No barrier makes the non-coherent path coherent. */
KERNEL(ldg_after_grid_sync)
{
    x[B * 64 + T] = T + 1; // <-
    cg::this_grid().sync();
    x[1024 + B * 64 + T] = __ldg(&x[(1 - B) * 64 + T]); // <-
}
/* One of the words of a vector was written by this launch. */
KERNEL(ldg_of_vector_with_written_word)
{
    if (T == 0)
        x[5] = 7; // <-
    __syncthreads();
    int4 v = __ldg((const int4 *)x + T); // <-
    x[1024 + T] = v.x + v.y + v.z + v.w;
}
/* Rightly released and acquired, and read by ld.global.nc. */
KERNEL(nc_load_behind_a_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        int v;
        while (load_acquire_gpu(zeros) == 0)
            ;
        asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(x)); // <-
        x[1024] = v;
    }
}

extern "C" const struct hazard_program wrong_parts_programs[];
const struct hazard_program wrong_parts_programs[] = {
    WRONG(both_warps_only_arrive, 1, 64, SHARED),
    WRONG(producer_arrives_before_it_writes, 1, 64, SHARED),
    WRONG(producer_does_not_wait_until_empty, 1, 64, SHARED),
    WRONG(consumer_arrives_only, 1, 64, SHARED),
    WRONG(syncwarp_of_each_half, 1, 32, SHARED),
    WRONG(syncwarp_of_odd_and_even_lanes, 1, 32, SHARED),
    WRONG(tile_narrower_than_its_data, 1, 64, SHARED),
    WRONG(coalesced_group_reads_other_branch, 1, 32, SHARED),
    WRONG(partition_by_label, 1, 32, SHARED),
    WRONG(binary_partition_reads_other_part, 1, 32, SHARED),
    WRONG(vote_instead_of_syncwarp, 1, 32, SHARED),
    WRONG(shuffle_instead_of_syncwarp, 1, 32, SHARED),
    WRONG(syncwarp_in_one_branch, 1, 32, SHARED),
    WRONG(second_exchange_without_syncwarp, 1, 32, SHARED),
    WRONG(tile_syncs_in_one_branch, 1, 32, SHARED),
    WRONG_GRID(grid_barrier_without_wait, 2, 64, GLOBAL),
    WRONG_GRID(one_reader_unordered, 2, 32, GLOBAL),
    WRONG_GRID(first_of_two_readers_unordered, 3, 32, GLOBAL),
    WRONG_GRID(middle_of_33_readers_unordered, 34, 32, GLOBAL),
    WRONG(lane_of_33_unordered_in_shared_memory, 1, 96, SHARED),
    WRONG(ldg_of_other_threads_word, 1, 64, NON_COHERENT),
    WRONG(ldg_of_own_word, 1, 64, NON_COHERENT),
    WRONG_GRID(ldg_after_grid_sync, 2, 64, NON_COHERENT),
    WRONG(ldg_of_vector_with_written_word, 1, 64, NON_COHERENT),
    WRONG_GRID(nc_load_behind_a_flag, 2, 32, NON_COHERENT),
    {},
};
