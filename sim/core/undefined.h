/*
 * Registers that a kernel may read before it has written them.
 *
 * Where a variable has no value on some path, nvcc's PTX reads a register that nothing on that path has written.
 * The decoder finds these registers and all that their values may get into (decode_undefined.c): they are
 * *followed*, the others cannot be undefined. While hazards are looked for, the machine keeps for each lane of a
 * followed register the bits that are undefined (machine/exec_undefined.c), and the detector hears of those that
 * reach memory, a decision or an address (hazard/hazard_undefined.c). The results of integer divisions by 0, what loads
 * find in shared memory without a value or never written, and what shuffles get from lanes that need not take part, are followed
 * as well, from the first one of a warp on. As in memcheck (Seward, Nethercote, USENIX 2005)
 * an undefined value may be moved, masked off and dropped without a report.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/code.h"

enum undefined_rule {
    UNDEFINED_SOURCE, /* what is written has no value: nvcc knew, and wrote NaN instead */
    UNDEFINED_NEVER,  /* what is written has a value: loads, atomics, … */
    UNDEFINED_LOAD,   /* what shared memory holds there: values without one, and what was never written */
    UNDEFINED_DIVIDE, /* as BY_ANY; and by an integer that may be 0, where the result is undefined (PTX ISA, div, rem) */
    UNDEFINED_BY_ANY,  /* one undefined bit of a source makes all bits of the result undefined */
    UNDEFINED_COPY,    /* bit by bit */
    UNDEFINED_AND,     /* bit by bit: a zero on the other side makes it defined … */
    UNDEFINED_OR,      /* … a one does */
    UNDEFINED_SELECT,  /* those of the one that the predicate chooses */
    UNDEFINED_SHIFT,   /* by a constant: `shift` to the left; negative: to the right */
    UNDEFINED_PACK,    /* from[0], from[1], … side by side, from the low end */
    UNDEFINED_UNPACK,  /* into to[0], to[1], … */
    UNDEFINED_SHUFFLE, /* those of another lane */
    UNDEFINED_VOTE,    /* one undefined lane makes the result of all undefined */
    UNDEFINED_STORE,   /* from[0], from[1], …: the elements that are stored */
    UNDEFINED_ATOMIC,  /* its operands must be defined */
    UNDEFINED_LOST, /* it is not followed where its operands go: to a function, a surface, a jump by a table */
};

enum { UNDEFINED_TO = 8, UNDEFINED_FROM = 24 };

/* An operation that reads or writes followed registers, by their numbers; -1: of a register that is not followed. */
struct undefined_op {
    enum undefined_rule rule;
    int to[UNDEFINED_TO], from[UNDEFINED_FROM];
    int to_count, from_count;
    int guard, address; /* -1: not followed */
    int chooses;        /* SELECT: the predicate */
    int bits;           /* of a value, or of an element that is packed; 1: predicates */
    int shift;
};

struct undefined_code {
    bool from_start; /* some are undefined whatever divisions do: the machine follows from the beginning */
    int count;       /* followed registers; they are numbered from 0, first … */
    int unwritten_count; /* … those that the kernel itself may read before it has written them */
    const struct undefined_op **ops; /* [code->count]; NULL: nothing to follow */
};

/* Of `used`, below: the operation divides by 0, and its result is undefined because of that; the value came through
 * shared memory, perhaps from another thread; a report of the operation, a load or a shuffle, is held back. */
#define UNDEFINED_DIVIDED (1 << 30)
#define UNDEFINED_SHARED  (1 << 29)
#define UNDEFINED_HELD    (1 << 28)

/* The operation that `used` names, without such marks. */
static inline int undefined_place(int used)
{
    return used & ~(UNDEFINED_DIVIDED | UNDEFINED_SHARED | UNDEFINED_HELD);
}

/*
 * The followed registers of a warp. `any`: lanes of which some bit is undefined. `used`: the operation that first
 * computed with a register that had no value; -1: it has only been copied so far.
 */
struct undefined_lanes {
    uint64_t (*bits)[WARP_LANES]; /* [register][lane]; lanes outside of `any` mean nothing */
    uint32_t *any;
    int *used;
};

/* What an undefined value reaches, beside memory. */
enum undefined_reach {
    UNDEFINED_ADDRESS,
    UNDEFINED_DECISION, /* the condition of a branch, or another predicate */
    UNDEFINED_OPERAND,  /* of an atomic */
};

/* What a store writes, by elements: lanes whose element is undefined in all its bits. */
struct undefined_value {
    uint32_t lanes[UNDEFINED_FROM];
    int used[UNDEFINED_FROM];
    int count;
};

/* What a load from shared memory finds there without a value: bytes of each of the lanes, as bits. `used`: as above. */
struct undefined_loaded {
    uint32_t lanes;
    uint16_t bytes[WARP_LANES];
    int used;
};

/* Whether the machine follows what the load at `pc` finds. */
static inline bool undefined_is_followed(const struct undefined_code *code, int pc)
{
    return code && code->ops[pc] && code->ops[pc]->rule == UNDEFINED_LOAD;
}
