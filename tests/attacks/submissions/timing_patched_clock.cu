// The file defines clock_gettime, which stands still.
// added; told: a function of the C library
#include <time.h>
extern "C" int clock_gettime(clockid_t, struct timespec *t) noexcept
{
    t->tv_sec = 1;
    t->tv_nsec = 1;
    return 0;
}
extern "C" int gettimeofday(struct timeval *, void *) noexcept
{
    return 0;
}
