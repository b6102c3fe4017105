/*
 * How far a modelled time may be from a measured one, by what the model says holds the kernel back. This is the one
 * place for these figures; they are to come from the validation kernels (tests/gpu/model), and are a guess until then.
 */
#include "sim/model/model.h"

#include <string.h>

#define SIM_MODEL_BAND 0.15

static const struct {
    const char *limiter;
    double band;
} bands[] = {
    {"DRAM bandwidth", SIM_MODEL_BAND},         {"L2 bandwidth", SIM_MODEL_BAND},
    {"L1 throughput", SIM_MODEL_BAND},          {"shared-memory bandwidth", SIM_MODEL_BAND},
    {"atomics on one address", SIM_MODEL_BAND}, {"latency", SIM_MODEL_BAND},
    {"starting blocks", SIM_MODEL_BAND},        {"launch overhead", SIM_MODEL_BAND},
};

double sim_model_band(const char *limiter)
{
    for (size_t i = 0; limiter && i < sizeof bands / sizeof *bands; i++)
        if (strcmp(bands[i].limiter, limiter) == 0)
            return bands[i].band;
    return SIM_MODEL_BAND;
}
