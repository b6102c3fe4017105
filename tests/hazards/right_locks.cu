/* Right kernels: locks, queues and flags. Sections are those of the PTX ISA's memory consistency model. */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- locks, queues and flags ---- */

/* A volatile or atomic store of device scope, after a fence, gives a lock back. */
KERNEL(lock_released_by_relaxed_store)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        x[0] += B;
        __threadfence();
        store_relaxed_gpu(zeros, 0);
    }
}
/* What the lock protects may be read and stored by relaxed operations, too. */
KERNEL(relaxed_counter_in_a_lock)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        store_relaxed_gpu(zeros + 1, load_relaxed_gpu(zeros + 1) + 1);
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* Each block has a counter of its own. */
KERNEL(relaxed_counter_of_each_block)
{
    if (T == 0)
        store_relaxed_gpu(zeros + B, load_relaxed_gpu(zeros + B) + 1);
}
/* Served in the order of the tickets; the next holder acquires what the last one released. */
KERNEL(ticket_lock)
{
    if (T == 0) {
        int mine = atomicAdd(zeros, 1);
        while (load_acquire_gpu(zeros + 1) != mine)
            ;
        x[0] += B;
        store_release_gpu(zeros + 1, mine + 1);
    }
}
/* The lock is taken by one thread for its block. */
KERNEL(lock_for_a_block)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
    }
    __syncthreads();
    x[T] += B;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* Two locks for two words. */
KERNEL(lock_for_each_word)
{
    if (T == 0) {
        int word = B % 2;
        while (atomicCAS(&zeros[word], 0, 1) != 0)
            ;
        __threadfence();
        x[word] += B;
        __threadfence();
        atomicExch(&zeros[word], 0);
    }
}
/* The item, a fence, the count; the count, a fence, the item. */
KERNEL(queue_of_one_producer)
{
    if (T == 0 && B == 0) {
        for (int k = 0; k < 4; k++) {
            x[1024 + k] = 42 + k;
            __threadfence();
            atomicAdd(zeros, 1);
        }
    } else if (T == 0) {
        for (int k = 0; k < 4; k++) {
            while (atomicAdd(zeros, 0) <= k)
                ;
            __threadfence();
            x[k] = x[1024 + k];
        }
    }
}
/* Whoever reads has seen the flag by an acquire load, or has set up the word itself. */
KERNEL(initialised_once)
{
    if (T == 0) {
        if (load_acquire_gpu(zeros + 1) == 0) {
            if (atomicCAS(zeros, 0, 1) == 0) {
                x[0] = 42;
                store_release_gpu(zeros + 1, 1);
            }
            while (load_acquire_gpu(zeros + 1) == 0)
                ;
        }
        x[1024 + B] = x[0];
    }
}
/* The value is released with the link. */
KERNEL(stack_push_and_peek)
{
    if (T == 0 && B == 0) {
        x[100] = 42;
        __threadfence();
        atomicExch(zeros, 100);
    } else if (T == 0) {
        int top;
        while ((top = atomicAdd(zeros, 0)) == 0)
            ;
        __threadfence();
        x[1024] = x[top];
    }
}
/* Every thread that writes writes the same value, and a barrier comes before the read. */
KERNEL(found_flag)
{
    __shared__ int found;
    if (T == 0)
        found = 0;
    __syncthreads();
    if (x[T] % 3 == 0)
        found = 1;
    __syncthreads();
    x[T] = found;
}
/* Decoupled look-back: aggregate and state in one word of 8 bytes, written and read as one. */
KERNEL(look_back_with_volatile_words)
{
    if (T == 0) {
        volatile unsigned long long *state = (volatile unsigned long long *)zeros;
        unsigned long long before = 0;
        if (B > 0)
            while ((before = state[B - 1]) >> 32 == 0)
                ;
        state[B] = 1ull << 32 | ((unsigned)before + (unsigned)x[B]);
    }
}
/* Decoupled look-back: the value, a fence, the flag; the flag, a fence, the value. */
KERNEL(look_back_with_fences)
{
    if (T == 0) {
        int sum = x[B];
        if (B > 0) {
            while (load_relaxed_gpu(zeros + B - 1) == 0)
                ;
            __threadfence();
            sum += x[1024 + B - 1];
        }
        x[1024 + B] = sum;
        __threadfence();
        store_relaxed_gpu(zeros + B, 1);
    }
}

extern "C" const struct hazard_program right_locks_programs[];
const struct hazard_program right_locks_programs[] = {
    RIGHT(lock_released_by_relaxed_store, 6, 32),
    RIGHT(relaxed_counter_in_a_lock, 6, 32),
    RIGHT(relaxed_counter_of_each_block, 6, 32),
    RIGHT_GRID(ticket_lock, 6, 32),
    RIGHT(lock_for_a_block, 4, 64),
    RIGHT(lock_for_each_word, 6, 32),
    RIGHT_GRID(queue_of_one_producer, 2, 32),
    RIGHT(initialised_once, 6, 32),
    RIGHT_GRID(stack_push_and_peek, 2, 32),
    RIGHT(found_flag, 1, 64),
    RIGHT_GRID(look_back_with_volatile_words, 6, 32),
    RIGHT_GRID(look_back_with_fences, 6, 32),
    {},
};
