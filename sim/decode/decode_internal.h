/* What the decoder's files share. See decode.h for what they make. */
#pragma once

#include "sim/core/detail.h"
#include "sim/core/kernel.h"
#include "sim/decode/decode.h"
#include "sim/ptx/cfg.h"

/* ---- an arena: everything that lives as long as the code ----------------------------------------------- */

struct arena *arena_create(void);
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned to 64 */
void arena_destroy(struct arena *arena);

/* ---- modifiers ----------------------------------------------------------------------------------------- */

/* A kind of modifier; an instruction has at most one of each (MOD_CACHE: several). */
enum modifier_kind {
    MOD_ROUND,     /* enum rounding */
    MOD_ROUND_INT, /* enum rounding, to an integer */
    MOD_FTZ,
    MOD_SAT,
    MOD_APPROX,  /* enum approximation */
    MOD_HALF,    /* enum product_half */
    MOD_COMPARE, /* enum comparison */
    MOD_BOOL,    /* enum bool_op */
    MOD_CARRY,
    MOD_NAN,
    MOD_RELU,
    MOD_SPACE,  /* enum ptx_space */
    MOD_VECTOR, /* 2, 4 or 8 */
    MOD_CACHE,
    MOD_ORDER,  /* enum access_order */
    MOD_SCOPE,  /* 0 block, 1 device, 2 system */
    MOD_ATOMIC, /* enum atomic_op */
    MOD_NOFTZ,
    MOD_UNIFORM,
    MOD_INDEX,
    MOD_SYNC,
    MOD_BARRIER, /* enum barrier_op */
    MOD_VOTE,    /* enum vote_mode */
    MOD_SHUFFLE, /* enum shuffle_mode */
    MOD_MATCH,   /* 0 any, 1 all */
    MOD_SHIFT,   /* 0 left, 1 right */
    MOD_WRAP,    /* 0 clamp, 1 wrap */
    MOD_SHIFTAMT,
    MOD_PERMUTE, /* enum permute_mode */
    MOD_TO,
    MOD_TEST,         /* enum float_test */
    MOD_VIDEO_SECOND, /* enum video_second */
    MOD_SCALE,        /* bits: 7 or 15 */
    MOD_PLUS_ONE,
    MOD_MASK,
    MOD_ASYNC,
    MOD_ASYNC_STEP, /* enum async_step */
    MOD_NOINC,
    MOD_MBARRIER, /* enum mbarrier_op */
    MOD_NO_COMPLETE,
    MOD_PARITY,
    MOD_GEOMETRY, /* enum texture_geometry */
    MOD_LEVEL,
    MOD_GATHER,   /* the channel */
    MOD_BOUNDARY, /* enum surface_boundary */
    MOD_BYTES,    /* surfaces: coordinates count bytes */
    MOD_POLICY,
    MOD_GRID_STEP,
    MOD_REGISTERS,
    MOD_AWAY,     /* to nearest, ties away from zero */
    MOD_WMMA,     /* enum wmma_step */
    MOD_MATRIX,   /* enum matrix */
    MOD_SHAPE,    /* M, N and K: SHAPE() */
    MOD_LAYOUT,   /* 0 row by row, 1 column by column */
    MOD_MATRICES, /* 1, 2 or 4 */
    MOD_TRANSPOSED,
    MOD_SATFINITE,
    MOD_KINDS
};

enum approximation { APPROX_APPROX = 1, APPROX_FULL };
enum wmma_step { WMMA_LOAD, WMMA_STORE, WMMA_MMA };
#define SHAPE(m, n, k) ((m) << 16 | (n) << 8 | (k))
enum product_half { HALF_LOW = 1, HALF_HIGH, HALF_WIDE };
struct modifiers {
    enum ptx_type types[4];
    int type_count;
    enum ptx_space spaces[2]; /* cvta.to.shared has one, cp.async two */
    int space_count;
    uint64_t seen;               /* bit k: kind k stands */
    int value[MOD_KINDS];        /* 0 where it does not */
    const char *name[MOD_KINDS]; /* as written, "" where it does not stand */
};

