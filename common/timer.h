/*
 * How long the device works, measured with CUDA events; C and C++.
 *
 *     struct timer timer;
 *     float ms;
 *     CHECK(timer_init(&timer));
 *     CHECK(timer_start(&timer));
 *     kernel<<<blocks, threads>>>(d_x, n);
 *     CHECK(timer_stop(&timer));
 *     CHECK(timer_milliseconds(&timer, &ms));
 *     CHECK(timer_destroy(&timer));
 *
 * An event is a mark in a stream of work: the device notes the time when it reaches the mark. So the timer gives
 * the device's time from one mark to the next, including everything that was put between them into the default
 * stream: kernels, copies, and gaps in which the device waited for the host. It does not include work before
 * timer_start or after timer_stop, nor the host's own work for a launch, which ends long before the kernel does.
 * The resolution is about 0.5 us: time several calls together if one takes less than about 50 us (timer_batch).
 *
 * A single measurement is not reliable. The first call takes longer than all others: the kernel's code must be
 * loaded, the clock is still low, and caches and address tables are cold. Later calls vary with the clock and with
 * the device's other work. So warm up, repeat, and look at the median and its spread (timer_median):
 *
 *     static void work(void *context) { launch((struct problem *)context); }
 *     struct timing t = timer_median(work, &problem, 2, 21);
 *     printf("%.4f ms, half of the runs within %.4f of it\n", t.median, t.spread);
 *
 * On the simulator the times are modeled.
 * Sources: CUDA C++ Programming Guide, "Events"; CUDA C++ Best Practices Guide, "Using CUDA GPU Timers".
 */
#ifndef COMMON_TIMER_H
#define COMMON_TIMER_H

#include "common/check.h"

struct timer {
    cudaEvent_t begin, end;
};

/* ---- one measurement: each function returns the runtime's error code, for CHECK ------------------------ */

static inline cudaError_t timer_init(struct timer *timer)
{
    const cudaError_t error = cudaEventCreate(&timer->begin);
    return error != cudaSuccess ? error : cudaEventCreate(&timer->end);
}

static inline cudaError_t timer_destroy(struct timer *timer)
{
    const cudaError_t error = cudaEventDestroy(timer->begin), last = cudaEventDestroy(timer->end);
    return error != cudaSuccess ? error : last;
}

static inline cudaError_t timer_start(struct timer *timer)
{
    return cudaEventRecord(timer->begin, 0);
}

static inline cudaError_t timer_stop(struct timer *timer)
{
    return cudaEventRecord(timer->end, 0);
}

/* Waits until the device has passed timer_stop. If a kernel failed, this call returns its error. */
static inline cudaError_t timer_milliseconds(struct timer *timer, float *milliseconds)
{
    const cudaError_t error = cudaEventSynchronize(timer->end);
    return error != cudaSuccess ? error : cudaEventElapsedTime(milliseconds, timer->begin, timer->end);
}

/* ---- many measurements: a failure ends the program, by way of CHECK ------------------------------------ */

/* The average time in milliseconds of `calls` calls of work(context) in a row, launches included; calls >= 1. */
static inline float timer_batch(struct timer *timer, void (*work)(void *context), void *context, int calls)
{
    float milliseconds = 0;
    CHECK(timer_start(timer));
    for (int i = 0; i < calls; i++)
        work(context);
    CHECK(cudaGetLastError());
    CHECK(timer_stop(timer));
    CHECK(timer_milliseconds(timer, &milliseconds));
    return milliseconds / (float)calls;
}

struct timing {
    int runs;
    float least, median, most; /* milliseconds */
    float spread; /* half of the runs lie in a range twice this wide: from quartile to quartile */
};

static inline int timer_ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The time below which the fraction q of the sorted times lies; interpolates between two of them if necessary. */
static inline float timer_quantile(const float *sorted, int count, float q)
{
    const float at = q * (float)(count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (float)below) * (sorted[above] - sorted[below]);
}

/* Sorts milliseconds[0 .. runs - 1] and describes them; if runs is 0, all results are 0. */
static inline struct timing timer_describe(float *milliseconds, int runs)
{
    struct timing timing = {0, 0, 0, 0, 0};
    if (runs < 1)
        return timing;
    qsort(milliseconds, (size_t)runs, sizeof *milliseconds, timer_ascending);
    timing.runs = runs;
    timing.least = milliseconds[0];
    timing.most = milliseconds[runs - 1];
    timing.median = timer_quantile(milliseconds, runs, 0.5f);
    timing.spread =
        (timer_quantile(milliseconds, runs, 0.75f) - timer_quantile(milliseconds, runs, 0.25f)) / 2;
    return timing;
}

/* Calls work(context) `warmups` times without timing it, then `runs` times, and times each of these calls. */
static inline struct timing timer_median(void (*work)(void *context), void *context, int warmups, int runs)
{
    struct timer timer;
    float *milliseconds = (float *)malloc((size_t)(runs > 0 ? runs : 1) * sizeof *milliseconds);
    if (milliseconds == NULL) {
        fprintf(stderr, "timer_median: no memory for the times of %d runs\n", runs);
        exit(EXIT_FAILURE);
    }
    CHECK(timer_init(&timer));
    for (int i = 0; i < warmups; i++)
        work(context);
    for (int i = 0; i < runs; i++)
        milliseconds[i] = timer_batch(&timer, work, context, 1);
    CHECK(timer_destroy(&timer));
    const struct timing timing = timer_describe(milliseconds, runs);
    free(milliseconds);
    return timing;
}

#endif
