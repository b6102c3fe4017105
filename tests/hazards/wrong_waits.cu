/*
 * Wrong kernels that do not end: loops that cannot end whatever other threads do, and threads that wait for what never
 * happens. Lines that a report must name end with "// <-", as in wrong.cu.
 */
#include <cuda/atomic>
#include <cuda/barrier>

#include "tests/hazards/kernels.h"

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

/* ---- compare-and-swap with a value that is never read again ---- */

KERNEL(swap_starts_from_a_constant)
{
    while (true) {
        const int found = atomicCAS(&zeros[3], 0, T + 1); // <-
        if (found == 0)
            break;
    }
}
KERNEL(swap_compares_with_first_look)
{
    const int old = zeros[3];                               // <-
    while (atomicCAS(&zeros[3], old, old + T + 1) != old) { // <-
    }
}
KERNEL(maximum_never_looks_again)
{
    const int seen = ((volatile int *)x)[0]; // <-
    while (seen < T + 5) {
        if (atomicCAS(&x[0], seen, T + 5) == seen) // <-
            break;
    }
}
KERNEL(float_sum_by_swap)
{
    int *word = &zeros[1];
    const int assumed = *word; // <-
    int found;
    do {
        found = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + 1.5f)); // <-
    } while (found != assumed);
}
/* The swap compares bits, the loop numbers: from the first NaN on, the value is never equal to itself. */
KERNEL(swap_result_compared_as_number)
{
    int *word = &zeros[1];
    const float mine = T == 5 ? __int_as_float(0x7fc00000) : (float)T;
    float seen, found = __int_as_float(*word);
    do {
        seen = found;
        found = __int_as_float(atomicCAS(word, __float_as_int(seen), __float_as_int(seen + mine))); // <-
    } while (found != seen);
}
KERNEL(swap_in_shared)
{
    __shared__ unsigned word;
    if (T == 0)
        word = 5;
    __syncthreads();
    const unsigned first = word;                                  // <-
    while (atomicCAS(&word, first, first * 3 + T + 1) != first) { // <-
    }
}
KERNEL(product_by_swap)
{
    const unsigned long long before = *(unsigned long long *)zeros; // <-
    unsigned long long found;
    do
        found = atomicCAS((unsigned long long *)zeros, before, before + T + 1); // <-
    while (found != before);
}

/* ---- nothing that is tested changes ---- */

KERNEL(plain_flag)
{
    while (zeros[7] == 0) { // <-
    }
    x[T] = 1;
}
KERNEL(plain_flag_in_shared)
{
    __shared__ int ready;
    if (T == 0)
        ready = 0;
    __syncthreads();
    while (!ready) { // <-
    }
    x[T] = 1;
}

/* ---- waiting for what never happens ---- */

KERNEL(lock_not_free_yet)
{
    if (T == 0)
        atomicExch(&zeros[2], 1);
    __syncthreads();
    while (atomicCAS(&zeros[2], 0, 1) != 0) { // <-
    }
    atomicExch(&zeros[2], 0);
}
KERNEL(volatile_flag_never_set)
{
    while (((volatile int *)zeros)[9] == 0) { // <-
    }
}
KERNEL(one_arrival_too_few)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    block_barrier &bar = *(block_barrier *)storage;
    if (T == 0)
        init(&bar, 33);
    __syncthreads();
    bar.arrive_and_wait(); // <-
    x[T] = 1;
}
extern "C" const struct hazard_program wrong_waits_programs[] = {
    WRONG(swap_starts_from_a_constant, 1, 64, ENDLESS),
    WRONG(swap_compares_with_first_look, 1, 64, ENDLESS),
    WRONG(maximum_never_looks_again, 2, 64, ENDLESS),
    WRONG(float_sum_by_swap, 1, 64, ENDLESS),
    WRONG(swap_in_shared, 1, 64, ENDLESS),
    WRONG(product_by_swap, 1, 64, ENDLESS),
    WRONG(swap_result_compared_as_number, 1, 64, ENDLESS),
    WRONG(plain_flag, 1, 64, ENDLESS),
    WRONG(plain_flag_in_shared, 1, 64, ENDLESS),
    WRONG(lock_not_free_yet, 1, 64, DEADLOCK),
    WRONG(volatile_flag_never_set, 1, 64, DEADLOCK),
    WRONG(one_arrival_too_few, 1, 32, DEADLOCK),
    {},
};
