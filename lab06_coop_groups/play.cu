/*
 * Lab 06, timed: a complete program with its own main() that times your functions. Change it as you like.
 *
 *     make play06                        builds and runs it, on a GPU or on the simulator
 *     make play06 ARGS="1000000 8"       other sizes: n, threads per tile (2, 4, 8, 16 or 32)
 *     build/play06 1000000 8             the same again
 */
#include "common/play.h"
#include "lab06.h"

struct problem {
    int n, tile;
    struct play_array x, y;
};

static void tile_sums(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab06_tile_sums((const real *)p->x.set[set], p->n, (real *)p->y.set[set], p->tile);
}

typedef void sum(const real *d_x, int n, real *d_y);
static sum *current; /* the function that is timed */

static void call(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    current((const real *)p->x.set[set], p->n, (real *)p->y.set[set]);
}

static const struct {
    const char *name;
    sum *function;
} sums[] = {
    {"lab06_sum_two_kernels", lab06_sum_two_kernels},
    {"lab06_sum_grid_sync", lab06_sum_grid_sync},
    {"lab06_sum_wide", lab06_sum_wide},
    {"lab06_sum", lab06_sum},
};

/* Sums of groups of `group` elements. */
static bool sums_are_right(const struct problem *p, const real *h_x, int group)
{
    real *h_y = (real *)play_fetch(&p->y);
    bool right = true;
    for (int first = 0; first < p->n; first += group) {
        double total = 0;
        for (int i = first; i < p->n && i - first < group; i++)
            total += h_x[i];
        right = right && play_near(h_y[first / group], total);
        if (p->n - first <= group)
            break;
    }
    free(h_y);
    return right;
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 100000000, 1 << 21, 1);
    p.tile = play_size(&play, argc, argv, 2, "tile", 32, 32, 2);
    const size_t bytes = (size_t)p.n * sizeof(real), tiles = ((size_t)p.n + p.tile - 1) / p.tile;
    play_sets(&play, bytes);
    real *h_x = play_numbers(p.n);
    p.x = play_copies(&play, h_x, bytes);
    p.y = play_copies(&play, NULL, tiles * sizeof(real));
    play_clear(&play, &p.y);
    struct timing t = play_time(&play, tile_sums, &p);
    play_row(&play, "lab06_tile_sums", t, bytes + tiles * sizeof(real), 0, sums_are_right(&p, h_x, p.tile));
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        current = sums[i].function;
        play_clear(&play, &p.y);
        t = play_time(&play, call, &p);
        play_row(&play, sums[i].name, t, bytes, 0, sums_are_right(&p, h_x, p.n));
    }
    play_free(&play, &p.x);
    play_free(&play, &p.y);
    free(h_x);
    return play_end(&play);
}
