/*
 * Wrong kernels: rings, sequence locks and what is made once, where one thread is faster than the other expects; and
 * __syncwarp() at several places. suite.c explains the marks. The sentence before each says why it is wrong.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* The producer waits for nothing: it writes a slot again that the consumer may still be reading. */
KERNEL(ring_without_a_tail)
{
    device_ref head(zeros[0]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            x[i & 1] = i; // <-
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = x[i & 1]; // <-
        }
    }
}
/* The same between two warps. */
KERNEL(ring_of_warps_without_a_tail)
{
    __shared__ int slot[2], count;
    if (T == 0)
        count = 0;
    __syncthreads();
    block_ref head(count);
    if (T == 0) {
        for (int i = 0; i < 8; i++) {
            slot[i & 1] = i * x[1]; // <-
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 32) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = slot[i & 1]; // <-
        }
    }
}
/* The producer waits, but the consumer does not release what it has read. */
KERNEL(ring_with_a_relaxed_tail)
{
    device_ref head(zeros[0]), tail(zeros[1]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            while (i - tail.load(cuda::memory_order_acquire) >= 2)
                ;
            x[i & 1] = i; // <-
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = x[i & 1]; // <-
            tail.store(i + 1, cuda::memory_order_relaxed);
        }
    }
}
/* Volatile counters and fences, as before the memory model; and again nothing waits for the consumer. */
KERNEL(volatile_ring_without_a_tail)
{
    volatile int *head = zeros;
    if (T == 0 && B == 0) {
        for (int i = 0; i < 8; i++) {
            x[i & 1] = i; // <-
            __threadfence();
            *head = i + 1;
        }
    } else if (T == 0) {
        for (int i = 0; i < 8; i++) {
            while (*head <= i)
                ;
            __threadfence();
            x[1024 + i] = x[i & 1]; // <-
        }
    }
}
/* A reader that overlaps the writer drops what it read and tries again: plain accesses race all the same. */
KERNEL(sequence_lock_of_plain_data)
{
    device_ref sequence(zeros[0]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 4; i++) {
            sequence.fetch_add(1, cuda::memory_order_relaxed);
            __threadfence();
            x[0] = i; // <-
            __threadfence();
            sequence.fetch_add(1, cuda::memory_order_relaxed);
        }
    } else if (T == 0) {
        int before, after, value;
        do {
            before = sequence.load(cuda::memory_order_acquire);
            value = x[0]; // <-
            __threadfence();
            after = sequence.load(cuda::memory_order_relaxed);
        } while (before != after || (before & 1) || before < 8);
        x[1024] = value;
    }
}
/* Who finds it made has not acquired it. */
KERNEL(made_once_and_found_relaxed)
{
    device_ref state(zeros[0]);
    if (T != 0)
        return;
    int none = 0;
    if (state.compare_exchange_strong(none, 1, cuda::memory_order_relaxed)) {
        x[0] = 9; // <-
        state.store(2, cuda::memory_order_release);
    } else {
        while (state.load(cuda::memory_order_relaxed) != 2)
            ;
        x[1024 + B] = x[0]; // <-
    }
}
/* Two calls of __syncwarp() are one barrier only if they name the same lanes. */
KERNEL(syncwarp_at_two_places_for_two_halves)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    if (T < 16) {
        __syncwarp(0x0000ffff);
        x[1024 + T] = s[31 - T]; // <-
    } else {
        __syncwarp(0xffff0000);
    }
}

/* A ring of two slots that counts as full when three are taken. */
KERNEL(ring_full_one_slot_too_late)
{
    device_ref head(zeros[0]), tail(zeros[1]);
    if (T == 0 && B == 0) {
        for (int i = 0; i < 16; i++) {
            while (i - tail.load(cuda::memory_order_acquire) > 2)
                ;
            x[i & 1] = i; // <-
            head.store(i + 1, cuda::memory_order_release);
        }
    } else if (T == 0) {
        for (int i = 0; i < 16; i++) {
            while (head.load(cuda::memory_order_acquire) <= i)
                ;
            x[1024 + i] = x[i & 1]; // <-
            tail.store(i + 1, cuda::memory_order_release);
        }
    }
}
/* A lock for readers and a writer, who comes last: what the readers have read is not ordered before what it writes. */
KERNEL(reader_leaves_without_release)
{
    device_ref state(zeros[0]), visits(zeros[1]);
    if (T != 0)
        return;
    if (B < 3) {
        int seen = state.load(cuda::memory_order_relaxed);
        while (seen < 0 || !state.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire))
            seen = state.load(cuda::memory_order_relaxed);
        x[1024 + B] = x[0]; // <-
        visits.fetch_add(1, cuda::memory_order_relaxed);
        state.fetch_sub(1, cuda::memory_order_relaxed);
    } else {
        while (visits.load(cuda::memory_order_relaxed) < 3)
            ;
        for (int none = 0; !state.compare_exchange_weak(none, -1, cuda::memory_order_acquire); none = 0)
            ;
        x[0] = 7; // <-
        state.store(0, cuda::memory_order_release);
    }
}

extern "C" const struct hazard_program wrong_queues_programs[];
const struct hazard_program wrong_queues_programs[] = {
    WRONG_GRID(ring_without_a_tail, 2, 32, GLOBAL),
    WRONG(ring_of_warps_without_a_tail, 1, 64, SHARED),
    WRONG_GRID(ring_with_a_relaxed_tail, 2, 32, GLOBAL),
    WRONG_GRID(volatile_ring_without_a_tail, 2, 32, GLOBAL),
    WRONG_GRID(sequence_lock_of_plain_data, 2, 32, GLOBAL),
    WRONG_GRID(made_once_and_found_relaxed, 4, 32, GLOBAL),
    WRONG(syncwarp_at_two_places_for_two_halves, 1, 32, SHARED),
    WRONG_GRID(ring_full_one_slot_too_late, 2, 32, GLOBAL),
    WRONG_GRID(reader_leaves_without_release, 4, 32, GLOBAL),
    {},
};
