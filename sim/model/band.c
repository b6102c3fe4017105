/*
 * How far a modeled time is from a measured one, by what the model says holds the kernel back: the mean error of the
 * kernels of tests/gpu/kernels and of the labs with that limiter on an H100, at three sizes (docs/model.md).
 */
#include "sim/model/model.h"

#include <string.h>

#define OTHERS 0.15

static const struct {
    const char *limiter;
    double band;
} bands[] = {
    {"DRAM bandwidth", 0.12},
    {"L2 bandwidth", 0.16},
    {"L1 throughput", 0.12},
    {"shared-memory bandwidth", 0.11},
    {"constant cache", 0.11},
    {"instruction issue", 0.10},
    {"atomics on one address", 0.09},
    {"latency", 0.10},
    {"FP32 arithmetic", 0.16},
    {"integer arithmetic", 0.05},
    {"special functions and conversions", 0.13},
    {"FP64 arithmetic", 0.12},
};

double sim_model_band(const char *limiter)
{
    for (size_t i = 0; limiter && i < sizeof bands / sizeof *bands; i++)
        if (strcmp(bands[i].limiter, limiter) == 0)
            return bands[i].band;
    return OTHERS;
}
