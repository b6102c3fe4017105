/* What the assembler says of kernels: nvcc -Xptxas -v. */
#ifndef CALCULATORS_PTXAS_H
#define CALCULATORS_PTXAS_H

#include <stddef.h>
#include <stdio.h>

struct ptxas_kernel {
    char mangled[512];
    char name[128];                   /* without parameters, as people read it */
    int registers;                    /* per thread */
    size_t shared_static;             /* bytes per block */
    size_t spill_stores, spill_loads; /* bytes per thread: registers that did not suffice */
};

/* Reads all of `in`; fills kernels[0 .. returned - 1], at most `most`, and skips other text. */
int ptxas_read(FILE *in, struct ptxas_kernel *kernels, int most);

#endif
