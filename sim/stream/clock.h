/*
 * Happens-before between operations of streams and the host: vector clocks, with one entry per lane. A lane is a
 * stream, or a branch of a graph that runs; its operations are numbered from 1 on. An operation happens before
 * another one if the other one's clock has reached its number in its lane.
 *
 * Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution" (streams, events, default stream).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stream_clock {
    uint32_t *at; /* by lane; owned; lanes from `count` on are at 0 */
    unsigned count;
};

static inline uint32_t clock_at(const struct stream_clock *clock, unsigned lane)
{
    return lane < clock->count ? clock->at[lane] : 0;
}

/* The later of both, lane by lane. */
void clock_join(struct stream_clock *clock, const struct stream_clock *other);
void clock_set(struct stream_clock *clock, unsigned lane, uint32_t number);
void clock_free(struct stream_clock *clock);
/* Whether everything that `clock` has reached is reached by `other` too. */
bool clock_covered(const struct stream_clock *clock, const struct stream_clock *other);
