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
 * For small cases: a warp instruction takes 16 bytes, one with addresses up to 320. Launches run on one host thread
 * while it is on; results are the same to the bit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/types.h"

/* Records from now on, in at most `bytes` of memory. Forgets what was recorded before. False: out of memory. */
bool sim_origin_start(struct sim *sim, size_t bytes);
/* Stops, and forgets everything. */
void sim_origin_stop(struct sim *sim);

/*
 * The host copies, or fills, memory of the device: `to` or `from` 0 is the host's side. `caller`: where the call
 * returns to. Called when the bytes move.
 */
void sim_origin_copied(struct sim *sim, sim_addr to, sim_addr from, size_t size, const void *caller);

/* A source place: the kernel author's line, up the calls that were inlined. file: "" if unknown; it belongs to the module. */
struct sim_origin_place {
    const char *file;
    int line;
    /*
     * In the same file: of the call, where `line` is in a function that a kernel or a function of the host calls; and
     * of several calls, one in the other, the outermost one's. 0: there is none.
     */
    int call_line, from_line;
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
    SIM_ORIGIN_LANE = 1 << 10,
    SIM_ORIGIN_OTHER = 1 << 11,    /* other special registers */
    SIM_ORIGIN_INDIRECT = 1 << 12, /* on a value that was loaded */
    SIM_ORIGIN_ARRIVAL = 1 << 13,  /* on what an atomic operation returned */
};

/* What was done with it on its way into the value; several may hold. */
enum {
    SIM_ORIGIN_FACTOR = 1 << 3,   /* multiplied, divided */
    SIM_ORIGIN_COMPARED = 1 << 4, /* the larger or smaller one of two */
    SIM_ORIGIN_SUM = 1 << 5,      /* reached through registers and sums of one thread alone */
    SIM_ORIGIN_SHUFFLED = 1 << 8, /* `crossed` is a shuffle */
    SIM_ORIGIN_MATTERS = 1 << 7,  /* in one way at least it is not multiplied by 0 */
    SIM_ORIGIN_BY_COPY = 1 << 6,  /* the host copied it from there to where it was read */
};

/* One thing that went into the value. */
struct sim_origin_leaf {
    enum sim_origin_kind kind;
    uint64_t
        address; /* MEMORY, CONSTANT: of the element; UNWRITTEN: offset; PARAMETER: offset in the block of parameters */
    int size;       /* bytes */
    uint64_t bits;  /* IMMEDIATE: the number as it stands in the code, of the instruction's type */
    uint32_t times; /* in how many ways it went into it: 2 for x in x + x */
    uint32_t minus; /* of these, those with the other sign: 1 for x in y + x - x */
    struct sim_origin_place minus_place; /* where such a sign is turned; line 0: nowhere */
    struct sim_origin_place
        crossed; /* where another thread got it last, by a shuffle or from shared memory; line 0: nowhere */
    struct sim_origin_place
        used; /* the sum or product that it goes into, nearest to where it was read; line 0: none */
    uint32_t
        index_times; /* memory: how often it chose the place that a part of the value was stored or added to */
    uint32_t ways;   /* SIM_ORIGIN_FACTOR … */
    struct sim_origin_place place; /* of the instruction that read it */
    struct sim_origin_thread thread;
    bool has_second; /* another instruction or thread read it, too */
    struct sim_origin_place second_place;
    struct sim_origin_thread second;
    uint32_t index_uses; /* memory: what the address that it was read from depends on; SIM_ORIGIN_TID_X … */
    uint32_t runs;       /* IMMEDIATE: how often that thread ran that instruction */
    const char *name; /* memory: of the variable or allocation, "" if it has none; belongs to the simulator */
};

/* One store to the bytes asked for, or an atomic. */
struct sim_origin_store {
    struct sim_origin_place place;
    struct sim_origin_thread thread;
    bool is_atomic;
    const char *instruction; /* as in PTX: "atom.global.max.s32"; belongs to the module */
    bool goes_in;            /* what it stored is a part of the value; else it was replaced */
    uint32_t index_uses;
    uint32_t runs; /* how often that thread ran that instruction */
};

/* An operation on the way from the leaves to the value that changes its nature. */
enum sim_origin_note {
    SIM_ORIGIN_TO_INTEGER, /* a floating-point number became an integer */
    SIM_ORIGIN_TO_FLOAT,   /* a double became a float */
    SIM_ORIGIN_TO_HALF,    /* a float or double became a half */
    /* A NaN came of operands that are none: of infinities with an addition or subtraction, ... */
    SIM_ORIGIN_NAN_SUM,
    SIM_ORIGIN_NAN_PRODUCT,  /* 0 times infinity */
    SIM_ORIGIN_NAN_ZEROS,    /* 0 divided by 0 */
    SIM_ORIGIN_NAN_QUOTIENT, /* infinity divided by infinity */
};

