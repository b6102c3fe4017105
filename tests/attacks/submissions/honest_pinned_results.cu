// Results come back through pinned memory and a stream.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    int b = (n + 127) / 128;
    if (!b)
        return 0;
    real *h, *d;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMallocHost(&h, b * sizeof(real)));
    CHECK(cudaMalloc(&d, b * sizeof(real)));
    reduce_shared<<<b, 128, 0, s>>>(d_x, n, d);
    CHECK(cudaMemcpyAsync(h, d, b * sizeof(real), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    double r = 0;
    for (int i = 0; i < b; i++)
        r += h[i];
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(s);
    return r;
}
