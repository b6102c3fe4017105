/*
 * Lab 08, timed: a complete program with its own main() that times your functions. Change it as you like.
 *
 *     make play08                        builds and runs it, on a GPU or on the simulator
 *     make play08 ARGS=1000000           other sizes: n
 *     build/play08 1000000               the same again
 */
#include "common/play.h"
#include "lab08.h"

struct problem {
    int n;
    struct play_array x, h, y;
};

typedef void (*function)(const real *d_x, int n, const real *d_h, real *d_y);

static void call(void *context, int set, function f)
{
    struct problem *p = (struct problem *)context;
    f((const real *)p->x.set[set], p->n, (const real *)p->h.set[set], (real *)p->y.set[set]);
}

static void naive(void *context, int set)
{
    call(context, set, lab08_convolve_naive);
}

static void tile(void *context, int set)
{
    call(context, set, lab08_convolve_tile);
}

static void registers(void *context, int set)
{
    call(context, set, lab08_convolve_registers);
}

static void vectors(void *context, int set)
{
    call(context, set, lab08_convolve_vectors);
}

static void ring(void *context, int set)
{
    call(context, set, lab08_convolve);
}

static void in_order(void *context, int set)
{
    call(context, set, lab08_convolve_in_order);
}

/* Some of the outputs only: the first and the last ones, and some between. */
static bool is_right(const struct problem *p, const real *h_x, const real *h_h)
{
    const int outputs = p->n + LAB08_TAPS - 1;
    real *h_y = (real *)play_fetch(&p->y);
    bool right = true;
    for (int i = 0; i < outputs; i += i < LAB08_TAPS || i > outputs - LAB08_TAPS ? 1 : 997) {
        double sum = 0;
        for (int k = 0; k < LAB08_TAPS; k++)
            if (i - k >= 0 && i - k < p->n)
                sum += (double)h_h[k] * h_x[i - k];
        right = right && play_near(h_y[i], sum);
    }
    free(h_y);
    return right;
}

static void row(struct play *play, struct problem *p, const char *name, void (*work)(void *, int),
                const real *h_x, const real *h_h)
{
    play_clear(play, &p->y);
    const struct timing t = play_time(play, work, p);
    play_row(play, name, t, p->x.bytes + p->y.bytes, 2.0 * LAB08_TAPS * p->n, is_right(p, h_x, h_h));
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 22, 1 << 18, 1);
    const size_t outputs = (size_t)p.n + LAB08_TAPS - 1;
    play_sets(&play, ((size_t)p.n + outputs) * sizeof(real));
    real *h_x = play_numbers(p.n), *h_h = play_numbers(LAB08_TAPS);
    p.x = play_copies(&play, h_x, (size_t)p.n * sizeof(real));
    p.h = play_copies(&play, h_h, LAB08_TAPS * sizeof(real));
    p.y = play_copies(&play, NULL, outputs * sizeof(real));
    row(&play, &p, "lab08_convolve_naive", naive, h_x, h_h);
    row(&play, &p, "lab08_convolve_tile", tile, h_x, h_h);
    row(&play, &p, "lab08_convolve_registers", registers, h_x, h_h);
    row(&play, &p, "lab08_convolve_vectors", vectors, h_x, h_h);
    row(&play, &p, "lab08_convolve", ring, h_x, h_h);
    row(&play, &p, "lab08_convolve_in_order", in_order, h_x, h_h);
    play_free(&play, &p.x);
    play_free(&play, &p.h);
    play_free(&play, &p.y);
    free(h_x);
    free(h_h);
    return play_end(&play);
}
