/*
 * Lab 05, timed: a complete program, with main(), that times your functions. Change it as you like.
 *
 *     make play05                        builds and runs it, on a GPU or on the simulator
 *     make play05 ARGS=1000000           other sizes: n
 *     build/play05 1000000               the same again
 */
#include "common/play.h"
#include "lab05.h"

struct problem {
    int n;
    struct play_array x, y;
};

typedef void map(const real *d_x, int n, real *d_y);
static map *current; /* the function that is timed */

static void call(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    current((const real *)p->x.set[set], p->n, (real *)p->y.set[set]);
}

/* ---- what is right ------------------------------------------------------------------------------------- */

static bool is_sum(const real *h_x, const real *h_y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += h_x[i];
    return play_near(h_y[0], sum);
}

static bool is_scan(const real *h_x, const real *h_y, int n, int group)
{
    double sum = 0;
    bool right = true;
    for (int i = 0; i < n; i++) {
        sum = (i % group == 0 ? 0 : sum) + h_x[i];
        right = right && play_near(h_y[i], sum);
    }
    return right;
}

static bool is_warp_scan(const real *h_x, const real *h_y, int n)
{
    return is_scan(h_x, h_y, n, 32);
}

static bool is_whole_scan(const real *h_x, const real *h_y, int n)
{
    return is_scan(h_x, h_y, n, n);
}

static bool is_block_scan(const real *h_x, const real *h_y, int n)
{
    return is_scan(h_x, h_y, n, LAB05_SCAN_BLOCK);
}

/* The positive elements of each block, in their order. */
static bool is_compact(const real *h_x, const real *h_y, int n)
{
    bool right = true;
    for (int first = 0; first < n; first += LAB05_SCAN_BLOCK) {
        int kept = first;
        for (int i = first; i < n && i < first + LAB05_SCAN_BLOCK; i++)
            if (h_x[i] > 0)
                right = h_y[kept++] == h_x[i] && right;
    }
    return right;
}

/* Checks only some of the elements, because 128 rounds for each of them take the host some time. */
static bool is_rounds(const real *h_x, const real *h_y, int n)
{
    bool right = true;
    for (int i = 0; i < n; i += i % 2 ? 996 : 1) {
        double x = h_x[i];
        for (int round = 0; round < LAB05_ROUNDS; round++)
            x = i % 2 ? x * (127.0 / 128 - x / 128) : x * 255 / 256 + 1.0 / 512;
        right = right && play_near(h_y[i], x);
    }
    return right;
}

/* ---- calls with the memory that they need ------------------------------------------------------------- */

static real *d_sums;
static unsigned *d_state;

static void compact(const real *d_x, int n, real *d_y)
{
    lab05_compact(d_x, n, d_y, d_state);
}

static void scan(const real *d_x, int n, real *d_y)
{
    lab05_scan(d_x, n, d_y, d_sums);
}

static void scan_once(const real *d_x, int n, real *d_y)
{
    lab05_scan_once(d_x, n, d_y, d_sums, d_state);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    map *function;
    bool (*right)(const real *h_x, const real *h_y, int n);
    double arrays, flops; /* arrays that are moved, and operations per element */
} rows[] = {
    {"lab05_sum_syncwarp", lab05_sum_syncwarp, is_sum, 1, 0},
    {"lab05_sum_shuffle", lab05_sum_shuffle, is_sum, 1, 0},
    {"lab05_warp_scan", lab05_warp_scan, is_warp_scan, 2, 0},
    {"lab05_block_scan", lab05_block_scan, is_block_scan, 2, 0},
    {"lab05_compact", compact, is_compact, 1.5, 0},
    {"lab05_diverge_inside", lab05_diverge_inside, is_rounds, 2, 2.5 * LAB05_ROUNDS},
    {"lab05_diverge_between", lab05_diverge_between, is_rounds, 2, 2.5 * LAB05_ROUNDS},
    {"lab05_scan", scan, is_whole_scan, 2, 0},
    {"lab05_scan_once", scan_once, is_whole_scan, 2, 0},
};

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 23, 1 << 19, 1);
    const size_t bytes = (size_t)p.n * sizeof(real);
    play_sets(&play, 2 * bytes);
    real *h_x = play_numbers(p.n);
    p.x = play_copies(&play, h_x, bytes);
    p.y = play_copies(&play, NULL, bytes);
    CHECK(cudaMalloc(&d_sums, LAB05_SUMS(p.n) * sizeof *d_sums));
    CHECK(cudaMalloc(&d_state, LAB05_SUMS(p.n) * sizeof *d_state));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        current = rows[i].function;
        play_clear(&play, &p.y);
        const struct timing t = play_time(&play, call, &p);
        real *h_y = (real *)play_fetch(&p.y);
        play_row(&play, rows[i].name, t, rows[i].arrays * bytes, rows[i].flops * p.n,
                 rows[i].right(h_x, h_y, p.n));
        free(h_y);
    }
    play_free(&play, &p.x);
    play_free(&play, &p.y);
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_state));
    free(h_x);
    return play_end(&play);
}
