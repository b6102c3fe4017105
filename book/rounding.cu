/*
 * What a float addition rounds to, and where numbers near zero are lost: the + of a kernel, atomicAdd in shared and in
 * global memory. Lab 04, question 11, explains it.
 *
 *     make book-rounding
 */
#include "common/play.h"

#define LARGE     16777216.0f /* 2^24: from here to 2^25, only the even integers are floats */
#define TINY      1e-40f      /* subnormal: less than 2^-126 = 1.18e-38 */
#define SUMS      3
#define ADDITIONS 4

/* Thread 0 computes the sum in three ways. d_sum[2] already holds `first`. */
__global__ void add_in_three_ways(float *d_sum, float first, float second)
{
    __shared__ float in_shared;
    if (threadIdx.x == 0) {
        d_sum[0] = first + second;
        in_shared = first;
        atomicAdd(&in_shared, second);
        d_sum[1] = in_shared;
        atomicAdd(&d_sum[2], second);
    }
}

static void add_on_device(float sum[SUMS], float first, float second)
{
    const float begin[SUMS] = {0, 0, first};
    float *d_sum;
    CHECK(cudaMalloc(&d_sum, sizeof begin));
    CHECK(cudaMemcpy(d_sum, begin, sizeof begin, cudaMemcpyHostToDevice));
    add_in_three_ways<<<1, 32>>>(d_sum, first, second);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum, d_sum, sizeof begin, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_sum));
}

int main(void)
{
    static const struct {
        float first, second;
        float expected[SUMS];
        const char *why;
    } additions[ADDITIONS] = {
        {LARGE, 1, {LARGE, LARGE, LARGE}, "halfway between two floats: to the even one, below"},
        {LARGE + 2, 1, {LARGE + 4, LARGE + 4, LARGE + 4}, "halfway again: the even one is above"},
        {0, TINY, {TINY, TINY, 0}, "subnormal: lost by atomicAdd in global memory only"},
        {TINY, 1, {1, 1, 1}, "far below the last bit of 1"},
    };
    int wrong = 0;
    printf("%12s %12s   %12s %18s %18s\n", "first", "second", "+", "atomicAdd, shared", "atomicAdd, global");
    for (int i = 0; i < ADDITIONS; i++) {
        float sum[SUMS];
        add_on_device(sum, additions[i].first, additions[i].second);
        printf("%12.9g %12.9g   %12.9g %18.9g %18.9g   %s\n", additions[i].first, additions[i].second, sum[0],
               sum[1], sum[2], additions[i].why);
        for (int s = 0; s < SUMS; s++)
            wrong += sum[s] != additions[i].expected[s];
    }
    printf("%s\n", wrong ? "WRONG: another rounding than IEEE 754's and the PTX ISA's"
                         : "as IEEE 754 and the PTX ISA say");
    return wrong > 0;
}
