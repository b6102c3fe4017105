/*
 * Lab 05, inside a warp: the functions that your file defines. Names that begin with `d_` are device
 * pointers; 0 <= n <= 2^30. The functions need not wait for the kernels that they launch.
 */
#ifndef LAB05_H
#define LAB05_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB05_BLOCK_SIZE 128
#define LAB05_SCAN_BLOCK 256
#define LAB05_ROUNDS     128

/* (a) *d_y = the sum of d_x[0 .. n-1], whatever *d_y held before. Uses __syncwarp when one warp is left. */
void lab05_sum_syncwarp(const real *d_x, int n, real *d_y);

/* (b) The same sum. Uses __shfl_down_sync to move values from lane to lane. */
void lab05_sum_shuffle(const real *d_x, int n, real *d_y);

/* (c) d_y[i] = the sum of d_x[j] for all j <= i in the same group of 32; any n >= 0. */
void lab05_warp_scan(const real *d_x, int n, real *d_y);

/* (c) The same in groups of 256, one block each. */
void lab05_block_scan(const real *d_x, int n, real *d_y);

/*
 * (c) Compaction in groups of 256, one block each: d_y[256 b], d_y[256 b + 1], ... = the elements > 0 among
 * d_x[256 b .. 256 b + 255], in their order; d_count[b] = how many there are. No other element of d_y is written.
 */
void lab05_compact(const real *d_x, int n, real *d_y, unsigned *d_count);

/*
 * (d) d_y[i] = x after 128 rounds, from x = d_x[i], -1 <= x <= 1, where a round is
 *         x = x * 255/256 + 1/512          for even i
 *         x = x * (127/128 - x * 1/128)    for odd i
 * Both functions do the same work. In _inside, thread t takes element t, so each warp has elements of both
 * kinds. In _between, each warp has elements of one kind only. _inside is given in the skeleton.
 */
void lab05_diverge_inside(const real *d_x, int n, real *d_y);
void lab05_diverge_between(const real *d_x, int n, real *d_y);

/*
 * (e, optional) d_y[i] = d_x[0] + ... + d_x[i] for the whole array. d_sums has room for LAB05_SUMS(n) numbers,
 * whose values do not matter before or after the call. The arrays do not overlap when the grader calls it (yours may).
 */
#define LAB05_SUMS(n) ((n) / 128 + 1024)
void lab05_scan(const real *d_x, int n, real *d_y, real *d_sums);

/* (f, optional) The same in one pass, by decoupled look-back. d_state has room for LAB05_SUMS(n) states. */
#define LAB05_PIECE 2048 /* elements per block */
void lab05_scan_once(const real *d_x, int n, real *d_y, real *d_sums, unsigned *d_state);

#ifdef __cplusplus
}
#endif
#endif
