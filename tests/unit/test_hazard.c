/*
 * The hazard detector without an interpreter. Two tables of little programs, each a list of warp-wide
 * accesses and synchronisations: wrong ones, which must be reported with class and lines, and right ones,
 * which must not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/hazard/hazard.h"
#include "sim_fixture.h"

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
    SYNC,
    FENCE,
    EXIT,
    BLOCK,
    BLOCK_END,
    LAUNCH,
    EXCHANGE,
    GRID
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
#define GRID_BARRIER                                                                                         \
    {                                                                                                        \
        .op = GRID                                                                                           \
    }

enum { MAX_STEPS = 40, WARPS = 4, BLOCKS = 8 };

struct program {
    const char *what;
    bool unwritten; /* shared and global memory begin uninitialised */
    int report;     /* class + 1, or 0 */
    int here, there;
    struct touch steps[MAX_STEPS];
};

#define RACE_S (SIM_HAZARD_RACE_SHARED + 1)
#define RACE_G (SIM_HAZARD_RACE_GLOBAL + 1)
#define UNINIT (SIM_HAZARD_UNINITIALISED + 1)

/* ---- wrong programs ------------------------------------------------------------------------------------ */

static const struct program wrong[] = {
    {"reduction without a barrier: written, then read by another warp",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 128, 4, 1), LD(0, ALL, SHARED, 128, 4, 2)}},
    {"tile overwritten while another warp may still read it",
     false,
     RACE_S,
     3,
     2,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, LD(1, ALL, SHARED, 0, 4, 2), ST(0, ALL, SHARED, 0, 4, 3)}},
    {"one word written by two warps",
     false,
     RACE_S,
     1,
     1,
     {ST(0, LANE, SHARED, 64, 0, 1), ST(1, LANE, SHARED, 64, 0, 1)}},
    {"lanes of one warp in different instructions, no warp sync",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), LD(0, LOW, SHARED, 64, 4, 2)}},
    {"warp sync of the wrong warp",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(1, ALL), LD(0, LOW, SHARED, 64, 4, 2)}},
    {"warp sync that leaves out the lanes that wrote",
     false,
     RACE_S,
     2,
     1,
     {ST(0, HIGH, SHARED, 0, 4, 1), WSYNC(0, LOW), LD(0, LOW, SHARED, 64, 4, 2)}},
    {"warp sync does not order warps",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(0, ALL), WSYNC(1, ALL), LD(1, ALL, SHARED, 0, 4, 2)}},
    {"write after reads by several warps, own warp among them",
     false,
     RACE_S,
     5,
     4,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, LD(0, ALL, SHARED, 0, 4, 2), LD(1, ALL, SHARED, 0, 4, 4),
      ST(0, ALL, SHARED, 0, 4, 5)}},
    {"write after reads by three warps, the writer's last",
     false,
     RACE_S,
     5,
     2,
     {BAR, LD(1, ALL, SHARED, 0, 4, 2), LD(2, ALL, SHARED, 0, 4, 2), LD(3, ALL, SHARED, 0, 4, 2),
      ST(3, ALL, SHARED, 0, 4, 5)}},
    {"a word that the whole warp reads is written by one of its lanes",
     false,
     RACE_S,
     3,
     2,
     {BAR, LD(0, ALL, SHARED, 40, 0, 2), ST(0, 1u << 7, SHARED, 40, 0, 3)}},
    {"lanes of one store to one word, different values", false, RACE_S, 1, 1, {ST(0, ALL, SHARED, 40, 0, 1)}},
    {"two lanes of one store collide among many that do not",
     false,
     RACE_S,
     1,
     1,
     {ST(0, ALL, SHARED, 1024, -4, 9), BAR, STN(0, 3, SHARED, 8, 0, 0, 1)}},
    {"double written, half of it read",
     false,
     RACE_S,
     2,
     1,
     {STN(0, ALL, SHARED, 8, 0, 8, 1), LD(1, ALL, SHARED, 4, 8, 2)}},
    {"float4 read, one word of it written",
     false,
     RACE_S,
     2,
     1,
     {LDN(0, ALL, SHARED, 16, 0, 16, 1), ST(1, LANE, SHARED, 500, 0, 2)}},
    {"bytes: neighbour's byte read",
     false,
     RACE_S,
     2,
     1,
     {STN(0, ALL, SHARED, 1, 0, 1, 1), LDN(1, LANE, SHARED, 1, 5, 0, 2)}},
    {"a byte of a word that another warp writes",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), STN(1, LANE, SHARED, 1, 18, 0, 2)}},
    {"counter cleared by a plain store, atomics by other warps, no barrier",
     false,
     RACE_S,
     2,
     1,
     {ST(0, LANE, SHARED, 0, 0, 1), ATOM(1, ALL, SHARED, 0, 0, 2)}},
    {"counter cleared by lane 0, atomics by its own warp",
     false,
     RACE_S,
     2,
     1,
     {ST(0, LANE, SHARED, 0, 0, 1), ATOM(0, ALL, SHARED, 0, 0, 2)}},
    {"histogram read before the atomics are over",
     false,
     RACE_S,
     3,
     2,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, ATOM(0, ALL, SHARED, 0, 4, 2), ATOM(1, ALL, SHARED, 0, 4, 2),
      LD(0, ALL, SHARED, 0, 4, 3)}},
    {"own atomic, other warp's plain read",
     false,
     RACE_S,
     3,
     2,
     {ATOM(1, LANE, SHARED, 0, 0, 2), LD(2, LANE, SHARED, 0, 0, 3)}},
    {"named barrier of warps 0 and 1, reader in warp 2",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR_OF(3), LD(2, ALL, SHARED, 0, 4, 2)}},
    {"named barrier, then the third warp's read is overwritten",
     false,
     RACE_S,
     3,
     2,
     {BAR, LD(0, ALL, SHARED, 0, 4, 1), LD(2, ALL, SHARED, 0, 4, 2), BAR_OF(3), ST(1, ALL, SHARED, 0, 4, 3)}},
    {"tile of 16 lanes synced, the other tile's word read",
     false,
     RACE_S,
     2,
     1,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(0, LOW), WSYNC(0, HIGH), LD(0, LOW, SHARED, 64, 4, 2)}},
    {"volatile between lanes of a warp, as before Volta",
     false,
     RACE_S,
     2,
     1,
     {ST_AS(ORDER_VOLATILE, 0, ALL, SHARED, 0, 4, 1), LD_AS(ORDER_VOLATILE, 0, LOW, SHARED, 64, 4, 2)}},
    {"flag by atomic, but no fence before it",
     false,
     RACE_S,
     4,
     1,
     {ST(0, LANE, SHARED, 0, 0, 1), ATOM(0, LANE, SHARED, 64, 0, 2), ATOM(1, LANE, SHARED, 64, 0, 3),
      LD(1, LANE, SHARED, 0, 0, 4)}},
    {"flag with a fence, data written after the fence",
     false,
     RACE_S,
     4,
     1,
     {FENCE_BLOCK(0, LANE), ST(0, LANE, SHARED, 0, 0, 1), ATOM(0, LANE, SHARED, 64, 0, 2),
      ATOM(1, LANE, SHARED, 64, 0, 3), LD(1, LANE, SHARED, 0, 0, 4)}},
    {"lock taken by one lane, its neighbour enters as well",
     false,
     RACE_S,
     5,
     1,
     {ST(0, LANE, SHARED, 0, 0, 1), FENCE_BLOCK(0, LANE), ATOM(0, LANE, SHARED, 64, 0, 2),
      ATOM(1, LANE, SHARED, 64, 0, 3), LD(1, 2, SHARED, 0, 0, 5)}},
    {"double buffering with one barrier too few",
     false,
     RACE_S,
     13,
     12,
     {ST(0, ALL, SHARED, 0, 4, 10), BAR, LD(1, ALL, SHARED, 0, 4, 11), ST(0, ALL, SHARED, 128, 4, 11), BAR,
      LD(1, ALL, SHARED, 128, 4, 12), ST(0, ALL, SHARED, 128, 4, 13)}},

    {"y[0] += s by several blocks",
     false,
     RACE_G,
     1,
     2,
     {IN(0), LD(0, LANE, GLOBAL, 0, 0, 1), ST(0, LANE, GLOBAL, 0, 0, 2), OUT, IN(1),
      LD(0, LANE, GLOBAL, 0, 0, 1), ST(0, LANE, GLOBAL, 0, 0, 2), OUT}},
    {"different blocks write different values to one place",
     false,
     RACE_G,
     1,
     1,
     {IN(0), ST(0, LANE, GLOBAL, 64, 0, 1), OUT, IN(1), ST(0, LANE, GLOBAL, 64, 0, 1), OUT}},
    {"halo read from what another block overwrites",
     false,
     RACE_G,
     3,
     2,
     {IN(0), LD(0, ALL, GLOBAL, 4, 4, 2), ST(0, ALL, GLOBAL, 0, 4, 3), OUT, IN(1),
      LD(0, ALL, GLOBAL, 132, 4, 2), ST(0, ALL, GLOBAL, 128, 4, 3), OUT}},
    {"global memory inside a block, no barrier",
     false,
     RACE_G,
     2,
     1,
     {ST(0, ALL, GLOBAL, 0, 4, 1), LD(1, ALL, GLOBAL, 0, 4, 2)}},
    {"global reduction in place, no barrier between steps",
     false,
     RACE_G,
     3,
     1,
     {LD(1, ALL, GLOBAL, 128, 4, 1), BAR, LD(0, ALL, GLOBAL, 128, 4, 1), ST(1, ALL, GLOBAL, 128, 4, 3)}},
    {"atomics of one block, plain read by another",
     false,
     RACE_G,
     2,
     1,
     {IN(0), ATOM(0, ALL, GLOBAL, 0, 0, 1), OUT, IN(1), LD(0, LANE, GLOBAL, 0, 0, 2), OUT}},
    {"plain write among atomics",
     false,
     RACE_G,
     2,
     1,
     {IN(0), ATOM(0, LANE, GLOBAL, 0, 0, 1), OUT, IN(1), ST(0, LANE, GLOBAL, 0, 0, 2), OUT}},
    {"last block without __threadfence",
     false,
     RACE_G,
     3,
     1,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      ST(0, LANE, GLOBAL, 4, 0, 1), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, LD(0, LANE, GLOBAL, 0, 4, 3),
      OUT}},
    {"counter set back by a block that has not counted",
     false,
     RACE_G,
     3,
     1,
     {IN(0), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 1), OUT, IN(1), FENCE_OF(0, LANE),
      ST(0, LANE, GLOBAL, 512, 0, 3), OUT}},
    {"last block, fence reaches only the block",
     false,
     RACE_G,
     3,
     1,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), FENCE_BLOCK(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      FENCE_BLOCK(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, LD(0, LANE, GLOBAL, 0, 4, 3), OUT}},
    {"last block: only thread 0 is behind the fence, others' data not",
     false,
     RACE_G,
     3,
     1,
     {IN(0), ST(1, ALL, GLOBAL, 0, 4, 1), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, LD(0, ALL, GLOBAL, 0, 4, 3), OUT}},
    {"last block, the flag is another variable",
     false,
     RACE_G,
     3,
     1,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 516, 0, 2), BAR, LD(0, LANE, GLOBAL, 0, 4, 3), OUT}},
    {"plain flag polled by another block",
     false,
     RACE_G,
     2,
     1,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), OUT, IN(1), LD(0, LANE, GLOBAL, 0, 0, 2), OUT}},
    {"after three readers from three blocks one of them writes",
     false,
     RACE_G,
     9,
     1,
     {IN(0), LD(0, ALL, GLOBAL, 0, 4, 1), IN(1), LD(0, ALL, GLOBAL, 0, 4, 1), IN(2),
      LD(0, ALL, GLOBAL, 0, 4, 1), IN(1), BAR, ST(0, ALL, GLOBAL, 0, 4, 9)}},
    {"bytes of one image row by two blocks, one overlaps",
     false,
     RACE_G,
     2,
     1,
     {IN(0), STN(0, ALL, GLOBAL, 1, 0, 1, 1), OUT, IN(1), STN(0, ALL, GLOBAL, 1, 31, 1, 2), OUT}},
    {"halves: a block reads its neighbour's",
     false,
     RACE_G,
     2,
     1,
     {IN(0), STN(0, ALL, GLOBAL, 2, 0, 2, 1), OUT, IN(1), LDN(0, ALL, GLOBAL, 2, 62, 2, 2), OUT}},
    {"the race is still found when both blocks live at once",
     false,
     RACE_G,
     2,
     1,
     {IN(0), ST(0, ALL, GLOBAL, 0, 4, 1), IN(1), BAR, BAR, IN(0), BAR, IN(1), LD(0, ALL, GLOBAL, 0, 4, 2)}},

    {"global memory that nobody has written", true, UNINIT, 1, 0, {LD(0, ALL, GLOBAL, 0, 4, 1)}},
    {"copy too short by one element",
     true,
     UNINIT,
     2,
     0,
     {ST(0, 0x7FFFFFFF, GLOBAL, 0, 4, 1), BAR, LD(0, ALL, GLOBAL, 0, 4, 2)}},
    {"shared memory read before it is filled", true, UNINIT, 1, 0, {LD(0, ALL, SHARED, 0, 4, 1)}},
    {"shared tile filled by a block that is smaller than it",
     true,
     UNINIT,
     3,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 128, 4, 1), BAR, LD(0, ALL, SHARED, 0, 16, 3)}},
    {"atomicAdd on a shared counter that nobody cleared",
     true,
     UNINIT,
     1,
     0,
     {ATOM(0, ALL, SHARED, 0, 0, 1)}},
    {"shared memory does not last from block to block",
     true,
     UNINIT,
     2,
     0,
     {IN(0), ST(0, ALL, SHARED, 0, 4, 1), OUT, IN(1), LD(0, ALL, SHARED, 0, 4, 2), OUT}},
    {"local array read before it is written",
     true,
     UNINIT,
     2,
     0,
     {ST(0, ALL, PTX_LOCAL, 0, 0, 1), LD(0, ALL, PTX_LOCAL, 4, 0, 2)}},
    {"local array that only some lanes have written",
     true,
     UNINIT,
     2,
     0,
     {ST(0, LOW, PTX_LOCAL, 0, 0, 1), LD(0, ALL, PTX_LOCAL, 0, 0, 2)}},
};

