/*
 * Right kernels: rings, sequence locks and what is made once; __syncwarp() at several places. The sentence before each
 * says why it is right.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* Each side waits for the other, by acquire and release. */
KERNEL(ring_with_a_tail)
{
    device_ref head(zeros[0]), tail(zeros[1]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            while (i - tail.load(cuda::memory_order_acquire) >= 2)
                ;
            x[i & 1] = i;
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = x[i & 1];
            tail.store(i + 1, cuda::memory_order_release);
        }
    }
}
/* The same between two warps. */
KERNEL(ring_of_warps)
{
    __shared__ int slot[2], count[2];
    if (T < 2)
        count[T] = 0;
    __syncthreads();
    block_ref head(count[0]), tail(count[1]);
    if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (i - tail.load(cuda::memory_order_acquire) >= 2)
                ;
            slot[i & 1] = i * x[1];
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 32) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = slot[i & 1];
            tail.store(i + 1, cuda::memory_order_release);
        }
    }
}
/* Volatile counters with fences on both sides, as before the memory model. */
KERNEL(volatile_ring)
{
    volatile int *head = zeros, *tail = zeros + 1;
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            while (i - *tail >= 2)
                ;
            __threadfence();
            x[i & 1] = i;
            __threadfence();
            *head = i + 1;
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (*head <= i)
                ;
            __threadfence();
            x[1024 + i] = x[i & 1];
            __threadfence();
            *tail = i + 1;
        }
    }
}
/* There is a slot for every value: nothing is written twice. */
KERNEL(ring_that_never_fills)
{
    device_ref head(zeros[0]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            x[i] = 2 * i;
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = x[i];
        }
    }
}
/* The data are relaxed atomics, and the fences order them with the sequence. */
KERNEL(sequence_lock_of_atomics)
{
    device_ref sequence(zeros[0]), data(x[0]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 4; i++) {
            sequence.fetch_add(1, cuda::memory_order_relaxed);
            __threadfence();
            data.store(i, cuda::memory_order_relaxed);
            __threadfence();
            sequence.fetch_add(1, cuda::memory_order_relaxed);
        }
    } else if (T == 0) {
        int before, after, value;
        do {
            before = sequence.load(cuda::memory_order_acquire);
            value = data.load(cuda::memory_order_relaxed);
            __threadfence();
            after = sequence.load(cuda::memory_order_relaxed);
        } while (before != after || (before & 1) || before < 8);
        x[1024] = value;
    }
}
/* Who finds it made acquires it. */
KERNEL(made_once_and_found)
{
    device_ref state(zeros[0]);
    if (T != 0)
        return;
    int none = 0;
    if (state.compare_exchange_strong(none, 1, cuda::memory_order_relaxed)) {
        x[0] = 9;
        state.store(2, cuda::memory_order_release);
    } else {
        while (state.load(cuda::memory_order_acquire) != 2)
            ;
    }
    x[1024 + B] = x[0];
}
/* Which __syncwarp() a lane executes does not matter: all 32 meet. */
KERNEL(syncwarp_at_two_places)
{
    __shared__ int s[32];
    s[T] = x[T];
    if (T < 16) {
        __syncwarp();
        x[1024 + T] = s[31 - T];
    } else {
        __syncwarp();
        x[1024 + T] = 2 * s[31 - T];
    }
}
/* Three places, one for each third, and a barrier of the block behind them. */
KERNEL(syncwarp_at_three_places)
{
    __shared__ int s[64];
    s[T] = x[T];
    if (T % 3 == 0) {
        __syncwarp();
        x[1024 + T] = s[T ^ 1];
    } else if (T % 3 == 1) {
        __syncwarp();
        x[1024 + T] = s[T ^ 2] + 1;
    } else {
        __syncwarp();
        x[1024 + T] = s[T ^ 4] + 2;
    }
    __syncthreads();
    x[2048 + T] = s[63 - T];
}

extern "C" const struct hazard_program right_queues_programs[];
const struct hazard_program right_queues_programs[] = {
    RIGHT_GRID(ring_with_a_tail, 2, 32),
    RIGHT(ring_of_warps, 1, 64),
    RIGHT_GRID(volatile_ring, 2, 32),
    RIGHT_GRID(ring_that_never_fills, 2, 32),
    RIGHT_GRID(sequence_lock_of_atomics, 2, 32),
    RIGHT_GRID(made_once_and_found, 4, 32),
    RIGHT(syncwarp_at_two_places, 1, 32),
    RIGHT(syncwarp_at_three_places, 1, 64),
    {},
};
