/*
 * Loops over lanes that are compiled twice in one file, for any x86-64 and for AVX2: the loop stands in an
 * ALWAYS_INLINE function, which a plain function and one marked FOR_AVX2 call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#else
#define FOR_AVX2
#endif

/*
 * Before a loop over lanes: no iteration depends on another. clang reports every such loop that it leaves
 * scalar, for want of an instruction (the high half of a 64-bit product); that is not a mistake in the loop.
 */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

/*
 * Whether the processor runs functions marked FOR_AVX2; found out before main. LABS_SIM_ISA=baseline in the
 * environment: do without.
 */
extern bool simd_avx2;

/* Lanes of a mask; processors of the baseline have no instruction for it, and most masks are full. */
static inline int simd_lane_count(uint32_t lanes)
{
    return lanes == UINT32_MAX ? 32 : __builtin_popcount(lanes);
}

/* Whether the lanes of a mask, not 0, are consecutive. */
static inline bool simd_in_a_row(uint32_t lanes)
{
    uint32_t shifted = lanes >> __builtin_ctz(lanes);
    return (shifted & (shifted + 1)) == 0;
}
