/* The recording: between the machine, which fills it, and the search. */
#pragma once

#include "sim/core/access.h"
#include "sim/core/code.h"
#include "sim/core/kernel.h"
#include "sim/origin/origin.h"
#include "sim/origin/origin_op.h"

#define ORIGIN_NONE UINT32_MAX

/* One instruction of a warp. */
struct origin_entry {
    uint32_t pc : 24, depth : 8; /* calls that were open */
    uint32_t lanes;
    uint32_t warp; /* its number, see struct origin_launch; ORIGIN_NONE: the host copies */
    uint32_t
        extra; /* copies: which one; accesses: the first of them; SELECT, BRANCH, SHUFFLE: in `extras`; else ORIGIN_NONE */
};

/* One access of an instruction, to one state space. */
struct origin_access {
    uint32_t kind : 2, space : 3, shape : 2, size : 5, element_size : 5;
    uint32_t lanes;
    uint32_t
        refused; /* of a compare and swap: lanes that found another value than expected and stored nothing */
    uint32_t next; /* access of the same instruction, or ORIGIN_NONE */
    uint64_t
        addresses; /* where they begin in `words`: 1 if uniform or contiguous, else one a lane that takes part */
};

/* A copy or fill by the host. */
struct origin_copy {
    sim_addr to, from; /* 0: the host's memory, or a fill */
    size_t size;
    const void *caller;
    uint32_t entry; /* of the recording */
};

struct origin_launch {
    struct sim_dim3 grid, block;
    const struct code *code;
    struct origin_op *ops;             /* [code->count], owned */
    char *kernel;                      /* owned */
    const void *caller;                /* of the host's launch, NULL: not known */
    void *callers[SIM_ORIGIN_CALLERS]; /* the calls around it */
    unsigned warps_per_block;
    uint32_t
        first_warp; /* number of the first warp of block 0; those of block b follow at b * warps_per_block */
    uint32_t warp_count;
};

/* Of a sum, product or quotient: in which lanes an operand is 0, or the result is NaN and no operand. */
struct origin_numbers {
    uint32_t entry;
    uint32_t lanes[3]; /* the first operand, the second one, the result */
};

struct origin_log {
    size_t bytes, bytes_max;
    bool full; /* from some point on nothing was recorded */
    struct origin_entry *entries;
    size_t entry_count, entry_capacity;
    struct origin_access *accesses;
    size_t access_count, access_capacity;
    uint64_t *words;
    size_t word_count, word_capacity;
    uint32_t *extras;
    size_t extra_count, extra_capacity;
    struct origin_numbers *numbers; /* by entry */
    size_t number_count, number_capacity;
    struct origin_copy *copies;
    size_t copy_count, copy_capacity;
    unsigned char *back; /* the first bytes that were copied to the host last */
    size_t back_count;
    struct origin_launch *launches;
    int launch_count, launch_capacity;
    uint32_t warp_count;
    const void *next_caller; /* of the next launch */
    void *next_callers[SIM_ORIGIN_CALLERS];
    char host_file[256];     /* of the last place of the host that was asked for, */
    int host_line;           /* its line, */
    const void *host_caller; /* and the call */
};

/* A launch begins; false: it cannot be recorded. */
bool origin_launch_begin(struct origin_log *log, const struct code *code, const struct sim_launch *request);
/* Is operand 0 or 1 of the operation number `entry` 0 in that lane? Number 2: is its result NaN, and no operand? */
bool origin_is_number(const struct origin_log *log, uint32_t entry, int which, int lane);
/* The number of a warp of the launch that began last. */
uint32_t origin_warp(const struct origin_log *log, uint64_t block, unsigned warp);
/* The warp's lanes are about to run the operation. */
void origin_note(struct origin_log *log, uint32_t warp, int pc, int depth, uint32_t lanes);
/*
 * A SELECT's predicate, or the lanes that take a BRANCH; a SHUFFLE's lanes, which may be more than were noted, and
 * where each reads: of the operation noted last.
 */
void origin_note_choice(struct origin_log *log, uint32_t chosen);
void origin_note_shuffle(struct origin_log *log, uint32_t lanes, const uint8_t source[WARP_LANES]);
/* Of the sum, product or quotient noted last: see struct origin_numbers. */
void origin_note_numbers(struct origin_log *log, const uint32_t zeros[2], uint32_t nans);
/* An access of the operation noted last. */
void origin_note_access(struct origin_log *log, const struct access *access);

/* Of the compare and swap noted last: the lanes that stored nothing. */
void origin_note_refused(struct origin_log *log, uint32_t lanes);

const struct origin_op *origin_op_at(const struct origin_log *log, int pc);

/* ---- for the search ------------------------------------------------------------------------------------ */

/* How many registers the function with the most of them has. */
int origin_registers(const struct code *code);
/* The launch that the warp belongs to. */
const struct origin_launch *origin_launch_of(const struct origin_log *log, uint32_t warp);
/* The access as it is handed on: origin_access.c. origin_lane_in: which lane of the warp is the thread; -1: none. */
void origin_take_access(const struct origin_log *log, const struct origin_entry *entry,
                        const struct origin_access *access, struct sim_origin_lanes *out);
int origin_lane_in(const struct origin_launch *launch, uint32_t warp, const struct sim_origin_thread *thread);
uint64_t origin_address(const struct origin_log *log, const struct origin_access *access, int lane);
