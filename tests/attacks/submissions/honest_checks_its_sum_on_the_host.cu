// Besides the sum by kernels, a check is left in: the host copies the input and compares.
// instead of lab02_sum; told: passed
extern "C" double lab02_sum(const real *x, int n)
{
    const double sum = honest_lab02_sum(x, n);
    real *h = (real *)malloc((n + 1) * sizeof *h);
    double check = 0;
    cudaMemcpy(h, x, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        check += h[i];
    if (!(check - sum < 1 && sum - check < 1))
        fprintf(stderr, "the host's sum is %g, the device's %g\n", check, sum);
    free(h);
    return sum;
}
