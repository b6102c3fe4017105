/* What an instruction reads and writes, as far as the search for a value's origin needs it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ptx_instr;
struct ptx_operand;

enum origin_op_kind {
    ORIGIN_IGNORED, /* writes no register and no memory */
    ORIGIN_PLAIN,   /* from the lane's own registers */
    ORIGIN_SELECT,  /* selp: one of two, by a predicate */
    ORIGIN_SHUFFLE, /* from another lane */
    ORIGIN_COMBINE, /* redux, vote, match: from all lanes that take part */
    ORIGIN_LOAD,
    ORIGIN_STORE,
    ORIGIN_ATOMIC,
    ORIGIN_ASYNC,  /* cp.async: from memory to memory */
    ORIGIN_OPAQUE, /* calls and textures: comes from nowhere that we follow */
    ORIGIN_BRANCH, /* guarded branches and ends: writes nothing; noted with all lanes that come to it */
};

/* What an operation computes, as far as it matters how a value goes into it. */
enum origin_math {
    ORIGIN_OTHER_MATH,
    ORIGIN_ADD,
    ORIGIN_SUBTRACT,
    ORIGIN_NEGATE,
    ORIGIN_MULTIPLY,
    ORIGIN_MULTIPLY_ADD,
    ORIGIN_COMPARE, /* the smaller or the larger one */
    ORIGIN_DIVIDE,
};

struct origin_op {
    enum origin_op_kind kind;
    int note; /* enum sim_origin_note, or -1 */
    enum origin_math math;
    const struct ptx_instr *instr;
    const struct ptx_operand *to;      /* what is written: REG, VECTOR, PAIR or LIST; NULL: no register */
    const struct ptx_operand *address; /* of memory; NULL: none */
    int first_source, source_count;    /* operands of the value */
    int element_size;                  /* loads, stores and atomics */
    bool computes;                     /* a sum, product or quotient of floating-point numbers */
    bool swaps;                        /* compare and swap: stores its last operand, or nothing */
    bool replaces;                     /* of what it stored to, nothing stays: exchange, compare and swap */
};

struct origin_op origin_op_of(const struct ptx_instr *instr);
