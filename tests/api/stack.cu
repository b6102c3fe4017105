/* alloca in a kernel: each thread takes as much local memory as it wants, in loops, calls and recursions. */
#include "common/check.h"

#include <alloca.h>

/* Sum of 0 to n - 1, by way of an array of the caller's size. */
__device__ __noinline__ int sum_to(int n)
{
    int *x = (int *)alloca(n * sizeof(int)), sum = 0;
    for (int i = 0; i < n; i++)
        x[(i * 7 + 3) % n] = (i * 7 + 3) % n;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Every level has its own array, which its callees must leave alone. */
__device__ __noinline__ int nested(int depth)
{
    char *mine = (char *)alloca(depth + 1);
    int sum = 0;
    for (int i = 0; i <= depth; i++)
        mine[i] = (char)(depth + i);
    sum = depth > 0 ? nested(depth - 1) : 0;
    for (int i = 0; i <= depth; i++)
        sum += mine[i];
    return sum;
}

__global__ void kernel(int *out)
{
    int thread = threadIdx.x, n = thread % 5 * 2 + 11; /* 11, 13, ... 19: no multiple of 7 */
    double *kept = (double *)alloca((thread % 3 + 1) * sizeof(double));
    kept[thread % 3] = thread;
    int sum = 0;
    for (int i = 0; i < 1000; i++) /* more than the stack holds, if calls did not give back theirs */
        sum += sum_to(n);
    if (thread % 2)
        sum += nested(thread % 6);
    out[thread] = sum + (int)kept[thread % 3] + ((size_t)kept % 8 != 0) * 1000000;
}

int main(void)
{
    int *d_out, out[64];

    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaMalloc(&d_out, sizeof out));
    kernel<<<1, 64>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        printf("%d%s", out[i], i % 8 == 7 ? "\n" : " ");
    CHECK(cudaFree(d_out));
    return 0;
}
