/*
 * A kernel as the scalar interpreter sees it: PTX text that was read by a parser of its own. Nothing here is shared
 * with the simulator. What each instruction means is taken from the PTX ISA (version 8.5), section by section.
 *
 * The subset: one kernel; module variables in .const and .global; one instruction or label per line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPERANDS = 6, ELEMENTS = 4, REGISTERS = 128, VARIABLES = 16, INSTRUCTIONS = 4096, WORDS = 8 };

enum space { GENERIC, GLOBAL, SHARED, LOCAL, CONST, PARAM };

struct type {
    char kind; /* 'u', 's', 'b', or 'p' for predicates */
    int bits;
};

enum operand_kind { NOTHING, REGISTER, IMMEDIATE, SPECIAL, ADDRESS, LIST, LABEL };
enum special { TID, NTID, CTAID, LANEID };

struct operand {
    enum operand_kind kind;
    int reg;                   /* REGISTER; ADDRESS: the base, or -1 */
    bool negated;              /* !%p */
    int second;                /* %r|%p: the predicate, or -1 */
    uint64_t value;            /* IMMEDIATE; ADDRESS: what is added to the base; LABEL: the instruction */
    enum special special;      /* SPECIAL */
    int list[ELEMENTS], count; /* LIST */
    char label[16];
};

struct thread;
struct instruction {
    int line;              /* in the text */
    char words[WORDS][16]; /* "ld", "global", "v2", "u32" */
    int word_count;
    struct operand operands[OPERANDS];
    int operand_count;
    int guard; /* predicate, or -1 */
    bool guard_negated;
    struct type type,
        from; /* the last type of the opcode, and, where there are two, the one before it: cvt.type.from */
    enum space space;
    int vector; /* 1, 2, 4 */
    void (*run)(struct thread *thread, const struct instruction *instruction);
};

struct variable {
    char name[16];
    enum space space;
    uint64_t offset, size; /* in its space */
};

struct program {
    struct instruction instructions[INSTRUCTIONS];
    int count;
    struct {
        char name[16];
        int bits; /* 1: a predicate */
    } registers[REGISTERS];
    int register_count;
    struct variable variables[VARIABLES];
    int variable_count;
    uint64_t size[PARAM + 1]; /* of each space */
    unsigned char constants[8192];
};

/* Where variables begin: no address is 0, and none of two spaces are alike. Addresses never get into results. */
#define SHARED_START UINT64_C(0x2000)
#define LOCAL_START  UINT64_C(0x300)
#define CONST_START  UINT64_C(0x500000000)
#define PARAM_START  UINT64_C(0x40)
#define GLOBAL_START UINT64_C(0x900000000)
/* Generic addresses of the windows. */
#define SHARED_WINDOW UINT64_C(0x100000000000)
#define LOCAL_WINDOW  UINT64_C(0x200000000000)
#define PARAM_WINDOW  UINT64_C(0x300000000000)

/* Reads the text; stops the process with a message if it leaves the subset. */
void program_read(struct program *program, const char *text);
/* The variable of this name; NULL: there is none. */
const struct variable *program_variable(const struct program *program, const char *name);
/* What the instruction does; stops the process if the interpreter does not know it. */
void (*interpret_find(const struct instruction *instruction))(struct thread *, const struct instruction *);
/* Whether the opcode has this word. */
bool has_word(const struct instruction *instruction, const char *word);
/* Prints the text and stops the process: a mistake in the test itself. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
