/* The NaN that a GPU makes of doubles. */
#pragma once

#include <stdint.h>
#include <string.h>

/*
 * The result of an operation on doubles none of which is a NaN: where it has no value (inf - inf, the root of -1),
 * the negative NaN. x86 makes it by itself, aarch64 makes the positive one.
 */
static inline double double_or_nan(double value)
{
#if !defined(__x86_64__)
    const uint64_t nan = UINT64_C(0xfff8) << 48;
    if (value != value)
        memcpy(&value, &nan, sizeof value);
#endif
    return value;
}
