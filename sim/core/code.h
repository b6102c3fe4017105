/*
 * Micro-operations: what the decoder makes of a kernel's PTX, what warps run, and what watchers read.
 *
 * A kernel and all functions that it can call become one array. The blocks of a function lie in the order of
 * sim/ptx/cfg.h, so that of two groups of lanes in the same function the one with the lower pc runs first and
 * waits for the other at their post-dominator. Whatever can be known before the launch is resolved: the
 * handler, the rows of the operands, branch targets, addresses of variables.
 *
 * Rows: a register is 32 values side by side, one a lane (a predicate: one bit a lane). An operand is
 * a row reference: the low 6 bits choose one of the warp's base pointers (enum row_base), the others are the
 * byte offset from it. Immediates and special registers are rows like registers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/ptx_kinds.h"

/* ---- cost classes: the index of sim_counters.issue_cycles ---------------------------------------------- */

/*
 * issue_cycles[c] counts machine instructions of class c, once a warp: a PTX instruction counts as many as
 * ptxas makes of it (sim/decode/ops.def), 0 for those that it removes. The time model divides by the lanes that
 * the profile has for the class: cycles of one SM = issue_cycles[c] * 32 / lanes(c).
 */
enum cost_class {
    COST_NONE, /* removed by ptxas, or counted elsewhere */
    COST_FP32,
    COST_INT,
    COST_FP64,
    COST_HALF,    /* f16x2 and the like */
    COST_SFU,     /* special functions, conversions, popc, clz, brev: a quarter of the lanes or fewer */
    COST_LSU,     /* loads, stores, atomics, shuffles: issue only; traffic is counted apart */
    COST_CONTROL, /* branches, calls, barriers, votes */
    COST_CLASSES
};

/* ---- micro-operations ---------------------------------------------------------------------------------- */

#define WARP_LANES 32

struct warp;
struct micro;
struct ptx_func;
struct ptx_instr;
struct ptx_module;
struct ptx_var;
struct arena;
struct undefined_code;

/* What a handler tells the warp's loop. */
enum step {
    STEP_NEXT,     /* go on with the next operation */
    STEP_JUMP,     /* go on at warp->pc */
    STEP_SCHEDULE, /* the groups of lanes changed, or this one waits: choose anew */
    STEP_FAULT,    /* warp->block->status and message say why */
};

/* Runs `op` for the lanes of `active` (never 0): guard applied. warp->pc is already the next operation. */
typedef enum step (*exec_fn)(struct warp *warp, const struct micro *op, uint32_t active);

typedef enum step (*warp_loop_fn)(struct warp *warp);

enum row_base {
    ROWS_32, /* registers of 32 bits, in the running frame */
    ROWS_64,
    ROWS_16, /* 16 bits, and 8 */
    ROWS_128,
    ROWS_LAUNCH, /* immediates and what is the same for the whole launch (%ntid) */
    ROWS_WARP,   /* what a warp keeps for its life (%tid) */
    ROWS_BLOCK,  /* what a block keeps (%ctaid) */
    ROW_BASES,
    REGISTER_CLASSES = ROWS_LAUNCH,
};

#define ROW_BASE_MASK 63u

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/* micro.flags */
enum {
    FLAG_ROUND = 3, /* enum rounding */
    FLAG_FTZ = 1 << 2,
    FLAG_SAT = 1 << 3,
    FLAG_NEGATE_P = 1 << 4,  /* the source predicate q is !q */
    FLAG_SYNTHETIC = 1 << 5, /* not in the PTX: neither counted nor named */
    FLAG_FLOPS_1 = 1 << 6,   /* floating-point operations a lane */
    FLAG_FLOPS_2 = 1 << 7,
    FLAG_DOUBLE = 1 << 8,   /* … of 64 bits */
    FLAG_BRANCH = 1 << 9,   /* conditional */
    FLAG_BARRIER = 1 << 10, /* block-wide */
    FLAG_RELU = 1 << 11,    /* a negative result becomes 0 */
};

