// Endless recursion on the device.
// instead of lab02_sum; told: too deep
__device__ __noinline__ int deep(int n)
{
    volatile int b[64];
    b[n % 64] = n;
    return n < 0 ? 0 : deep(n + 1) + b[(n + 1) % 64];
}
__global__ void recurse(int *x)
{
    *x = deep(1);
}
extern "C" double lab02_sum(const real *, int)
{
    int *x;
    cudaMalloc(&x, 4);
    recurse<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
