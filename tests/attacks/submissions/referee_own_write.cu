// Write is the student's: every message is sent with its second half as ones.
// instead of lab02_sum; told: The file defines write
#include <unistd.h>
#include <sys/syscall.h>
extern "C" ssize_t write(int fd, const void *b, size_t n)
{
    char c[65536];
    if (n > 65536)
        n = 65536;
    memcpy(c, b, n);
    memset(c + n / 2, 1, n - n / 2);
    return syscall(SYS_write, fd, c, n);
}
extern "C" double lab02_sum(const real *, int)
{
    return 0;
}
