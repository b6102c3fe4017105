// A student's debug output.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    fprintf(stderr, "sum of %d\n", n);
    printf("here\n");
    return honest_lab02_sum(d_x, n);
}
