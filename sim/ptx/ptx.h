/*
 * PTX as data: what the parser makes of the text that nvcc wrote, and what the decoder reads.
 *
 * The parser knows PTX's grammar but no instruction: an opcode is a base name and a list of
 * modifiers, as they stand in the text. Which of them exist, and what they mean, is the business
 * of the opcode table (ops.def) and the decoder.
 *
 * Source: PTX ISA, chapters 4 (syntax), 5 (state spaces and types), 6 (operands), 11 (directives).
 *
 * Ownership: a module owns everything that it points to; ptx_module_free releases it all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/ptx_kinds.h"

/* Bytes of one element; 0 for PTX_NOTYPE, 1 for PTX_PRED. */
int ptx_type_size(enum ptx_type type);

/* The type called `name` ("f32", no dot), or PTX_NOTYPE. */
enum ptx_type ptx_type_find(const char *name);

enum ptx_operand_kind {
    PTX_REG,      /* reg: index into ptx_func.regs; `negated` for !%p; name: a video selector "b0" or NULL */
    PTX_INT,      /* value: 64 bits of an integer literal */
    PTX_F32_BITS, /* value: the 32 bits of 0fXXXXXXXX */
    PTX_F64_BITS, /* value: the 64 bits of 0dXXXXXXXXXXXXXXXX or of a decimal literal */
    PTX_SYMBOL,   /* var (+ value bytes): the address of a variable, in its own state space */
    PTX_FUNC,     /* func: a function by name (call target, or its address) */
    PTX_LABEL,    /* value: index of the instruction that the label stands before; always one that exists */
    PTX_SREG,     /* name: "%tid.x", "%laneid", "%envreg1", "WARP_SZ" … */
    PTX_SINK,     /* _ */
    PTX_ADDRESS,  /* [base + value]: base is a register (reg >= 0) or a variable (var) or neither */
    PTX_VECTOR,   /* {a, b, …}: list[0..count-1], each REG, INT, F32_BITS, F64_BITS or SINK */
    PTX_LIST,     /* (a, b, …) of a call: list[0..count-1] */
    PTX_PAIR,     /* a|b: list[0] and list[1] (setp's and shfl's second destination) */
    PTX_NAME,     /* name: a bare word that is none of the above (.callprototype or table label) */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; /* !%p as a source predicate, or a minus before a register */
    int reg;      /* REG; ADDRESS: base register or -1 */
    int64_t value;
    struct ptx_var *var;   /* SYMBOL; ADDRESS without register */
    struct ptx_func *func; /* FUNC */
    const char *name;      /* SREG, NAME; REG: selector */
    struct ptx_operand *list;
    int count;
    /*
     * tex operands [tex, {x, y}]: kind ADDRESS with list/count holding the coordinates. With more
     * than one thing behind the base ([tex, sampler, {x, y}]) list holds them as they stand.
     */
};

struct ptx_instr {
    const char *text;        /* the whole opcode as written: "ld.global.v2.f32" */
    const char *op;          /* its base name: "ld" */
    const char *const *mods; /* "global", "v2", "f32" … in order; "to::x" style ones kept whole */
    int mod_count;
    int guard; /* predicate register, or -1 */
    bool guard_negated;
    struct ptx_operand *operands;
    int operand_count;
    struct ptx_loc loc; /* the CUDA source line; inlined code names the innermost line */
    /*
     * The line to show to the kernel's author: up the chain of calls that were inlined, the innermost
     * one in the file of the function itself (for __shfl_down_sync: the line that calls it). Equals
     * loc where nothing was inlined.
     */
    struct ptx_loc site;
    struct ptx_loc
        call; /* where the function was called that `site` stands in, if it was inlined; line 0: it was not */
    struct ptx_loc
        from; /* of several calls, one in the other, the outermost; line 0: `call` is the only one */
    bool
        no_line; /* the compiler moved it, and says of it that it belongs to no line: those above are of the one before */
    int ptx_line; /* line in the PTX text, from 1 */
    int scope;    /* number of the innermost { } block, 0 for the function's body */
};

