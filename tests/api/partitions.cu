/* Coalesced, labeled and binary groups; one atomic a group. */
#include "common/check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int atomicAggInc(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int res = 0;
    if (active.thread_rank() == 0)
        res = atomicAdd(counter, active.size());
    res = active.shfl(res, 0);
    return active.thread_rank() + res;
}
__global__ void filter_arr(int *dst, int *nres, const int *src, int n)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = id; i < n; i += gridDim.x * blockDim.x) {
        if (src[i] > 0)
            dst[atomicAggInc(nres)] = src[i];
    }
}
__global__ void mapToBuckets(const int *src, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        auto g = cg::labeled_partition(cg::coalesced_threads(), src[i] & 3);
        if (g.thread_rank() == 0)
            atomicAdd(&counts[src[i] & 3], g.size());
    }
}
__global__ void binary(const int *src, int *odd, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool isOdd = src[i] & 1;
    (void)n;
    auto sub = cg::binary_partition(tile, isOdd);
    if (isOdd) {
        int c = sub.size();
        if (sub.thread_rank() == 0)
            atomicAdd(odd, c);
    }
}
int main()
{
    const int n = 8192;
    int *h = (int *)malloc(n * 4);
    int pos = 0, odd = 0, buckets[4] = {};
    for (int i = 0; i < n; i++) {
        h[i] = rand() % 20 - 5;
        pos += h[i] > 0;
        odd += h[i] & 1;
        buckets[h[i] & 3]++;
    }
    int *s, *d, *c;
    CHECK(cudaMalloc(&s, n * 4));
    CHECK(cudaMalloc(&d, n * 4));
    CHECK(cudaMalloc(&c, 64));
    CHECK(cudaMemset(c, 0, 64));
    CHECK(cudaMemcpy(s, h, n * 4, cudaMemcpyHostToDevice));
    filter_arr<<<8, 256>>>(d, c, s, n);
    mapToBuckets<<<n / 256, 256>>>(s, c + 1, n);
    binary<<<n / 256, 256>>>(s, c + 5, n);
    int r[6];
    CHECK(cudaMemcpy(r, c, 24, cudaMemcpyDeviceToHost));
    printf("%d %d %d%d%d%d\n", r[0] == pos, r[5] == odd, r[1] == buckets[0], r[2] == buckets[1],
           r[3] == buckets[2], r[4] == buckets[3]);
}
