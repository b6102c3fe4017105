/*
 * What the files of the parser share. No other file includes this: the contract is ptx.h.
 *
 * A mistake in the text ends the parse: ptx_ptx_fail() fills the error and jumps back to ptx_parse, which
 * releases the arena. So everything that lives longer than a function is in the arena or in one of
 * the parser's buffers.
 */
#pragma once

#include <setjmp.h>

#include "sim/ptx/ptx.h"
#include "sim/ptx/ptx_lex.h"

/* ---- limits: real PTX stays far below; hostile text must not take the machine -------------------------- */

enum {
    LIMIT_EXPRESSION_DEPTH = 64,   /* parentheses and signs inside each other */
    LIMIT_SCOPE_DEPTH = 256,       /* { } blocks inside each other */
    LIMIT_DIMENSIONS = 16,         /* a[2][3]… */
    LIMIT_REGISTERS = 1 << 22,     /* in a module */
    LIMIT_FILE_INDEX = 1 << 16,    /* .file */
    LIMIT_ALIGN = 1 << 20,         /* bytes */
    LIMIT_INITIALISED = 256 << 20, /* bytes of all initialized variables of a module */
};
enum { PLACE_CHAINS = 256 };
#define LIMIT_VARIABLE ((uint64_t)1 << 40) /* bytes of one variable */

/* ---- memory (ptx_parse_memory.c) ----------------------------------------------------------------------- */

struct arena {
    struct arena_block *blocks;
    char *at, *end;
};

void ptx_arena_free(struct arena *arena);

/* A growing array, reused from function to function; released by ptx_parse. */
struct buffer {
    char *data;
    size_t size, capacity; /* bytes */
};

/* ---- names (ptx_parse_names.c) ------------------------------------------------------------------------- */

enum symbol_kind { SYMBOL_REG, SYMBOL_VAR, SYMBOL_FUNC };

/* What a name stands for in one scope. */
struct symbol {
    enum symbol_kind kind;
    struct name *name;
    int scope_depth;       /* 0 for the module, 1 for a function's parameters and body … */
    struct symbol *outer;  /* the same name further out, hidden by this one */
    struct symbol *before; /* declared just before in the same scope */
    int reg, count;        /* REG: first index, and how many: a vector's components, or a range's length */
    bool is_vector;
    struct ptx_var *var;
    struct ptx_func *func;
};

/* A place to branch to, or a table or prototype that an instruction names. */
struct label {
    struct name *name;
    int scope_depth;
    struct label *outer, *before;
    bool is_place; /* false: a table or a prototype */
    int instr;
};

/* Every word of the text exists once. */
struct name {
    const char *text;
    size_t length;
    uint32_t hash;
    struct name *next;     /* in the hash chain */
    struct symbol *symbol; /* innermost declaration of exactly this name */
    struct symbol *range;  /* innermost declaration of this prefix: .reg .b32 %r<17> */
    struct label *label;   /* innermost label */
    struct opcode *opcode; /* the same text as an opcode, split up */
};

struct opcode {
    const char *op;
    const char *const *mods;
    int mod_count;
};

/* A label that was used: known when its scope or one further out ends. */
struct fixup {
    struct name *name;
    int line, column;
    struct ptx_operand *operand; /* or */
    int *target;                 /* an entry of a branch table */
};

struct scope {
    struct symbol *symbols; /* last declared first */
    struct label *labels;
    size_t first_fixup; /* index into parser.fixups */
    int number;         /* for ptx_instr.scope */
};

/* ---- the parser ---------------------------------------------------------------------------------------- */

struct parser {
    struct ptx_lexer lexer;
    struct ptx_token token;     /* the one to look at next */
    int word_line, word_column; /* where the last word was that expect_word took */
    struct ptx_error *error;
    jmp_buf on_error;

    struct arena *arena;
    struct ptx_module *module;
    struct name **names; /* hash table */
    size_t name_count, name_slots;

    struct buffer module_vars, module_funcs, files, aliases;
    struct buffer regs, vars, instrs, tables, fixups; /* of the function being read */
    struct buffer list;                               /* a stack of short lists being read */
    struct buffer bytes, relocs;                      /* of the initializer being read */

    struct scope scopes[LIMIT_SCOPE_DEPTH + 2];
    int depth; /* of scopes: 0 is the module */
    int scope_count;
    int expression_depth;
    size_t register_count; /* in the whole module */
    size_t initialised_size;
    struct ptx_func *func; /* whose body is being read, or NULL */
    int last_place;        /* the instruction that the last label stands before, or -1 */
    struct ptx_loc loc;    /* from the last .loc */
    bool no_line;          /* the last .loc has line 0: those below are of the one before */
    struct ptx_loc site;   /* the same, as ptx_instr.site has it */
    struct ptx_loc call;   /* as ptx_instr.call has it, … */
    struct ptx_loc from;   /* … and ptx_instr.from */
    struct buffer places;  /* of the function: every position that a .loc named, see ptx_parse_line.c */
    int place_chains[PLACE_CHAINS];
};

