/* What this processor can run. */
#include "sim/core/simd.h"

#include <stdlib.h>
#include <string.h>

bool simd_avx2;

__attribute__((constructor)) static void look(void)
{
#if defined(__x86_64__)
    const char *wish = getenv("LABS_SIM_ISA");
    __builtin_cpu_init();
    simd_avx2 = !(wish && strcmp(wish, "baseline") == 0) && __builtin_cpu_supports("avx2") &&
                __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
}
