/* The search, between origin_sweep.c, which goes through the recording, and origin_find.c, which puts the result together. */
#ifndef SIM_ORIGIN_SWEEP_H
#define SIM_ORIGIN_SWEEP_H

#include "sim/origin/origin_log.h"
#include "sim/origin/origin_wants.h"

#define ORIGIN_SITES 64

/* A place whose address is looked at: an instruction of a launch. */
struct origin_site {
    uint32_t launch;
    int pc;
    uint32_t uses; /* SIM_ORIGIN_TID_X … */
};

struct origin_found {
    enum sim_origin_kind kind;
    uint64_t address, bits;
    int size;
    uint32_t times;
    uint32_t entry; /* of the instruction that read it */
    int lane;
    int site; /* whose uses are its index's; -1: none */
};

struct origin_stored {
    uint32_t entry;
    int lane, site;
    bool is_atomic, has_value;
    uint64_t bits;
};

struct origin_sweep {
    struct origin_log *log;
    struct wants wants;
    uint64_t address; /* what was asked for */
    size_t size;
    struct origin_site sites[ORIGIN_SITES];
    int site_count;
    struct origin_found *found;
    size_t found_count, found_capacity;
    uint64_t store_count;
    struct origin_stored stored[SIM_ORIGIN_STORES];
    struct {
        int note;
        uint32_t entry;
    } steps[SIM_ORIGIN_STEPS];
    int step_count;
    uint32_t path[SIM_ORIGIN_PATH]; /* entries */
    int path_count;
    bool failed; /* out of memory */
};

/* Fills everything from `found` on; wants.failed or failed: out of memory. */
void origin_sweep_run(struct origin_sweep *sweep);

#endif