/* errors: at the current token, or at a place kept from before */
_Noreturn void ptx_fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void ptx_fail_at(struct parser *p, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void ptx_fail_expected(struct parser *p, const char *expected); /* "found …, expected …" */

/* tokens (ptx_parse_tokens.c) */
void ptx_advance(struct parser *p);
bool ptx_is_punct(const struct parser *p, int punct);
bool ptx_is_dot(const struct parser *p, const char *name); /* ".name", given without the dot */
bool ptx_accept_punct(struct parser *p, int punct);
bool ptx_accept_dot(struct parser *p, const char *name);
void ptx_expect_punct(struct parser *p, int punct, const char *expected);
struct name *ptx_expect_word(struct parser *p, const char *expected);
/* One integer literal, no expression. */
int64_t ptx_expect_int(struct parser *p, int64_t least, int64_t most, const char *expected);
void ptx_skip_to_semicolon(struct parser *p); /* and past it */
void ptx_skip_braces(struct parser *p);       /* from { past its } */

/* memory */
void *ptx_arena_alloc(struct parser *p, size_t size); /* zeroed, aligned to 16 */
const char *ptx_arena_text(struct parser *p, const char *start, size_t length);
void *ptx_buffer_push(struct parser *p, struct buffer *buffer, size_t size); /* zeroed; moves on growth */
void *ptx_buffer_copy(struct parser *p, const struct buffer *buffer, size_t from); /* into the arena */

/* names */
struct name *ptx_intern(struct parser *p, const char *start, size_t length);
struct symbol *ptx_declare(struct parser *p, enum symbol_kind kind, struct name *name);
struct symbol *ptx_declare_range(struct parser *p, struct name *prefix, int first, int count);
/* What `name` means here; *index is its place inside a range. NULL if nothing was declared. */
struct symbol *ptx_lookup(struct parser *p, const struct name *name, int *index);
struct label *ptx_declare_label(struct parser *p, struct name *name, bool is_place);
void ptx_use_label(struct parser *p, const struct name *name, int line, int column,
                   struct ptx_operand *operand, int *target);
void ptx_scope_open(struct parser *p);
void ptx_scope_close(struct parser *p);

/* constant expressions (ptx_parse_expr.c) */
enum constant_kind { CONSTANT_INT, CONSTANT_F32, CONSTANT_F64 };
struct constant {
    enum constant_kind kind;
    bool is_unsigned;
    uint64_t bits; /* the integer, or the bits of the float */
};
struct constant ptx_parse_constant(struct parser *p);
bool ptx_starts_constant(const struct parser *p);
bool ptx_is_warp_size(const struct ptx_token *token); /* the word WARP_SZ */
int64_t ptx_parse_offset(struct parser *p); /* `+ 8 - 4` behind a symbol or a base register; 0 for nothing */
double ptx_constant_to_double(struct constant c);

/* variables (ptx_parse_var.c, ptx_parse_init.c) */
struct linkage {
    bool is_extern, is_visible, is_weak;
};

/* A declaration up to its name: `.global .align 8 .v2 .b32`. */
struct declaration {
    struct linkage linkage;
    enum ptx_space space;
    enum ptx_type type;
    int vector; /* elements of a .v2, .v4, .v8; else 1 */
    int align;  /* 0 where none is given */
};

/*
 * The levels of braces in an initializer: stride[0] bytes in all, stride[1] in one row …,
 * stride[levels] in one element.
 */
struct shape {
    int levels;
    bool is_open; /* the first bound is left to the initializer: stride[0] means nothing */
    uint64_t stride[LIMIT_DIMENSIONS + 2];
};

struct linkage ptx_parse_linkage(struct parser *p);
bool ptx_starts_variable(const struct parser *p);                   /* at a state space */
void ptx_parse_variables(struct parser *p, struct linkage linkage); /* up to and with the ; */
void ptx_skip_attribute(struct parser *p);                          /* after .attribute */
void ptx_parse_param(struct parser *p, struct ptx_var *var);        /* .param .align 8 .b8 name[16] */
void ptx_parse_initialiser(struct parser *p, struct ptx_var *var, struct shape *shape); /* after the = */
void ptx_parse_registers(struct parser *p); /* .reg …, up to and with the ; */

/* instructions (ptx_parse_instr.c, ptx_parse_operand.c) */
void ptx_parse_statement(struct parser *p); /* a label, or an instruction up to and with its ; */
void ptx_append_return(struct parser *p);   /* as if the text had a ret here */
void ptx_parse_operands(struct parser *p, struct ptx_instr *instr); /* up to and with the ; */

/* functions (ptx_parse_func.c, ptx_parse_body.c) */
void ptx_parse_function(struct parser *p, struct linkage linkage); /* at .entry or .func */
void ptx_parse_body(struct parser *p, struct ptx_func *func);      /* from { to the } of the body */

/* directives without code (ptx_parse_line.c) */
void ptx_forget_locations(struct parser *p); /* where a body begins or ends */
void ptx_parse_loc(struct parser *p);
void ptx_parse_file(struct parser *p);
void ptx_check_locations(struct parser *p); /* every loc names a file that exists, or none */
