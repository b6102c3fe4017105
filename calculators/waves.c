#include "calculators/waves.h"

#include <math.h>

struct waves waves_of(double blocks, double blocks_per_sm, double sms)
{
    struct waves w = {.slots = blocks_per_sm * sms};
    w.full = floor(blocks / w.slots);
    w.tail = blocks - w.full * w.slots;
    w.waves = w.full + (w.tail > 0);
    w.used = blocks / (w.waves * w.slots);
    return w;
}

struct tiles tiles_of(double m, double n, double tile_m, double tile_n)
{
    struct tiles t = {.rows = ceil(m / tile_m), .columns = ceil(n / tile_n)};
    t.tiles = t.rows * t.columns;
    t.used = m * n / (t.tiles * tile_m * tile_n);
    return t;
}

double chain_seconds(double operations, double latency_cycles, double clock_ghz)
{
    return operations * latency_cycles / (1e9 * clock_ghz);
}

double bytes_in_flight(double bytes_per_second, double latency_seconds)
{
    return bytes_per_second * latency_seconds;
}
