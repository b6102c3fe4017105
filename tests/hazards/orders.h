/* Loads, stores and atomics of the PTX memory model (PTX ISA 9.0, chapter 8), as functions: ORDER_SCOPE in their names. */
#pragma once

#include <cuda/atomic>

#define DEFINE_LOAD(name, instruction)                                                                       \
    static __device__ __forceinline__ int name(const int *p)                                                 \
    {                                                                                                        \
        int v;                                                                                               \
        asm volatile(instruction " %0, [%1];" : "=r"(v) : "l"(p) : "memory");                                \
        return v;                                                                                            \
    }
DEFINE_LOAD(load_relaxed_gpu, "ld.relaxed.gpu.global.s32")
DEFINE_LOAD(load_relaxed_cta, "ld.relaxed.cta.global.s32")
DEFINE_LOAD(load_acquire_gpu, "ld.acquire.gpu.global.s32")
DEFINE_LOAD(load_acquire_cta, "ld.acquire.cta.global.s32")
DEFINE_LOAD(load_acquire_sys, "ld.acquire.sys.global.s32")

#define DEFINE_STORE(name, instruction)                                                                      \
    static __device__ __forceinline__ void name(int *p, int v)                                               \
    {                                                                                                        \
        asm volatile(instruction " [%0], %1;" ::"l"(p), "r"(v) : "memory");                                  \
    }
DEFINE_STORE(store_relaxed_gpu, "st.relaxed.gpu.global.s32")
DEFINE_STORE(store_relaxed_cta, "st.relaxed.cta.global.s32")
DEFINE_STORE(store_release_gpu, "st.release.gpu.global.s32")
DEFINE_STORE(store_release_cta, "st.release.cta.global.s32")
DEFINE_STORE(store_release_sys, "st.release.sys.global.s32")
DEFINE_STORE(add_release_gpu, "red.release.gpu.global.add.s32")
DEFINE_STORE(add_release_cta, "red.release.cta.global.add.s32")

static __device__ __forceinline__ void fence_acq_rel_gpu()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
static __device__ __forceinline__ void fence_acq_rel_cta()
{
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

using device_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
using system_ref = cuda::atomic_ref<int, cuda::thread_scope_system>;
