/* What a micro-operation carries beside its rows, by family. Made by sim/decode, read by the handlers of sim/machine. */
#pragma once

#include "sim/core/access.h"
#include "sim/core/code.h"

enum comparison {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_LO,
    COMPARE_LS,
    COMPARE_HI,
    COMPARE_HS,
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN,
};
enum video_second { VIDEO_SECOND_NONE, VIDEO_SECOND_ADD, VIDEO_SECOND_MIN, VIDEO_SECOND_MAX };
enum bool_op { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR, BOOL_POPC };
enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
};
enum barrier_op { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_RED, BARRIER_WARP, BARRIER_WAIT };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT };
enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum permute_mode {
    PERMUTE_NONE,
    PERMUTE_F4E,
    PERMUTE_B4E,
    PERMUTE_RC8,
    PERMUTE_ECL,
    PERMUTE_ECR,
    PERMUTE_RC16
};
enum float_test { TEST_FINITE, TEST_INFINITE, TEST_NUMBER, TEST_NOTANUMBER, TEST_NORMAL, TEST_SUBNORMAL };

enum surface_boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO };
enum texture_geometry {
    GEOMETRY_1D = 1,
    GEOMETRY_2D,
    GEOMETRY_3D,
    GEOMETRY_A1D,
    GEOMETRY_A2D,
    GEOMETRY_CUBE,
    GEOMETRY_ACUBE,
};

#define VECTOR_MAX 8

/* ld, st: `count` elements of `element_size` bytes each; a register may be wider than its element. */
struct memory_detail {
    enum ptx_space space; /* GENERIC: by the address */
    enum access_order order;
    int scope;
    int element_size, count;
    bool sign_extend;
    uint32_t base;       /* row of the base register; the sink where there is none … */
    int64_t offset;      /* … and what is added to it */
    bool address_64;     /* the base register has 64 bits */
    bool has_base;       /* else the address is the offset alone */
    bool frame_relative; /* a local or .param variable: counted from the frame's local bytes */
    bool polled, non_coherent, no_result, is_ticket, of_phase; /* see struct access */
    bool compares;    /* an atomic compare-and-swap: with row b of its operation */
    bool is_float;    /* atomics: of floating-point numbers */
    bool is_exchange; /* the old bytes do not matter for the new ones */
    uint8_t commutes; /* see struct access */
    uint16_t unused;  /* see struct access, as the next three */
    uint16_t kept;
    bool put_back, structure;
    enum access_path path;
    bool is_speculative; /* a load ahead of the decision whether its value counts: predicate `chosen_by` says
                            so */
    bool chosen_if_not;
    uint32_t chosen_by;
    int again_line; /* where others come in before the thread writes the same word again (decode_poll.c): there; or 0 */
    bool is_counted; /* the counters know of it already: a part of a copy */
    bool may_spin;   /* volatile, relaxed or acquire load: others should get their turn */
    exec_fn
        inner; /* where others get their turn before or behind it (decode_poll.c): what it does itself; else NULL */
    uint32_t registers[VECTOR_MAX];
    uint8_t register_size[VECTOR_MAX]; /* bytes */
    uint8_t from_byte;                 /* stores: of its register; 2: the upper half */
};

/* atom and red: operands in the rows b and c; result in dst unless `discard`. */
struct atomic_detail {
    struct memory_detail memory;
    enum atomic_op operation;
    enum ptx_type type;
    bool discard;
};

/* cp.async: rows c (bytes to read, the others become 0) and predicate q (read nothing) where they stand. */
struct async_detail {
    struct memory_detail to, from;
    bool has_read_size;
};

enum async_step { ASYNC_COPY, ASYNC_COMMIT, ASYNC_WAIT_GROUP, ASYNC_WAIT_ALL, ASYNC_ARRIVE };

enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_TEST_WAIT,
    MBARRIER_PENDING_COUNT,
};

/* mbarrier: rows b (count, or state), c; result in dst or p. */
struct mbarrier_detail {
    struct memory_detail memory;
    bool has_count;   /* else 1 */
    bool discard;     /* no state is wanted */
    bool by_parity;   /* test_wait: row b holds the phase's parity, not a state */
    bool no_complete; /* .noComplete */
};

