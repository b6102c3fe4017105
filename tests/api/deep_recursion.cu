/* Calls 5,000 deep: recursion, two functions in turn, and functions through pointers, with the stack that they need. */
#include "common/check.h"

#define DEPTH 5000

__device__ int sum(const int *x, int n)
{
    if (n == 0)
        return 0;
    int rest = sum(x, n - 1);
    return rest + x[(rest + n) % 64];
}

__device__ int odd(const int *x, int n);

__device__ int even(const int *x, int n)
{
    if (n == 0)
        return 1;
    int rest = odd(x, n - 1);
    return rest * 3 + x[rest & 63];
}

__device__ int odd(const int *x, int n)
{
    if (n == 0)
        return 2;
    int rest = even(x, n - 1);
    return rest * 5 + x[rest & 63];
}

typedef int (*step)(const void *, const int *, int);

__device__ int descend(const void *self, const int *x, int n)
{
    return n == 0 ? 1 : (*(const step *)self)(self, x, n - 1) + x[n % 64];
}

__device__ step pointer = descend;

/* Half of the threads go to the bottom, the others only some way. */
__global__ void dive(const int *x, int *out, int depth)
{
    int n = threadIdx.x % 2 ? depth : (int)threadIdx.x;
    out[threadIdx.x] = sum(x, n) + even(x, n) + pointer(&pointer, x, n);
}

/* The same, one call after another. */
static int expected(const int *x, int n)
{
    int total = 0, descended = 1;
    unsigned turn = n % 2 ? 2 : 1;
    for (int i = 1; i <= n; i++) {
        total += x[(total + i) % 64];
        descended += x[i % 64];
        bool is_even = i % 2 == n % 2;
        turn = turn * (is_even ? 3u : 5u) + (unsigned)x[turn & 63];
    }
    return (int)((unsigned)total + turn + (unsigned)descended);
}

int main(void)
{
    int x[64], out[64], *d_x, *d_out, wrong = 0;
    size_t limit = 0;

    for (int i = 0; i < 64; i++)
        x[i] = (i * 37 + 11) % 64;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    printf("at first %d bytes of stack\n", (int)limit);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 240000));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    printf("then %d\n", (int)limit);
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    dive<<<1, 64>>>(d_x, d_out, DEPTH);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wrong += out[i] != expected(x, i % 2 ? DEPTH : i);
    printf("%d of 64 are wrong\n", wrong);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_out));
    return 0;
}
