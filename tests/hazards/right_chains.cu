/*
 * Right kernels: blocks and warps that hand work on to each other: chains and look-back, ticket locks, mailboxes, rings,
 * words that hold two fields. The sentence before each says why it is right.
 */
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

static __device__ int draw(int *next)
{
    __shared__ int drawn;
    if (T == 0)
        drawn = atomicAdd(next, 1);
    __syncthreads();
    return drawn;
}

/* State and sum are one word, stored and loaded in one piece: there is nothing left to order. */
KERNEL(look_back_with_packed_words)
{
    const int block = draw(zeros);
    unsigned long long *told = (unsigned long long *)(zeros + 2), seen = 1ull << 32;
    unsigned before = 0;
    if (T != 0)
        return;
    atomicExch(&told[block], 1ull << 32 | (unsigned)x[block]);
    for (int other = block - 1; other >= 0 && seen >> 32 == 1; other--) {
        while ((seen = atomicAdd(&told[other], 0ull)) >> 32 == 0)
            ;
        before += (unsigned)seen;
    }
    atomicExch(&told[block], 2ull << 32 | (before + (unsigned)x[block]));
    x[1024 + block] = (int)before;
}
/* Two places, one for each state. */
KERNEL(look_back_with_two_places)
{
    const int block = draw(zeros);
    device_ref state(zeros[1 + block]);
    int *sum = x + 1024, before = 0;
    if (T != 0)
        return;
    sum[2 * block] = x[block];
    state.store(1, cuda::memory_order_release);
    for (int other = block - 1, seen = 1; other >= 0 && seen == 1; other--) {
        device_ref of_other(zeros[1 + other]);
        while ((seen = of_other.load(cuda::memory_order_acquire)) == 0)
            ;
        before += sum[2 * other + seen - 1];
    }
    sum[2 * block + 1] = before + x[block];
    state.store(2, cuda::memory_order_release);
}
/* Each block waits for the one before, and acquires what it has released. */
KERNEL(chain_with_acquire)
{
    const int block = draw(zeros);
    if (T != 0)
        return;
    int before = 0;
    if (block > 0) {
        while (load_acquire_gpu(&zeros[block]) == 0)
            ;
        before = x[1024 + block - 1];
    }
    x[1024 + block] = before + x[block];
    store_release_gpu(&zeros[block + 1], 1);
}
/* The count goes on from round to round, and each round waits for its own. */
KERNEL(barrier_of_the_grid_used_three_times)
{
    for (int round = 1; round <= 3; round++) {
        const int theirs = x[1024 + 256 * ((round - 1) & 1) + 64 * (1 - B) + 63 - T];
        x[1024 + 256 * (round & 1) + 64 * B + T] = theirs + round;
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicAdd(zeros, 1);
            while (atomicAdd(zeros, 0) < 2 * round)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}
/* A fence behind the wait, and one before the next is let in. */
KERNEL(ticket_lock_with_fences)
{
    volatile int *serving = zeros + 1;
    if (T != 0)
        return;
    const int ticket = atomicAdd(zeros, 1);
    while (*serving != ticket)
        ;
    __threadfence();
    x[0] += ticket;
    x[1] = x[0];
    __threadfence();
    *serving = ticket + 1;
}
/* The same with acquire and release, for a whole block. */
KERNEL(ticket_lock_for_a_block)
{
    device_ref serving(zeros[1]);
    __shared__ int ticket;
    if (T == 0) {
        ticket = atomicAdd(zeros, 1);
        while (serving.load(cuda::memory_order_acquire) != ticket)
            ;
    }
    __syncthreads();
    x[1024 + T] += ticket;
    __syncthreads();
    if (T == 0)
        serving.store(ticket + 1, cuda::memory_order_release);
}
/* Both fields are changed by atomics of the whole word. */
KERNEL(two_fields_of_an_atomic_word)
{
    atomicAdd(&zeros[0], 1 << 16);
    if (T % 2 == 1)
        atomicAdd(&zeros[0], 1);
}
/* Each thread has a half of its own; whole words are read behind the barrier. */
KERNEL(halves_of_a_word)
{
    __shared__ int s[32];
    ((short *)s)[T] = (short)T;
    __syncthreads();
    x[1024 + T] = s[T / 2];
}
/* Vectors of 16 bytes side by side, read as words of the neighbor behind the barrier. */
KERNEL(vectors_side_by_side)
{
    __shared__ __align__(16) int s[4 * 64];
    *(int4 *)&s[4 * T] = make_int4(T, T, T, T);
    __syncthreads();
    x[1024 + T] = s[4 * ((T + 1) % 64) + 3];
}
/* The node is filled before it is told which one it is. */
KERNEL(node_filled_before_it_is_told)
{
    if (T != 0)
        return;
    if (B == 0) {
        x[1024] = 5;
        __threadfence();
        atomicExch(zeros, 1024);
    } else {
        int node;
        while ((node = atomicAdd(zeros, 0)) == 0)
            ;
        __threadfence();
        x[2048] = x[node];
    }
}
/* Full and empty are both told by release and seen by acquire. */
KERNEL(mailbox_with_both_sides)
{
    device_ref full(zeros[0]);
    if (T != 0)
        return;
    for (int i = 0; i < 6; i++) {
        while (full.load(cuda::memory_order_acquire) != B)
            ;
        if (B == 0)
            x[0] = i;
        else
            x[1024 + i] = x[0];
        full.store(1 - B, cuda::memory_order_release);
    }
}
/* The producer waits until the number has been taken. */
KERNEL(taken_and_answered_by_compare_and_swap)
{
    if (T != 0)
        return;
    for (int i = 0; i < 4; i++) {
        while (atomicCAS(zeros, B == 0 ? 2 : 1, 3) != (B == 0 ? 2 : 1) && !(B == 0 && i == 0))
            ;
        __threadfence();
        if (B == 0)
            x[0] = i;
        else
            x[1024 + i] = x[0];
        __threadfence();
        atomicExch(zeros, B == 0 ? 1 : 2);
    }
}
/* The same between two lanes of a warp. */
KERNEL(message_to_another_lane_answered)
{
    __shared__ int number, told;
    if (T == 0)
        told = 0;
    __syncwarp();
    block_ref flag(told);
    if (T < 2) {
        for (int i = 0; i < 4; i++) {
            while (flag.load(cuda::memory_order_acquire) != T)
                ;
            if (T == 0)
                number = x[i];
            else
                x[1024 + i] = number;
            flag.store(1 - T, cuda::memory_order_release);
        }
    }
}
/* The warp's lanes meet before lane 0 fences and tells, and again behind its wait. */
KERNEL(warp_told_by_lane_zero_behind_syncwarp)
{
    if (B == 0) {
        x[1024 + T] = T;
        __syncwarp();
        if (T == 0) {
            __threadfence();
            atomicExch(zeros, 1);
        }
    } else {
        if (T == 0) {
            while (atomicAdd(zeros, 0) == 0)
                ;
            __threadfence();
        }
        __syncwarp();
        x[2048 + T] = x[1024 + 31 - T];
    }
}
/* Readers are counted; the writer takes the word from 0 to -1, which keeps new readers out. */
KERNEL(readers_and_a_writer)
{
    device_ref word(zeros[0]);
    if (T != 0)
        return;
    if (B % 2 == 1) {
        int count = word.load(cuda::memory_order_relaxed);
        while (count < 0 || !word.compare_exchange_weak(count, count + 1, cuda::memory_order_acquire))
            count = word.load(cuda::memory_order_relaxed);
        x[1024 + B] = x[0];
        word.fetch_sub(1, cuda::memory_order_release);
    } else {
        int none = 0;
        while (!word.compare_exchange_weak(none, -1, cuda::memory_order_acquire))
            none = 0;
        x[0] += B;
        word.store(0, cuda::memory_order_release);
    }
}
/* The flag counts, and is answered. */
KERNEL(flag_that_counts)
{
    __shared__ int number, counts[2];
    if (T < 2)
        counts[T] = 0;
    __syncthreads();
    block_ref told(counts[0]), taken(counts[1]);
    for (int i = 0; i < 4; i++) {
        if (T == 0) {
            while (taken.load(cuda::memory_order_acquire) < i)
                ;
            number = x[i];
            told.store(i + 1, cuda::memory_order_release);
        } else if (T == 32) {
            while (told.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = number;
            taken.store(i + 1, cuda::memory_order_release);
        }
    }
}
/* One named barrier says "full", another one "empty". */
KERNEL(named_barriers_for_full_and_empty)
{
    __shared__ int s[32];
    for (int i = 0; i < 4; i++) {
        if (T < 32) {
            if (i > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[T] = x[32 * i + T];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[1024 + 32 * i + T - 32] = s[63 - T];
            if (i < 3)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
/* Three stages for copies that run two ahead: the one that is filled was read before the barrier. */
KERNEL(async_ring_of_three)
{
    __shared__ int s[3][64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], &x[64 * k + T], 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 5; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        const int first = s[k % 3][63 - T];
        if (k + 2 < 5)
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], &x[64 * (k + 2) + T], 4);
        __pipeline_commit();
        x[1024 + 64 * k + T] = first;
    }
}
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
/* Two barrier objects: the producer waits until the consumer has arrived at "empty". */
KERNEL(barrier_objects_for_full_and_empty)
{
    __shared__ __align__(8) char storage[2][sizeof(block_barrier)];
    __shared__ int s[32];
    block_barrier &full = *(block_barrier *)storage[0], &empty = *(block_barrier *)storage[1];
    if (T == 0) {
        init(&full, 32);
        init(&empty, 32);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (T < 32) {
            if (i > 0)
                empty.wait_parity((i - 1) & 1);
            s[T] = x[32 * i + T];
            (void)full.arrive();
        } else {
            full.wait_parity(i & 1);
            x[1024 + 32 * i + T - 32] = s[63 - T];
            (void)empty.arrive();
        }
    }
}
/* Each place of the queue has a flag of its own, which the consumer of that place waits for. */
KERNEL(queue_with_a_flag_for_each_place)
{
    if (T != 0)
        return;
    if (B < 2) {
        for (int i = 0; i < 4; i++) {
            const int place = atomicAdd(&zeros[0], 1);
            x[1024 + place] = 100 * B + i;
            store_release_gpu(&zeros[8 + place], 1);
        }
    } else {
        for (int i = 0; i < 4; i++) {
            const int place = atomicAdd(&zeros[1], 1);
            while (load_acquire_gpu(&zeros[8 + place]) == 0)
                ;
            x[2048 + place] = x[1024 + place];
        }
    }
}
/* Blocks that stay draw their work until there is none left; every item is drawn once. */
KERNEL(items_drawn_by_blocks_that_stay)
{
    __shared__ int item;
    for (;;) {
        if (T == 0)
            item = atomicAdd(zeros, 1);
        __syncthreads();
        const int mine = item;
        __syncthreads();
        if (mine >= 20)
            return;
        x[1024 + 32 * mine + T] = mine;
    }
}
/* A histogram in each block, added to the common one behind a barrier. */
KERNEL(histogram_of_each_block_added_up)
{
    __shared__ int bins[16];
    if (T < 16)
        bins[T] = 0;
    __syncthreads();
    atomicAdd(&bins[x[64 * B + T] % 16], 1);
    __syncthreads();
    if (T < 16)
        atomicAdd(&zeros[T], bins[T]);
}

extern "C" const struct hazard_program right_chains_programs[];
const struct hazard_program right_chains_programs[] = {
    RIGHT(look_back_with_packed_words, 12, 32),
    RIGHT(look_back_with_two_places, 12, 32),
    RIGHT(chain_with_acquire, 6, 32),
    RIGHT_GRID(barrier_of_the_grid_used_three_times, 2, 64),
    RIGHT(ticket_lock_with_fences, 4, 32),
    RIGHT(ticket_lock_for_a_block, 4, 64),
    RIGHT(two_fields_of_an_atomic_word, 4, 64),
    RIGHT(halves_of_a_word, 1, 64),
    RIGHT(vectors_side_by_side, 1, 64),
    RIGHT_GRID(node_filled_before_it_is_told, 2, 32),
    RIGHT_GRID(mailbox_with_both_sides, 2, 32),
    RIGHT_GRID(taken_and_answered_by_compare_and_swap, 2, 32),
    RIGHT(message_to_another_lane_answered, 1, 32),
    RIGHT_GRID(warp_told_by_lane_zero_behind_syncwarp, 2, 32),
    VARIES_GRID(readers_and_a_writer, 4, 32),
    RIGHT(flag_that_counts, 1, 64),
    RIGHT(named_barriers_for_full_and_empty, 1, 64),
    RIGHT(async_ring_of_three, 1, 64),
    RIGHT(barrier_objects_for_full_and_empty, 1, 64),
    VARIES_GRID(queue_with_a_flag_for_each_place, 4, 32),
    RIGHT(items_drawn_by_blocks_that_stay, 3, 32),
    RIGHT(histogram_of_each_block_added_up, 4, 64),
    {},
};
