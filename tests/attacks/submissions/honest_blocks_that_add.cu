// Two blocks add to each output, after zeros: of a sample of the blocks, many sums are incomplete, and the program is right.
// instead of lab02_reduce_blocks; told: passed
__global__ void halves(const real *x, int n, real *p)
{
    __shared__ real s[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int o = 32; o; o /= 2) {
        if (t < o)
            s[t] += s[t + o];
        __syncthreads();
    }
    if (!t)
        atomicAdd(&p[blockIdx.x / 2], s[0]);
}
extern "C" void lab02_reduce_blocks(const real *d_x, int n, real *d_partial)
{
    if (n == 0)
        return;
    cudaMemset(d_partial, 0, sizeof(real) * ((n + 127) / 128));
    halves<<<(n + 63) / 64, 64>>>(d_x, n, d_partial);
}
