/*
 * Lab 04, timed: a complete program, with main(), that times your functions. Change it as you like.
 *
 *     make play04                        builds and runs it, on a GPU or on the simulator
 *     make play04 ARGS="1000000 8"       other sizes: n, and how many different keys there are (1 to 256)
 *     build/play04 1000000 8             the same again
 */
#include "common/play.h"
#include "lab04.h"

struct problem {
    int n, kinds;
    struct play_array x, key, y, count;
};

static void sum(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab04_sum((const real *)p->x.set[set], p->n, (real *)p->y.set[set]);
}

static void largest(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab04_max((const real *)p->x.set[set], p->n, (real *)p->y.set[set]);
}

static void histogram_global(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab04_histogram_global((const unsigned *)p->key.set[set], p->n, (unsigned *)p->count.set[set]);
}

static void histogram_shared(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab04_histogram_shared((const unsigned *)p->key.set[set], p->n, (unsigned *)p->count.set[set]);
}

static void largest_key(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab04_largest_key((const unsigned *)p->key.set[set], p->n, (unsigned *)p->count.set[set]);
}

static bool result_is(const struct problem *p, double wanted)
{
    real *h_y = (real *)play_fetch(&p->y);
    const bool right = play_near(*h_y, wanted);
    free(h_y);
    return right;
}

static bool counts_are(const struct problem *p, const unsigned *wanted)
{
    unsigned *h_count = (unsigned *)play_fetch(&p->count);
    const bool equal = memcmp(h_count, wanted, LAB04_BINS * sizeof *wanted) == 0;
    free(h_count);
    return equal;
}

static void time_sum(struct play *play, struct problem *p)
{
    const size_t bytes = (size_t)p->n * sizeof(real);
    double total = 0, most = 0;
    play_sets(play, bytes);
    real *h_x = play_numbers(p->n);
    for (int i = 0; i < p->n; i++) {
        total += h_x[i];
        most = h_x[i] > most ? h_x[i] : most;
    }
    p->x = play_copies(play, h_x, bytes);
    p->y = play_copies(play, NULL, sizeof(real));
    play_clear(play, &p->y);
    struct timing t = play_time(play, sum, p);
    play_row(play, "lab04_sum", t, bytes, 0, result_is(p, total));
    play_clear(play, &p->y);
    t = play_time(play, largest, p);
    play_row(play, "lab04_max", t, bytes, 0, result_is(p, most));
    play_free(play, &p->x);
    play_free(play, &p->y);
    free(h_x);
}

/* Is `key` the largest of those that occur? */
static bool is_last(const unsigned *wanted, unsigned key)
{
    bool last = key < LAB04_BINS && wanted[key] > 0;
    for (unsigned k = key + 1; last && k < LAB04_BINS; k++)
        last = wanted[k] == 0;
    return last;
}

static void time_histogram(struct play *play, struct problem *p)
{
    const size_t bytes = (size_t)p->n * sizeof(unsigned);
    unsigned wanted[LAB04_BINS] = {0};
    play_sets(play, bytes);
    unsigned *h_key = (unsigned *)play_host(bytes);
    for (int i = 0; i < p->n; i++)
        wanted[h_key[i] = play_random(i) % p->kinds]++;
    p->key = play_copies(play, h_key, bytes);
    p->count = play_copies(play, NULL, LAB04_BINS * sizeof(unsigned));
    play_clear(play, &p->count);
    struct timing t = play_time(play, histogram_global, p);
    play_row(play, "lab04_histogram_global", t, bytes, 0, counts_are(p, wanted));
    play_clear(play, &p->count);
    t = play_time(play, histogram_shared, p);
    play_row(play, "lab04_histogram_shared", t, bytes, 0, counts_are(p, wanted));
    play_clear(play, &p->count);
    t = play_time(play, largest_key, p);
    unsigned *h_count = (unsigned *)play_fetch(&p->count);
    play_row(play, "lab04_largest_key", t, bytes, 0, is_last(wanted, h_count[0]));
    free(h_count);
    play_free(play, &p->key);
    play_free(play, &p->count);
    free(h_key);
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 24, 1 << 20, 1);
    p.kinds = play_size(&play, argc, argv, 2, "kinds of keys", LAB04_BINS, LAB04_BINS, 1);
    if (p.kinds > LAB04_BINS)
        p.kinds = LAB04_BINS;
    time_sum(&play, &p);
    time_histogram(&play, &p);
    return play_end(&play);
}
