/* The launches that a lab's timed tasks make: what the grader's --launches prints. */
#ifndef CALCULATORS_LAUNCHES_H
#define CALCULATORS_LAUNCHES_H

#include "calculators/ptxas.h"

struct launch_shape {
    char tasks[128];       /* that launch it, with commas between */
    char mangled[256];     /* the kernel's name; cut if it is longer */
    int kernel;            /* its number in the list that launches_match was given; -1: not there */
    unsigned threads;      /* per block */
    size_t shared_dynamic; /* bytes per block */
};

/* Reads all of `in`; fills shapes[0 .. returned - 1], at most `most`. Equal launches of several tasks become one. */
int launches_read(FILE *in, struct launch_shape *shapes, int most);
/* Finds each shape's kernel: by its mangled name, or, where no kernel has that, by the name that people read. */
void launches_match(struct launch_shape *shapes, int shape_count, const struct ptxas_kernel *kernels,
                    int kernel_count);

#endif
