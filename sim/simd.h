/*
 * Loops over lanes that are compiled twice in one file, for any x86-64 and for AVX2: the loop stands in an
 * ALWAYS_INLINE function, which a plain function and one marked FOR_AVX2 call.
 */
#ifndef SIM_SIMD_H
#define SIM_SIMD_H

#include <stdbool.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#else
#define FOR_AVX2
#endif

/* Whether the processor runs functions marked FOR_AVX2; LABS_SIM_ISA=baseline in the environment: do without.
 */
bool simd_avx2(void);

#endif
