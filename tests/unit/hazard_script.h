/*
 * Little programs for the hazard detector: lists of warp-wide accesses and synchronizations, each a row of a table
 * (hazard_wrong.h, hazard_right.h), which test_hazard.c runs.
 */
#pragma once

#include "sim/hazard/hazard.h"

#define ALL    UINT32_MAX
#define LOW    0x0000FFFFu
#define HIGH   0xFFFF0000u
#define LANE   1u /* lane 0 alone */
#define SHARED PTX_SHARED
#define GLOBAL PTX_GLOBAL

enum op { END = 0, LOAD, STORE, ATOMIC, BARRIER, SYNC, FENCE, EXIT, BLOCK, BLOCK_END, LAUNCH, EXCHANGE };

enum value { BY_THREAD, SAME_VALUE }; /* what a store stores */

struct touch {
    enum op op;
    unsigned warp; /* BLOCK: the block; BARRIER: mask of warps, 0 for all; FENCE: see lanes */
    uint32_t lanes;
    enum ptx_space space;
    int size;
    uint64_t base;
    int64_t stride;
    int line;
    enum access_order order;
    enum value value;
    int scope; /* FENCE */
    bool narrow, polled, non_coherent, no_result, explicit_order;
};

/* A step for lanes of a warp: lane l at base + l * stride. */
#define LD(w, l, s, b, st, n)                                                                                \
    {                                                                                                        \
        .op = LOAD, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n         \
    }
#define ST(w, l, s, b, st, n)                                                                                \
    {                                                                                                        \
        .op = STORE, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n        \
    }
#define ATOM(w, l, s, b, st, n)                                                                              \
    {                                                                                                        \
        .op = ATOMIC, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,      \
        .order = ORDER_RELAXED                                                                               \
    }
#define LDN(w, l, s, z, b, st, n)                                                                            \
    {                                                                                                        \
        .op = LOAD, .warp = w, .lanes = l, .space = s, .size = z, .base = b, .stride = st, .line = n         \
    }
#define STN(w, l, s, z, b, st, n)                                                                            \
    {                                                                                                        \
        .op = STORE, .warp = w, .lanes = l, .space = s, .size = z, .base = b, .stride = st, .line = n        \
    }
#define ST_SAME(w, l, s, b, st, n)                                                                           \
    {                                                                                                        \
        .op = STORE, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,       \
        .value = SAME_VALUE                                                                                  \
    }
#define LD_AS(o, w, l, s, b, st, n)                                                                          \
    {                                                                                                        \
        .op = LOAD, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,        \
        .order = o                                                                                           \
    }
/* A volatile load that a loop waits for. */
#define LD_POLL(w, l, s, b, st, n)                                                                           \
    {                                                                                                        \
        .op = LOAD, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,        \
        .order = ORDER_VOLATILE, .polled = true                                                              \
    }
#define ST_AS(o, w, l, s, b, st, n)                                                                          \
    {                                                                                                        \
        .op = STORE, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,       \
        .order = o                                                                                           \
    }
#define EXCH(w, l, s, b, st, n)                                                                              \
    {                                                                                                        \
        .op = EXCHANGE, .warp = w, .lanes = l, .space = s, .size = 4, .base = b, .stride = st, .line = n,    \
        .order = ORDER_RELAXED                                                                               \
    }
#define BAR                                                                                                  \
    {                                                                                                        \
        .op = BARRIER                                                                                        \
    }
#define BAR_OF(warps)                                                                                        \
    {                                                                                                        \
        .op = BARRIER, .warp = warps                                                                         \
    }
#define WSYNC(w, l)                                                                                          \
    {                                                                                                        \
        .op = SYNC, .warp = w, .lanes = l                                                                    \
    }
#define FENCE_OF(w, l)                                                                                       \
    {                                                                                                        \
        .op = FENCE, .warp = w, .lanes = l, .scope = 1                                                       \
    }
#define FENCE_BLOCK(w, l)                                                                                    \
    {                                                                                                        \
        .op = FENCE, .warp = w, .lanes = l, .scope = 0                                                       \
    }
#define EXITS(w, l)                                                                                          \
    {                                                                                                        \
        .op = EXIT, .warp = w, .lanes = l                                                                    \
    }
#define IN(b)                                                                                                \
    {                                                                                                        \
        .op = BLOCK, .warp = b                                                                               \
    }
#define OUT                                                                                                  \
    {                                                                                                        \
        .op = BLOCK_END                                                                                      \
    }
#define NEW_LAUNCH                                                                                           \
    {                                                                                                        \
        .op = LAUNCH                                                                                         \
    }

enum { MAX_STEPS = 40, WARPS = 4, BLOCKS = 8 };

struct program {
    const char *what;
    bool unwritten; /* shared and global memory begin uninitialized */
    int report;     /* class + 1, or 0 */
    int here, there;
    struct touch steps[MAX_STEPS];
};

#define RACE_S (SIM_HAZARD_RACE_SHARED + 1)
#define RACE_G (SIM_HAZARD_RACE_GLOBAL + 1)
#define UNINIT (SIM_HAZARD_UNINITIALIZED + 1)
