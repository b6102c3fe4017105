#!/bin/bash
# LABS_SIM_PROFILE=1: the lines that cost most, for a program on the simulator.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1

cat >"$scratch/slow.cu" <<'END'
__global__ void slow(float *x, float *y)
{
    __shared__ float tile[32 * 32];
    int t = threadIdx.x;
    tile[t * 32] = x[t * 32];
    __syncwarp();
    float sum = tile[t * 32];
    if (t % 2)
        for (int k = 0; k < t; k++)
            sum = sum * x[t * 32] + y[k];
    y[t + 32] = sum;
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 32 * 32 * 4);
    cudaMalloc(&y, 64 * 4);
    cudaMemset(x, 0, 32 * 32 * 4);
    cudaMemset(y, 0, 64 * 4);
    slow<<<4, 32>>>(x, y);
    return cudaDeviceSynchronize();
}
END
expect 0 "" "$BUILD/sim/simcc" "$scratch/slow.cu" -o "$scratch/slow"
# 4 blocks, a warp each: 32 sectors a load where 4 would do, 32 wavefronts a store where 1 would.
expect 0 "    slow.cu:5                                               128         12 %       32.0" env LABS_SIM_HAZARDS=0 LABS_SIM_PROFILE=1 "$scratch/slow"
expect 0 "    slow.cu:7                                               128          3 %       32.0" env LABS_SIM_HAZARDS=0 LABS_SIM_PROFILE=1 "$scratch/slow"
expect 0 "branches whose lanes disagree" env LABS_SIM_HAZARDS=0 LABS_SIM_PROFILE=1 "$scratch/slow"
expect 0 "needs the counters" env LABS_SIM_HAZARDS=0 LABS_SIM_PROFILE=1 LABS_SIM_COUNTERS=0 "$scratch/slow"
expect 0 "" env LABS_SIM_HAZARDS=0 "$scratch/slow"
expect_not "cost most"
expect 2 "expected 0 or 1" env LABS_SIM_PROFILE=much "$scratch/slow"

# Asynchronous copies, as ncu counts them on an H100. Line 6: 20 sectors and 15 wavefronts where neighbors take
# 16 and 4; line 8: 4 wavefronts since four rows of global memory lie 1024 bytes apart; line 9: neighbors.
cat >"$scratch/async.cu" <<'END'
#include <cuda_pipeline.h>
__global__ void copy(const float4 *x, float *y)
{
    __shared__ float4 s[80];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t / 4 * 5 + t % 4], &x[t], 16);
    float *s1 = (float *)&s[40];
    __pipeline_memcpy_async(&s1[t], (const float *)x + t / 8 * 256 + t % 8, 4);
    __pipeline_memcpy_async(&s[48 + t], &x[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[t] = s1[t] + s[t / 4 * 5 + t % 4].x + s[48 + t].x;
}
int main()
{
    float4 *x;
    float *y;
    cudaMalloc(&x, 4096);
    cudaMalloc(&y, 128);
    cudaMemset(x, 0, 4096);
    copy<<<1, 32>>>(x, y);
    return cudaDeviceSynchronize();
}
END
expect 0 "" "$BUILD/sim/simcc" "$scratch/async.cu" -o "$scratch/async"
for row in \
    "6                                               20         80 %       20.0" \
    "6                                               15        100 %       15.0" \
    "8                                                4        100 %        4.0" \
    "8                                                4         25 %        4.0" \
    "9                                               16        100 %       16.0" \
    "9                                                4        100 %        4.0"; do
    expect 0 "    async.cu:$row" env LABS_SIM_PROFILE=1 "$scratch/async"
done

# The number of threads that share a launch changes nothing but the time.
expect 2 "a whole number" env LABS_SIM_THREADS=all "$scratch/slow"
LABS_SIM_PROFILE=1 LABS_SIM_THREADS=1 "$scratch/slow" 2>"$scratch/one"
LABS_SIM_PROFILE=1 LABS_SIM_THREADS=3 LABS_SIM_THREADS_FROM=1 "$scratch/slow" 2>"$scratch/three"
expect 0 "" cmp "$scratch/one" "$scratch/three"
