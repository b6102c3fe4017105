/* Right kernels with loops that wait for other threads, or compare and swap until it succeeds. */
#include <cuda/atomic>
#include <cuda/barrier>

#include "tests/hazards/kernels.h"

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

KERNEL(swap_looks_again)
{
    int seen = 0;
    while (true) {
        const int found = atomicCAS(&zeros[3], seen, seen + T + 1);
        if (found == seen)
            break;
        seen = found;
    }
}
KERNEL(swap_from_zero_and_gives_back)
{
    for (bool done = false; !done;)
        if (atomicCAS(&zeros[3], 0, T + 1) == 0) {
            __threadfence();
            x[1024] += 1;
            __threadfence();
            atomicExch(&zeros[3], 0);
            done = true;
        }
}
KERNEL(maximum_looks_again)
{
    int seen = x[0];
    while (seen < T + 5) {
        const int found = atomicCAS(&x[0], seen, T + 5);
        if (found == seen)
            break;
        seen = found;
    }
}
KERNEL(waits_with_backoff)
{
    __shared__ int turn;
    if (T == 0)
        turn = 0;
    __syncthreads();
    if (T % 32 == 0) {
        while (((volatile int *)&turn)[0] != T / 32)
            __nanosleep(100);
        __threadfence_block();
        x[1024] += 3;
        __threadfence_block();
        atomicAdd(&turn, 1);
    }
}
KERNEL(gives_up_after_a_while)
{
    const long long begin = clock64();
    int tries = 0;
    while (atomicAdd(&zeros[5], 0) == 0 && clock64() - begin < 20000)
        tries++;
    x[1024 + T] = tries > 0;
}
KERNEL(waits_for_its_phase)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    block_barrier &bar = *(block_barrier *)storage;
    if (T == 0)
        init(&bar, 64);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (T == 0)
            x[1024] = i;
        bar.arrive_and_wait();
        x[1100 + T] = x[1024];
        bar.arrive_and_wait();
    }
}

extern "C" const struct hazard_program right_waits_programs[] = {
    RIGHT(swap_looks_again, 1, 64),
    RIGHT(swap_from_zero_and_gives_back, 1, 64),
    RIGHT(maximum_looks_again, 2, 64),
    RIGHT(waits_with_backoff, 1, 128),
    RIGHT(gives_up_after_a_while, 1, 64),
    RIGHT(waits_for_its_phase, 1, 64),
    {},
};
