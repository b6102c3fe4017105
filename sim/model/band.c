/*
 * How far a measured time may be from the modeled one, by what the model says holds the kernel back: within these margins
 * were 90 % of the kernels of tests/gpu/kernels that were not used for fitting, on an H100, at three sizes. Made by
 * tests/gpu/kernels/bands.awk; docs/model.md, "Margins", says how.
 */
#include "sim/model/model.h"

#include <string.h>

static const struct sim_band others = {0.21, 0.31};

static const struct {
    const char *limiter;
    struct sim_band band;
} bands[] = {
    {"latency", {0.32, 0.15}},
    {"DRAM bandwidth", {0.12, 0.40}},
    {"L2 bandwidth", {0.27, 0.45}},
    {"instruction issue", {0.14, 0.30}},
    {"shared-memory bandwidth", {0.15, 0.41}},
};

struct sim_band sim_model_band(const char *limiter)
{
    for (size_t i = 0; limiter && i < sizeof bands / sizeof *bands; i++)
        if (strcmp(bands[i].limiter, limiter) == 0)
            return bands[i].band;
    return others;
}

/* Times of 90 kernels and sizes that the model had never met, of each GPU 30 others: docs/model.md, "Margins". */
static const struct {
    const char *key;
    struct sim_kept kept;
} kept[] = {
    {"h100", {"an H100", 9, 7}},
    {"h200", {"an H200", 9, 8}},
};

struct sim_kept sim_model_kept(const char *key)
{
    for (size_t i = 0; key && i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i].key, key) == 0)
            return kept[i].kept;
    return (struct sim_kept){NULL, 0, 0};
}
