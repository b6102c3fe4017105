/*
 * Wrong kernels: races in shared memory. The lines that a report may name end
 * with "// <-": it must name one of them at least.
 */
#include "tests/hazards/kernels.h"

/* ---- races in shared memory ---- */

KERNEL(reverse)
{
    __shared__ int s[64];
    s[T] = x[T];      // <-
    x[T] = s[63 - T]; // <-
}
KERNEL(rotate)
{
    __shared__ int s[128];
    s[T] = x[T];             // <-
    x[T] = s[(T + 1) % 128]; // <-
}
KERNEL(tree_no_barrier_in_loop)
{
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (T < d)
            s[T] += s[T + d]; // <-
    if (T == 0)
        x[0] = s[0];
}
KERNEL(tree_no_barrier_after_load)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    for (int d = 64; d > 0; d /= 2) {
        if (T < d)
            s[T] += s[T + d]; // <-
        __syncthreads();
    }
    if (T == 0)
        x[0] = s[0];
}
KERNEL(transpose_tile)
{
    __shared__ int s[16][17];
    s[T / 16][T % 16] = x[T]; // <-
    x[T] = s[T % 16][T / 16]; // <-
}
KERNEL(halo_right)
{
    __shared__ int s[65];
    s[T] = x[T]; // <-
    if (T == 0)
        s[64] = x[64];            // <-
    x[T + 128] = s[T] + s[T + 1]; // <-
}
KERNEL(halo_left)
{
    __shared__ int s[129];
    s[T + 1] = x[T]; // <-
    if (T == 127)
        s[0] = 0;                 // <-
    x[T + 128] = s[T] + s[T + 1]; // <-
}
KERNEL(scan_one_barrier)
{
    __shared__ int s[128];
    s[T] = x[T];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int v = T >= d ? s[T - d] : 0; // <-
        s[T] += v;                     // <-
    }
    x[T] = s[T];
}
KERNEL(double_buffer_no_barrier)
{
    __shared__ int s[2][128];
    s[0][T] = x[T];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        s[(k + 1) & 1][T] = s[k & 1][(T + 1) % 128] + 1; // <-
    x[T] = s[0][T];
}
KERNEL(tiles_no_second_barrier)
{
    __shared__ int s[128];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[T] = x[128 * k + T]; // <-
        __syncthreads();
        sum += s[127 - T]; // <-
    }
    x[T + 1024] = sum;
}
KERNEL(shared_histogram_plain)
{
    __shared__ int s[8];
    if (T < 8)
        s[T] = 0;
    __syncthreads();
    s[x[T] % 8]++; // <-
    __syncthreads();
    if (T < 8)
        x[T] = s[T];
}
KERNEL(all_write_one_word)
{
    __shared__ int s;
    s = T; // <-
    __syncthreads();
    x[T] = s;
}
KERNEL(broadcast_no_barrier)
{
    __shared__ int s;
    if (T == 0)
        s = x[0];   // <-
    x[T + 256] = s; // <-
}
KERNEL(barrier_behind_false_condition)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    if (x[2000] == 0)
        __syncthreads();
    x[T] = s[127 - T]; // <-
}
KERNEL(warp_no_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];      // <-
    x[T] = s[31 - T]; // <-
}
KERNEL(warp_tree_no_syncwarp)
{
    __shared__ int s[64];
    s[T] = x[T];
    s[T + 32] = x[T + 32];
    __syncwarp();
    s[T] += s[T + 32]; // <-
    s[T] += s[T + 16]; // <-
    s[T] += s[T + 8];  // <-
    if (T == 0)
        x[0] = s[0]; // <-
}
KERNEL(warp_tree_volatile)
{
    __shared__ volatile int s[64];
    s[T] = x[T];
    s[T + 32] = 0;
    __syncwarp();
    if (T < 16) {
        s[T] = s[T] + s[T + 16]; // <-
        s[T] = s[T] + s[T + 8];  // <-
        s[T] = s[T] + s[T + 4];  // <-
    }
    if (T == 0)
        x[0] = s[0]; // <-
}
KERNEL(syncwarp_between_warps)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    __syncwarp();
    x[T] = s[127 - T]; // <-
}
KERNEL(named_barrier_of_two_warps)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    if (T < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = s[127 - T]; // <-
}
KERNEL(bytes_counted_plain)
{
    __shared__ unsigned char s[16];
    if (T < 16)
        s[T] = 0;
    __syncthreads();
    s[T % 16] += 1; // <-
    __syncthreads();
    if (T < 16)
        x[T] = s[T];
}
KERNEL(dynamic_arrays_overlap)
{
    extern __shared__ int s[];
    int *a = s, *b = s + 64; /* 128 threads: the second array begins inside of the first */
    a[T] = x[T];             // <-
    b[T] = x[T] + 1;         // <-
    __syncthreads();
    x[T] = a[T] + b[T];
}
KERNEL(wide_write_narrow_read)
{
    __shared__ long long s[64];
    s[T] = x[T];               // <-
    x[T] = ((int *)s)[63 - T]; // <-
}
KERNEL(atomic_then_plain_read)
{
    __shared__ int s;
    if (T == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1); // <-
    x[T] = s;         // <-
}
KERNEL(plain_reset_beside_atomics)
{
    __shared__ int s;
    if (T == 0)
        s = 0;        // <-
    atomicAdd(&s, 1); // <-
    __syncthreads();
    x[T] = s;
}
struct pair {
    int a, b;
};
KERNEL(struct_member)
{
    __shared__ pair s[128];
    s[T].a = x[T];               // <-
    s[T].b = s[(T + 1) % 128].a; // <-
    __syncthreads();
    x[T] = s[T].b;
}
KERNEL(warp_sums_no_barrier)
{
    __shared__ int s[4];
    int v = __reduce_add_sync(FULL, x[T]);
    if (T % 32 == 0)
        s[T / 32] = v; // <-
    if (T == 0)
        x[0] = s[0] + s[1] + s[2] + s[3]; // <-
}
KERNEL(stencil_in_place)
{
    __shared__ int s[130];
    s[T + 1] = x[T];
    if (T < 2)
        s[129 * T] = 0;
    __syncthreads();
    s[T + 1] = s[T] + s[T + 2]; // <-
    __syncthreads();
    x[T] = s[T + 1];
}
KERNEL(bitonic_missing_barrier)
{
    __shared__ int s[256];
    s[T] = x[255 - T];
    s[T + 128] = x[T];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        int pos = 2 * T - (T & (stride - 1)), a = s[pos], b = s[pos + stride]; // <-
        s[pos] = min(a, b);                                                    // <-
        s[pos + stride] = max(a, b);                                           // <-
    }
    __syncthreads();
    x[T] = s[T];
}
KERNEL(reused_for_second_sum)
{
    __shared__ int s[4];
    for (int k = 0; k < 2; k++) {
        int v = __reduce_add_sync(FULL, x[T + 128 * k]);
        if (T % 32 == 0)
            s[T / 32] = v; // <-
        __syncthreads();
        if (T == 0)
            x[1024 + k] = s[0] + s[1] + s[2] + s[3]; // <-
    }
}
KERNEL(early_flag)
{
    __shared__ int done;
    if (T == 0)
        done = 0;
    __syncthreads();
    if (x[T] == 77)
        done = 1; // <-
    if (done)     // <-
        return;
    x[T] = -1;
}

