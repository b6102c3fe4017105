#include "harness/base/clock.h"

#include <stdatomic.h>
#include <time.h>

double process_clock(void)
{
    static _Atomic double latest;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double read = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    double last = atomic_load(&latest);
    while (read > last && !atomic_compare_exchange_weak(&latest, &last, read))
        ;
    return read > last ? read : last;
}
