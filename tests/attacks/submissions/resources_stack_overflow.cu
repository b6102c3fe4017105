// Endless recursion on the host.
// instead of lab02_sum; told: The function calls itself here
static int deep(volatile int n)
{
    volatile char b[4096];
    b[n % 4096] = 1;
    return deep(n + 1) + b[n % 4096];
}
extern "C" double lab02_sum(const real *, int n)
{
    return deep(n);
}
