/*
 * The accesses of a launch that must not happen. Where hazards are looked for, the launch goes on after one: what is
 * loaded there is poison, what is stored there is lost, and races behind it are still found. The launch fails all the
 * same, with the status of the first fault.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/types.h"

#define POISON_BYTE     0xFF /* a NaN, -1, an address where nothing lies */
#define FAULT_PLACES    32   /* instructions whose faults are reported, once each */
#define POISONED_GROUPS 64

struct fault_log {
    enum sim_status status; /* of the first fault; SIM_OK: there was none */
    char message[1024];
    int pcs[FAULT_PLACES];
    int count;
    /* Lanes that have loaded poison: their later faults follow from it, and are not reported. */
    struct poisoned_group {
        uint64_t block;
        unsigned warp;
        uint32_t lanes;
    } poisoned[POISONED_GROUPS];
    int poisoned_count; /* POISONED_GROUPS: more than that, and no later fault is reported */
};

static inline bool fault_is_reported(const struct fault_log *log, int pc, uint64_t block, unsigned warp,
                                     int lane)
{
    bool reported = log->count == FAULT_PLACES || log->poisoned_count == POISONED_GROUPS;
    for (int i = 0; i < log->count; i++)
        reported |= log->pcs[i] == pc;
    for (int i = 0; i < log->poisoned_count; i++)
        reported |= log->poisoned[i].block == block && log->poisoned[i].warp == warp &&
                    (log->poisoned[i].lanes >> lane & 1);
    return reported;
}

static inline void fault_note_poison(struct fault_log *log, uint64_t block, unsigned warp, uint32_t lanes)
{
    for (int i = 0; i < log->poisoned_count; i++)
        if (log->poisoned[i].block == block && log->poisoned[i].warp == warp) {
            log->poisoned[i].lanes |= lanes;
            return;
        }
    if (log->poisoned_count < POISONED_GROUPS)
        log->poisoned[log->poisoned_count++] = (struct poisoned_group){block, warp, lanes};
}
