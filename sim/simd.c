/* What this processor can run. */
#include "simd.h"

#include <stdlib.h>
#include <string.h>

static bool look(void)
{
#if defined(__x86_64__)
    const char *wish = getenv("LABS_SIM_ISA");
    if (wish && strcmp(wish, "baseline") == 0)
        return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("lzcnt");
#else
    return false;
#endif
}

bool simd_avx2(void)
{
    static int known; /* 0: not looked yet, 1: no, 2: yes */
    if (!known)
        known = look() ? 2 : 1;
    return known == 2;
}
