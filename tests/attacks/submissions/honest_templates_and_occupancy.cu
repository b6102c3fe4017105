// A template kernel launched by cudaLaunchKernel with numbers of cudaOccupancyMaxActiveBlocksPerMultiprocessor.
// instead of lab02_reduce_blocks; told: passed
template <int B> __global__ void tr(const real *x, int n, real *p)
{
    __shared__ real s[B];
    int t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int o = B / 2; o; o /= 2) {
        if (t < o)
            s[t] += s[t + o];
        __syncthreads();
    }
    if (!t)
        p[blockIdx.x] = s[0];
}
extern "C" void lab02_reduce_blocks(const real *d_x, int n, real *d_partial)
{
    int k;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&k, tr<128>, 128, 0));
    void *a[] = {&d_x, &n, &d_partial};
    if (n && k)
        CHECK(cudaLaunchKernel((void *)tr<128>, dim3((n + 127) / 128), dim3(128), a, 0, 0));
}