/* mov.b64 %rd, {%r1, %r2} and back. */
struct pack_detail {
    int count, element_size, whole_size;
    uint32_t elements[4];
    uint32_t whole;
};

/* cvt: element types, and the bytes of the registers that hold them. */
struct convert_detail {
    enum ptx_type to, from;
    int to_register, from_register;
    enum rounding round;
    bool integer_round; /* .rni and its kin: the result is a whole number */
    bool ftz, sat, relu;
};

/* bar, barrier: number and count are rows or absent. */
struct barrier_detail {
    enum barrier_op operation;
    enum bool_op reduction;
    bool has_count;
    bool negate;
};

/* tex: coordinates and results are rows of 32 bits. */
struct texture_detail {
    uint32_t handle; /* row of 64 bits */
    int dimensions;
    bool layered, whole; /* whole: the coordinates are integers */
    bool cube;           /* three coordinates: a direction */
    bool gathers;        /* tld4, of this channel: */
    int channel;
    uint32_t layer;
    uint32_t coordinates[3];
    uint32_t registers[4];
};

/* suld, sust: the bytes as ld and st have them, found by coordinates: the first in bytes, all of 32 bits. */
struct surface_detail {
    struct memory_detail memory;
    uint32_t handle; /* row of 64 bits */
    int dimensions;
    bool layered;
    enum surface_boundary boundary;
    bool writes;
    uint32_t layer;
    uint32_t coordinates[3];
};

enum matrix { MATRIX_A, MATRIX_B, MATRIX_SUM };

/* A matrix of mma or wmma, spread over the registers of a warp: sim/machine/exec_fragment.h. */
struct fragment {
    enum matrix matrix;
    enum ptx_type type;
    int rows, columns;
    int each;  /* elements in a register */
    int count; /* registers that the matrix fills ... */
    int given; /* ... and that the instruction names: wmma has more of f16, which are copies of the first ones */
    uint32_t registers[VECTOR_MAX];
};

/* mma, wmma.mma: d = a * b + c. */
struct mma_detail {
    struct fragment a, b, c, d;
    bool satfinite; /* integers are clamped, else cut */
};

/* wmma.load and wmma.store; ldmatrix: `matrices` of 8 x 8 halves, one of each register. */
struct matrix_detail {
    struct memory_detail memory; /* of what is accessed at once */
    struct fragment fragment;
    uint32_t stride; /* row of 32 bits: elements from one row to the next, or from column to column ... */
    bool by_columns; /* ... of a matrix that lies column by column */
    bool transposed;
};

enum video_op {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVRG,
    VIDEO_SET,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
};

/* A field of a word, or of two words side by side. */
struct video_part {
    int shift, bits;
};

/* Video instructions: rows a, b and c of 32 bits. SIMD ones have 2 or 4 parts. */
struct video_detail {
    enum video_op op;
    int parts;
    bool signed_d, signed_a, signed_b;
    bool sat, wrap, plus_one;
    bool negate_a, negate_b, negate_c; /* vmad */
    int scale;                         /* vmad: bits to shift right */
    enum comparison compare;
    enum video_second second;
    struct video_part a[4], b[4]; /* of the words b:a */
    struct video_part to;         /* scalar: what of the result goes where into c */
    unsigned mask;                /* SIMD: the parts that are written */
};

struct branch_table_detail {
    int count;
    int targets[];
};

/* Parameter bytes to copy at a call or a return, between the caller's and the callee's frames. */
struct parameter_copy {
    size_t caller, callee; /* offsets in the frames' local bytes */
    size_t size;
};

enum builtin {
    BUILTIN_NONE,
    BUILTIN_VPRINTF,
    BUILTIN_ASSERTFAIL,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_DEVICE_RUNTIME, /* the runtime API in kernels: call_detail.device_call */
};

/* A function of the runtime API that kernels call. */
struct device_call; /* sim/machine/exec_device_runtime.c */

struct call_detail {
    const struct function_layout *callee; /* NULL: indirect through micro.a, or a builtin */
    enum builtin builtin;
    const struct device_call *device_call;
    const struct ptx_operand *arguments; /* .param variables of the caller */
    int argument_count;
    const struct ptx_operand *results;
    int result_count;
    const struct function_layout *caller;
};
