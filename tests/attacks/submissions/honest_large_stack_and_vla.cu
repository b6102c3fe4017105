// A megabyte on the stack.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    volatile char big[1 << 20];
    big[n & 0xfffff] = 1;
    return honest_lab02_sum(d_x, n) + 0 * big[n & 0xfffff];
}
