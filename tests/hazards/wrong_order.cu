/*
 * Wrong kernels: acquire loads and release stores, volatile, causality through three threads. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- ld.acquire, st.release and their scopes (8.8) ---- */

/* Release and acquire are one pair only if each scope includes the other thread. */
KERNEL(release_of_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42;                   // <-
        store_release_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* The same, with the narrow scope on the side of the reader. */
KERNEL(acquire_of_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42;                   // <-
        store_release_gpu(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_cta(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* There is nothing to acquire: the store does not release. */
KERNEL(relaxed_store_acquire_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* Released, but never acquired. */
KERNEL(release_store_relaxed_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* What is released and acquired is one word, what says that the data is there is another. */
KERNEL(release_of_another_word)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros + 1, 1);
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The acquire load reads a word that nothing releases. */
KERNEL(acquire_of_another_word)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        x[1024] = x[0] + load_acquire_gpu(zeros + 1); // <-
    }
}
/* fence.acq_rel.cta beside a relaxed store of device scope. */
KERNEL(narrow_fence_before_wide_store)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        fence_acq_rel_cta();
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* A release pattern needs a strong write that is as wide as the fence. */
KERNEL(wide_fence_before_narrow_store)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        fence_acq_rel_gpu();
        store_relaxed_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* red.release.cta counts for its own block. */
KERNEL(counted_with_release_of_block_scope)
{
    if (T == 0 && B < 2) {
        x[B] = 42;                 // <-
        add_release_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 2) // <-
            ;
        x[1024] = x[0] + x[1]; // <-
    }
}

/* ---- volatile: relaxed at best (8.4), and no synchronization in CUDA C++ ---- */

/* The flag is volatile, the data is not, and nothing orders the two. */
KERNEL(volatile_flag_without_fences)
{
    volatile int *flag = zeros;
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The reader has no fence between flag and data. */
KERNEL(volatile_flag_fenced_by_the_writer_only)
{
    volatile int *flag = zeros;
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* Between warps of a block, in shared memory. */
KERNEL(volatile_shared_flag_without_fences)
{
    __shared__ volatile int flag;
    __shared__ int data;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (T == 0) {
        data = x[5]; // <-
        flag = 1;
    } else if (T == 32) {
        while (flag == 0)
            ;
        x[0] = data; // <-
    }
}
/* Flag and data are volatile: no fence says that the data is seen with the flag. */
KERNEL(volatile_data_and_flag)
{
    volatile int *flag = zeros, *data = x;
    if (T == 0 && B == 0) {
        data[0] = 42; // <-
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = data[0]; // <-
    }
}
/* Read, add, write: two blocks can read the same count. */
KERNEL(volatile_counter)
{
    volatile int *count = zeros;
    if (T == 0)
        *count = *count + 1; // <-
}
/* The same in shared memory, between four warps. */
KERNEL(volatile_shared_counter)
{
    __shared__ volatile int count;
    if (T == 0)
        count = 0;
    __syncthreads();
    if (T % 32 == 0)
        count = count + 1; // <-
    __syncthreads();
    if (T == 0)
        x[0] = count;
}
/* Lanes of a warp do not run in step: a __syncwarp() is missing. */
KERNEL(volatile_exchange_in_a_warp)
{
    __shared__ volatile int s[32];
    s[T] = x[T];      // <-
    x[T] = s[31 - T]; // <-
}
/* One side is volatile, the other is plain: weak, so a race by the PTX model too. */
KERNEL(volatile_read_of_plain_write)
{
    if (T == 0 && B == 0)
        x[0] = 42; // <-
    else if (T == 0)
        x[1024] = *(volatile int *)x; // <-
}
/* And the other way round. */
KERNEL(plain_read_of_volatile_write)
{
    if (T == 0 && B == 0)
        *(volatile int *)x = 42; // <-
    else if (T == 0)
        x[1024] = x[0]; // <-
}
/* The partial results are volatile, but no fence comes before the count. */
KERNEL(volatile_partial_results)
{
    __shared__ bool last;
    volatile int *partial = x;
    if (T == 0) {
        partial[B] = B; // <-
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = partial[T]; // <-
}

/* ---- causality through three threads (8.9) ---- */

/* The one in the middle passes the flag on, but neither acquires nor releases. */
KERNEL(middle_relays_relaxed)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It releases what it has not acquired. */
KERNEL(middle_releases_only)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_release_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It acquires, and does not release. */
KERNEL(middle_acquires_only)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It fences for its own block. */
KERNEL(middle_fences_for_block)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence_block();
        atomicExch(zeros + 1, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros + 1, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* A store ends the release sequence, where a read-modify-write would continue it. */
KERNEL(middle_overwrites_the_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros, 2);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) != 2) /* an acquire that found 1 would be one of the first's release */
            ;
        if (load_acquire_gpu(zeros) != 2)
            return;
        x[1024] = x[0]; // <-
    }
}
/* The third waits for the first's flag and reads what the second wrote. */
KERNEL(third_waits_for_the_wrong_one)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1] = x[0] + 1; // <-
        store_release_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[1]; // <-
    }
}

