/*
 * For clangd only, see mk/compile_commands: what nvcc declares and clang 14 does not.
 */
#ifdef __CUDACC__
#include <cuda_runtime.h>
#include <surface_indirect_functions.h>

#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif

/* A clang that does not know the toolkit's version calls this for <<<...>>>; CUDA 9.2 replaced it. */
extern "C" int cudaConfigureCall(dim3 blocks, dim3 threads, size_t shared_bytes = 0, void *stream = nullptr);

__host__ int min(int a, int b);
__host__ int max(int a, int b);

template <typename T> __device__ T __ldcg(const T *address);
template <typename T> __device__ T __ldca(const T *address);
template <typename T> __device__ T __ldcs(const T *address);
template <typename T> __device__ T __ldcv(const T *address);
template <typename T> __device__ T __ldlu(const T *address);
template <typename T> __device__ void __stwb(T *address, T value);
template <typename T> __device__ void __stwt(T *address, T value);
template <typename T> __device__ void __stcg(T *address, T value);
template <typename T> __device__ void __stcs(T *address, T value);

__device__ unsigned __reduce_add_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_min_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_max_sync(unsigned mask, unsigned value);
__device__ int __reduce_add_sync(unsigned mask, int value);
__device__ int __reduce_min_sync(unsigned mask, int value);
__device__ int __reduce_max_sync(unsigned mask, int value);
__device__ unsigned __reduce_and_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_or_sync(unsigned mask, unsigned value);
__device__ unsigned __reduce_xor_sync(unsigned mask, unsigned value);
#endif
