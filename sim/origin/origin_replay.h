/*
 * The recording of one block once more, forward, with a random number in place of each element of global memory:
 * registers and memory hold what the same additions and multiplications make of those numbers, in the field of the
 * integers modulo 2^61 - 1. Two values are the same formula of the same elements if their numbers are equal; that two
 * formulas have one number by chance is not to be feared (Schwartz, JACM 1980).
 */
#pragma once

#include "sim/origin/origin_log.h"
#include "sim/origin/origin_wants.h"

#define REPLAY_FIELD   ((UINT64_C(1) << 61) - 1)
#define REPLAY_UNKNOWN UINT64_MAX

/* A step of a number on its way through memory: where it was loaded or stored, or where it stands in the code. */
struct replay_hop {
    uint32_t entry, before; /* the step before this one; 0: there is none */
    uint64_t address;
    uint8_t lane, space, kind; /* enum access_kind; space 0: a number in the code */
};

struct replay_number {
    uint64_t value;
    uint32_t hop; /* from 1; 0: none */
};

/* A place in shared, local or global memory that the block has stored to. */
struct replay_cell {
    uint64_t address, value;
    uint32_t owner, space, size, hop; /* space 0: the place in the table is free */
};

struct replay;

/* What is told while the block runs; NULL: it is of no interest. */
struct replay_watch {
    void (*before)(struct replay *r, void *data); /* an entry is about to run */
    /* Of arithmetic, from these operands. */
    void (*result)(struct replay *r, int lane, struct replay_number number, const struct replay_number in[3],
                   void *data);
    /* Of a product: its two factors. */
    void (*product)(struct replay *r, int lane, struct replay_number a, struct replay_number b, void *data);
    /* Of a store, or what a load has brought from global or constant memory; `was`: what a store replaces. */
    void (*access)(struct replay *r, const struct replay_hop *hop, uint64_t value, uint64_t was, void *data);
    void *data;
};

struct replay {
    const struct origin_log *log;
    const struct origin_launch *launch;
    uint32_t first_warp; /* of the block */
    uint32_t size;       /* bytes of an element */
    struct replay_number *
        *registers; /* [warp of the block * WANTS_DEPTH + depth], of each register the lanes */
    int register_count;
    struct replay_cell *cells; /* hash */
    size_t cell_count, cell_capacity;
    struct replay_hop *hops; /* hops[0] is none */
    size_t hop_count, hop_capacity;
    uint32_t number; /* of the entry that runs */
    const struct origin_entry *entry;
    const struct origin_op *op;
    struct replay_watch watch;
    bool failed;
};

/* Runs the block that the warp belongs to, up to and without entry `end`. False: out of memory, or it takes too long. */
bool replay_run(struct replay *r, const struct origin_log *log, uint32_t warp, uint32_t end, uint32_t size,
                const struct replay_watch *watch);
void replay_destroy(struct replay *r);
/* What a register of the entry's warp holds. */
struct replay_number replay_register(const struct replay *r, int reg, int lane);

/* ---- origin_replay_memory.c ---------------------------------------------------------------------------- */

/* The number that stands for an element of global memory; sums and products. */
uint64_t replay_number_of(sim_addr address);
uint64_t replay_sum(uint64_t a, uint64_t b);
uint64_t replay_product(uint64_t a, uint64_t b);

/* Where the element stood from which the host has copied to this address, before that entry; the address itself if it has not. */
sim_addr replay_source(const struct origin_log *log, sim_addr address, uint32_t before);
uint32_t replay_owner(const struct replay *r, uint32_t space, uint32_t warp, int lane);
/* Whose memory a lane's is, in that space; what stands there, or NULL. */
struct replay_cell *replay_cell_at(const struct replay *r, uint32_t space, uint32_t owner, uint64_t address);
/* Stores a number; returns the one that was there. */
uint64_t replay_put(struct replay *r, uint32_t space, uint32_t owner, uint64_t address, uint32_t size,
                    struct replay_number number);
