/* Between the files of the generator. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "generate.h"

enum { WORDS_32 = 16, WORDS_64 = 6, WORDS_16 = 6, PREDICATES = 5, DEPTH_MAX = 4 };

struct generator {
    FILE *out;
    uint64_t random;
    struct kernel_shape shape;
    int labels;
    char guard[16];
};

/* Where a statement stands. */
struct context {
    int depth;
    int mask;      /* the register %m that names the lanes that are here; -1: not known */
    bool barriers; /* all threads of the block come here */
    int exits[DEPTH_MAX + 1], exit_count; /* ends of constructs around that a lane may go to */
};

uint32_t below(struct generator *g, uint32_t limit);
bool one_in(struct generator *g, uint32_t n);
__attribute__((format(printf, 2, 3))) void emit(struct generator *g, const char *format, ...);
/* "", or now and then the guard of an instruction. */
const char *guard(struct generator *g);

/* generate_memory.c */
void load_statement(struct generator *g);
void store_statement(struct generator *g);
void atomic_statement(struct generator *g);  /* on bytes of the thread; the result is used */
void counter_statement(struct generator *g); /* on counters of all */
void copy_statement(struct generator *g);    /* cp.async */