/* ---- right programs ------------------------------------------------------------------------------------ */

static const struct program right[] = {
    {"each thread its own word",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), LD(0, ALL, SHARED, 0, 4, 2), ST(0, ALL, SHARED, 0, 4, 3),
      ST(1, ALL, SHARED, 128, 4, 1), LD(1, ALL, SHARED, 128, 4, 2)}},
    {"reduction with barriers",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 128, 4, 1), BAR, LD(0, ALL, SHARED, 128, 4, 2),
      LD(0, ALL, SHARED, 0, 4, 2), ST(0, ALL, SHARED, 0, 4, 3), BAR, LD(0, LOW, SHARED, 64, 4, 2),
      LD(0, LOW, SHARED, 0, 4, 2), ST(0, LOW, SHARED, 0, 4, 3), BAR}},
    {"tree inside a warp with __syncwarp",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(0, ALL), LD(0, LOW, SHARED, 64, 4, 2), LD(0, LOW, SHARED, 0, 4, 2),
      ST(0, LOW, SHARED, 0, 4, 3), WSYNC(0, ALL), LD(0, 0xFF, SHARED, 32, 4, 2), ST(0, 0xFF, SHARED, 0, 4, 3),
      WSYNC(0, ALL), LD(0, 0xF, SHARED, 16, 4, 2), ST(0, 0xF, SHARED, 0, 4, 3)}},
    {"tree inside a warp, sync of the lanes that go on",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(0, ALL), LD(0, LOW, SHARED, 64, 4, 2), ST(0, LOW, SHARED, 0, 4, 3),
      WSYNC(0, LOW), LD(0, 0xFF, SHARED, 32, 4, 2), ST(0, 0xFF, SHARED, 0, 4, 3), WSYNC(0, 0xFF),
      LD(0, 0xF, SHARED, 16, 4, 2), ST(0, 0xF, SHARED, 0, 4, 3)}},
    {"two tiles of 16 lanes, each in its own half",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), WSYNC(0, LOW), LD(0, LOW, SHARED, 60, -4, 2), WSYNC(0, HIGH),
      LD(0, HIGH, SHARED, 64 + 31 * 4, -4, 2)}},
    {"knowledge passes from lane to lane by chained syncs",
     false,
     0,
     0,
     0,
     {ST(0, 1u << 3, SHARED, 0, 0, 1), WSYNC(0, 3u << 3), WSYNC(0, 3u << 4),
      LD(0, 1u << 5, SHARED, 0, 0, 2)}},
    {"reader, sync in pairs, writer: only the pair's reads matter",
     false,
     0,
     0,
     0,
     {BAR, LD(0, 1u << 3, SHARED, 0, 0, 1), WSYNC(0, 3u << 3), LD(0, 1u << 5, SHARED, 0, 0, 2),
      WSYNC(0, 3u << 4), ST(0, 1u << 4, SHARED, 0, 0, 3)}},
    {"double buffering with both barriers",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, LD(1, ALL, SHARED, 0, 4, 2), ST(0, ALL, SHARED, 128, 4, 3), BAR,
      LD(1, ALL, SHARED, 128, 4, 2), ST(0, ALL, SHARED, 0, 4, 3), BAR, LD(1, ALL, SHARED, 0, 4, 2)}},
    {"tiles of a matrix product, 32 x 32, two warps' rows",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 128, 4, 1), BAR, LD(0, ALL, SHARED, 0, 0, 2),
      LD(0, ALL, SHARED, 128, 4, 3), LD(1, ALL, SHARED, 132, 0, 2), LD(1, ALL, SHARED, 128, 4, 3),
      LD(2, ALL, SHARED, 128, 4, 3), LD(3, ALL, SHARED, 128, 4, 3), LD(0, ALL, SHARED, 128, 4, 3), BAR,
      ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 128, 4, 1)}},
    {"everybody reads one word",
     false,
     0,
     0,
     0,
     {ST(0, LANE, SHARED, 0, 0, 1), BAR, LD(0, ALL, SHARED, 0, 0, 2), LD(1, ALL, SHARED, 0, 0, 2),
      LD(2, ALL, SHARED, 0, 0, 2), BAR, ST(3, LANE, SHARED, 0, 0, 1)}},
    {"transpose through a padded tile",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), ST(1, ALL, SHARED, 132, 4, 1), BAR, LD(0, ALL, SHARED, 0, 132, 2),
      LD(1, ALL, SHARED, 4, 132, 2)}},
    {"all lanes store the same value to one word", false, 0, 0, 0, {ST_SAME(0, ALL, SHARED, 40, 0, 1)}},
    {"several warps set the same flag to the same value",
     false,
     0,
     0,
     0,
     {ST_SAME(0, LANE, SHARED, 40, 0, 1), ST_SAME(1, LANE, SHARED, 40, 0, 1),
      ST_SAME(2, ALL, SHARED, 40, 0, 1)}},
    {"atomics on one counter by everybody, barrier, read",
     false,
     0,
     0,
     0,
     {ST(0, LANE, SHARED, 0, 0, 1), BAR, ATOM(0, ALL, SHARED, 0, 0, 2), ATOM(1, ALL, SHARED, 0, 0, 2),
      ATOM(2, ALL, SHARED, 0, 0, 2), BAR, LD(3, ALL, SHARED, 0, 0, 3)}},
    {"scattered atomics, as in a histogram",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, ATOM(0, ALL, SHARED, 0, 0, 2), ATOM(1, ALL, SHARED, 64, -2 * 0, 2),
      ATOM(2, ALL, SHARED, 124, -4, 2), BAR, LD(0, ALL, SHARED, 0, 4, 3), ST(0, ALL, SHARED, 0, 4, 4)}},
    {"bytes: each thread its own",
     false,
     0,
     0,
     0,
     {STN(0, ALL, SHARED, 1, 0, 1, 1), STN(1, ALL, SHARED, 1, 32, 1, 1), LDN(0, ALL, SHARED, 1, 0, 1, 2), BAR,
      LD(2, 0xF, SHARED, 0, 4, 3)}},
    {"words first, bytes later, barrier between",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, STN(1, ALL, SHARED, 1, 0, 1, 2), BAR, LD(0, ALL, SHARED, 0, 4, 3)}},
    {"doubles and float4 of their own",
     false,
     0,
     0,
     0,
     {STN(0, ALL, SHARED, 8, 0, 8, 1), STN(1, ALL, SHARED, 16, 512, 16, 1), LDN(0, ALL, SHARED, 8, 0, 8, 2),
      LDN(1, ALL, SHARED, 16, 512, 16, 2), BAR, LDN(2, ALL, SHARED, 16, 0, 16, 3)}},
    {"a word that the warp reads, synced, then one lane writes it",
     false,
     0,
     0,
     0,
     {BAR, LD(0, ALL, SHARED, 40, 0, 2), WSYNC(0, ALL), ST(0, 1u << 7, SHARED, 40, 0, 3)}},
    {"named barrier between the two warps concerned",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR_OF(3), LD(1, ALL, SHARED, 0, 4, 2), ST(2, ALL, SHARED, 256, 4, 1),
      BAR_OF(12), LD(3, ALL, SHARED, 256, 4, 2)}},
    {"named barriers in a chain",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR_OF(3), BAR_OF(6), LD(2, ALL, SHARED, 0, 4, 2), BAR_OF(12),
      ST(3, ALL, SHARED, 0, 4, 3)}},
    {"lanes that have ended do not hold up the warp's syncs",
     false,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), EXITS(0, HIGH), WSYNC(0, LOW), LD(0, LOW, SHARED, 64, 4, 2)}},
    {"a warp that has ended does not hold up the block's barrier",
     false,
     0,
     0,
     0,
     {ST(3, ALL, SHARED, 0, 4, 1), EXITS(3, ALL), BAR_OF(7), LD(0, ALL, SHARED, 0, 4, 2)}},
    {"volatile flag between warps, with fences",
     false,
     0,
     0,
     0,
     {ST(0, LANE, SHARED, 0, 0, 1), FENCE_BLOCK(0, LANE), ST_AS(ORDER_VOLATILE, 0, LANE, SHARED, 64, 0, 2),
      LD_POLL(1, LANE, SHARED, 64, 0, 3), FENCE_BLOCK(1, LANE), LD(1, LANE, SHARED, 0, 0, 4)}},
    {"lock: one lane after the other in the critical section",
     false,
     0,
     0,
     0,
     {ATOM(0, LANE, SHARED, 64, 0, 1), LD(0, LANE, SHARED, 0, 0, 2), ST(0, LANE, SHARED, 0, 0, 3),
      FENCE_BLOCK(0, LANE), ATOM(0, LANE, SHARED, 64, 0, 4), ATOM(1, 2, SHARED, 64, 0, 1), FENCE_BLOCK(1, 2),
      LD(1, 2, SHARED, 0, 0, 2), ST(1, 2, SHARED, 0, 0, 3), FENCE_BLOCK(1, 2), ATOM(1, 2, SHARED, 64, 0, 4),
      ATOM(0, 4, SHARED, 64, 0, 1), FENCE_BLOCK(0, 4), LD(0, 4, SHARED, 0, 0, 2), ST(0, 4, SHARED, 0, 0, 3)}},
    {"lock taken by lane 0 for its warp",
     false,
     0,
     0,
     0,
     {ATOM(0, LANE, SHARED, 64, 0, 1), WSYNC(0, ALL), LD(0, ALL, SHARED, 128, 4, 2),
      ST(0, ALL, SHARED, 128, 4, 3), WSYNC(0, ALL), FENCE_BLOCK(0, LANE), ATOM(0, LANE, SHARED, 64, 0, 4),
      ATOM(1, LANE, SHARED, 64, 0, 1), WSYNC(1, ALL), LD(1, ALL, SHARED, 128, 4, 2),
      ST(1, ALL, SHARED, 128, 4, 3)}},
    {"release store and acquire load",
     false,
     0,
     0,
     0,
     {ST(0, LANE, SHARED, 0, 0, 1), ST_AS(ORDER_RELEASE, 0, LANE, SHARED, 64, 0, 2),
      LD_AS(ORDER_ACQUIRE, 1, LANE, SHARED, 64, 0, 3), LD(1, LANE, SHARED, 0, 0, 4)}},
    {"shared memory of the next block is new",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, ALL, SHARED, 0, 4, 1), OUT, IN(1), ST(1, ALL, SHARED, 0, 4, 1), OUT, IN(2),
      LD(2, ALL, SHARED, 0, 4, 1), OUT}},
    {"blocks that live at once do not share shared memory",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, ALL, SHARED, 0, 4, 1), IN(1), ST(1, ALL, SHARED, 0, 4, 1), IN(0),
      LD(0, ALL, SHARED, 0, 4, 2), IN(1), LD(1, ALL, SHARED, 0, 4, 2)}},

    {"each block its own part, read by all",
     false,
     0,
     0,
     0,
     {IN(0), LD(0, ALL, GLOBAL, 2048, 4, 1), ST(0, ALL, GLOBAL, 0, 4, 2), OUT, IN(1),
      LD(0, ALL, GLOBAL, 2048, 4, 1), ST(0, ALL, GLOBAL, 128, 4, 2), OUT, IN(2),
      LD(0, ALL, GLOBAL, 2044, 4, 1), LD(0, ALL, GLOBAL, 2048, 4, 1), ST(0, ALL, GLOBAL, 256, 4, 2), OUT}},
    {"in place, one thread an element",
     false,
     0,
     0,
     0,
     {IN(0), LD(0, ALL, GLOBAL, 0, 4, 1), ST(0, ALL, GLOBAL, 0, 4, 2), LD(0, ALL, GLOBAL, 0, 4, 3), OUT,
      IN(1), LD(0, ALL, GLOBAL, 128, 4, 1), ST(0, ALL, GLOBAL, 128, 4, 2), OUT}},
    {"reduction in global memory by halves, with barriers",
     false,
     0,
     0,
     0,
     {IN(0), LD(0, ALL, GLOBAL, 0, 4, 1), LD(0, ALL, GLOBAL, 128, 4, 1), ST(0, ALL, GLOBAL, 0, 4, 2), BAR,
      LD(0, LOW, GLOBAL, 0, 4, 1), LD(0, LOW, GLOBAL, 64, 4, 1), ST(0, LOW, GLOBAL, 0, 4, 2), BAR,
      LD(0, 0xFF, GLOBAL, 0, 4, 1), LD(0, 0xFF, GLOBAL, 32, 4, 1), ST(0, 0xFF, GLOBAL, 0, 4, 2), BAR, OUT,
      IN(1), LD(0, ALL, GLOBAL, 256, 4, 1), ST(0, ALL, GLOBAL, 256, 4, 2)}},
    {"atomics on one place from everywhere",
     false,
     0,
     0,
     0,
     {IN(0), ATOM(0, ALL, GLOBAL, 0, 0, 1), ATOM(1, ALL, GLOBAL, 0, 0, 1), OUT, IN(1),
      ATOM(0, ALL, GLOBAL, 0, 0, 1), OUT}},
    {"a new launch orders everything",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, ALL, GLOBAL, 0, 4, 1), OUT, NEW_LAUNCH, IN(1), LD(0, ALL, GLOBAL, 0, 4, 2), OUT,
      NEW_LAUNCH, IN(0), ST(1, ALL, GLOBAL, 0, 4, 3), OUT}},
    {"last block with __threadfence",
     false,
     0,
     0,
     0,
     {IN(0),
      ST(0, LANE, GLOBAL, 0, 0, 1),
      FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2),
      BAR,
      OUT,
      IN(1),
      ST(0, LANE, GLOBAL, 4, 0, 1),
      FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2),
      BAR,
      OUT,
      IN(2),
      ST(0, LANE, GLOBAL, 8, 0, 1),
      FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2),
      BAR,
      LD(0, 7, GLOBAL, 0, 4, 3),
      LD(1, 7, GLOBAL, 0, 4, 3),
      OUT}},
    {"last block sets the counter back by a plain store",
     false,
     0,
     0,
     0,
     {IN(0), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 1), OUT, IN(1), FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 1), ST(0, LANE, GLOBAL, 512, 0, 2), OUT}},
    {"last block of several sets the counter back",
     false,
     0,
     0,
     0,
     {IN(0), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, OUT, IN(1), FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, OUT, IN(2), FENCE_OF(0, LANE), ATOM(0, LANE, GLOBAL, 512, 0, 2),
      BAR, ST(0, LANE, GLOBAL, 512, 0, 3), OUT}},
    {"last block: all write, barrier, then thread 0 fences for all",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, ALL, GLOBAL, 0, 4, 1), ST(1, ALL, GLOBAL, 128, 4, 1), BAR, FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR,
      LD(2, ALL, GLOBAL, 0, 4, 3), LD(2, ALL, GLOBAL, 128, 4, 3), OUT}},
    {"last block: all write and fence, barrier, then thread 0 counts",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, ALL, GLOBAL, 0, 4, 1), FENCE_OF(0, ALL), ST(1, ALL, GLOBAL, 128, 4, 1), FENCE_OF(1, ALL),
      FENCE_OF(2, ALL), FENCE_OF(3, ALL), BAR, ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR, LD(2, ALL, GLOBAL, 0, 4, 3), LD(2, ALL, GLOBAL, 128, 4, 3),
      OUT}},
    {"last block: only those who write have a fence before the barrier",
     false,
     0,
     0,
     0,
     {IN(0), ST(1, ALL, GLOBAL, 128, 4, 1), FENCE_OF(1, ALL), FENCE_OF(0, LANE), BAR,
      ATOM(0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1), ATOM(0, LANE, GLOBAL, 512, 0, 2), BAR,
      LD(2, ALL, GLOBAL, 128, 4, 3), OUT}},
    {"decoupled look-back: flags and values, from block to block",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), FENCE_OF(0, LANE),
      ST_AS(ORDER_VOLATILE, 0, LANE, GLOBAL, 512, 0, 2), IN(1), LD_POLL(0, LANE, GLOBAL, 512, 0, 3),
      FENCE_OF(0, LANE), LD(0, LANE, GLOBAL, 0, 0, 4), ST(0, LANE, GLOBAL, 4, 0, 1), FENCE_OF(0, LANE),
      ST_AS(ORDER_VOLATILE, 0, LANE, GLOBAL, 516, 0, 2), IN(2), LD_POLL(0, LANE, GLOBAL, 516, 0, 3),
      FENCE_OF(0, LANE), WSYNC(0, ALL), LD(0, 3, GLOBAL, 0, 4, 4)}},
    {"grid barrier made of atomics",
     false,
     0,
     0,
     0,
     {IN(0),
      ST(1, ALL, GLOBAL, 0, 4, 1),
      BAR,
      FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2),
      IN(1),
      ST(1, ALL, GLOBAL, 128, 4, 1),
      BAR,
      FENCE_OF(0, LANE),
      ATOM(0, LANE, GLOBAL, 512, 0, 2),
      LD_POLL(0, LANE, GLOBAL, 512, 0, 3),
      FENCE_OF(0, LANE),
      BAR,
      LD(2, ALL, GLOBAL, 0, 4, 4),
      IN(0),
      LD_POLL(0, LANE, GLOBAL, 512, 0, 3),
      FENCE_OF(0, LANE),
      BAR,
      LD(2, ALL, GLOBAL, 128, 4, 4),
      ST(2, ALL, GLOBAL, 256, 4, 5)}},
    {"grid barrier that the interpreter knows of",
     false,
     0,
     0,
     0,
     {IN(0), ST(1, ALL, GLOBAL, 0, 4, 1), IN(1), ST(1, ALL, GLOBAL, 128, 4, 1), GRID_BARRIER,
      LD(2, ALL, GLOBAL, 0, 4, 4), IN(0), LD(2, ALL, GLOBAL, 128, 4, 4)}},
    {"spin lock between blocks",
     false,
     0,
     0,
     0,
     {IN(0), ATOM(0, LANE, GLOBAL, 512, 0, 1), LD(0, LANE, GLOBAL, 0, 0, 2), ST(0, LANE, GLOBAL, 0, 0, 3),
      FENCE_OF(0, LANE), EXCH(0, LANE, GLOBAL, 512, 0, 4), OUT, IN(1), ATOM(0, LANE, GLOBAL, 512, 0, 1),
      FENCE_OF(0, LANE), LD(0, LANE, GLOBAL, 0, 0, 2), ST(0, LANE, GLOBAL, 0, 0, 3), FENCE_OF(0, LANE),
      EXCH(0, LANE, GLOBAL, 512, 0, 4), OUT}},
    {"release and acquire by their names",
     false,
     0,
     0,
     0,
     {IN(0), ST(0, LANE, GLOBAL, 0, 0, 1), ST_AS(ORDER_RELEASE, 0, LANE, GLOBAL, 512, 0, 2), OUT, IN(1),
      LD_AS(ORDER_ACQUIRE, 0, LANE, GLOBAL, 512, 0, 3), LD(0, LANE, GLOBAL, 0, 0, 4), OUT}},
    {"bytes of an image: each thread its own, two blocks in one word",
     false,
     0,
     0,
     0,
     {IN(0), STN(0, 0x3FFFFFFF, GLOBAL, 1, 0, 1, 1), OUT, IN(1), STN(0, ALL, GLOBAL, 1, 30, 1, 1),
      LDN(0, ALL, GLOBAL, 1, 30, 1, 2), OUT}},
    {"halves in place",
     false,
     0,
     0,
     0,
     {IN(0), LDN(0, ALL, GLOBAL, 2, 2, 2, 1), STN(0, ALL, GLOBAL, 2, 2, 2, 2),
      LDN(1, ALL, GLOBAL, 2, 66, 2, 1), STN(1, ALL, GLOBAL, 2, 66, 2, 2), OUT}},
    {"all blocks set the same flag",
     false,
     0,
     0,
     0,
     {IN(0), ST_SAME(0, LANE, GLOBAL, 0, 0, 1), OUT, IN(1), ST_SAME(0, ALL, GLOBAL, 0, 0, 1), OUT}},

    {"global memory written by a kernel, read by the next",
     true,
     0,
     0,
     0,
     {ST(0, ALL, GLOBAL, 0, 4, 1), NEW_LAUNCH, LD(0, ALL, GLOBAL, 0, 4, 2)}},
    {"shared tile filled, then read",
     true,
     0,
     0,
     0,
     {ST(0, ALL, SHARED, 0, 4, 1), BAR, LD(1, ALL, SHARED, 0, 4, 2)}},
    {"exchange needs no old value",
     true,
     0,
     0,
     0,
     {EXCH(0, LANE, SHARED, 0, 0, 1), LD(0, LANE, SHARED, 0, 0, 2)}},
    {"local array written, then read",
     true,
     0,
     0,
     0,
     {ST(0, ALL, PTX_LOCAL, 0, 0, 1), ST(0, HIGH, PTX_LOCAL, 0, 1 * 0, 2), LD(0, ALL, PTX_LOCAL, 0, 0, 3)}},
};