/* No data race, since both are strong; but another block's store between load and store is overwritten. */
KERNEL(counter_by_relaxed_load_and_store)
{
    if (T == 0)
        store_relaxed_gpu(zeros, load_relaxed_gpu(zeros) + 1); // <-
}
KERNEL(sum_by_atomic_ref_load_and_store)
{
    device_ref sum(*zeros);
    if (T == 0)
        sum.store(sum.load(cuda::memory_order_relaxed) + x[B], cuda::memory_order_relaxed); // <-
}

extern "C" const struct hazard_program wrong_order_programs[];
const struct hazard_program wrong_order_programs[] = {
    WRONG_GRID(release_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(acquire_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(relaxed_store_acquire_load, 2, 32, GLOBAL),
    WRONG_GRID(release_store_relaxed_load, 2, 32, GLOBAL),
    WRONG_GRID(release_of_another_word, 2, 32, GLOBAL),
    WRONG_GRID(acquire_of_another_word, 2, 32, GLOBAL),
    WRONG_GRID(narrow_fence_before_wide_store, 2, 32, SCOPE),
    WRONG_GRID(wide_fence_before_narrow_store, 2, 32, SCOPE),
    WRONG_GRID(counted_with_release_of_block_scope, 3, 32, SCOPE),
    WRONG_GRID(volatile_flag_without_fences, 2, 32, GLOBAL),
    WRONG_GRID(volatile_flag_fenced_by_the_writer_only, 2, 32, GLOBAL),
    WRONG(volatile_shared_flag_without_fences, 1, 64, SHARED),
    WRONG_GRID(volatile_data_and_flag, 2, 32, VOLATILE),
    WRONG(volatile_counter, 4, 32, VOLATILE),
    WRONG(counter_by_relaxed_load_and_store, 4, 32, GLOBAL),
    WRONG(sum_by_atomic_ref_load_and_store, 4, 32, GLOBAL),
    WRONG(volatile_shared_counter, 1, 128, VOLATILE),
    WRONG(volatile_exchange_in_a_warp, 1, 32, VOLATILE),
    WRONG_GRID(volatile_read_of_plain_write, 2, 32, GLOBAL),
    WRONG_GRID(plain_read_of_volatile_write, 2, 32, GLOBAL),
    WRONG(volatile_partial_results, 4, 64, VOLATILE),
    WRONG_GRID(middle_relays_relaxed, 3, 32, GLOBAL),
    WRONG_GRID(middle_releases_only, 3, 32, GLOBAL),
    WRONG_GRID(middle_acquires_only, 3, 32, GLOBAL),
    WRONG_GRID(middle_fences_for_block, 3, 32, SCOPE),
    WRONG_GRID(middle_overwrites_the_flag, 3, 32, GLOBAL),
    WRONG_GRID(third_waits_for_the_wrong_one, 3, 32, GLOBAL),
    {},
};
