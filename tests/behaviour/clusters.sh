#!/bin/bash
# Clusters of blocks: what the CUDA Programming Guide says of them ("Thread Block Clusters", "Distributed Shared Memory"),
# right and wrong programs, and what a launch refuses.
. "$(dirname "$0")/lib"
export BUILD=build/test SIMCC_ARCH=90
make -s sim || exit 1

cat >"$scratch/clusters.cu" <<'END'
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
namespace cg = cooperative_groups;

#define BINS 256
#define BLOCKS 4 /* of a cluster */
enum { RIGHT, NO_SYNC_BEFORE, NO_SYNC_AFTER };

__global__ void histogram(int *bins, const int *in, int n, int what)
{
    extern __shared__ int s_bins[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        s_bins[i] = 0; // line 16
    if (what != NO_SYNC_BEFORE)
        cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += blockDim.x * gridDim.x)
        atomicAdd(cluster.map_shared_rank(s_bins, in[i] / (BINS / BLOCKS)) + in[i] % (BINS / BLOCKS), 1); // line 20
    if (what != NO_SYNC_AFTER)
        cluster.sync();
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * (BINS / BLOCKS) + i], s_bins[i]); // line 24
}

/* The last block's sum reaches the first by way of its neighbors; the barrier's two halves stand apart. */
__global__ void __cluster_dims__(BLOCKS, 1, 1) sums(int *x, bool ends)
{
    __shared__ int s_sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        s_sum = blockIdx.x;
    cluster.barrier_arrive();
    int sum = threadIdx.x;
    cluster.barrier_wait();
    for (int r = 0; r < BLOCKS; r++)
        sum += *cluster.map_shared_rank(&s_sum, r); // line 38
    x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (ends)
        cluster.sync();
}

/* An address of 32 bits, stores of vectors, bytes; read by their owner. */
__global__ void __cluster_dims__(2, 1, 1) narrow(int *x)
{
    __shared__ int4 s_v[32];
    __shared__ char s_c[32];
    unsigned other = blockIdx.x % 2 ^ 1, at = (unsigned)__cvta_generic_to_shared(&s_v[threadIdx.x]), there, rank;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(other));
    asm volatile("st.shared::cluster.v4.s32 [%0], {%1, %1, %1, %1};" ::"r"(there), "r"(blockIdx.x * 100 + threadIdx.x));
    *cg::this_cluster().map_shared_rank(&s_c[threadIdx.x], other) = threadIdx.x;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
    cg::this_cluster().sync();
    x[blockIdx.x * 32 + threadIdx.x] = s_v[threadIdx.x].z + s_c[threadIdx.x] + (rank - other) * 1000;
}

__global__ void numbers(int *x)
{
    cg::cluster_group c = cg::this_cluster();
    int at = (blockIdx.y * gridDim.x + blockIdx.x) * 4, clusters, cluster, given;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.b32 %0, 100, 0, p; }" : "=r"(given));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    x[at] = c.block_rank(), x[at + 1] = c.block_index().y * 10 + c.block_index().x;
    x[at + 2] = c.dim_blocks().y * 10 + c.dim_blocks().x, x[at + 3] = given + clusters * 10 + cluster;
}

__global__ void __cluster_dims__(2, 1, 1) race(int *x)
{
    __shared__ int s_x[32];
    s_x[threadIdx.x] = threadIdx.x; // line 72
    cg::cluster_group cluster = cg::this_cluster();
    __syncthreads();
    x[threadIdx.x] = cluster.map_shared_rank(s_x, 0)[threadIdx.x]; // line 75
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) faulty(int *x, int rank, int half, int unwritten)
{
    __shared__ int s_x[32];
    cg::cluster_group cluster = cg::this_cluster();
    if (half == 0 || threadIdx.x < 32)
        cluster.sync(); // line 84
    else
        __syncthreads();
    if (unwritten)
        x[threadIdx.x] = *cluster.map_shared_rank(&s_x[threadIdx.x % 32], 1); // line 88
    else
        *cluster.map_shared_rank(&s_x[threadIdx.x % 32], rank) = 1; // line 90
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) unmatched()
{
    asm volatile("barrier.cluster.wait;");
}

static cudaError_t launch(void (*kernel)(int *, const int *, int, int), dim3 blocks, dim3 cluster, int *x, const int *in,
                          int n, int what)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x, attribute.val.clusterDim.y = cluster.y, attribute.val.clusterDim.z = cluster.z;
    config.gridDim = blocks, config.blockDim = 64, config.dynamicSmemBytes = BINS / BLOCKS * sizeof(int);
    config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, x, in, n, what);
}