/* ---- running them -------------------------------------------------------------------------------------- */

struct machine {
    struct fixture f;
    sim_addr x;
    struct block_view blocks[BLOCKS];
    bool alive[BLOCKS];
    int current;
    uint32_t values[32];
    uint32_t counter;
};

enum { X_BYTES = 4096 };

static void machine_open(struct machine *m, bool unwritten)
{
    memset(m, 0, sizeof *m);
    fixture_open(&m->f);
    m->f.shared_vars[0] = (struct kernel_variable){.name = "_ZZ6kernelPfE3s_a", .offset = 0, .size = 1024};
    m->x = sim_mem_alloc(&m->f.sim, X_BYTES, NULL);
    sim_mem_name(&m->f.sim, m->x, "x");
    if (!unwritten)
        sim_mem_mark_written(&m->f.sim, m->x, X_BYTES);
    m->current = -1;
    m->f.launch =
        (struct sim_launch){.kernel = &m->f.kernel, .grid = {BLOCKS, 1, 1}, .block = {WARPS * 32, 1, 1}};
    hazard_launch_begin(&m->f.sim, &m->f.launch);
}

static void leave_blocks(struct machine *m)
{
    for (int i = 0; i < BLOCKS; i++)
        if (m->alive[i])
            hazard_block_end(&m->blocks[i]);
    memset(m->alive, 0, sizeof m->alive);
    m->current = -1;
}

