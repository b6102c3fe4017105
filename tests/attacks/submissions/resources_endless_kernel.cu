// An endless kernel.
// instead of lab02_sum; told: deadlock
__global__ void spin(volatile int *x)
{
    while (*x == 0)
        ;
}
extern "C" double lab02_sum(const real *, int)
{
    int *x;
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    spin<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
