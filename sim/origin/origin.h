/*
 * Where a value came from: everything that launches execute is recorded, and then followed backwards from a place in
 * memory to the loads, constants and parameters that went into it.
 *
 * The recording is one list of warp instructions in the order in which they ran, with the lanes that took part and the
 * addresses that they used. The search goes through it once, from the end to the beginning (dynamic slicing: Korel and
 * Laski, IPL 1988; Agrawal and Horgan, PLDI 1990): registers and bytes whose origin is wanted are replaced, at the
 * instruction that wrote them, by what it read. What goes into the value and what goes into an address are kept
 * apart.
 *
 * For small cases: a warp instruction takes 16 bytes, one with addresses up to 320. Launches run on one host thread while it is
 * on; results are the same to the bit.
 */
#ifndef SIM_ORIGIN_H
#define SIM_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/types.h"

/* Records from now on, in at most `bytes` of memory. Forgets what was recorded before. False: out of memory. */
bool sim_origin_start(struct sim *sim, size_t bytes);
/* Stops, and forgets everything. */
void sim_origin_stop(struct sim *sim);

/*
 * The host copies, or fills, memory of the device: `to` or `from` 0 is the host's side. `caller`: where the call returns to.
 * Called when the bytes move.
 */
void sim_origin_copied(struct sim *sim, sim_addr to, sim_addr from, size_t size, const void *caller);

/* A source place: the kernel author's line (up the calls that were inlined), and the innermost one. file: "" if unknown. Strings
   belong to the module. */
struct sim_origin_place {
    const char *file, *inner_file;
    int line, inner_line;
};

struct sim_origin_thread {
    int launch; /* since the start, from 0 */
    struct sim_dim3 block, thread;
    const char *kernel; /* its name as in the source */
};

enum sim_origin_kind {
    SIM_ORIGIN_MEMORY,    /* global memory that no launch had stored to: what the host put there */
    SIM_ORIGIN_CONSTANT,  /* constant memory */
    SIM_ORIGIN_UNWRITTEN, /* shared or local memory that nothing had stored to */
    SIM_ORIGIN_REGISTER,  /* a register that nothing had written */
    SIM_ORIGIN_IMMEDIATE, /* a number in the code */
    SIM_ORIGIN_PARAMETER, /* of the kernel */
    SIM_ORIGIN_SPECIAL,   /* threadIdx, blockIdx and the like, as a value */
    SIM_ORIGIN_CALL,      /* what a function returned that was not inlined, and textures */
    SIM_ORIGIN_HOST,      /* memory that the host filled during the recording; place: the host's call */
};

/* What parts of an address depend on. */
enum {
    SIM_ORIGIN_TID_X = 1 << 0,
    SIM_ORIGIN_TID_Y = 1 << 1,
    SIM_ORIGIN_TID_Z = 1 << 2,
    SIM_ORIGIN_CTAID_X = 1 << 3,
    SIM_ORIGIN_CTAID_Y = 1 << 4,
    SIM_ORIGIN_CTAID_Z = 1 << 5,
    SIM_ORIGIN_NTID_X = 1 << 6,
    SIM_ORIGIN_NTID_Y = 1 << 7,
    SIM_ORIGIN_NTID_Z = 1 << 8,
    SIM_ORIGIN_NCTAID = 1 << 9, /* any of them */
    SIM_ORIGIN_LANE = 1 << 10,
    SIM_ORIGIN_OTHER = 1 << 11,    /* other special registers */
    SIM_ORIGIN_INDIRECT = 1 << 12, /* on a value that was loaded */
};

/* One thing that went into the value. */
struct sim_origin_leaf {
    enum sim_origin_kind kind;
    uint64_t
        address; /* MEMORY, CONSTANT: of the element; UNWRITTEN: offset; PARAMETER: offset in the block of parameters */
    int size;       /* bytes */
    uint64_t bits;  /* IMMEDIATE: the number as it stands in the code, of the instruction's type */
    uint32_t times; /* in how many ways it went into it: 2 for x in x + x */
    struct sim_origin_place place; /* of the instruction that read it */
    struct sim_origin_thread thread;
    uint32_t index_uses; /* memory: what the address that it was read from depends on; SIM_ORIGIN_TID_X … */
    uint32_t runs;       /* IMMEDIATE: how often that thread ran that instruction */
};

/* One store to the bytes asked for, or an atomic. */
struct sim_origin_store {
    struct sim_origin_place place;
    struct sim_origin_thread thread;
    bool is_atomic;
    bool has_value;
    uint64_t bits; /* the element's first 8 bytes as they were stored */
    uint32_t index_uses;
};

/* An operation on the way from the leaves to the value that changes its nature. */
enum sim_origin_note {
    SIM_ORIGIN_TO_INTEGER, /* a floating-point number became an integer */
    SIM_ORIGIN_TO_FLOAT,   /* a double became a float */
    SIM_ORIGIN_TO_HALF,    /* a float or double became a half */
    SIM_ORIGIN_INTEGER_DIVISION,
};

struct sim_origin_step {
    enum sim_origin_note note;
    struct sim_origin_place place;
};

#define SIM_ORIGIN_STORES 16
#define SIM_ORIGIN_STEPS  8
#define SIM_ORIGIN_PATH   8

struct sim_origin {
    uint64_t store_count;                             /* stores and atomics by all threads of all launches */
    struct sim_origin_store store[SIM_ORIGIN_STORES]; /* the last ones, newest first */
    struct sim_origin_leaf *leaves;                   /* owned; memory first, by address */
    int leaf_count;
    struct sim_origin_step steps[SIM_ORIGIN_STEPS];
    int step_count;
    struct sim_origin_place
        path[SIM_ORIGIN_PATH]; /* lines through which the value went, the last one first */
    int path_count;
    bool incomplete; /* the recording did not fit: what was before is not known */
};

/* Of `size` (at least 1) bytes of global memory as they are now. False: out of memory. sim_origin_free releases it. */
bool sim_origin_find(struct sim *sim, sim_addr address, size_t size, struct sim_origin *out);
/* The last bytes that were copied to the host; false: none were. place: of the host's call. */
bool sim_origin_copied_back(struct sim *sim, sim_addr *address, size_t *size, struct sim_origin_place *place);
void sim_origin_free(struct sim_origin *origin);

struct sim_origin_launch {
    const char *kernel;
    struct sim_dim3 grid, block;
    struct sim_origin_place place; /* of the host's call, if that is known; valid until the next question */
};

/* The next launch is by a call that returns to `caller`. */
void sim_origin_launched_from(struct sim *sim, const void *caller);

/* How many launches were recorded; launch number i, if there is one, in *out. */
int sim_origin_launches(struct sim *sim, int i, struct sim_origin_launch *out);

#endif
