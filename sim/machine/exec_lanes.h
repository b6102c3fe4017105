/* Loops over the lanes of a warp, in a form that compilers turn into vector instructions. */
#pragma once

#include "sim/core/simd.h"
#include "sim/machine/exec.h"

/*
 * d[i] = value for the active lanes. Where all living lanes are active the others may be written too. Rows
 * are either the same or do not overlap.
 */
#define WRITE_LANES(T, d, active, full, value)                                                               \
    do {                                                                                                     \
        if ((active) == (full)) {                                                                            \
            INDEPENDENT_LANES                                                                                \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                (d)[i] = (value);                                                                            \
        } else {                                                                                             \
            const uint32_t lanes_ = (active);                                                                \
            INDEPENDENT_LANES                                                                                \
            for (int i = 0; i < WARP_LANES; i++) {                                                           \
                const T result_ = (value);                                                                   \
                const T kept_ = (d)[i];                                                                      \
                (d)[i] = (lanes_ >> i & 1) ? result_ : kept_;                                                \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

/* Handlers d = f(x), f(x, y), f(x, y, z): TD the destination's C type, TS the sources'. */
#define DEFINE_UNARY(key, name, TD, TS, expression)                                                          \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##TD *d = row(warp, op->dst);                                                                    \
        const row_##TS *a = row(warp, op->a);                                                                \
        WRITE_LANES(TD, d, active, warp->full, name##_value(a[i]));                                          \
        return STEP_NEXT;                                                                                    \
    }

#define DEFINE_BINARY(key, name, TD, TS, TB, expression)                                                     \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##TD *d = row(warp, op->dst);                                                                    \
        const row_##TS *a = row(warp, op->a);                                                                \
        const row_##TB *b = row(warp, op->b);                                                                \
        WRITE_LANES(TD, d, active, warp->full, name##_value(a[i], b[i]));                                    \
        return STEP_NEXT;                                                                                    \
    }

#define DEFINE_TERNARY(key, name, TD, TS, TC, expression)                                                    \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##TD *d = row(warp, op->dst);                                                                    \
        const row_##TS *a = row(warp, op->a), *b = row(warp, op->b);                                         \
        const row_##TC *c = row(warp, op->c);                                                                \
        WRITE_LANES(TD, d, active, warp->full, name##_value(a[i], b[i], c[i]));                              \
        return STEP_NEXT;                                                                                    \
    }

#define VALUE_UNARY(key, name, TD, TS, expression)                                                           \
    static inline TD name##_value(TS x)                                                                      \
    {                                                                                                        \
        return (TD)(expression);                                                                             \
    }
#define VALUE_BINARY(key, name, TD, TS, TB, expression)                                                      \
    static inline TD name##_value(TS x, TB y)                                                                \
    {                                                                                                        \
        return (TD)(expression);                                                                             \
    }
#define VALUE_TERNARY(key, name, TD, TS, TC, expression)                                                     \
    static inline TD name##_value(TS x, TS y, TC z)                                                          \
    {                                                                                                        \
        return (TD)(expression);                                                                             \
    }

/* The handler table's entry. */
#define HANDLER_ROW(key, name, ...) {key, name},

/* Short names for the C types that rows hold. */
typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
