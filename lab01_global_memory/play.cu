/*
 * Lab 01, timed: a complete program, with main(), that times your functions. Change it as you like.
 *
 *     make play01                        builds and runs it, on a GPU or on the simulator
 *     make play01 ARGS=1000000           other sizes: n
 *     build/play01 1000000               the same again
 *
 * The first table times one copy in five ways, four of them wrong. book/timing.md explains them.
 */
#include <time.h>

#include "common/play.h"
#include "lab01.h"

struct problem {
    int n, stride;
    struct play_array x, y, partial;
};

static void copy(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab01_copy((const real *)p->x.set[set], (real *)p->y.set[set], p->n);
}

static void copy_stride(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab01_copy_stride((const real *)p->x.set[set], (real *)p->y.set[set], p->n, p->stride);
}

static void reduce(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab01_reduce_blocks((real *)p->x.set[set], p->n / LAB01_BLOCK_SIZE * LAB01_BLOCK_SIZE,
                        (real *)p->partial.set[set]);
}

/* ---- five ways to time one copy ------------------------------------------------------------------------- */

/* The host's clock, in milliseconds. */
static double host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double without_waiting(struct problem *p)
{
    const double begin = host_clock();
    copy(p, 0); /* returns as soon as the kernel is queued */
    return host_clock() - begin;
}

static double with_waiting(struct problem *p)
{
    const double begin = host_clock();
    copy(p, 0);
    CHECK(cudaDeviceSynchronize()); /* returns when the kernel is done */
    return host_clock() - begin;
}

static void same_set(void *context, int set)
{
    (void)set;
    copy(context, 0);
}

static void five_ways(const struct play *play, struct problem *p)
{
    const char *device = play->modeled ? "the simulator's own time" : "with the launch and the wait";
    const double first = with_waiting(p); /* the very first kernel of this program */
    const double second = with_waiting(p);
    const double queued = without_waiting(p);
    CHECK(cudaDeviceSynchronize());
    const struct timing warm = play_time(play, same_set, p), cold = play_time(play, copy, p);
    printf("  one copy of %d numbers, timed in five ways:                  ms\n", p->n);
    printf("    wrong: host's clock, first call              %15.5f  loads the code as well\n", first);
    printf("    wrong: host's clock, no waiting              %15.5f  only queues the kernel\n", queued);
    printf("    wrong: host's clock, waiting                 %15.5f  %s\n", second, device);
    printf("    wrong: events, always the same array         %15.5f  it may be in L2 already\n", warm.median);
    printf("    right: events, another array for each call   %15.5f\n\n", cold.median);
}

/* ---- the rows ------------------------------------------------------------------------------------------- */

static bool same(const struct play_array *found, const real *wanted, int n)
{
    real *h_y = (real *)play_fetch(found);
    const bool equal = memcmp(h_y, wanted, (size_t)n * sizeof(real)) == 0;
    free(h_y);
    return equal;
}

/* Checks every block's sum. The kernel may overwrite its input, so the check comes before the timing. */
static bool sums_are_right(struct problem *p, const real *h_x)
{
    reduce(p, 0); /* until now partial holds zeros, and no block's numbers add up to 0 */
    real *h_partial = (real *)play_fetch(&p->partial);
    bool right = true;
    for (int b = 0; b < p->n / LAB01_BLOCK_SIZE; b++) {
        double sum = 0;
        for (int i = 0; i < LAB01_BLOCK_SIZE; i++)
            sum += h_x[b * LAB01_BLOCK_SIZE + i];
        right = right && play_near(h_partial[b], sum);
    }
    free(h_partial);
    return right;
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 25, 1 << 21, LAB01_BLOCK_SIZE);
    p.stride = 32;
    const size_t bytes = (size_t)p.n * sizeof(real);
    const int blocks = p.n / LAB01_BLOCK_SIZE;
    play_sets(&play, 2 * bytes);
    real *h_x = play_numbers(p.n);
    p.x = play_copies(&play, h_x, bytes);
    p.y = play_copies(&play, NULL, bytes);
    p.partial = play_copies(&play, NULL, (size_t)blocks * sizeof(real));

    five_ways(&play, &p);
    play_clear(&play, &p.y);
    const struct timing t_copy = play_time(&play, copy, &p);
    play_row(&play, "lab01_copy", t_copy, 2.0 * bytes, 0, same(&p.y, h_x, p.n));
    play_clear(&play, &p.y);
    const struct timing t_stride = play_time(&play, copy_stride, &p);
    play_row(&play, "lab01_copy_stride, 32", t_stride, 2.0 * bytes, 0, same(&p.y, h_x, p.n));
    const bool right = sums_are_right(&p, h_x);
    const struct timing t_reduce = play_time(&play, reduce, &p);
    play_row(&play, "lab01_reduce_blocks", t_reduce, bytes + (double)blocks * sizeof(real), 0, right);

    play_free(&play, &p.x);
    play_free(&play, &p.y);
    play_free(&play, &p.partial);
    free(h_x);
    return play_end(&play);
}
