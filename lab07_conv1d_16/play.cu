/*
 * Lab 07 by the clock: a whole program with a main() of its own, which times your function. Change it as you like.
 *
 *     make play07                        builds and runs it, on a GPU or on the simulator
 *     make play07 ARGS=1000000           other sizes: n
 *     build/play07 1000000               the same again
 */
#include "common/play.h"
#include "lab07.h"

struct problem {
    int n;
    struct play_array x, h, y;
};

static void convolve(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab07_convolve((const real *)p->x.set[set], p->n, (const real *)p->h.set[set], (real *)p->y.set[set]);
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

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 26, 1 << 20, 1);
    const double outputs = (double)p.n + LAB07_TAPS - 1;
    const size_t bytes_x = (size_t)p.n * sizeof(real), bytes_y = (size_t)outputs * sizeof(real);
    play_sets(&play, bytes_x + bytes_y);
    real *h_x = play_numbers(p.n), *h_h = play_numbers(LAB07_TAPS);
    p.x = play_copies(&play, h_x, bytes_x);
    p.h = play_copies(&play, h_h, LAB07_TAPS * sizeof(real));
    p.y = play_copies(&play, NULL, bytes_y);
    play_clear(&play, &p.y);
    const struct timing t = play_time(&play, convolve, &p);
    play_row(&play, "lab07_convolve", t, bytes_x + bytes_y, 2.0 * LAB07_TAPS * p.n, is_right(&p, h_x, h_h));
    play_free(&play, &p.x);
    play_free(&play, &p.h);
    play_free(&play, &p.y);
    free(h_x);
    free(h_h);
    return play_end(&play);
}
