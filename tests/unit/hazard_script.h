/*
 * Little programs for the hazard detector: lists of warp-wide accesses and synchronizations, each a row of a table
 * (hazard_wrong.h, hazard_right.h, test_hazard_order.c), which hazard_machine.h runs.
 */
#pragma once

#include "sim/hazard/hazard.h"

#define ALL    UINT32_MAX
#define LOW    0x0000FFFFu
#define HIGH   0xFFFF0000u
#define LANE   1u /* lane 0 alone */
#define SHARED PTX_SHARED
#define GLOBAL PTX_GLOBAL

enum op {
    END = 0,
    LOAD,
    STORE,
    ATOMIC,
    BARRIER,
    ARRIVE,
    SYNC,
    FENCE,
    EXIT,
    BLOCK,
    BLOCK_END,
    LAUNCH,
    EXCHANGE
};

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
    int scope;       /* FENCE */
    unsigned number; /* BARRIER, ARRIVE */
    bool narrow, polled, non_coherent, no_result, explicit_order;
};

#define STEP(...)                                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* An access by lanes of a warp, of z bytes each: lane l at base + l * stride. */
#define ACCESS(o, w, l, s, z, b, st, n, ...)                                                                 \
    STEP(.op = o, .warp = w, .lanes = l, .space = s, .size = z, .base = b, .stride = st, .line = n,          \
         ##__VA_ARGS__)
#define LDN(w, l, s, z, b, st, n)        ACCESS(LOAD, w, l, s, z, b, st, n)
#define STN(w, l, s, z, b, st, n)        ACCESS(STORE, w, l, s, z, b, st, n)
#define LD(w, l, s, b, st, n)            ACCESS(LOAD, w, l, s, 4, b, st, n)
#define ST(w, l, s, b, st, n)            ACCESS(STORE, w, l, s, 4, b, st, n)
#define LD_AS(order_, w, l, s, b, st, n) ACCESS(LOAD, w, l, s, 4, b, st, n, .order = order_)
#define ST_AS(order_, w, l, s, b, st, n) ACCESS(STORE, w, l, s, 4, b, st, n, .order = order_)
#define ST_SAME(w, l, s, b, st, n)       ACCESS(STORE, w, l, s, 4, b, st, n, .value = SAME_VALUE)
#define ATOM(w, l, s, b, st, n)          ACCESS(ATOMIC, w, l, s, 4, b, st, n, .order = ORDER_RELAXED)
#define EXCH(w, l, s, b, st, n)          ACCESS(EXCHANGE, w, l, s, 4, b, st, n, .order = ORDER_RELAXED)
/* A volatile load that a loop waits for. */
#define LD_POLL(w, l, s, b, st, n) ACCESS(LOAD, w, l, s, 4, b, st, n, .order = ORDER_VOLATILE, .polled = true)

#define BAR               STEP(.op = BARRIER)
#define BAR_OF(warps)     STEP(.op = BARRIER, .warp = warps)
#define WSYNC(w, l)       STEP(.op = SYNC, .warp = w, .lanes = l)
#define FENCE_OF(w, l)    STEP(.op = FENCE, .warp = w, .lanes = l, .scope = 1)
#define FENCE_BLOCK(w, l) STEP(.op = FENCE, .warp = w, .lanes = l, .scope = 0)
#define EXITS(w, l)       STEP(.op = EXIT, .warp = w, .lanes = l)
#define IN(b)             STEP(.op = BLOCK, .warp = b)
#define OUT               STEP(.op = BLOCK_END)
#define NEW_LAUNCH        STEP(.op = LAUNCH)

enum { MAX_STEPS = 40, WARPS = 4, BLOCKS = 40 };

struct program {
    const char *what;
    bool unwritten; /* shared and global memory begin uninitialized */
    int report;     /* class + 1, or 0 */
    int here, there;
    const char *cause; /* that the message has */
    struct touch steps[MAX_STEPS];
};

#define RACE_S (SIM_HAZARD_RACE_SHARED + 1)
#define RACE_G (SIM_HAZARD_RACE_GLOBAL + 1)
#define UNINIT (SIM_HAZARD_UNINITIALIZED + 1)

/* Rows: what it is, what must be reported, the steps. UNINITIALIZED, RIGHT_UNWRITTEN: memory begins unwritten. */
#define WRONG(text, class, reported, with, ...)                                                              \
    STEP(.what = text, .report = class, .here = reported, .there = with, .steps = {__VA_ARGS__})
#define UNINITIALIZED(text, reported, ...)                                                                   \
    STEP(.what = text, .unwritten = true, .report = UNINIT, .here = reported, .steps = {__VA_ARGS__})
#define RIGHT(text, ...)           STEP(.what = text, .steps = {__VA_ARGS__})
#define RIGHT_UNWRITTEN(text, ...) STEP(.what = text, .unwritten = true, .steps = {__VA_ARGS__})
