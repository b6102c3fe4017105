/*
 * Machine code (SASS) of compute capability 7.0 to 12.x, as far as its timing depends on it: which unit runs an
 * instruction, for how long, and what the instruction waits for.
 *
 * An instruction has 128 bits. NVIDIA documents mnemonics only ("CUDA Binary Utilities", instruction set reference);
 * where the fields lie is from Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018,
 * chapter 2, and was compared with what nvdisasm of CUDA 13 prints for 180,000 instructions (8.0, 9.0, 10.0, 12.0).
 *
 * ptxas decides when an instruction may start, not the hardware: results that come after a fixed time are waited for by
 * counting cycles (stall), the others by six barriers a warp: an instruction names the barrier that it will release,
 * and those that it waits for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SASS_BYTES      16
#define SASS_BARRIERS   6
#define SASS_NO_BARRIER 7   /* in the two fields that name one */
#define SASS_NO_SOURCE  255 /* RZ, or no register */
#define SASS_ALWAYS     7   /* the guard: PT */

enum sass_unit {
    SASS_NONE,    /* NOP: issue only */
    SASS_FMA,     /* FP32 */
    SASS_IMAD,    /* integer multiply-add: half of the FP32 lanes */
    SASS_ALU,     /* integer, logic, comparisons, conversions of packed halves */
    SASS_HALF,    /* half2 */
    SASS_FP64,    /* double */
    SASS_XU,      /* special functions, conversions, bit counts */
    SASS_UNIFORM, /* the uniform data path */
    SASS_BRANCH,  /* branches, BSSY, BSYNC, … */
    SASS_CONST,   /* loads of constant memory that are no operand: LDC */
    SASS_SPECIAL, /* S2R */
    SASS_SHUFFLE, /* by the data path of shared memory: SHFL */
    SASS_SHARED,  /* LDS, STS, ATOMS */
    SASS_GLOBAL,  /* LDG, STG, ATOMG, RED, LDGSTS; also generic ones */
    SASS_LOCAL,   /* LDL, STL */
    SASS_TEXTURE,
    SASS_BARRIER, /* BAR */
    SASS_FENCE,   /* MEMBAR, DEPBAR and the like */
    SASS_UNITS
};

enum sass_kind {
    SASS_PLAIN,
    SASS_LOAD,
    SASS_STORE,
    SASS_ATOMIC,
    SASS_JUMP,
    SASS_CALL,
    SASS_RETURN,
    SASS_EXIT
};

struct sass {
    uint8_t unit, kind;
    uint8_t stall;          /* cycles to the warp's next instruction */
    uint8_t release_result; /* barrier that the result releases, or SASS_NO_BARRIER … */
    uint8_t release_read;   /* … and the reading of the operands */
    uint8_t wait;           /* barriers that must be released first, a bit each */
    uint8_t guard;          /* predicate register; SASS_ALWAYS */
    bool counts_lanes;      /* ATOMS.POPC.INC: adds the number of the lanes that meet on a word, at once */
    uint8_t bytes;          /* per lane, of a load or store; 0: not known */
    uint8_t half_passes;    /* through its unit: 4 if it takes twice as long as others there */
    uint8_t sources[3];     /* registers that it reads; SASS_NO_SOURCE: none. Only of arithmetic with FP32 */
    uint8_t reuse;          /* a bit each: kept for the same source of the next instruction */
    uint16_t opcode;        /* its low nine bits: the same for all kinds of operands */
    int64_t jump;           /* SASS_JUMP and SASS_CALL: bytes from the end of the instruction; 0: indirect */
};

/*
 * Adds to half_passes what reading registers takes: they lie in two banks, the even and the odd ones; a register that
 * the instruction before has kept is not read. Two of one bank cost half a cycle: on an H100 54 of 896 multiply-adds
 * cost 2.5 % of the issue slots (lab 08's notes, step 07).
 */
void sass_count_banks(struct sass *instrs, int count);

/* Decodes the instruction at `code`; `cc` is the compute capability, 80 for 8.0. */
struct sass sass_decode(const unsigned char code[SASS_BYTES], int cc);
