/* What a report of a hazard says: who files one fills it in, sim/hazard keeps it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/types.h"

enum sim_hazard_class {
    SIM_HAZARD_OUT_OF_BOUNDS,
    SIM_HAZARD_USE_AFTER_FREE,
    SIM_HAZARD_MISALIGNED,
    SIM_HAZARD_UNINITIALIZED,
    SIM_HAZARD_RACE_SHARED,
    SIM_HAZARD_RACE_GLOBAL,
    SIM_HAZARD_BARRIER,   /* threads of a block at different barriers, or exited before one */
    SIM_HAZARD_WARP_MASK, /* a sync, vote or shuffle whose mask is wrong */
    SIM_HAZARD_DEADLOCK,
    SIM_HAZARD_READ_ONLY,   /* store to constant memory or a const symbol */
    SIM_HAZARD_RACE_STREAM, /* work of streams, or of a graph's branches, that nothing orders */
    SIM_HAZARD_RACE_HOST,   /* the host touches memory before it has waited for the device's work on it */
    SIM_HAZARD_VOLATILE,    /* volatile accesses that nothing orders: no race in PTX, but one in CUDA C++ */
    SIM_HAZARD_ENDLESS,     /* a loop that cannot end, whatever other threads do */
    SIM_HAZARD_NO_VALUE,    /* a local variable is used before it has a value */
    SIM_HAZARD_DIVISION,    /* the result of an integer division by 0 is used */
    SIM_HAZARD_ONE_ADDRESS, /* unsized shared arrays, which all begin at one address: what one holds, another overwrites */
};

/* What is known of a hazard beyond its class. */
enum sim_hazard_detail {
    SIM_DETAIL_NONE,
    SIM_DETAIL_NULL,   /* through a null pointer */
    SIM_DETAIL_THREAD, /* the index is the number of the thread in the grid, as for all lanes of the access */
    SIM_DETAIL_BLOCK,  /* the index is the number of the block, and the array has fewer elements */
    SIM_DETAIL_BLOCK_BYTES, /* the same of memory without a name: it may be too small */
    SIM_DETAIL_STORES,      /* both threads store, at the same line */
    SIM_DETAIL_UPDATE,      /* both read the old value, change it and store the new one */
    SIM_DETAIL_MAYBE_INDEX, /* no value; or the index is outside of the array */
    SIM_DETAIL_TURNS, /* a barrier stands between the two in one turn of a loop, none from one turn to the next */
    SIM_DETAIL_COUNT
};

enum sim_hazard_space {
    SIM_SPACE_OTHER,
    SIM_SPACE_GLOBAL,
    SIM_SPACE_SHARED,
    SIM_SPACE_LOCAL,
    SIM_SPACE_COUNT
};

struct sim_hazard_place {
    const char *file; /* "" where unknown */
    int line;
    struct sim_dim3 block, thread;
    bool is_write, is_atomic;
};

/* Of barriers and masks: who waits where, lane by lane; the lists are by warp of the block. */
struct sim_attendance {
    uint32_t threads;   /* of the block; 0: nothing is known */
    uint32_t here[32];  /* lanes that wait at `here` */
    uint32_t there[32]; /* … at another place */
    uint32_t ended[32]; /* … that have left the kernel */
    uint32_t warp,
        named; /* of a call with a mask: in which warp, and the lanes that the mask names; else 0 */
};

struct sim_hazard {
    enum sim_hazard_class class;
    const char *kernel;            /* demangled where cheap, else as in the PTX */
    struct sim_hazard_place here;  /* the access that made it a hazard */
    struct sim_hazard_place there; /* races: the earlier access; else there.line == 0 */
    bool within_warp;   /* races: both threads are lanes of one warp, in all pairs that were seen */
    bool parts_threads; /* some threads went past a barrier: what is in no order behind it comes of that */
    enum sim_hazard_detail detail;
    enum sim_hazard_space space;
    char array[80]; /* as messages name it, "d_x", "the allocation of student.cu:57"; "": not known */
    /* Where in the message a part begins that asks or advises, and its bytes: the rest are facts. 0: it has none. */
    uint16_t advice, advice_bytes;
    sim_addr address;
    char object[96];   /* "shared array s_y, byte 128 of 512", "allocation x (4000 bytes) …" */
    char message[768]; /* the whole report for people, ends without a newline */
    uint64_t count;    /* how often the same pair of lines did it */
    struct sim_attendance attendance;
};