extern "C" const struct hazard_program wrong_programs[];
const struct hazard_program wrong_programs[] = {
    WRONG(reverse, 1, 64, SHARED),
    WRONG(rotate, 1, 128, SHARED),
    WRONG(tree_no_barrier_in_loop, 1, 128, SHARED),
    WRONG(tree_no_barrier_after_load, 1, 128, SHARED),
    WRONG(transpose_tile, 1, 256, SHARED),
    WRONG(halo_right, 1, 64, SHARED),
    WRONG(halo_left, 1, 128, SHARED),
    WRONG(scan_one_barrier, 1, 128, SHARED),
    WRONG(double_buffer_no_barrier, 1, 128, SHARED),
    WRONG(tiles_no_second_barrier, 1, 128, SHARED),
    WRONG(shared_histogram_plain, 1, 128, SHARED),
    WRONG(all_write_one_word, 1, 128, SHARED),
    WRONG(broadcast_no_barrier, 1, 64, SHARED),
    WRONG(barrier_behind_false_condition, 1, 128, SHARED),
    WRONG(warp_no_syncwarp, 1, 32, SHARED),
    WRONG(warp_tree_no_syncwarp, 1, 32, SHARED),
    WRONG(warp_tree_volatile, 1, 32, SHARED),
    WRONG(syncwarp_between_warps, 1, 128, SHARED),
    WRONG(named_barrier_of_two_warps, 1, 128, SHARED),
    WRONG(bytes_counted_plain, 1, 128, SHARED),
    WRONG_DYNAMIC(dynamic_arrays_overlap, 1, 128, 4 * 192, SHARED),
    WRONG(wide_write_narrow_read, 1, 64, SHARED),
    WRONG(atomic_then_plain_read, 1, 64, SHARED),
    WRONG(plain_reset_beside_atomics, 1, 64, SHARED),
    WRONG(struct_member, 1, 128, SHARED),
    WRONG(warp_sums_no_barrier, 1, 128, SHARED),
    WRONG(stencil_in_place, 1, 128, SHARED),
    WRONG(bitonic_missing_barrier, 1, 128, SHARED),
    WRONG(reused_for_second_sum, 1, 128, SHARED),
    WRONG(early_flag, 1, 128, SHARED),
    {},
};
