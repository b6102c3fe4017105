/*
 * Lab 03, dynamic shared memory: the functions that your file defines. Names that begin with `d_` are
 * device pointers. The functions need not wait for the kernels that they launch, unless they return a
 * sum. No array has more than 2^30 elements.
 */
#ifndef LAB03_H
#define LAB03_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * (a) d_partial[b] = sum of d_x[B b .. min(B b + B - 1, n - 1)] for the ceil(n / B) blocks of d_x, where
 * B = block_size is 32, 64, 128, 256, 512 or 1024. Any n >= 0; d_x stays as it is.
 */
void lab03_reduce_blocks(const real *d_x, int n, real *d_partial, int block_size);

/* (a) The sum of d_x[0 .. n-1] with blocks of block_size threads. */
double lab03_sum(const real *d_x, int n, int block_size);

/*
 * (b) Element i ends a run if i = n - 1 or d_label[i] != d_label[i + 1]. d_partial[b] = sum of the
 * d_x[i] in block b that end a run. Both arrays are copied to one dynamic shared buffer: the block's
 * B + 1 labels (one byte each; the last one is the next block's), then B reals, which must be aligned.
 * B, n and the blocks as in (a).
 */
void lab03_run_ends(const real *d_x, const unsigned char *d_label, int n, real *d_partial, int block_size);

/*
 * (c) Reverses each tile of `tile` consecutive elements: d_y[t tile + k] = d_x[t tile + m - 1 - k], where
 * tile t has m = min(tile, n - t tile) elements; n >= 0, tile >= 1. A whole tile is copied to shared
 * memory, which takes more than 48 KB for large tiles. Returns 0; or, if the device cannot give a block
 * tile * sizeof(real) bytes, the CUDA error code, with d_y untouched and no error left pending.
 */
int lab03_reverse_tiles(const real *d_x, real *d_y, int n, int tile);

#ifdef __cplusplus
}
#endif
#endif
