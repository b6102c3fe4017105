/* Which GPU is meant, and its roofs on paper. */
#ifndef CALCULATORS_DEVICE_H
#define CALCULATORS_DEVICE_H

#include "sim/model/model.h"

/*
 * The profile named `key` (sim/model/profile.c). NULL or "auto": the one of this machine's GPU, or one of the same
 * compute capability, by nvidia-smi; without a GPU an H100. NULL is returned, with a message, if there is none of
 * that name.
 */
const struct sim_profile *device_choose(const char *key, char message[256]);

enum number_format { FORMAT_FP32, FORMAT_FP64, FORMAT_FP16_TENSOR };

struct roofs {
    double flops; /* per second */
    double bytes; /* of memory, per second */
};

/* SMs x multiply-adds per clock x 2 x clock, and bus width x rate: what data sheets say. */
struct roofs device_roofs(const struct sim_profile *profile, enum number_format format);
/* Multiply-adds per clock and SM; tensor cores: FP16 in, sums in FP32, dense. */
int device_multiply_adds(const struct sim_profile *profile, enum number_format format);

#endif