static void machine_close(struct machine *m)
{
    leave_blocks(m);
    hazard_launch_end(&m->f.sim);
    fixture_close(&m->f);
}

static void fill_shared(struct machine *m, struct block_view *b, bool unwritten)
{
    if (unwritten)
        return;
    struct touch fill = {.op = STORE, .lanes = LANE, .space = SHARED, .size = 16, .line = 399};
    for (uint64_t i = 0; i < FIXTURE_SHARED; i += 16) {
        struct access a = fixture_access(&m->f, ACCESS_STORE, SHARED, fill.size, LANE, i, 0, fill.line);
        memory_resolve(b, 0, &a, m->f.host, m->f.message);
        hazard_access(b, 0, &a, m->f.host);
    }
    hazard_block_barrier(b, 0, NULL);
}

static void enter(struct machine *m, int number, bool unwritten)
{
    m->current = number;
    if (m->alive[number])
        return;
    m->blocks[number] = fixture_block(&m->f, (unsigned)number, BLOCKS, WARPS * 32);
    m->alive[number] = true;
    hazard_block_begin(&m->blocks[number]);
    fill_shared(m, &m->blocks[number], unwritten);
}

static void run_access(struct machine *m, const struct touch *s)
{
    static const enum access_kind kinds[] = {
        [LOAD] = ACCESS_LOAD, [STORE] = ACCESS_STORE, [ATOMIC] = ACCESS_ATOMIC, [EXCHANGE] = ACCESS_ATOMIC};
    struct block_view *b = &m->blocks[m->current];
    uint64_t base = s->space == GLOBAL ? m->x + s->base : s->base;
    struct access a =
        fixture_access(&m->f, kinds[s->op], s->space, s->size, s->lanes, base, s->stride, s->line);
    a.order = s->order;
    a.narrow = s->narrow;
    a.polled = s->polled;
    a.non_coherent = s->non_coherent;
    a.no_result = s->no_result;
    a.is_ticket = a.kind == ACCESS_ATOMIC && a.order == ORDER_RELAXED && !s->explicit_order;
    a.is_exchange = s->op == EXCHANGE;
    m->counter++;
    for (int lane = 0; lane < 32; lane++)
        m->values[lane] = s->value == SAME_VALUE ? 77 : m->counter * 1000003u + (uint32_t)lane * 0x01010101u;
    a.value_stride = 4;
    for (int i = 0; i < 4; i++)
        a.value[i] = m->values;
    if (memory_resolve(b, s->warp, &a, m->f.host, m->f.message) != SIM_OK)
        fail_msg("the test's own access is wrong: %s", m->f.message);
    hazard_access(b, s->warp, &a, m->f.host);
    for (int lane = 0; a.kind == ACCESS_STORE && lane < 32; lane++)
        if (s->lanes >> lane & 1)
            for (int i = 0; i < s->size; i += a.element_size)
                memcpy(m->f.host[lane] + i, &m->values[lane], (size_t)a.element_size);
}

