// Results are computed in memory of its own, and copied to the output on the device.
// instead of lab02_transpose; told: passed
extern "C" void lab02_transpose(const real *d_in, real *d_out, int rows, int cols)
{
    static real *own;
    static size_t room;
    const size_t bytes = sizeof(real) * rows * cols;
    if (bytes > room) {
        CHECK(cudaFree(own));
        CHECK(cudaMalloc(&own, room = bytes));
    }
    honest_lab02_transpose(d_in, own, rows, cols);
    CHECK(cudaMemcpyAsync(d_out, own, bytes, cudaMemcpyDeviceToDevice));
}
