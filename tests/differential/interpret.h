/* The scalar interpreter: one thread at a time, one instruction after the other. */
#pragma once

#include "program.h"

enum { BLOCK_THREADS_MAX = 128, LOCAL_MAX = 1024, SHARED_MAX = 32768, WARP = 32 };

enum state { RUNNING, AT_BARRIER, AT_WARP, ENDED };

/* Bytes at addresses from `start` on. */
struct region {
    uint64_t start;
    unsigned char *bytes;
    size_t size;
};

struct thread {
    struct block *block;
    int number; /* in the block */
    int pc;
    enum state state;
    uint64_t registers[REGISTERS];
    unsigned char local[LOCAL_MAX];
};

struct block {
    const struct program *program;
    const struct launch *launch;
    int number;
    unsigned char shared[SHARED_MAX];
    struct thread threads[BLOCK_THREADS_MAX];
};

struct launch {
    int blocks, threads;
    struct region global[3], constant;
    unsigned char param[256];
    uint64_t executed; /* instructions of single threads, guards that were false included */
};

/* Runs all blocks, in order. */
void interpret(const struct program *program, struct launch *launch);

/* ---- for the files of the interpreter ------------------------------------------------------------------ */

uint64_t read_operand(const struct thread *thread, const struct operand *operand);
/* Cuts the value to the register's width. */
void write_register(struct thread *thread, int reg, uint64_t value);
static inline void write_result(struct thread *thread, const struct instruction *in, uint64_t value)
{
    write_register(thread, in->operands[0].reg, value);
}
/* The low bits of a value, zero- or sign-extended to 64. */
uint64_t cut(uint64_t value, int bits);
uint64_t extend(uint64_t value, struct type type);
/* The bytes at an address of this space; stops the process if the kernel may not touch them. */
unsigned char *bytes_at(struct thread *thread, enum space space, uint64_t address, size_t size);
/* Exchanges values between lanes that have all come to the instruction; interpret_warp.c. */
void interpret_together(struct thread *lanes[WARP], uint32_t mask);

typedef void (*operation)(struct thread *, const struct instruction *);
/* interpret_memory.c, interpret_warp.c: NULL if the opcode is not theirs. */
operation memory_operation(const struct instruction *instruction);
operation warp_operation(const struct instruction *instruction);