static void run_step(struct machine *m, const struct touch *s, bool unwritten)
{
    if (s->op != BLOCK && s->op != LAUNCH && m->current < 0)
        enter(m, 0, unwritten);
    struct block_view *b = m->current >= 0 ? &m->blocks[m->current] : NULL;
    uint32_t by_warp[32] = {0};
    switch (s->op) {
    case BARRIER:
        for (unsigned w = 0; w < WARPS; w++)
            by_warp[w] = s->warp >> w & 1 ? ALL : 0;
        hazard_block_barrier(b, 0, s->warp ? by_warp : NULL);
        break;
    case SYNC: hazard_warp_sync(b, s->warp, s->lanes); break;
    case FENCE: hazard_fence(b, s->warp, s->lanes, s->scope); break;
    case EXIT: hazard_exit(b, s->warp, s->lanes); break;
    case BLOCK: enter(m, (int)s->warp, unwritten); break;
    case BLOCK_END:
        hazard_block_end(b);
        m->alive[m->current] = false;
        m->current = -1;
        break;
    case LAUNCH:
        leave_blocks(m);
        hazard_launch_end(&m->f.sim);
        m->f.sim.launch_count++;
        hazard_launch_begin(&m->f.sim, &m->f.launch);
        break;
    case GRID: hazard_grid_barrier(&m->f.sim); break;
    default: run_access(m, s);
    }
}

