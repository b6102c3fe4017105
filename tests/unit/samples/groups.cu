/* As plain.cu, with what needs the toolkit's larger headers: groups, libcu++, textures, tensor cores. */
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

__global__ void grid_sum(const int *x, int *y, int n)
{
    cg::grid_group g = cg::this_grid();
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    int v = 0;
    for (int i = g.thread_rank(); i < n; i += g.size())
        v += x[i];
    v = cg::reduce(t, v, cg::plus<int>());
    if (t.thread_rank() == 0)
        atomicAdd(y, v);
    g.sync();
    if (g.thread_rank() == 0)
        y[1] = y[0];
}

__global__ void coalesced(int *y)
{
    auto c = cg::coalesced_threads();
    if (c.thread_rank() == 0)
        atomicAdd(y, (int)c.size());
}

__global__ void atomics(int *a, unsigned long long *b, float *f, double *d, unsigned *u, cuda::atomic<int> *c)
{
    __shared__ int sum[32];
    atomicAdd(&sum[threadIdx.x & 31], 1);
    atomicMax(a, 3);
    atomicMin(u, 3u);
    atomicCAS(b, 1ull, 2ull);
    atomicAdd(f, 1.f);
    atomicAdd(d, 1.0);
    atomicInc(u, 5);
    atomicXor(a, 9);
    c->fetch_add(1, cuda::memory_order_acq_rel);
    while (c->load(cuda::memory_order_acquire) < 3) {
    }
    c->store(1, cuda::memory_order_release);
}

__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float *y)
{
    float4 q = tex3D<float4>(t, 1.f, 2.f, 3.f);
    y[0] = tex2D<float>(t, 1.f, 2.f) + q.x + q.w;
    y[2] = tex1Dfetch<float>(t, 3);
    surf2Dwrite<float>(y[1], s, 4, 4);
    y[5] = surf2Dread<float>(s, 8, 8);
}

struct base {
    __device__ virtual int f(int)
    {
        return 1;
    }
    int z;
};
struct derived : base {
    __device__ int f(int x) override
    {
        return x + z;
    }
};
__global__ void virtuals(int *o, int n)
{
    base b;
    derived d;
    d.z = n;
    base *p = n ? &b : &d;
    o[0] = p->f(n);
}

__global__ void tensor(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void asynchronous(const float *x, float *y)
{
    __shared__ float s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x];
}

#pragma nv_diag_suppress 20054
__global__ void barriers(int *x)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    x[threadIdx.x] = 1;
    bar.arrive_and_wait();
    x[threadIdx.x] += x[0];
}

__global__ void asserts(int *x)
{
    assert(x[0] > 3);
}

__global__ void heap(int **o)
{
    o[0] = new int[5];
    delete[] o[1];
}

__managed__ int managed[4];
__global__ void constant_parameter(__grid_constant__ const int4 q, int *x)
{
    x[0] = managed[q.x] + q.y;
}
