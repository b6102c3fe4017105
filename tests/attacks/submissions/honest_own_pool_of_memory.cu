// Device memory is kept between calls and grows.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    static real *d;
    static int room;
    int b = (n + 127) / 128;
    if (!b)
        return 0;
    if (b > room) {
        cudaFree(d);
        CHECK(cudaMalloc(&d, b * sizeof(real)));
        room = b;
    }
    real *h = (real *)malloc(b * sizeof(real));
    lab02_reduce_blocks(d_x, n, d);
    CHECK(cudaMemcpy(h, d, b * sizeof(real), cudaMemcpyDeviceToHost));
    double s = 0;
    for (int i = 0; i < b; i++)
        s += h[i];
    free(h);
    return s;
}
