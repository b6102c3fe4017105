/* Parts of tasks that several labs share. */
#include "harness/lab/task_parts.h"

#include <stdio.h>

#include "harness/lab/real.h"

/* ---- shapes -------------------------------------------------------------------------------------------- */

int lab_shape_map(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    return 2;
}

int lab_shape_sum(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, 1);
    return 2;
}

int lab_shape_returned_sum(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    return 1;
}

int64_t lab_block_count(int64_t n, int64_t block_size)
{
    return (n + block_size - 1) / block_size;
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

void lab_fill_sum(struct lab_run *run)
{
    lab_fill_sixteenths(run->buffer[0].data, run->arg[0], run->seed, 0, LAB_LARGEST_WHOLE);
}

void lab_fill_returned_sum(struct lab_run *run)
{
    lab_fill_sixteenths(run->buffer[0].data, run->arg[0], run->seed, 0, 500);
}

/* ---- references ---------------------------------------------------------------------------------------- */

void lab_expect_sum(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    double magnitude;
    (void)buffer;
    expect->want[0] = (double)lab_sum(run->buffer[0].data, run->arg[0], &magnitude);
}

int64_t lab_halving_depth(int64_t count)
{
    int64_t depth = 0;
    while (((int64_t)1 << depth) < count)
        depth++;
    return depth;
}

void lab_expect_block_sums(const struct lab_run *run, int64_t block_size, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    const int64_t depth = lab_halving_depth(block_size);
    for (int64_t i = 0; i < expect->count; i++) {
        const int64_t first = block_size * (expect->first + i), left = run->arg[0] - first;
        double magnitude;
        expect->want[i] = (double)lab_sum(x + first, left < block_size ? left : block_size, &magnitude);
        expect->tolerance[i] = lab_sum_bound(magnitude, depth);
    }
}

void lab_owner_of_block(int64_t index, int64_t block_size, char *text, size_t size)
{
    snprintf(text, size, "block %lld, from d_x[%lld] on", (long long)index,
             (long long)index * (long long)block_size);
}

/* ---- least traffic ------------------------------------------------------------------------------------- */

double lab_bytes_sum(const int64_t *arg)
{
    return sizeof(real) * (double)arg[0];
}

double lab_bytes_map(const int64_t *arg)
{
    return 2.0 * sizeof(real) * (double)arg[0];
}

double lab_bytes_block_sums(int64_t n, int64_t block_size)
{
    return sizeof(real) * (double)(n + lab_block_count(n, block_size));
}

double lab_blocks_of_128(const int64_t *arg)
{
    return (double)lab_block_count(arg[0], 128);
}

double lab_blocks_of_256(const int64_t *arg)
{
    return (double)lab_block_count(arg[0], 256);
}

/* ---- convolution --------------------------------------------------------------------------------------- */

static int64_t convolution_outputs(int64_t n, int64_t taps)
{
    return n > 0 ? n + taps - 1 : 0;
}

int lab_shape_convolution(struct lab_run *run, int64_t taps)
{
    const int64_t n = run->arg[0];
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, n);
    run->buffer[1] = lab_device("d_h", LAB_IN, LAB_REAL, taps);
    run->buffer[2] = lab_device("d_y", LAB_OUT, LAB_REAL, convolution_outputs(n, taps));
    return 3;
}

void lab_fill_convolution(struct lab_run *run, int64_t taps, unsigned limit)
{
    real *x = run->buffer[0].data, *h = run->buffer[1].data;
    const int64_t n = run->buffer[0].count;
    if (run->arg[1] == LAB_WHOLE) {
        lab_fill_whole(x, n, run->seed, 0, limit);
        lab_fill_whole(h, taps, run->seed, 1, limit);
        return;
    }
    lab_fill_real(x, n, run->seed, 0);
    lab_fill_real(h, taps, run->seed, 1);
    for (int64_t i = 0; i < n && run->arg[1] == LAB_IMPULSE; i++)
        x[i] = i == n / 2;
}

double lab_bytes_convolution(const int64_t *arg, int64_t taps)
{
    return sizeof(real) * ((double)arg[0] + (double)convolution_outputs(arg[0], taps));
}

double lab_flops_convolution(const int64_t *arg, int64_t taps)
{
    return 2.0 * (double)taps * (double)arg[0];
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

int lab_needs_same(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)run, (void)buffer;
    need[0] = (struct lab_need){.buffer = 0, .first = index, .count = 1, .stride = 1};
    return 1;
}

int lab_needs_all(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer, (void)index;
    need[0] = (struct lab_need){.buffer = 0, .first = 0, .count = run->arg[0], .stride = 1};
    return 1;
}

int lab_needs_block(const struct lab_run *run, int64_t index, int64_t block_size, struct lab_need *need)
{
    const int64_t first = index * block_size, left = run->arg[0] - first;
    need[0] = (struct lab_need){
        .buffer = 0, .first = first, .count = left < block_size ? left : block_size, .stride = 1};
    return 1;
}

int lab_needs_convolution(const struct lab_run *run, int64_t index, int64_t taps, struct lab_need *need)
{
    const int64_t n = run->arg[0];
    const int64_t first = index < taps ? 0 : index - taps + 1, end = index < n ? index + 1 : n;
    need[0] =
        (struct lab_need){.buffer = 0, .first = first, .count = end - first, .stride = 1, .with_next = true};
    need[1] = (struct lab_need){.buffer = 1, .first = index - first, .count = end - first, .stride = -1};
    return 2;
}
