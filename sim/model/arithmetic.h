/* Which lines execute a launch's floating-point arithmetic. */
#pragma once

#include <stdint.h>

#include "sim/core/kernel.h"
#include "sim/model/counter.h"

enum { ARITHMETIC_LINES = 3 };

struct arithmetic_line {
    const char *file; /* belongs to the kernel's module */
    int line,
        call_line; /* in the same file: of the call of the function that the line is in, if it was inlined; else 0 */
    uint64_t flops;
};

struct sim_arithmetic {
    uint64_t flops; /* of all threads; a multiply-add counts two */
    int count;
    struct arithmetic_line line[ARITHMETIC_LINES]; /* those with most of them, most first */
};

struct code;

/* Of what the set has counted. */
void arithmetic_find(const struct sim_kernel *kernel, const struct code *code, const struct counter_set *set,
                     struct sim_arithmetic *out);
