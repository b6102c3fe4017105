// A kernel whose name holds format directives.
// instead of lab02_sum; told: access out of bounds

extern "C" __global__ void k$s$n$n(int *x)
{
    *x = 1;
}
extern "C" double lab02_sum(const real *, int)
{
    k$s$n$n<<<1, 1>>>(0);
    cudaDeviceSynchronize();
    return 0;
}
