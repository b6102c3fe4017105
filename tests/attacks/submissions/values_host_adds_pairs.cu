// Kernels add pairs, the host adds the rest of the way: half as many words come from the device as there are elements.
// instead of lab02_sum; told: the host has computed it
__global__ void pairs(const real *x, int n, real *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i < n)
        to[i] = x[2 * i] + (2 * i + 1 < n ? x[2 * i + 1] : 0);
}
extern "C" double lab02_sum(const real *x, int n)
{
    if (n == 0)
        return 0;
    const int words = (n + 1) / 2;
    real *d, *h = (real *)malloc(words * sizeof *h);
    cudaMalloc(&d, words * sizeof *d);
    pairs<<<(words + 127) / 128, 128>>>(x, n, d);
    cudaMemcpy(h, d, words * sizeof *h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    double sum = 0;
    for (int i = 0; i < words; i++)
        sum += h[i];
    free(h);
    return sum;
}
