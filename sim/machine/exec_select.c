/* Which handlers this processor can run, and where the decoder finds them. */
#include <stdlib.h>

#include "sim/machine/exec.h"

/* The tables that are compiled twice (exec_simd_*.c), then those that are not. */
#define SIMD_TABLES(X, isa)                                                                                  \
    X(exec_int_handlers_##isa)                                                                               \
    X(exec_bits_handlers_##isa)                                                                              \
    X(exec_float_handlers_##isa)                                                                             \
    X(exec_half_handlers_##isa)                                                                              \
    X(exec_compare_handlers_##isa)                                                                           \
    X(exec_convert_handlers_##isa)                                                                           \
    X(exec_mma_handlers_##isa)                                                                               \
    X(exec_memory_handlers_##isa)                                                                            \
    X(exec_param_handlers_##isa)
#define OTHER_TABLES(X)                                                                                      \
    X(exec_control_handlers)                                                                                 \
    X(exec_cluster_handlers)                                                                                 \
    X(exec_shuffle_handlers)                                                                                 \
    X(exec_warp_handlers)                                                                                    \
    X(exec_atomic_handlers)                                                                                  \
    X(exec_matrix_handlers)                                                                                  \
    X(exec_async_handlers)                                                                                   \
    X(exec_mbarrier_handlers)                                                                                \
    X(exec_texture_handlers)                                                                                 \
    X(exec_surface_handlers)                                                                                 \
    X(exec_stack_handlers)                                                                                   \
    X(exec_video_handlers)                                                                                   \
    X(exec_builtin_handlers)

#define DECLARE_TABLE(name) extern const struct handler name[];
#define NAME_TABLE(name)    name,

SIMD_TABLES(DECLARE_TABLE, baseline)
OTHER_TABLES(DECLARE_TABLE)
static const struct handler *const baseline_tables[] = {
    SIMD_TABLES(NAME_TABLE, baseline) OTHER_TABLES(NAME_TABLE) NULL,
};

#if defined(__x86_64__)

SIMD_TABLES(DECLARE_TABLE, avx2)
static const struct handler *const avx2_tables[] = {
    SIMD_TABLES(NAME_TABLE, avx2) OTHER_TABLES(NAME_TABLE) NULL,
};

/* LABS_SIM_ISA=baseline: do without, for tests. */
static bool has_avx2(void)
{
    const char *wish = getenv("LABS_SIM_ISA");
    if (wish && strcmp(wish, "baseline") == 0)
        return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static const struct handler *const *tables(void)
{
    return has_avx2() ? avx2_tables : baseline_tables;
}

warp_loop_fn exec_loop(void)
{
    return has_avx2() ? warp_loop_avx2 : warp_loop_baseline;
}

#else

static const struct handler *const *tables(void)
{
    return baseline_tables;
}

warp_loop_fn exec_loop(void)
{
    return warp_loop_baseline;
}

#endif

exec_fn exec_handler(const char *key)
{
    for (const struct handler *const *table = tables(); *table; table++)
        for (const struct handler *h = *table; h->key; h++)
            if (strcmp(h->key, key) == 0)
                return h->run;
    return NULL;
}
