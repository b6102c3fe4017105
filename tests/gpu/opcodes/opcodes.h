/* Between the CUDA files that hold the instructions and opcodes.c, which runs them. */
#pragma once

#include <stdint.h>

#define OPCODE_BLOCK 128

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table: a kernel that executes several instructions on the same operands. */
struct opcode_row {
    /*
     * kernel(const uint64_t *operands, uint64_t *results, uint64_t *cells, int n): one thread for each of n
     * sets of operands. Operand k of set i is operands[k * n + i], result v is results[v * n + i]; cells: 4 *
     * n words.
     */
    const void *kernel;
    const char *const *names; /* of the results */
    int count;                /* of the results */
    const char *operands;     /* a letter each: see the table */
    const char *approximate;  /* the result's type if it is an approximation, else NULL */
};
extern const struct opcode_row opcode_rows[]; /* from the table; ends with an empty one */

/* Instructions of whole warps (warp.cu): a warp for each of n / 32 sets of operands, the same kernel
 * parameters. */
extern const struct opcode_row opcode_warp_rows[];

#ifdef __cplusplus
}
#endif
