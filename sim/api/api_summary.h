/* What a program that is on its own says of the whole run, on request, and which hazards it does not tell. */
#ifndef SIM_API_SUMMARY_H
#define SIM_API_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/device/sim.h"

/* The launches of one kernel. */
struct api_kernel_sum {
    char name[96];            /* as in the source */
    uint64_t launches, exact; /* exact: those whose time comes from machine code */
    double seconds;           /* modeled, of all of them */
    double least, most;       /* between these lies the measured time of 9 kernels of 10 (sim_model_band) */
    double longest;
    const char *limiter; /* of the launch that took longest */
};
#define API_SUMMED_KERNELS 256
struct api_summary {
    const char *wanted; /* SIMCC_SUMMARY: "text", "json", and after a colon the file; NULL: none */
    struct api_kernel_sum kernels[API_SUMMED_KERNELS]; /* the first ones */
    int count;
    uint64_t unwatched, unlike; /* launches; see struct sim_result */
};

struct api_suppression {
    char *kind, *place; /* patterns */
};
struct api_suppressions {
    struct api_suppression *list;
    int count;
};

/* Whether it has the form that SIMCC_SUMMARY has. */
bool api_summary_known(const char *wanted);
void api_summary_add(const char *kernel, const struct sim_result *result);
/* To where SIMCC_SUMMARY says. */
void api_print_summary(void);

/* The number of the first line that is not understood; 0: there is none. */
int api_read_suppressions(FILE *file);
bool api_is_suppressed(const struct sim_hazard *hazard);

#endif