int main(int, char **argv)
{
    const int n = 5000, what = atoi(argv[1]);
    static int in[n], out[1024], wanted[BINS];
    int *x, *y;
    for (int i = 0; i < n; i++)
        wanted[in[i] = i * 7919 % 1021 % BINS]++;
    cudaMalloc(&x, sizeof out);
    cudaMalloc(&y, sizeof in);
    cudaMemset(x, 0, sizeof out);
    cudaMemcpy(y, in, sizeof in, cudaMemcpyHostToDevice);
    cudaError_t error = cudaSuccess;
    if (what <= 2)
        error = launch(histogram, 2 * BLOCKS, BLOCKS, x, y, n, what);
    if (what == 3 || what == 4)
        sums<<<4 * BLOCKS, 64>>>(x, what == 3);
    if (what == 5)
        narrow<<<4, 32>>>(x);
    if (what == 6) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = 2, attribute.val.clusterDim.y = 2, attribute.val.clusterDim.z = 1;
        config.gridDim = dim3(6, 4), config.blockDim = 32, config.attrs = &attribute, config.numAttrs = 1;
        error = cudaLaunchKernelEx(&config, numbers, x);
    }
    if (what == 7)
        race<<<4, 32>>>(x);
    if (what >= 8 && what <= 10)
        faulty<<<2, 64>>>(x, what == 8 ? 2 : 0, what == 9, what == 10);
    if (what == 11)
        unmatched<<<2, 32>>>();
    if (what == 12)
        error = launch(histogram, 6, 4, x, y, n, RIGHT);
    if (what == 13)
        error = launch(histogram, 16, 16, x, y, n, RIGHT);
    if (what == 14) {
        cudaFuncSetAttribute((const void *)histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        error = launch(histogram, 16, 16, x, y, n, RIGHT);
    }
    if (what == 15)
        sums<<<3, 64>>>(x, true);
    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(out, x, sizeof out, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += out[i] * (i % 7 + 1);
    printf("%s, %s, %d\n", cudaGetErrorName(error), memcmp(out, wanted, sizeof wanted) == 0 ? "as wanted" : "other", sum);
    if (what == 6)
        for (int i = 0; i < 4 * 24; i++)
            printf("%d%s", out[i], i % 4 < 3 ? " " : i % 24 < 23 ? ", " : "\n");
    return 0;
}
END
expect 0 "" "$BUILD/sim/simcc" "$scratch/clusters.cu" -o "$scratch/clusters"

# Right ones say nothing, in any order of clusters and warps, and watched or not.
right() {
    expect 0 "$2" "$scratch/clusters" "$1"
    expect_not "simulator:"
    local first=$output seed
    for seed in 1 2 3; do
        expect 0 "" env LABS_SIM_SCHEDULE=$seed "$scratch/clusters" "$1"
        [ "$output" = "$first" ] || fail "order $seed:" "$output"
    done
    expect 0 "$first" env LABS_SIM_HAZARDS=0 LABS_SIM_COUNTERS=0 "$scratch/clusters" "$1"
}
right 0 "cudaSuccess, as wanted"
right 14 "cudaSuccess, as wanted"
right 3 "cudaSuccess, other, $(awk 'BEGIN { for (b = 0; b < 16; b++) for (t = 0; t < 64; t++) s += (int(b / 4) * 16 + 6 + t) * ((b * 64 + t) % 7 + 1); print s }')"
right 5 "cudaSuccess, other, $(awk 'BEGIN { for (b = 0; b < 4; b++) for (t = 0; t < 32; t++) s += ((b % 2 ? b - 1 : b + 1) * 100 + 2 * t) * ((b * 32 + t) % 7 + 1); print s }')"
right 6 "0 0 22 130, 1 1 22 130, 0 0 22 131, 1 1 22 131, 0 0 22 132, 1 1 22 132
2 10 22 130, 3 11 22 130"

# wrong NUMBER TEXT...: reported in every order.
wrong() {
    local number=$1 seed text
    shift
    for seed in 0 1 2 3; do
        expect 0 "" env LABS_SIM_SCHEDULE=$seed "$scratch/clusters" "$number"
        for text in "$@"; do
            contains "$text" || fail "order $seed does not say: $text" "$output"
        done
    done
}
wrong 1 "race on shared array s_bins" "line 16" "line 20"
wrong 2 "race on shared array s_bins" "at line 24" "at line 20"
wrong 2 "clusters.cu, line 20: thread" "changes shared memory of block" "which may have ended by then"
wrong 4 "clusters.cu, line 38: thread" "reads from shared memory of block" "cluster.sync() must stand"
wrong 7 "race on shared array s_x" "at line 72" "at line 75" "no cluster.sync() stands between them"
wrong 9 "deadlock" "clusters.cu:84"
wrong 10 "clusters.cu:88: thread" "of block (1,0,0), which no thread" "has written"
wrong 8 "clusters.cu:90: thread" "of the block with rank 2 in its cluster, which has 2 blocks" "cudaErrorIllegalAddress"
wrong 11 "waits at the barrier of the cluster without having arrived there"
expect_not "cudaSuccess"

# What no GPU would run.
wrong 12 "6 x 1 x 1 blocks in clusters of 4 x 1 x 1: each number must be a multiple" "cudaErrorInvalidClusterSize"
wrong 13 "8 blocks are possible, 16 where cudaFuncAttributeNonPortableClusterSizeAllowed is set"
wrong 15 "3 x 1 x 1 blocks in clusters of 4 x 1 x 1"
exit 0
