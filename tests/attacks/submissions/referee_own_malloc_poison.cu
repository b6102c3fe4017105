// Malloc is the student's; all memory lies in one array, which is set to 0 in each call.
// instead of lab02_sum; told: a function of the C library
static char host_pool[1 << 28];
static size_t used;
__host__ void *take(size_t n)
{
    void *p = host_pool + used;
    used += (n + 31) & ~31ul;
    return used < sizeof host_pool ? p : 0;
}
extern "C" void free(void *) noexcept
{
}
extern "C" void *calloc(size_t a, size_t b) noexcept
{
    return malloc(a * b);
}
extern "C" void *realloc(void *o, size_t n) noexcept
{
    void *p = malloc(n);
    if (o)
        __builtin_memmove(p, o, n);
    return p;
}
extern "C" double lab02_sum(const real *, int)
{
    memset(host_pool, 0, used);
    return 0;
}
