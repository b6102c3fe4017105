// A kernel copies the input to memory of the host, which adds it; no copy is made.
// instead of lab02_sum; told: the host has computed it
__global__ void copy(const real *x, int n, real *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = x[i];
}
extern "C" double lab02_sum(const real *x, int n)
{
    double sum = 0;
    if (n == 0)
        return 0;
    real *h, *d;
    cudaHostAlloc(&h, n * sizeof *h, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&d, h, 0);
    copy<<<(n + 127) / 128, 128>>>(x, n, d);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        sum += h[i];
    cudaFreeHost(h);
    return sum;
}