struct sim_origin_step {
    enum sim_origin_note note;
    struct sim_origin_place place; /* line 0: the compiler moved it, and no line is known */
};

/*
 * A part of a sum that goes in twice, or more often: what one thread has at one place two instructions take, or one
 * takes it twice. Of several the last one.
 */
struct sim_origin_fork {
    struct sim_origin_place made, use[2]; /* made.line 0: there is none; the later use first */
    struct sim_origin_place
        join; /* the addition of what has come of one use to what has come of the other; line 0: not known */
    struct sim_origin_thread thread, user[2], joiner;
    bool itself;   /* one instruction takes it twice */
    bool shuffled; /* one of them is a shuffle, and the thread gets its own value from it */
};

#define SIM_ORIGIN_STORES 16
#define SIM_ORIGIN_STEPS  8
#define SIM_ORIGIN_PATH   10

struct sim_origin {
    uint64_t store_count; /* stores and atomics by all threads of all launches */
    struct sim_origin_store
        store[SIM_ORIGIN_STORES];   /* the last ones, newest first; at its end the very first one */
    struct sim_origin_leaf *leaves; /* owned; memory first, by address */
    int leaf_count;
    struct sim_origin_step steps[SIM_ORIGIN_STEPS];
    int step_count;
    struct sim_origin_place
        path[SIM_ORIGIN_PATH]; /* lines through which the value went, the last one first */
    int path_count;
    struct sim_origin_fork fork;
    struct sim_origin_place
        computed;    /* of the operation of which the last store stored the result; line 0: of none */
    bool incomplete; /* the recording did not fit: what was before is not known */
};

/* Of `size` (at least 1) bytes of global memory as they are now. False: out of memory. sim_origin_free releases it. */
bool sim_origin_find(struct sim *sim, sim_addr address, size_t size, struct sim_origin *out);
/* ---- what did not happen ------------------------------------------------------------------------------- */

enum sim_origin_why {
    SIM_ORIGIN_WHY_UNKNOWN,
    SIM_ORIGIN_DONE,        /* it was accessed: by `near` at `place` */
    SIM_ORIGIN_NOT_REACHED, /* no thread comes to an access of that array; `place`: one that no thread reached, `guard`: what decided it */
    SIM_ORIGIN_ELSEWHERE, /* there are threads behind `near`: what they do is not said, for it need not be their turn */
    SIM_ORIGIN_NO_THREAD, /* `near` is the launch's last thread */
};

/* Why no thread loads, or stores, an element of an array, as its neighbors show it. */
struct sim_origin_absence {
    enum sim_origin_why why;
    struct sim_origin_place place, guard; /* of the access; of the condition, line 0: not known */
    struct sim_origin_thread near;        /* accesses the element that is nearest, … */
    sim_addr near_address;                /* … here */
    bool
        several; /* NOT_REACHED: `guard` is the first thread's, others are kept away by other conditions; else: other lines
                     access the array as well, and `place` need not be the one that is meant */
};

/*
 * Why was [address, address + size), a part of [first, first + bytes), not loaded, or (`store`) not stored or added
 * to? Elements have `size` bytes.
 */
void sim_origin_absent(struct sim *sim, sim_addr first, size_t bytes, sim_addr address, size_t size,
                       bool store, struct sim_origin_absence *out);

/* Where the way of an element ends that was loaded and did not get into a value. */
struct sim_origin_lost {
    struct sim_origin_place place; /* of the last instruction that had to do with it */
    struct sim_origin_thread thread;
    bool stores; /* it stores it to global memory */
    bool
        refused; /* it is a compare and swap that found another value than the expected one, and stored nothing */
};
/* Of the element at an address; `end`: the thread that stores the value. False: nothing loads it, or it is not known. */
bool sim_origin_lost(struct sim *sim, sim_addr address, size_t size, const struct sim_origin_thread *end,
                     struct sim_origin_lost *out);

/*
 * How many elements of `size` bytes of an array were stored to by more than one thread, without atomics; of the
 * first: by whom.
 */
