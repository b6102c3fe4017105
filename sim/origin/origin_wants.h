/*
 * What a search still looks for: registers of threads, and bytes of memory, each with the number of ways in which it
 * is wanted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/code.h"

/* The number of what a lane does at an entry, and the entry; not 0. UINT32_MAX: there is none so large. */
static inline uint32_t origin_pair(uint32_t entry, int lane)
{
    return entry < (UINT32_MAX - 1) / WARP_LANES - 1 ? entry * WARP_LANES + (unsigned)lane + 1 : UINT32_MAX;
}

/*
 * A register is wanted for its value, `times` times; because it chose the place that something was stored to, `index`
 * times; or because addresses depend on it: bit k of `sites` for the k-th of the places that are looked at (the last
 * one stands for all further ones).
 */
struct register_want {
    uint32_t times, index;
    uint32_t ways;   /* what is done with it on the way: SIM_ORIGIN_FACTOR … */
    uint32_t minus;  /* of `times`, those with the other sign */
    uint32_t turned; /* the entry that turned the sign of such a one, + 1; 0: none did */
    uint32_t
        crossed; /* the last one at which another thread got it: a shuffle, a load of shared memory; + 1; 0: none */
    uint32_t used;    /* the entry nearest to its load that made a sum or a product of it, + 1; 0: none did */
    uint32_t user[2]; /* who takes the value, the last one first, as origin_pair numbers them; 0: none */
    uint64_t sites;
};

/* Registers of a warp, at one depth of calls. */
struct register_wants {
    struct register_want *lane; /* [registers][WARP_LANES], NULL: none is wanted */
    int registers;
    int open; /* how many are */
};

#define WANTS_DEPTH 4 /* of calls; deeper ones are not followed */

struct warp_wants {
    uint32_t warp; /* its number, or ORIGIN_NONE */
    struct register_wants depth[WANTS_DEPTH];
};

/* Who wanted a byte first, seen from the end: the load to name. */
struct byte_reader {
    uint32_t entry;
    uint8_t lane, element_size;
    uint8_t offset; /* of the byte in the element */
    uint8_t site;
};

/* A byte of memory. owner: of shared memory the number of the block's first warp, of local memory warp * 32 + lane. */
struct byte_want {
    uint64_t address, owner;
    uint32_t space;        /* enum ptx_space; 0: the place is free */
    uint32_t times, index; /* both 0: was wanted, and found */
    uint32_t ways, minus, turned, crossed, used;
    struct byte_reader reader,
        second; /* second: another thread or instruction; entry ORIGIN_NONE: there is none */
};

struct wants {
    struct warp_wants *warps; /* hash, by number */
    size_t warp_capacity, warp_count;
    struct register_want *
        *spare; /* arrays of registers that none is wanted of: all zero, of spare_registers */
    int spare_count, spare_capacity, spare_registers;
    struct byte_want *bytes; /* hash */
    size_t byte_capacity, byte_count;
    bool failed; /* out of memory */
};

void wants_destroy(struct wants *wants);

/* The warp's registers at this depth, or NULL: none is wanted. */
struct register_wants *wants_of_warp(struct wants *wants, uint32_t warp, int depth);
/* Wants a register: adds to what it is wanted for. `registers`: how many the function has at most. */
void wants_add_register(struct wants *wants, uint32_t warp, int depth, int registers, int reg, int lane,
                        struct register_want want);
/* Takes it off the list. */
struct register_want wants_take_register(struct register_wants *registers, int reg, int lane);
/* Gives back the room of the warp's registers if none of them is wanted any more. */
void wants_rest_of(struct wants *wants, uint32_t warp, int depth);

/* NULL: it is not wanted. */
struct byte_want *wants_find_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address);
/* What the byte is wanted for. */
struct register_want wants_of_byte(const struct byte_want *byte);
/* Wants a byte: adds to what it is wanted for. want.sites does not count. */
void wants_add_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address,
                    struct register_want want, struct byte_reader reader);
