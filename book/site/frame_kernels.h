/* The kernels of frames.c, from C. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* A tile of 32 x 32 words whose rows are `row` words long: a warp loads a column of it. */
void frame_column(int row);
/* Sums of 128 numbers by halves, without the barrier in the loop: a race. */
void frame_race(void);
/* GB/s of reading 1 GB, modeled: so many blocks of 256 threads per SM, so many loads of 4 bytes in flight per thread: 1, 2, 4 or 8. */
double frame_rate(int blocks, int loads);

#ifdef __cplusplus
}
#endif
