/*
 * Lab 03, timed: a complete program, with main(), that times your functions. Change it as you like.
 *
 *     make play03                              builds and runs it, on a GPU or on the simulator
 *     make play03 ARGS="1000000 256 16384"     other sizes: n, threads per block, elements per tile
 *     build/play03 1000000 256 16384           the same again
 */
#include "common/play.h"
#include "lab03.h"

struct problem {
    int n, block_size, tile;
    struct play_array x, y, label, partial;
};

static void reduce(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab03_reduce_blocks((const real *)p->x.set[set], p->n, (real *)p->partial.set[set], p->block_size);
}

static void run_ends(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab03_run_ends((const real *)p->x.set[set], (const unsigned char *)p->label.set[set], p->n,
                   (real *)p->partial.set[set], p->block_size);
}

static void reverse_tiles(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab03_reverse_tiles((const real *)p->x.set[set], (real *)p->y.set[set], p->n, p->tile);
}

/* Checks each block's sum: of the elements that end a run or, if h_label is NULL, of all its elements. */
static bool sums_are_right(const struct problem *p, const real *h_x, const unsigned char *h_label)
{
    real *h_partial = (real *)play_fetch(&p->partial);
    bool right = true;
    for (int first = 0; first < p->n; first += p->block_size) {
        double sum = 0;
        for (int i = first; i < p->n && i < first + p->block_size; i++)
            if (h_label == NULL || i == p->n - 1 || h_label[i] != h_label[i + 1])
                sum += h_x[i];
        right = right && play_near(h_partial[first / p->block_size], sum);
    }
    free(h_partial);
    return right;
}

static bool is_reversed(const struct problem *p, const real *h_x)
{
    real *h_y = (real *)play_fetch(&p->y);
    bool right = true;
    for (int i = 0; i < p->n; i++) {
        const int first = i / p->tile * p->tile, left = p->n - first;
        const int count = left < p->tile ? left : p->tile;
        right = right && h_y[i] == h_x[first + count - 1 - (i - first)];
    }
    free(h_y);
    return right;
}

static void time_all(struct play *play, struct problem *p, const real *h_x, const unsigned char *h_label)
{
    const size_t bytes = (size_t)p->n * sizeof(real);
    const size_t blocks = ((size_t)p->n + p->block_size - 1) / p->block_size;
    play_sets(play, bytes);
    p->x = play_copies(play, h_x, bytes);
    p->y = play_copies(play, NULL, bytes);
    p->label = play_copies(play, h_label, p->n);
    p->partial = play_copies(play, NULL, blocks * sizeof(real));
    play_clear(play, &p->partial);
    struct timing t = play_time(play, reduce, p);
    play_row(play, "lab03_reduce_blocks", t, bytes + blocks * sizeof(real), 0, sums_are_right(p, h_x, NULL));
    play_clear(play, &p->partial);
    t = play_time(play, run_ends, p);
    play_row(play, "lab03_run_ends", t, bytes + p->n + blocks * sizeof(real), 0,
             sums_are_right(p, h_x, h_label));
    play_clear(play, &p->y);
    t = play_time(play, reverse_tiles, p);
    play_row(play, "lab03_reverse_tiles", t, 2.0 * bytes, 0, is_reversed(p, h_x));
    play_free(play, &p->x);
    play_free(play, &p->y);
    play_free(play, &p->label);
    play_free(play, &p->partial);
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 25, 1 << 21, 1);
    p.block_size = play_size(&play, argc, argv, 2, "block_size", 256, 256, 32);
    p.tile = play_size(&play, argc, argv, 3, "tile", 65536 / sizeof(real), 65536 / sizeof(real), 1);
    real *h_x = play_numbers(p.n);
    unsigned char *h_label = (unsigned char *)play_host(p.n);
    for (int i = 0; i < p.n; i++)
        h_label[i] = play_random(i + 1) % 2;
    time_all(&play, &p, h_x, h_label);
    free(h_label);
    free(h_x);
    return play_end(&play);
}
