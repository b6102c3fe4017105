/* Which handlers this processor can run, and where the decoder finds them. */
#include <stdlib.h>

#include "exec.h"

#if defined(__x86_64__)
#define HAVE_AVX2_HANDLERS 1
#else
#define HAVE_AVX2_HANDLERS 0
#endif

extern const struct handler exec_int_handlers_baseline[], exec_int_handlers_avx2[];
extern const struct handler exec_float_handlers_baseline[], exec_float_handlers_avx2[];
extern const struct handler exec_compare_handlers_baseline[], exec_compare_handlers_avx2[];
extern const struct handler exec_convert_handlers_baseline[], exec_convert_handlers_avx2[];
extern const struct handler exec_memory_handlers_baseline[], exec_memory_handlers_avx2[];
extern const struct handler exec_control_handlers[], exec_warp_handlers[], exec_atomic_handlers[],
    exec_builtin_handlers[];

static const struct handler *const baseline_tables[] = {
    exec_int_handlers_baseline,
    exec_float_handlers_baseline,
    exec_compare_handlers_baseline,
    exec_convert_handlers_baseline,
    exec_memory_handlers_baseline,
    exec_control_handlers,
    exec_warp_handlers,
    exec_atomic_handlers,
    exec_builtin_handlers,
};
#if HAVE_AVX2_HANDLERS
static const struct handler *const avx2_tables[] = {
    exec_int_handlers_avx2,     exec_float_handlers_avx2,  exec_compare_handlers_avx2,
    exec_convert_handlers_avx2, exec_memory_handlers_avx2, exec_control_handlers,
    exec_warp_handlers,         exec_atomic_handlers,      exec_builtin_handlers,
};
#endif

/* LABS_SIM_ISA=baseline: do without, for tests. */
static bool has_avx2(void)
{
#if HAVE_AVX2_HANDLERS
    const char *wish = getenv("LABS_SIM_ISA");
    if (wish && strcmp(wish, "baseline") == 0)
        return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

exec_fn exec_handler(const char *key)
{
    const struct handler *const *tables = baseline_tables;
#if HAVE_AVX2_HANDLERS
    if (has_avx2())
        tables = avx2_tables;
#endif
    for (size_t i = 0; i < sizeof baseline_tables / sizeof baseline_tables[0]; i++)
        for (const struct handler *h = tables[i]; h->key; h++)
            if (strcmp(h->key, key) == 0)
                return h->run;
    return NULL;
}

warp_loop_fn exec_loop(void)
{
#if HAVE_AVX2_HANDLERS
    if (has_avx2())
        return warp_loop_avx2;
#endif
    return warp_loop_baseline;
}