struct sim_origin_overlap {
    uint64_t count;
    sim_addr address;
    struct sim_origin_thread thread[2];
    struct sim_origin_place place[2];
};
bool sim_origin_overlaps(struct sim *sim, sim_addr first, size_t bytes, size_t size,
                         struct sim_origin_overlap *out);

/* ---- copies and launches ------------------------------------------------------------------------------- */

/* The last bytes that were copied to the host. */
struct sim_origin_back {
    sim_addr address;
    size_t size;
    const unsigned char *bytes; /* the first `byte_count` of them; valid until the recording ends */
    size_t byte_count;
    struct sim_origin_place place; /* of the host's call */
    uint32_t entry;                /* where it stands in the recording */
};
bool sim_origin_copied_back(struct sim *sim, struct sim_origin_back *out); /* false: none were */
/* As sim_origin_find, of what the copied bytes held when they were copied: what was stored later has no part in it. */
bool sim_origin_find_copied(struct sim *sim, const struct sim_origin_back *back, struct sim_origin *out);

void sim_origin_free(struct sim_origin *origin);

struct sim_origin_launch {
    const char *kernel;
    struct sim_dim3 grid, block;
    struct sim_origin_place place; /* of the host's call, if that is known; valid until the next question */
};

#define SIM_ORIGIN_CALLERS 16

/*
 * The next launch is by a call that returns to `caller`. `callers`: the return addresses of all calls that were open
 * then, the innermost first, up to SIM_ORIGIN_CALLERS; NULL behind the last one.
 */
void sim_origin_launched_from(struct sim *sim, const void *caller, void *const *callers);

/* How many launches were recorded; launch number i, if there is one, in *out. */
int sim_origin_launches(struct sim *sim, int i, struct sim_origin_launch *out);

/* ---- what the lanes of a warp accessed: origin_access.c ------------------------------------------------ */

struct sim_origin_question {
    const char *file; /* its folder does not matter */
    int line;
    const struct sim_origin_thread *thread; /* NULL: any thread's; its launch: -1: any */
    uint64_t address;                       /* that the thread touches: global, or shared memory's offset */
    bool is_shared;                         /* which of the two */
    bool loads, stores;                     /* which accesses may be meant; an atomic one is a store */
};

struct sim_origin_lanes {
    bool is_store, is_atomic, is_shared;
    int size; /* bytes per lane */
    int launch;
    struct sim_dim3 block;
    uint32_t first_thread; /* of the warp: its number in the block */
    uint32_t lanes;        /* that took part */
    uint64_t address[32];  /* global, or shared memory's offset */
    int cost, least;       /* sectors, or wavefronts of shared memory: taken, and enough for as many bytes */
};

/*
 * The access of the thread to the address at that line; without a thread the line's first one. False: there is none, or
 * there are several of which the lanes' addresses differ, as in turns of a loop: then it is not known which is meant.
 */
bool sim_origin_lanes(struct sim *sim, const struct sim_origin_question *question,
                      struct sim_origin_lanes *out);

/* ---- what a warp did, step by step: origin_trace.c ------------------------------------------------------- */

/* OF_WARP: a line's steps beyond this number are counted and not kept, so that a loop leaves room for what follows. */
#define SIM_ORIGIN_STEPS_OF_LINE 6

enum sim_origin_traced_kind {
    SIM_ORIGIN_OF_WARP, /* all that the thread's warp did */
    /* Accesses, shuffles and barriers of all warps of the thread's block; if they are too many, a warp's that are alike and
       follow each other are one step, with the addresses of the first. */
    SIM_ORIGIN_OF_BLOCK,
    SIM_ORIGIN_ALL_STORES, /* to global memory, of all warps */
    SIM_ORIGIN_ALL_LOADS,  /* from global memory, of all warps */
};

struct sim_origin_filter {
    const struct sim_origin_thread *thread; /* its launch does not matter; NULL: every one */
    enum sim_origin_traced_kind kind;
};

/* One access, barrier of the block or shuffle, or instructions in a row that are none, of one line and the same lanes. */
struct sim_origin_traced {
    const char *kernel, *file; /* belong to the simulator */
    int line;                  /* 0: not known */
    int instructions;
    bool is_access, is_barrier, is_shuffle;
    /* Of an access. Else launch, block, first_thread and lanes alone are set; `address` of a shuffle: the source lanes. */
    struct sim_origin_lanes lanes;
};

/* The first steps in the order in which they ran, at most `most`; `all`: how many there were. */
size_t sim_origin_trace(struct sim *sim, const struct sim_origin_filter *filter,
                        struct sim_origin_traced *steps, size_t most, uint64_t *all);