static inline bool has_modifier(const struct modifiers *m, enum modifier_kind kind)
{
    return m->seen >> kind & 1;
}

/* The unknown modifier's text, or NULL if all are of the `allowed` kinds (bits) or types. */
const char *modifiers_parse(const struct ptx_instr *instr, uint64_t allowed, struct modifiers *out);
/* Every spelling by number, with its kind; NULL past the end. */
const char *modifier_spelling(int index, enum modifier_kind *kind);

/* ---- opcodes ------------------------------------------------------------------------------------------- */

struct decoder;

struct opcode {
    const char *name;
    void (*decode)(struct decoder *decoder, struct micro *op);
    const char *operands;
    uint64_t types; /* bits by enum ptx_type */
    uint64_t modifiers;
    int cost; /* enum cost_class, -1: by the type */
    int cost_count;
    const char *meaning;
};

const struct opcode *opcode_find(const char *name); /* NULL: unknown */
int opcode_count(void);
const struct opcode *opcode_at(int index);

/* ---- the decoder --------------------------------------------------------------------------------------- */

/* A constant that already has a row. */
struct constant {
    int size;
    uint64_t value;
    uint32_t ref;
};

/* The instruction reads or writes the register. */
struct register_note {
    int instr; /* index in the function */
    int reg;
    bool writes;
};

struct decoder {
    struct sim_kernel *kernel;
    struct code *code;
    struct function_layout *layout; /* of the function being decoded */
    const struct ptx_func *func;
    bool is_entry;
    bool waits;                  /* a function of the kernel polls a word that other threads may store to */
    uint32_t *regs;              /* by register of func: row reference or predicate index */
    struct register_note *notes; /* NULL: not noting */
    int note_count, note_capacity;
    uint32_t *block_pcs; /* by cfg block: operation */
    const struct cfg *cfg;
    uint64_t *used_bits; /* by register of func, see decode_find_used_bits */
    const struct ptx_instr *instr;
    const struct opcode *opcode;
    struct modifiers mods;
    struct constant *constants;
    int constant_count, constant_capacity;
    size_t launch_capacity;
    bool failed;
    char *message; /* [512] */
};

/* ---- decode_layout.c ----------------------------------------------------------------------------------- */

/* Fills code->functions with what the kernel can reach, itself first, and places local and .param
 * variables. */
void layout_functions(struct decoder *d);
/* Places the shared variables that these functions use; extern arrays where the dynamic part begins. */
void layout_shared(struct decoder *d);
/* Bytes that a thread's local window needs; without what is called where the depth of calls is not known, which sets
 * code->calls_unbounded. */
size_t layout_call_chain(struct code *code);
/* Whether a function takes from the stack itself: alloca. */
bool layout_has_alloca(const struct code *code);
/* Operations of the function from `pc` on: fills pcs[block], returns the first one behind them. */
int layout_blocks(const struct cfg *cfg, const struct ptx_func *func, int pc, uint32_t *pcs);
/* The block that the block of this rank runs on into, if it does not lie behind it and needs a jump; or
 * -1. */
int layout_jump(const struct cfg *cfg, const struct ptx_func *func, int rank);

/* ---- decode_registers.c -------------------------------------------------------------------------------- */

/* Every register of d->func gets rows of its own, and the decoder begins to note who uses them. */
void registers_begin(struct decoder *d);
/* The current instruction reads (or writes) the register. */
void registers_note(struct decoder *d, int reg, bool writes);
/* Registers that are never alive together share rows; sets the sizes of the layout's frame. */
void registers_allocate(struct decoder *d);
void registers_end(struct decoder *d);

/* ---- decode_undefined.c -------------------------------------------------------------------------------- */

/* The kernel may read these registers (a bit each) before it has written them: fills d->code->undefined from the notes. */
void decode_find_undefined(struct decoder *d, const uint64_t *unwritten);

/* ---- the rest ------------------------------------------------------------------------------------------ */