static void run_program(struct machine *m, const struct program *p)
{
    for (int i = 0; i < MAX_STEPS && p->steps[i].op != END; i++)
        run_step(m, &p->steps[i], p->unwritten);
}

/* The expected report is there, and none of another class. */
static bool reported(struct machine *m, const struct program *p)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h), found = 0;
    for (int i = 0; i < count; i++) {
        if ((int)h[i].class + 1 != p->report)
            return false;
        found += h[i].here.line == p->here && h[i].there.line == p->there;
    }
    return found == 1;
}

static int complain(struct machine *m, const struct program *p, int turn)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h);
    print_error("%s (turn %d): %d reports\n", p->what, turn, count);
    for (int i = 0; i < count; i++)
        print_error("    class %d, lines %d and %d: %s\n", (int)h[i].class, h[i].here.line, h[i].there.line,
                    h[i].message);
    return 1;
}

static void wrong_programs_are_reported(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct program *p = &wrong[i];
        struct machine m;
        machine_open(&m, p->unwritten);
        for (int turn = 0; turn < 2; turn++) { /* again in a second launch: shadow is used again */
            if (turn && p->unwritten)
                break;
            sim_hazards_reset(&m.f.sim);
            run_program(&m, p);
            if (!reported(&m, p))
                failures += complain(&m, p, turn);
            run_step(&m, &(struct touch)NEW_LAUNCH, false);
        }
        machine_close(&m);
    }
    assert_int_equal(failures, 0);
}

