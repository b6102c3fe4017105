// 10 GB on standard error and output.
// instead of lab02_sum; told: did not end within
extern "C" double lab02_sum(const real *, int)
{
    static char b[1 << 16];
    memset(b, 'x', sizeof b);
    b[sizeof b - 1] = '\n';
    for (long i = 0; i < 160000; i++) {
        if (fwrite(b, 1, sizeof b, stderr) < sizeof b)
            break;
        fwrite(b, 1, sizeof b, stdout);
    }
    return 0;
}
