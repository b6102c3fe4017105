/*
 * Wrong kernels: blocks and warps that hand work on to each other: chains and look-back, ticket locks, mailboxes, rings,
 * words that hold two fields. suite.c explains the marks. The sentence before each says why it is wrong.
 */
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* What a block has told: nothing yet, its own number, the sum up to its end. */
enum { NOTHING, OWN, UP_TO_HERE };

static __device__ int draw(int *next)
{
    __shared__ int drawn;
    if (T == 0)
        drawn = atomicAdd(next, 1);
    __syncthreads();
    return drawn;
}

/* A block that has seen the first state may read while the second sum is written over the first. */
KERNEL(look_back_with_one_place)
{
    const int block = draw(zeros);
    int *state = zeros + 1, *sum = x + 1024, before = 0;
    if (T != 0)
        return;
    sum[block] = x[block]; // <-
    __threadfence();
    atomicExch(&state[block], OWN);
    for (int other = block - 1, seen = OWN; other >= 0 && seen == OWN; other--) {
        while ((seen = atomicAdd(&state[other], 0)) == NOTHING)
            ;
        __threadfence();
        before += sum[other]; // <-
    }
    sum[block] = before + x[block]; // <-
    __threadfence();
    atomicExch(&state[block], UP_TO_HERE);
}
/* The states are those of an earlier launch: they say of every block that its sum is there. */
KERNEL(look_back_with_states_of_before)
{
    const int block = draw(zeros);
    int *state = x + 1, *sum = x + 1024, before = 0;
    if (T != 0)
        return;
    sum[2 * block] = x[512 + block]; // <-
    __threadfence();
    atomicExch(&state[block], OWN);
    for (int other = block - 1, seen = OWN; other >= 0 && seen == OWN; other--) {
        while ((seen = atomicAdd(&state[other], 0)) == NOTHING)
            ;
        __threadfence();
        before += sum[2 * other + (seen != OWN)]; // <-
    }
    sum[2 * block + 1] = before + x[512 + block]; // <-
    __threadfence();
    atomicExch(&state[block], UP_TO_HERE);
}
/* Each block waits for the one before, and reads what it has left without an acquire. */
KERNEL(chain_without_acquire)
{
    const int block = draw(zeros);
    if (T != 0)
        return;
    int before = 0;
    if (block > 0) {
        while (load_relaxed_gpu(&zeros[block]) == 0)
            ;
        before = x[1024 + block - 1]; // <-
    }
    x[1024 + block] = before + x[block]; // <-
    store_release_gpu(&zeros[block + 1], 1);
}
/* The barrier of the grid is used again and again, and its count has been full since the first time. */
KERNEL(barrier_of_the_grid_used_again)
{
    for (int round = 1; round <= 8; round++) {
        const int theirs = x[1024 + 256 * ((round - 1) & 1) + 64 * ((B + 1) % 4) + 63 - T]; // <-
        x[1024 + 256 * (round & 1) + 64 * B + T] = theirs + round;                          // <-
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicAdd(zeros, 1);
            while (atomicAdd(zeros, 0) < 4)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}
/* Whoever has the number that is served enters; the next one is let in without a fence. */
KERNEL(ticket_lock_without_release)
{
    volatile int *serving = zeros + 1;
    if (T != 0)
        return;
    const int ticket = atomicAdd(zeros, 1);
    while (*serving != ticket)
        ;
    __threadfence();
    x[0] += ticket; // <-
    *serving = ticket + 1;
}
/* What is served is told by a plain store. */
KERNEL(ticket_lock_with_a_plain_turn)
{
    if (T != 0)
        return;
    const int ticket = atomicAdd(zeros, 1);
    while (load_acquire_gpu(zeros + 1) != ticket) // <-
        ;
    x[0] += ticket;
    __threadfence();
    zeros[1] = ticket + 1; // <-
}
/* Some blocks count in the upper half atomically, the others store the lower half as a short of its own. */
KERNEL(half_of_an_atomic_word_stored)
{
    if (T == 0 && B % 2 == 0)
        atomicAdd(&zeros[0], 1 << 16); // <-
    if (T == 0 && B % 2 == 1)
        ((short *)zeros)[0] = (short)B; // <-
}
/* State and number are one word, but the reader takes them one after the other. */
KERNEL(packed_word_read_in_halves)
{
    unsigned long long *packed = (unsigned long long *)zeros;
    volatile int *halves = zeros;
    if (T != 0)
        return;
    if (B == 0) {
        for (int i = 1; i <= 4; i++)
            atomicExch(packed, (unsigned long long)i << 32 | (unsigned)x[i]); // <-
    } else {
        while (halves[1] == 0) // <- or
            ;
        x[1024] = halves[0]; // <- or
    }
}
/* The vector of one thread reaches over the first element of the next thread. */
KERNEL(vectors_over_the_neighbors_element)
{
    __shared__ __align__(16) int s[4 * 64 + 4];
    s[4 * T + 4] = T;                           // <-
    *(int4 *)&s[4 * T] = make_int4(T, T, T, T); // <-
    __syncthreads();
    x[1024 + T] = s[4 * T];
}
/* Which node it is is told with no fence behind what the node holds. */
KERNEL(node_told_before_it_is_filled)
{
    if (T != 0)
        return;
    if (B == 0) {
        x[1024] = 5; // <-
        atomicExch(zeros, 1024);
    } else {
        int node;
        while ((node = atomicAdd(zeros, 0)) == 0)
            ;
        __threadfence();
        x[2048] = x[node]; // <-
    }
}
/* The producer sees that the box is empty, but acquires nothing: the consumer may still be reading. */
KERNEL(mailbox_not_acquired_by_the_producer)
{
    device_ref full(zeros[0]);
    if (T != 0)
        return;
    for (int i = 0; i < 6; i++) {
        while (full.load(B == 0 ? cuda::memory_order_relaxed : cuda::memory_order_acquire) != B)
            ;
        if (B == 0)
            x[0] = i; // <-
        else
            x[1024 + i] = x[0]; // <-
        full.store(1 - B, cuda::memory_order_release);
    }
}
/* Who takes the number does so by compare-and-swap; the producer does not wait until it is taken. */
KERNEL(taken_by_compare_and_swap)
{
    if (T != 0)
        return;
    if (B == 0) {
        for (int i = 0; i < 4; i++) {
            x[0] = i; // <-
            __threadfence();
            atomicExch(zeros, 1);
        }
    } else {
        while (atomicCAS(zeros, 1, 0) != 1)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* Two lanes of a warp: the first one writes again without waiting for the second. */
KERNEL(message_to_another_lane_overwritten)
{
    __shared__ int number, told;
    if (T == 0)
        told = 0;
    __syncwarp();
    block_ref flag(told);
    if (T == 0) {
        for (int i = 0; i < 4; i++) {
            number = x[i]; // <-
            flag.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 1) {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        x[1024] = number; // <-
    }
}
/* Lane 0 fences and tells, and has not waited for the other lanes of its warp. */
KERNEL(warp_told_by_lane_zero)
{
    if (B == 0) {
        x[1024 + T] = T; // <-
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
        x[2048 + T] = x[1024 + 31 - T]; // <-
    }
}
/* Whether this is the last block is read before thread 0 has found out. */
KERNEL(last_block_flag_without_barrier)
{
    __shared__ bool last;
    x[1024 + 64 * B + T] = T;
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicAdd(zeros, 1) == 3; // <-
    if (last)                            // <-
        x[T] = x[1024 + T];
}
/* The writer looks whether there are readers, and does not keep new ones out. */
KERNEL(writer_beside_readers)
{
    device_ref readers(zeros[0]);
    if (T != 0)
        return;
    for (int i = 0; i < 4; i++) {
        if (B == 1) {
            readers.fetch_add(1, cuda::memory_order_acq_rel);
            x[1024 + i] = x[0]; // <-
            readers.fetch_sub(1, cuda::memory_order_acq_rel);
        } else {
            while (readers.load(cuda::memory_order_acquire) != 0)
                ;
            x[0] = i; // <-
        }
    }
}
/* The second number is told by a flag that is up already. */
KERNEL(flag_not_taken_down)
{
    __shared__ int number, up;
    if (T == 0)
        up = 0;
    __syncthreads();
    block_ref flag(up);
    for (int i = 0; i < 4; i++) {
        if (T == 0) {
            number = x[i]; // <-
            flag.store(1, cuda::memory_order_release);
        } else if (T == 32) {
            while (flag.load(cuda::memory_order_acquire) == 0)
                ;
            x[1024 + i] = number; // <-
        }
    }
}
/* Both warps wait until the buffer is full; the producer fills it again while the consumer reads. */
KERNEL(named_barrier_for_full_only)
{
    __shared__ int s[32];
    for (int i = 0; i < 4; i++) {
        if (T < 32) {
            s[T] = x[32 * i + T]; // <-
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[1024 + 32 * i + T - 32] = s[63 - T]; // <-
        }
    }
}
/* Copies run two stages ahead, and there are two stages. */
KERNEL(async_ring_one_stage_too_small)
{
    __shared__ int s[2][64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], &x[64 * k + T], 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 4; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        const int first = s[k % 2][63 - T]; // <- or
        if (k + 2 < 4)
            __pipeline_memcpy_async(&s[k % 2][T], &x[64 * (k + 2) + T], 4); // <- or
        __pipeline_commit();
        x[1024 + 64 * k + T] = first;
    }
}
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
/* Both sides wait until the buffer is full; the producer fills it again while the consumer reads. */
KERNEL(barrier_object_for_full_only)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[32];
    block_barrier &full = *(block_barrier *)storage;
    if (T == 0)
        init(&full, 64);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (T < 32)
            s[T] = x[32 * i + T]; // <-
        full.arrive_and_wait();
        if (T >= 32)
            x[1024 + 32 * i + T - 32] = s[63 - T]; // <-
    }
}

extern "C" const struct hazard_program wrong_chains_programs[];
const struct hazard_program wrong_chains_programs[] = {
    WRONG(look_back_with_one_place, 12, 32, GLOBAL),
    WRONG(look_back_with_states_of_before, 12, 32, GLOBAL),
    WRONG(chain_without_acquire, 6, 32, GLOBAL),
    WRONG_GRID(barrier_of_the_grid_used_again, 4, 64, GLOBAL),
    WRONG(ticket_lock_without_release, 4, 32, GLOBAL),
    WRONG(ticket_lock_with_a_plain_turn, 4, 32, GLOBAL),
    WRONG(half_of_an_atomic_word_stored, 4, 32, GLOBAL),
    WRONG_GRID(packed_word_read_in_halves, 2, 32, GLOBAL),
    WRONG(vectors_over_the_neighbors_element, 1, 64, SHARED),
    WRONG_GRID(node_told_before_it_is_filled, 2, 32, GLOBAL),
    WRONG_GRID(mailbox_not_acquired_by_the_producer, 2, 32, GLOBAL),
    WRONG_GRID(taken_by_compare_and_swap, 2, 32, GLOBAL),
    WRONG(message_to_another_lane_overwritten, 1, 32, SHARED),
    WRONG_GRID(warp_told_by_lane_zero, 2, 32, GLOBAL),
    WRONG(last_block_flag_without_barrier, 4, 64, SHARED),
    WRONG_GRID(writer_beside_readers, 2, 32, GLOBAL),
    WRONG(flag_not_taken_down, 1, 64, SHARED),
    WRONG(named_barrier_for_full_only, 1, 64, SHARED),
    WRONG(async_ring_one_stage_too_small, 1, 64, SHARED),
    WRONG(barrier_object_for_full_only, 1, 64, SHARED),
    {},
};