static void right_programs_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const struct program *p = &right[i];
        struct machine m;
        machine_open(&m, p->unwritten);
        for (int turn = 0; turn < 3; turn++) {
            run_program(&m, p);
            const struct sim_hazard *h;
            if (sim_hazards(&m.f.sim, &h) != 0)
                fail_msg("%s: reported in turn %d: %s", p->what, turn, h->message);
            run_step(&m, &(struct touch)NEW_LAUNCH, false);
        }
        machine_close(&m);
    }
}

/* Of races within a warp and between warps at the same two lines, the latter is told, whichever comes first.
 */
static void the_race_between_warps_is_told(void **state)
{
    (void)state;
    static const struct program programs[] = {
        {.steps = {ST(0, ALL, SHARED, 0, 4, 1), LD(0, LOW, SHARED, 64, 4, 2), LD(1, ALL, SHARED, 0, 4, 2)}},
        {.steps = {ST(0, ALL, SHARED, 0, 4, 1), LD(1, ALL, SHARED, 0, 4, 2), LD(0, LOW, SHARED, 64, 4, 2)}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine m;
        const struct sim_hazard *h;
        machine_open(&m, false);
        run_program(&m, &programs[i]);
        assert_int_equal(sim_hazards(&m.f.sim, &h), 1);
        assert_int_equal(h->count, 2);
        assert_false(h->within_warp);
        assert_non_null(strstr(h->message, "No __syncthreads()"));
        machine_close(&m);
    }
}

/*
 * After 2^31 stamps the detector starts over in the middle of a launch: what was ordered stays without a report, and races
 * that come later are found. Two blocks live; one has a table of unusual synchronisation (a barrier of some warps).
 */
static void stamps_run_out(void **state)
{
    (void)state;
    static const struct touch before[] = {
        IN(1),     ST(2, ALL, GLOBAL, 1024, 4, 9), IN(0), WSYNC(0, LOW),
        BAR_OF(3), ST(0, ALL, SHARED, 0, 4, 1),    BAR,
    };
    static const struct touch after[] = {
        LD(1, ALL, SHARED, 0, 4, 2),  BAR,   ST(0, ALL, SHARED, 0, 4, 3), LD(1, ALL, SHARED, 0, 4, 4),
        ST(1, LANE, GLOBAL, 0, 4, 5), IN(1), LD(3, LANE, GLOBAL, 0, 4, 6)};
    struct machine m;
    const struct sim_hazard *h;
    machine_open(&m, false);
    struct hazards *hazards = m.f.sim.hazards;
    const stamp_t nearly = INT32_MAX - 16 * STAMPS_PER_CHUNK;
    hazards->next_stamp = hazards->launch_first = nearly;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        run_step(&m, &before[i], false);
    assert_true(hazards->next_stamp >= nearly);
    for (int i = 0; i < 20 * STAMPS_PER_CHUNK; i++)
        run_step(&m, &(struct touch)BAR, false);
    assert_true(hazards->next_stamp < nearly);
    run_step(&m, &after[0], false);
    run_step(&m, &after[1], false);
    assert_int_equal(sim_hazards(&m.f.sim, &h), 0);
    for (size_t i = 2; i < sizeof after / sizeof *after; i++)
        run_step(&m, &after[i], false);
    assert_int_equal(sim_hazards(&m.f.sim, &h), 2);
    assert_int_equal(h[0].class, SIM_HAZARD_RACE_SHARED);
    assert_int_equal(h[0].here.line, 4);
    assert_int_equal(h[0].there.line, 3);
    assert_int_equal(h[1].class, SIM_HAZARD_RACE_GLOBAL);
    assert_int_equal(h[1].here.line, 6);
    assert_int_equal(h[1].there.line, 5);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_programs_are_reported),
        cmocka_unit_test(the_race_between_warps_is_told),
        cmocka_unit_test(right_programs_are_not),
        cmocka_unit_test(stamps_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
