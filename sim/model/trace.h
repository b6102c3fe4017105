/*
 * What the time model wants to know of some blocks of a launch, and not of all: how often each warp ran each operation,
 * and which lines of memory it asked for, in order. They are the blocks that one SM would hold at a time, from the middle
 * of the grid; and scouts, which lie all over the grid. Of all blocks it is noted how many operations they ran, and in
 * which part of the grid: so it is known whether the blocks in the middle are like the others (strata.h).
 *
 * Which blocks these are depends on the launch alone, and a block is run by one thread: what is noted is the same for
 * any number of host threads.
 */
#pragma once

#include "sim/core/access.h"
#include "sim/core/code.h"
#include "sim/core/config.h"
#include "sim/core/kernel.h"
#include "sim/model/reuse.h"

/*
 * One request's touch of one line of 128 bytes of global memory. From the lowest bit: 42 bits of the line's address, 4 of
 * its sectors, 14 of the operation, 2 of the kind; one if it belongs to the same request as the touch before.
 */
typedef uint64_t trace_touch;

#define TRACE_LINE_SHIFT     7
#define TRACE_CONSTANT_SHIFT 6 /* of struct trace_constants */
#define TRACE_CONSTANT_LINES 32

enum { TRACE_LOAD, TRACE_STORE, TRACE_ATOMIC, TRACE_BYPASS };

static inline uint64_t trace_line(trace_touch touch)
{
    return touch & ((UINT64_C(1) << 42) - 1);
}
static inline unsigned trace_sectors(trace_touch touch)
{
    return touch >> 42 & 15;
}
static inline int trace_op(trace_touch touch)
{
    return (int)(touch >> 46 & 0x3fff);
}
static inline unsigned trace_kind(trace_touch touch)
{
    return touch >> 60 & 3;
}
static inline bool trace_goes_on(trace_touch touch)
{
    return touch >> 62 & 1;
}

struct trace_warp {
    struct op_count *counts; /* [operations]: what the warp has run; inside trace_block.counts */
    trace_touch *touches;
    unsigned count, capacity;
    uint32_t constants[TRACE_CONSTANT_LINES]; /* lines, each plus 1, in the order in which they came */
    unsigned constant;                        /* place of the next one */
    bool full;                                /* touches behind the last one were not noted */
};

/* Of an operation's requests: turns that L1's banks need for their words, as for shared memory. */
struct trace_banks {
    uint32_t requests, wavefronts;
};

/*
 * Constants that warps read one after another, in lines of 64 bytes. The cache beside the issue slots holds 2 KiB
 * (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 3.4: L1 constant
 * cache): of a block, the reads whose line was not among the warp's last ones.
 */

struct trace_constants {
    uint64_t reads, missed;
};

struct trace_block {
    struct trace *trace;
    struct trace_warp *warps;
    struct op_count *counts;   /* [warps * operations] */
    struct trace_banks *banks; /* [operations] loads and stores through L1 */
    struct trace_constants constants;
    struct reuse *reuse;  /* NULL: out of memory */
    unsigned touches_max; /* of a warp */
    bool run, acts;       /* acts: it has changed global memory */
    uint64_t operations;  /* that its warps have run */
};

#define TRACE_SCOUTS  16
#define TRACE_WATCHED (32 + TRACE_SCOUTS)
#define TRACE_PARTS   32                /* of the grid, equal ones */
#define TRACE_SIZES   128               /* of blocks, by their operations: four sizes for each power of two */
#define TRACE_KINDS   (2 * TRACE_SIZES) /* the upper half: of those that change global memory */

/* Blocks that have ended, watched or not; atomic. */
struct trace_ended {
    uint64_t blocks, operations;
    uint32_t of_kind[TRACE_PARTS][TRACE_KINDS];
};

enum trace_noting { TRACE_EXACT, TRACE_DRAWN, TRACE_NOWHERE };

struct trace {
    uint64_t first, stride; /* the i-th block watched is number first + i * stride */
    int count;              /* … of so many; once strata_settle has chosen others, of those */
    int at_once;            /* blocks that are on the SM together, of those watched */
    int warps, operations;
    size_t shared;              /* bytes of a block's shared memory; 0 until it is known */
    struct trace_block *blocks; /* [allocated]: `count`, and TRACE_SCOUTS behind them */
    int allocated;
    uint64_t scouts[TRACE_SCOUTS]; /* numbers of the blocks behind those; UINT64_MAX: none */
    uint64_t grid;                 /* blocks of the launch */
    /* Blocks that have ended: those that stand for themselves; and, where a sample is run, those that were drawn. */
    struct trace_ended exact, drawn;
    enum trace_noting noting;
    uint64_t longest;      /* operations of the longest block that has ended; atomic */
    struct strata *strata; /* NULL: the blocks watched stand for all (strata.h) */
    double unlike;         /* of all operations, those of blocks unlike any that stands for them: a part */
};

/* Of a launch of `blocks` blocks, of which an SM holds `at_once`. NULL: out of memory. */
struct trace *trace_create(const struct sim_profile *profile, const struct code *code, uint64_t blocks,
                           int at_once, int warps);
void trace_destroy(struct trace *trace);

/* Only a sample of the blocks is run: no scouts from here on but those that trace_add_scout names before they run. */
void trace_sample_begins(struct trace *trace);
void trace_add_scout(struct trace *trace, uint64_t number);
/* Forgets which blocks have ended. */
void trace_forget(struct trace *trace);
/* Of a block that runs so many operations: 0 to TRACE_SIZES - 1. */
int trace_size_of(uint64_t operations);
/* 0 to TRACE_KINDS - 1; `acts`: it changes global memory. */
static inline int trace_kind_of(uint64_t operations, bool acts)
{
    return trace_size_of(operations) + (acts ? TRACE_SIZES : 0);
}

/* The place for block `number`, with nothing noted; NULL: it is not watched, or there is no memory for it. */
struct trace_block *trace_block_begin(struct trace *trace, uint64_t number);
/* A warp's access to memory. */
void trace_access(struct trace_block *block, unsigned warp, const struct access *access);
/* All threads of the block have come to a barrier. NULL: the block is not watched. */
void trace_barrier(struct trace_block *block);
/* Any block of the launch has ended, after so many operations; `acts`: it has changed global memory. */
void trace_note_end(struct trace *trace, uint64_t number, uint64_t operations, bool acts);
/* Adds what the block's warps have run to `counts` ([operations]). */
void trace_block_end(struct trace_block *block, struct op_count *counts, bool acts);
