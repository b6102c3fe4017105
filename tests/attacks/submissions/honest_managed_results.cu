// Sums in managed memory are added by the host.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    int b = (n + 127) / 128;
    if (!b)
        return 0;
    real *m;
    CHECK(cudaMallocManaged(&m, b * sizeof(real)));
    reduce_shared<<<b, 128>>>(d_x, n, m);
    CHECK(cudaDeviceSynchronize());
    double r = 0;
    for (int i = 0; i < b; i++)
        r += m[i];
    cudaFree(m);
    return r;
}
