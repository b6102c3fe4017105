/*
 * Lab 07, timed: a complete program with its own main() that times your functions. Change it as you like.
 *
 *     make play07                        builds and runs it, on a GPU or on the simulator
 *     make play07 ARGS=1000000           other sizes: n
 *     make play07 ARGS="1000000 96"      and the threads per block in stage (b); without it, several are tried
 *     build/play07 1000000 96            the same again
 */
#include "common/play.h"
#include "lab07.h"

struct problem {
    int n, threads;
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
    call(context, set, lab07_convolve_naive);
}

static void tile(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab07_convolve_tile((const real *)p->x.set[set], p->n, (const real *)p->h.set[set], (real *)p->y.set[set],
                        p->threads);
}

static void window(void *context, int set)
{
    call(context, set, lab07_convolve_window);
}

static void vectors(void *context, int set)
{
    call(context, set, lab07_convolve);
}

/* Some of the outputs only: the first and the last ones, and some between. */
static bool is_right(const struct problem *p, const real *h_x, const real *h_h)
{
    const int outputs = p->n + LAB07_TAPS - 1;
    real *h_y = (real *)play_fetch(&p->y);
    bool right = true;
    for (int i = 0; i < outputs; i += i < LAB07_TAPS || i > outputs - LAB07_TAPS ? 1 : 997) {
        double sum = 0;
        for (int k = 0; k < LAB07_TAPS; k++)
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
    play_row(play, name, t, p->x.bytes + p->y.bytes, 2.0 * LAB07_TAPS * p->n, is_right(p, h_x, h_h));
}

int main(int argc, char **argv)
{
    static const int sizes[] = {32, 64, 128, 256, 512, 1024};
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 26, 1 << 20, 1);
    const int threads = play_size(&play, argc, argv, 2, "threads", 0, 0, 32);
    const size_t outputs = (size_t)p.n + LAB07_TAPS - 1;
    play_sets(&play, ((size_t)p.n + outputs) * sizeof(real));
    real *h_x = play_numbers(p.n), *h_h = play_numbers(LAB07_TAPS);
    p.x = play_copies(&play, h_x, (size_t)p.n * sizeof(real));
    p.h = play_copies(&play, h_h, LAB07_TAPS * sizeof(real));
    p.y = play_copies(&play, NULL, outputs * sizeof(real));
    row(&play, &p, "lab07_convolve_naive", naive, h_x, h_h);
    for (int i = 0; i < (threads > 0 ? 1 : (int)(sizeof sizes / sizeof *sizes)); i++) {
        char name[64];
        p.threads = threads > 0 ? threads : sizes[i];
        snprintf(name, sizeof name, "lab07_convolve_tile, %d", p.threads);
        row(&play, &p, name, tile, h_x, h_h);
    }
    row(&play, &p, "lab07_convolve_window", window, h_x, h_h);
    row(&play, &p, "lab07_convolve", vectors, h_x, h_h);
    play_free(&play, &p.x);
    play_free(&play, &p.h);
    play_free(&play, &p.y);
    free(h_x);
    free(h_h);
    return play_end(&play);
}