/* A relocation inside an initializer: `size` bytes at `offset` hold the address of `var` or `func`. */
struct ptx_reloc {
    size_t offset;
    int size;
    bool generic; /* generic(symbol) */
    int shift;    /* bits: the address (+ addend) is shifted right by so many before it is stored */
    int64_t addend;
    struct ptx_var *var; /* or func; never both */
    struct ptx_func *func;
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type; /* of one element */
    int align;          /* bytes, at least the element's size */
    size_t size;        /* bytes in all; 0 for extern arrays without a bound */
    bool is_extern, is_weak, is_visible;
    unsigned char *init; /* `size` bytes, or NULL: all zero (global, const) or undefined (others) */
    struct ptx_reloc *relocs;
    int reloc_count;
    struct ptx_loc loc;
    int scope;      /* variables declared in a function: the block that they live in */
    size_t address; /* for the loader: where the variable was put in its state space */
};

struct ptx_reg {
    const char *name; /* "%r12" */
    enum ptx_type type;
};

struct ptx_param {
    struct ptx_var var; /* space PARAM; name, type, align, size */
    size_t offset;      /* in the parameter block, laid out as the ABI wants it */
};

struct ptx_func {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak;
    bool is_noreturn; /* .noreturn: a call of it never comes back */
    bool has_body;
    struct ptx_param *params; /* in order */
    int param_count;
    size_t param_size; /* bytes of the whole parameter block */
    struct ptx_param *rets;
    int ret_count;
    struct ptx_reg *regs; /* every register of the function, each scope's under its own index */
    int reg_count;
    struct ptx_var **vars; /* variables declared in the body: local, shared, static const, param */
    int var_count;
    /*
     * A body has at least one instruction, and the last one is an unguarded ret or exit: where the
     * text ends otherwise, a ret is appended (ptx_line of the closing brace). Nothing runs off the end.
     */
    struct ptx_instr *instrs;
    int instr_count;
    int maxntid[3];           /* .maxntid, 0 where absent */
    int reqntid[3];           /* .reqntid */
    int reqnctapercluster[3]; /* .reqnctapercluster, 0 where absent */
    int minnctapersm;
    struct ptx_branch_table { /* .branchtargets; a brx operand (PTX_NAME) names one of them */
        const char *name;
        int *targets; /* instruction indices */
        int count;
    } * tables;
    int table_count;
    struct ptx_module *module;
};

struct ptx_module {
    int version;      /* 90 for .version 9.0 */
    int target;       /* 80 for sm_80 */
    int address_size; /* 64 */
    bool is_debug;    /* compiled with nvcc -G */
    struct ptx_var **vars;
    int var_count;
    struct ptx_func **funcs; /* a prototype and its later body are one entry */
    int func_count;
    const char **files; /* by .file index; NULL where unused */
    int file_count;
    const char *text; /* what was parsed, text_length bytes; NULL for a linked module */
    size_t text_length;
    unsigned char *cubin; /* sim/model's: machine code made of the text, or NULL; freed with the module … */
    size_t cubin_size;
    int cubin_cc; /* … for this compute capability; 0: not made yet */
    void *arena;
    struct ptx_module **parts; /* of a linked one: what it consists of, owned */
    int part_count;
};

struct ptx_error {
    int line, column;  /* in the PTX text, from 1; 0 where there is none */
    char message[256]; /* what was found and what was expected */
};

/*
 * Parses `length` bytes of PTX (need not end in NUL). Returns NULL and fills `error` on the first
 * mistake; never aborts on bad input, whatever it is. No recursion without a bound.
 */
struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error);

/*
 * One module of several, count > 0, that owns them: what is extern in one is what another defines. What none
 * defines stays extern. The parts must not be used by themselves any more.
 */
struct ptx_module *ptx_link(struct ptx_module **parts, int count);

void ptx_module_free(struct ptx_module *module);

/* Is it one of the words behind the opcode? In ld.volatile.global.u32: volatile, global, u32. */
bool ptx_has_modifier(const struct ptx_instr *instr, const char *word);
/* Does the operand name the register: as itself, as the base of an address, or in its list? */
bool ptx_names(const struct ptx_operand *operand, int reg);
/* Does the instruction write the register? In st.global.u32 [%rd1], %r1: neither. */
bool ptx_writes(const struct ptx_instr *instr, int reg);

struct ptx_func *ptx_module_find_func(const struct ptx_module *module, const char *name);
struct ptx_var *ptx_module_find_var(const struct ptx_module *module, const char *name);
