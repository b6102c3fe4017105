/* What a launch's time goes into that another way of writing the kernel would spare: the dearest line, and its cost. */
#pragma once

#include <stdint.h>

enum sim_waste_kind {
    SIM_WASTE_NONE,
    SIM_WASTE_LOCAL,        /* an array that lies in local memory, figure: bytes per thread */
    SIM_WASTE_SPILLS,       /* registers that do not fit, figure: bytes per thread */
    SIM_WASTE_CONSTANTS,    /* lanes ask for different words, figure: words per request */
    SIM_WASTE_LOADS_APART,  /* figure: sectors per request, and at best */
    SIM_WASTE_STORES_APART, /* figure: the same */
    SIM_WASTE_CONFLICTS,    /* figure: wavefronts per request, and at best */
    SIM_WASTE_IDLE_LANES,   /* figure: idle lanes in percent; the line: of the branch that parts most warps */
    SIM_WASTE_DOUBLE,       /* arithmetic in double precision, figure: lanes of an SM for it, and for float */
    SIM_WASTE_ATOMICS_ONE,  /* on one address, figure: their number in all */
    SIM_WASTE_ATOMICS,      /* on few addresses of global memory, figure: their number in all */
    SIM_WASTE_SHARED_ATOMICS, /* figure: turns per request */
    SIM_WASTE_FEW_BLOCKS,     /* figure: blocks, SMs */
    SIM_WASTE_SMALL_BLOCKS,   /* figure: lanes of a block's warps, and those of them that have no thread */
    SIM_WASTE_FEW_WARPS,      /* figure: warps that an SM holds at a time, and can hold */
    SIM_WASTE_IDLE_WARPS,     /* blocks that end without a store, figure: percent of all warps */
    SIM_WASTE_AGAIN,          /* the same data loaded again and again, figure: times */
    SIM_WASTE_NARROW,         /* less than a word per lane, figure: bytes per lane, and of a word */
    SIM_WASTE_WAITS, /* for a load before anything else can go on, figure: percent of the warps' time */
    SIM_WASTES
};

struct sim_waste {
    enum sim_waste_kind kind;
    double seconds;   /* about what it costs, of the launch's modeled time */
    double figure[2]; /* see above */
    const char *file; /* belongs to the kernel's module; line 0: no line, it is the launch's shape */
    int line;
};
