// A quarter of a million hazards at thousands of addresses.
// instead of lab02_reduce_blocks; told: race in
__global__ void races(const real *x, int n, real *p)
{
    for (int i = 0; i < 64; i++)
        p[(threadIdx.x * 7 + i) % ((n + 127) / 128)] = i;
}
extern "C" void lab02_reduce_blocks(const real *d_x, int n, real *d_partial)
{
    if (n)
        races<<<16, 256>>>(d_x, n, d_partial);
}
