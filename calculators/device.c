#include "calculators/device.h"

#include <stdio.h>
#include <string.h>

/* The first line of what a command prints; false if it fails. */
static bool first_line(const char *command, char *line, int size)
{
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    bool found = fgets(line, size, pipe) != NULL;
    return pclose(pipe) == 0 && found;
}

static const struct sim_profile *of_capability(int major, int minor)
{
    for (int i = 0; sim_profile_at(i); i++)
        if (sim_profile_at(i)->cc_major == major && sim_profile_at(i)->cc_minor == minor)
            return sim_profile_at(i);
    return NULL;
}

/* "8.9, NVIDIA GeForce RTX 4090": a profile of that name, else one with the same SMs. */
static const struct sim_profile *of_this_machine(void)
{
    char line[160];
    int major, minor, at = 0;
    if (!first_line("nvidia-smi --query-gpu=compute_cap,name --format=csv,noheader 2>/dev/null", line,
                    sizeof line) ||
        sscanf(line, "%d.%d, %n", &major, &minor, &at) != 2)
        return NULL;
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; at > 0 && sim_profile_at(i); i++)
        if (line[at] != 0 && strncmp(sim_profile_at(i)->name, line + at, strlen(line + at)) == 0)
            return sim_profile_at(i);
    return of_capability(major, minor);
}

const struct sim_profile *device_choose(const char *key, char message[256])
{
    if (!key || strcmp(key, "auto") == 0) {
        const struct sim_profile *here = of_this_machine();
        return here ? here : sim_profile_find("h100");
    }
    const struct sim_profile *named = sim_profile_find(key);
    char keys[160];
    sim_profile_keys(keys, sizeof keys);
    if (!named)
        snprintf(message, 256, "there is no device %.40s; there are: %s", key, keys);
    return named;
}

/*
 * Tensor cores, FP16 with sums in FP32, without sparsity: NVIDIA's whitepapers (V100 125, T4 65, A100 312, H100 989 and
 * B200 about 2250 TFLOP/s; of a GeForce RTX 3090 71, 4090 165, 5090 210), divided by SMs, clock and two.
 */
static int tensor_rate(const struct sim_profile *profile)
{
    static const struct {
        int capability, rate;
    } rates[] = {{70, 512}, {75, 512}, {80, 1024}, {86, 256}, {89, 256}, {90, 2048}, {100, 4096}, {120, 256}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].capability == 10 * profile->cc_major + profile->cc_minor)
            return rates[i].rate;
    return 0;
}

int device_multiply_adds(const struct sim_profile *profile, enum number_format format)
{
    switch (format) {
    case FORMAT_FP64: return profile->fp64_lanes;
    case FORMAT_FP16_TENSOR: return tensor_rate(profile);
    default: return profile->fp32_lanes;
    }
}

struct roofs device_roofs(const struct sim_profile *profile, enum number_format format)
{
    return (struct roofs){
        .flops = 2e9 * device_multiply_adds(profile, format) * profile->sm_count * profile->clock_ghz,
        .bytes = 2e3 * profile->memory_clock_khz * profile->memory_bus_bits / 8,
    };
}
