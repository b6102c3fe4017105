/*
 * The search, between origin_sweep.c, which goes through the recording, and origin_find.c, which puts the result
 * together.
 */
#pragma once

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
    uint32_t times, index, ways, minus, turned, crossed, used; /* as in struct register_want */
    uint32_t entry;                                            /* of the instruction that read it */
    int lane;
    uint32_t second; /* another one that read it, and its lane; ORIGIN_NONE: there is none */
    int second_lane;
    int site; /* whose uses are its index's; -1: none */
};

struct origin_stored {
    uint32_t entry;
    int lane, site;
    bool is_atomic, goes_in;
    const char *instruction;
};

/* A part of a sum that is taken by two instructions, or twice by one; the last such one. */
struct origin_fork {
    uint32_t maker; /* the entry that computed, loaded or stored it; ORIGIN_NONE: there is none */
    int lane;
    uint32_t user[2]; /* as origin_pair numbers them, the later one first */
    uint32_t join;    /* the first one into which it goes by way of both; 0: not known */
};

/* Who takes what a lane has at an entry, both as origin_pair numbers them; user 0: several do, or it is the end. */
struct origin_taken {
    uint32_t by, user;
};

#define ORIGIN_TAKEN_MOST (1 << 18)

struct origin_sweep {
    struct origin_log *log;
    struct wants wants;
    uint64_t address; /* what was asked for */
    size_t end;       /* as it was before this entry; 0: at the end of the recording */
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
    uint32_t computed; /* the last entry that had a part of the value in a register; ORIGIN_NONE: none did */
    struct origin_fork fork;
    struct origin_taken *taken; /* until a fork is found: the last one first */
    size_t taken_count;
    uint32_t path[SIM_ORIGIN_PATH]; /* entries */
    int path_count;
    bool failed; /* out of memory */
};

/* Fills everything from `sites` on; wants.failed or failed: out of memory. */
void origin_sweep_run(struct origin_sweep *sweep);

static inline uint32_t origin_entry_of_pair(uint32_t pair)
{
    return (pair - 1) / WARP_LANES;
}

/* ---- origin_find.c ------------------------------------------------------------------------------------- */

/* Where the instruction of an entry stands; the thread of a warp's lane; how often a lane ran an entry's instruction. */
struct sim_origin_place origin_place_of(const struct origin_log *log, uint32_t number);
struct sim_origin_thread origin_thread_of(const struct origin_log *log, uint32_t warp, int lane);
/* Where the host's call stands that returns to `caller`; valid until the next question. */
struct sim_origin_place origin_place_of_call(struct origin_log *log, const void *caller);
