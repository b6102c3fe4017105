// A kernel's name with right-to-left letters and bidirectional controls by universal character names.
// instead of lab02_sum; told: not allowed in device entity name
__global__ void ka\u05d0\u05d1(int *x)
{
    *x = 1;
}
extern "C" double lab02_sum(const real *, int)
{
    ka\u05d0\u05d1<<<1, 1>>>(0);
    cudaDeviceSynchronize();
    return 0;
}
