/* What a search still looks for: registers of threads, and bytes of memory, each with the number of ways in which it is wanted. */
#ifndef SIM_ORIGIN_WANTS_H
#define SIM_ORIGIN_WANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/code.h"

/*
 * A register is wanted for its value, `times` times, or because addresses depend on it: bit k of `sites` for the k-th of the
 * places that are looked at (the last one stands for all further ones).
 */
struct register_want {
    uint32_t times;
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
    uint32_t space; /* enum ptx_space; 0: the place is free */
    uint32_t times; /* 0: was wanted, and found */
    struct byte_reader reader;
};

struct wants {
    struct warp_wants *warps; /* hash, by number */
    size_t warp_capacity, warp_count;
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

/* NULL: it is not wanted. */
struct byte_want *wants_find_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address);
void wants_add_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address, uint32_t times,
                    struct byte_reader reader);

#endif
