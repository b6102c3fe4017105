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

/* Readers leave with a release: the writer behind them is ordered. */
KERNEL(reader_leaves_with_release)
{
    device_ref state(zeros[0]), visits(zeros[1]);
    if (T != 0)
        return;
    if (B < 3) {
        int seen = state.load(cuda::memory_order_relaxed);
        while (seen < 0 || !state.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire))
            seen = state.load(cuda::memory_order_relaxed);
        x[1024 + B] = x[0];
        visits.fetch_add(1, cuda::memory_order_relaxed);
        state.fetch_sub(1, cuda::memory_order_release);
    } else {
        while (visits.load(cuda::memory_order_relaxed) < 3)
            ;
        for (int none = 0; !state.compare_exchange_weak(none, -1, cuda::memory_order_acquire); none = 0)
            ;
        x[0] = 7;
        state.store(0, cuda::memory_order_release);
    }
}
/* Any block may put and take: each place has a number that says whose turn it is (Vyukov's bounded queue). */
KERNEL(places_with_numbers)
{
    device_ref in(zeros[0]), out(zeros[1]);
    if (T != 0)
        return;
    for (int k = 0; k < 6; k++)
        for (bool done = false; !done;) {
            const bool puts = B % 2 == 0;
            device_ref &end = puts ? in : out;
            int p = end.load(cuda::memory_order_relaxed), place = p % 4;
            device_ref number(zeros[8 + place]); /* less `place`, as memory begins with zeros */
            int ahead = number.load(cuda::memory_order_acquire) + place - p - (puts ? 0 : 1);
            if (ahead != 0 || !end.compare_exchange_weak(p, p + 1, cuda::memory_order_relaxed))
                continue;
            if (puts)
                x[place] = 7 * p;
            else
                x[1024 + p] = x[place];
            number.store((puts ? p + 1 : p + 4) - place, cuda::memory_order_release);
            done = true;
        }
}
/* Two writers take turns by compare-and-swap; the data are relaxed atomics, fences stand on both sides. */
KERNEL(sequence_lock_of_two_writers)
{
    device_ref number(zeros[0]), a(zeros[1]), b(zeros[2]), wrong(zeros[3]);
    if (T != 0)
        return;
    for (int k = 0; k < 6; k++) {
        int v = number.load(cuda::memory_order_acquire);
        if (B < 2) {
            while (v % 2 != 0 || !number.compare_exchange_weak(v, v + 1, cuda::memory_order_acquire))
                v = number.load(cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            int n = a.load(cuda::memory_order_relaxed) + 1;
            a.store(n, cuda::memory_order_relaxed);
            b.store(-n, cuda::memory_order_relaxed);
            number.store(v + 2, cuda::memory_order_release);
        } else {
            int n = a.load(cuda::memory_order_relaxed), m = b.load(cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
            if (v % 2 == 0 && number.load(cuda::memory_order_relaxed) == v && n + m != 0)
                wrong.store(1, cuda::memory_order_relaxed);
        }
    }
}
/* Look-back by a warp: flag and value in one word, 32 predecessors at a time. */
KERNEL(look_back_by_a_warp)
{
    volatile unsigned long long *states = (volatile unsigned long long *)zeros;
    unsigned before = 0;
    if (T == 0)
        states[B] = (B == 0 ? 2ull : 1ull) << 32 | (B + 1);
    for (int first = B - 1; first >= 0; first -= 32) {
        unsigned long long state = 2ull << 32;
        if (first >= T)
            while ((state = states[first - T]) >> 32 == 0)
                ;
        const unsigned whole = __ballot_sync(FULL, state >> 32 == 2);
        const int last = whole != 0 ? __ffs((int)whole) - 1 : 31;
        before += __reduce_add_sync(FULL, T <= last ? (unsigned)state : 0);
        if (whole != 0)
            break;
    }
    if (T == 0 && B > 0)
        states[B] = 2ull << 32 | (before + B + 1);
    x[1024 + 32 * B + T] = (int)before;
}
/* A barrier of the grid that turns its sense around, used again and again. */
KERNEL(grid_barrier_with_sense)
{
    volatile int *sense = zeros + 1;
    for (int k = 0; k < 4; k++) {
        x[1024 * (k + 1 & 1) + 32 * B + T] = x[1024 * (k & 1) + 32 * ((B + 1) % 4) + T] + 1;
        __threadfence();
        __syncthreads();
        if (T == 0) {
            const int old = *sense;
            __threadfence();
            if (atomicAdd(zeros, 1) == 3) {
                zeros[0] = 0;
                __threadfence();
                *sense = !old;
            } else {
                while (*sense == old)
                    ;
            }
            __threadfence();
        }
        __syncthreads();
    }
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
    RIGHT_GRID(reader_leaves_with_release, 4, 32),
    VARIES_GRID(places_with_numbers, 4, 32),
    RIGHT_GRID(sequence_lock_of_two_writers, 4, 32),
    RIGHT_GRID(look_back_by_a_warp, 6, 32),
    RIGHT_GRID(grid_barrier_with_sense, 4, 32),
    {},
};
