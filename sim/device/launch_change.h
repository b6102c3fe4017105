/*
 * What if a launch had been another? A host of the simulator first lets the program run while its launches are noted,
 * and then again and again, each time with one change of the launches of one line: more blocks, other threads.
 */
#ifndef SIM_LAUNCH_CHANGE_H
#define SIM_LAUNCH_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/types.h"

enum sim_launch_change_kind {
    SIM_LAUNCH_UNCHANGED,
    SIM_LAUNCH_BLOCKS,      /* `number` times as many blocks along axis `at` (0 is x) */
    SIM_LAUNCH_BLOCKS_MORE, /* `number` more blocks along axis `at` */
    SIM_LAUNCH_BLOCK_FLAT,  /* a block of several rows has one, of all its threads */
    SIM_LAUNCH_THREADS,     /* `number` threads per block, in x */
    SIM_LAUNCH_SHARED,      /* `number` bytes of dynamic shared memory */
    SIM_LAUNCH_CHANGES
};

struct sim_launch_change {
    enum sim_launch_change_kind kind;
    char file[64]; /* without folders */
    int line;
    int at;
    int64_t number;
};

#define SIM_SEEN_LAUNCHES 8

/* A launch of the program, as it stands there. */
struct sim_seen_launch {
    char file[192];
    int line; /* of the launch; 0: not known */
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
};

/* From now on launches are noted, and those that the change is about are made with it; NULL: no longer. */
void sim_change_launches(const struct sim_launch_change *change);
/* Those noted since then, the first ones. Valid until the next call of sim_change_launches. */
int sim_seen_launches(const struct sim_seen_launch **list);

#endif