struct micro {
    exec_fn run;
    uint32_t dst, a, b, c, e;  /* rows */
    uint32_t guard, guard_xor; /* active lanes: preds[guard] ^ guard_xor; preds[0] is all ones */
    uint32_t p, q;             /* predicates */
    int32_t target;            /* operation to jump to */
    uint16_t flags;
    uint8_t cost, cost_count; /* enum cost_class, machine instructions */
    int64_t imm;
    const void *detail; /* of the opcode's family, see sim/core/detail.h */
};

/* Predicates that every frame has. */
enum { PREDICATE_TRUE, PREDICATE_SINK, PREDICATE_RESULT, FIRST_PREDICATE };

/* A function of the kernel: how large a frame of it is, and where it begins. */
struct function_layout {
    const struct ptx_func *func;
    int entry; /* operation */
    size_t row_bytes[REGISTER_CLASSES];
    int predicate_count;
    int live_words;    /* registers of 32 bits that its values need at once */
    size_t local_size; /* bytes a thread: local variables, .param variables, parameters and results */
    /*
     * Bytes that an open call takes from the stack of a thread: the frame that ptxas gave it, where that is known, else
     * an estimate. At least CALL_BYTES_MIN, and at least local_size / LOCAL_PER_CALL_BYTE.
     */
    size_t call_bytes;
};

/* A function that calls another one keeps its return address. */
#define CALL_BYTES_MIN ((size_t)8)
/* PTX copies arguments that machine code leaves where they are: at most so many bytes for one of the frame. */
#define LOCAL_PER_CALL_BYTE ((size_t)4)

/* A special register that a row is filled with. */
enum special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_WARPID,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_NWARPID,
    SPECIAL_GRIDID,
    SPECIAL_ENVREG1,
    SPECIAL_ENVREG2,
    SPECIAL_DYNAMIC_SMEM,
    SPECIAL_TOTAL_SMEM,
    SPECIAL_LANEID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_ZERO,
    SPECIALS
};

struct special_row {
    enum special special;
    uint32_t ref; /* 32-bit row */
};

/* The shared array that an operation's address belongs to, by its name in the PTX: bytes of the block's window. */
struct array_bounds {
    uint32_t first, size; /* size 0: it is declared without one, and reaches to the window's end */
    int variable;         /* its place in sim_kernel.shared_vars, from 1 on; 0: not known */
};

struct code {
    warp_loop_fn loop; /* the warp's loop for this processor */
    struct micro *ops;
    int count;
    const struct ptx_instr **instrs;   /* [count], NULL for synthetic ones */
    struct ptx_loc *locs;              /* [count] */
    struct function_layout *functions; /* [0] is the kernel */
    int function_count;
    unsigned char *launch_rows; /* template: immediates filled in, special registers not */
    size_t launch_row_bytes, warp_row_bytes, block_row_bytes;
    struct special_row *specials;
    int special_count;
    const struct ptx_var **shared_vars; /* beside kernel->shared_vars */
    struct array_bounds
        *array_bounds;                /* [count]; NULL: no access is known to be in an array with neighbors */
    bool calls_unbounded;             /* recursive or indirect calls: how deep they go is not known */
    bool has_alloca;                  /* alloca or stacksave */
    bool uses_cluster;                /* barrier.cluster, mapa or getctarank */
    bool reads_undefined;             /* some path reads a register that nothing on it has written … */
    struct undefined_code *undefined; /* … in the kernel itself: sim/core/undefined.h; else NULL */
    size_t shared_used;               /* static bytes before the alignment of the dynamic part */
    const struct ptx_module *module;
    struct arena *arena; /* owns everything above but the launch rows */
};

/* Counted for each micro-operation; collected when the launch ends. */
struct op_count {
    uint64_t warps, lanes;
    uint64_t divergent; /* branches whose lanes disagreed */
};
