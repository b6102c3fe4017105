/* One SM: how many blocks of a kernel it has room for, and what its warps do while the first ones run. */
#pragma once

#include <stdint.h>

enum sim_sm_room { SIM_SM_WARPS, SIM_SM_REGISTERS, SIM_SM_SHARED, SIM_SM_BLOCKS, SIM_SM_ROOMS };

struct sim_room {
    int32_t takes, of; /* a block; the SM has so many */
    int32_t fits;      /* blocks that this room would hold by itself; SIM_SM_NO_LIMIT: it is no limit */
};
#define SIM_SM_NO_LIMIT (1 << 30)

/* What a warp on the SM does: it waits for L2 or memory, for another result or a unit, for a barrier; else it works. */
enum sim_sm_doing { SIM_SM_WORKS, SIM_SM_MEMORY, SIM_SM_RESULT, SIM_SM_BARRIER, SIM_SM_DOINGS };

#define SIM_SM_SPANS 96

struct sim_sm {
    struct sim_room room[SIM_SM_ROOMS];
    int32_t blocks;            /* that fit: the least of what the rooms hold */
    int32_t threads;           /* of a block */
    int32_t registers, shared; /* of a thread; bytes of a block */
    /* In time, by the model of machine code: from the first block's start on. */
    int32_t spans; /* 0: not known */
    int32_t reserved;
    double seconds;       /* of a span */
    double bytes_in_time; /* that must be in flight to read at memory's full rate */
    /* Of each span, on average: */
    float doing[SIM_SM_DOINGS][SIM_SM_SPANS]; /* warps */
    float issued[SIM_SM_SPANS];               /* part of the issue slots that an instruction took */
    float bytes[SIM_SM_SPANS];                /* of loads on their way from L2 or memory */
};

/* Over all spans. */
double sim_sm_mean(const struct sim_sm *sm, const float row[SIM_SM_SPANS]);

/* ---- while it is recorded; `seconds` then has cycles ------------------------------------------------------- */

/* When to end: the blocks that fit have come and gone so often, or after so many cycles. */
#define SIM_SM_FILLINGS 4
#define SIM_SM_CYCLES   (128.0 * SIM_SM_SPANS)

void sm_begin(struct sim_sm *sm);
/* `amount` of it from one time to another one, in cycles. */
void sm_add(struct sim_sm *sm, float row[SIM_SM_SPANS], double from, double to, double amount);
/* All has been added, up to the time `end`. */
void sm_end(struct sim_sm *sm, double end, double clock_ghz);