/* Notes the first failure of the instruction being decoded: what is wrong, and where. */
void decode_fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Operand number `index`; fails if there is none. */
const struct ptx_operand *decode_operand(struct decoder *d, int index);
/* Row of a source operand used as `type`. */
uint32_t decode_source(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);
/* Row of a destination register (or the sink); `exact`: its width must be that of the type. */
uint32_t decode_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);
/* A register of any width, for ld, st and cvt, that is read or written: its row, and its size in bytes. */
uint32_t decode_any_register(struct decoder *d, const struct ptx_operand *operand, bool writes, int *size);
/* Predicates: index for a destination; index and negation for a source. */
uint32_t decode_predicate_destination(struct decoder *d, const struct ptx_operand *operand);
uint32_t decode_predicate_source(struct decoder *d, const struct ptx_operand *operand, bool *negated);
/* Row filled with `value` of `size` bytes (2, 4, 8). */
uint32_t decode_constant(struct decoder *d, int size, uint64_t value);
/* The integer value of an immediate operand; fails for others. */
int64_t decode_immediate(struct decoder *d, const struct ptx_operand *operand);
/* Where a variable lies in its own state space; shared ones from 0 on. */
uint64_t decode_variable_address(struct decoder *d, const struct ptx_var *var);
uint64_t decode_function_address(struct decoder *d, const struct ptx_func *func);
/* Offset of a .param variable: of the kernel in its parameter block, of others in the frame's local bytes. */
uint64_t decode_param_offset(struct decoder *d, const struct ptx_var *var);
/* Into `detail`, whose space is known: [register + constant], [variable + constant] or [constant]. */
void decode_address(struct decoder *d, struct memory_detail *detail, const struct ptx_operand *address);
/* Whether the load only guesses what a compare-and-swap at the same address will find (decode_guess.c). */
/* Whether the value of a volatile load decides if the loop that it stands in goes on (decode_poll.c). */
bool decode_is_polled(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load);
/* Whether threads that run the function may wait for what others store: it polls a word. */
bool decode_waits(const struct ptx_func *func, const struct cfg *cfg);
/* Finds out which shared arrays the operations mean (decode_arrays.c). */
void decode_find_arrays(struct decoder *d);
/*
 * In a kernel whose threads wait so: a store or atomic that may be what they wait for lets them go on, and who finds
 * something new may act on it later (decode_poll.c).
 */
void decode_turns(struct decoder *d, struct micro *op, struct memory_detail *detail);
bool decode_is_guess(const struct ptx_func *func, const struct ptx_instr *load);
/*
 * The predicate of the selp that alone takes or drops what the load brings, if it has its value already when
 * the load runs; NULL: the value counts in any case, or one cannot tell. *if_not: a false predicate takes it.
 */
const struct ptx_operand *decode_chosen_by(const struct ptx_func *func, const struct cfg *cfg,
                                           const struct ptx_instr *load, bool *if_not);
/* The bits of each register that get into anything but stores (decode_bits.c); to be freed. */
uint64_t *decode_find_used_bits(const struct ptx_func *func);
/* The bytes, as bits, that a store writes as a load before it found them (decode_copies.c). */
unsigned decode_kept_bytes(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *store);
/* Whether a store puts some bits of what this loads back to where they were, beside new ones. */
bool decode_is_put_back(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load);
/* Whether it is one of several loads that are stored elsewhere at the same distances. */
bool decode_is_structure(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load);
/* Operation of the instruction that a label stands before. */
int decode_label(struct decoder *d, int64_t instruction);

/* exec_handler with a printf format; fails the instruction if there is none. */
exec_fn decode_handler(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * The handler of "name.type", where the type may be a more general one: s32 or u32 as b32 and, for
 * opcodes that only move bits, f32 as b32.
 */
exec_fn decode_typed_handler(struct decoder *d, const char *name, enum ptx_type type);
const char *decode_type_name(enum ptx_type type);
bool decode_is_float(enum ptx_type type);
/* The first type modifier; fails if there is none. */
enum ptx_type decode_main_type(struct decoder *d);
/* FLAG_ROUND, FLAG_FTZ, FLAG_SAT, FLAG_RELU from the modifiers. */
uint16_t decode_float_flags(const struct modifiers *m);
