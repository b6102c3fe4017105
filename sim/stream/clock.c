#include "sim/stream/clock.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

static void reserve(struct stream_clock *clock, unsigned count)
{
    if (count <= clock->count)
        return;
    clock->at = sim_need_resized(clock->at, count, sizeof *clock->at, "the clock of a stream");
    memset(clock->at + clock->count, 0, (count - clock->count) * sizeof *clock->at);
    clock->count = count;
}

void clock_join(struct stream_clock *clock, const struct stream_clock *other)
{
    reserve(clock, other->count);
    for (unsigned lane = 0; lane < other->count; lane++)
        if (clock->at[lane] < other->at[lane])
            clock->at[lane] = other->at[lane];
}

void clock_set(struct stream_clock *clock, unsigned lane, uint32_t number)
{
    reserve(clock, lane + 1);
    clock->at[lane] = number;
}

void clock_free(struct stream_clock *clock)
{
    free(clock->at);
    *clock = (struct stream_clock){NULL, 0};
}

bool clock_covered(const struct stream_clock *clock, const struct stream_clock *other)
{
    for (unsigned lane = 0; lane < clock->count; lane++)
        if (clock->at[lane] > clock_at(other, lane))
            return false;
    return true;
}
