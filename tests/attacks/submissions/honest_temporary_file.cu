// Tmpfile() for debug output.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *d_x, int n)
{
    FILE *f = tmpfile();
    if (f) {
        fprintf(f, "%d\n", n);
        fclose(f);
    }
    return honest_lab02_sum(d_x, n);
}
