/* The ranges of bytes that an access consists of, and the sectors of a range: for those who count either. */
#pragma once

#include "sim/core/simd.h"
#include "sim/model/counter.h"

#define SECTOR_SHIFT 5
#define SECTOR       32u

static inline int first_lane(const struct access *access)
{
    return __builtin_ctz(access->lanes);
}

static inline int lane_count(const struct access *access)
{
    return simd_lane_count(access->lanes);
}

static inline enum access_shape shape_of(const struct access *access)
{
    if (access->shape != SHAPE_UNKNOWN)
        return access->shape;
    struct access copy = *access;
    return access_find_shape(&copy);
}

/*
 * The next of these lanes that lie in one range of bytes: a group of eight whose shape is known, or one lane.
 * Returns the others.
 */
static inline uint32_t next_range(const struct access *access, uint32_t lanes, uint64_t *first,
                                  uint64_t *bytes)
{
    int lane = __builtin_ctz(lanes);
    unsigned shape = access->lanes == UINT32_MAX ? access->group_shape[lane / 8] : SHAPE_UNKNOWN;
    *first = access->address[lane];
    *bytes = (uint64_t)access->size * (shape == SHAPE_CONTIGUOUS ? 8 : 1);
    return shape == SHAPE_UNKNOWN ? lanes & (lanes - 1) : lanes & ~(UINT32_C(0xFF) << lane / 8 * 8);
}

static inline int sectors_of_range(uint64_t first, uint64_t bytes)
{
    return (int)(((first + bytes - 1) >> SECTOR_SHIFT) - (first >> SECTOR_SHIFT)) + 1;
}

/* Lanes that meet on the address of the first of `rest`; they are taken out of it. */
static inline uint64_t take_equal(const struct access *access, uint32_t *rest)
{
    uint64_t address = access->address[__builtin_ctz(*rest)], lanes = 0;
    for (uint32_t r = *rest; r; r &= r - 1)
        if (access->address[__builtin_ctz(r)] == address) {
            *rest &= ~(r & -r);
            lanes++;
        }
    return lanes;
}
