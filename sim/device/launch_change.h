/*
 * What if a launch had been another? A host of the simulator first lets the program run while its launches are noted,
 * and then again and again, each time with one change of the launches of one line: more blocks, other arguments, none
 * of them at all.
 */
#ifndef SIM_LAUNCH_CHANGE_H
#define SIM_LAUNCH_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/types.h"

enum sim_launch_change_kind {
    SIM_LAUNCH_UNCHANGED,
    SIM_LAUNCH_BLOCKS_MORE,      /* `number` more blocks along axis `at` (0 is x) */
    SIM_LAUNCH_BLOCKS_TIMES,     /* … `number` times as many */
    SIM_LAUNCH_BLOCKS_PART,      /* … one in `number`, rounded up */
    SIM_LAUNCH_BLOCKS,           /* … just `number` */
    SIM_LAUNCH_GRID_AXES,        /* x and y of the grid change places */
    SIM_LAUNCH_BLOCK_AXES,       /* … of the block */
    SIM_LAUNCH_BLOCK_SQUARE,     /* a block of one row has as many rows as columns */
    SIM_LAUNCH_BLOCK_FLAT,       /* a block of several rows has one, of all its threads */
    SIM_LAUNCH_THREADS,          /* `number` threads per block, in x */
    SIM_LAUNCH_SHARED,           /* `number` bytes of dynamic shared memory */
    SIM_LAUNCH_EXCHANGE,         /* arguments `at` and `from` change places */
    SIM_LAUNCH_ARGUMENT,         /* argument `at` is what argument `from` is */
    SIM_LAUNCH_ARGUMENT_MORE,    /* argument `at`, of 4 bytes, is larger by `number` */
    SIM_LAUNCH_ARGUMENT_NUMBER,  /* argument `at` is `number` */
    SIM_LAUNCH_ARGUMENT_BLOCKS,  /* argument `at` is the number of blocks of this launch */
    SIM_LAUNCH_ARGUMENT_BEFORE,  /* … of the launch before it */
    SIM_LAUNCH_ARGUMENT_THREADS, /* … the number of threads per block */
    SIM_LAUNCH_NONE,             /* it is left out */
    SIM_LAUNCH_AFTER_NEXT,       /* it comes after the next launch instead of before it */
    SIM_LAUNCH_CHANGES
};

struct sim_launch_change {
    enum sim_launch_change_kind kind;
    char file[64]; /* without folders */
    int line;
    int at, from;
    int64_t number;
};

#define SIM_SEEN_LAUNCHES  8
#define SIM_SEEN_ARGUMENTS 12

/* A launch of the program, as it stands there. */
struct sim_seen_launch {
    char kernel[96]; /* as in the source */
    char file[192];
    int line; /* of the launch; 0: not known */
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    int argument_count; /* of all; the first SIM_SEEN_ARGUMENTS are below */
    struct sim_seen_argument {
        uint32_t size, type; /* bytes; enum ptx_type */
        bool is_pointer;     /* to memory of the device */
        uint64_t value;      /* the first 8 bytes */
    } argument[SIM_SEEN_ARGUMENTS];
};

/* From now on launches are noted, and those that the change is about are made with it; NULL: no longer. */
void sim_change_launches(const struct sim_launch_change *change);
/* Those noted since then, the first ones. Valid until the next call of sim_change_launches. */
int sim_seen_launches(const struct sim_seen_launch **list);

#endif
