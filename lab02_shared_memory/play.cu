/*
 * Lab 02, timed: a complete program, with main(), that times your functions. Change it as you like.
 *
 *     make play02                                    builds and runs it, on a GPU or on the simulator
 *     make play02 ARGS="1000000 1000 3000"           other sizes: n of the sum, rows and columns of the matrix
 *     build/play02 1000000 1000 3000                 the same again
 */
#include "common/play.h"
#include "lab02.h"

struct problem {
    int n, rows, cols;
    struct play_array x, partial, in, out;
};

static void reduce(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab02_reduce_blocks((const real *)p->x.set[set], p->n, (real *)p->partial.set[set]);
}

static void transpose(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab02_transpose((const real *)p->in.set[set], (real *)p->out.set[set], p->rows, p->cols);
}

static void transpose_naive(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab02_transpose_naive((const real *)p->in.set[set], (real *)p->out.set[set], p->rows, p->cols);
}

static void transpose_conflicts(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    lab02_transpose_conflicts((const real *)p->in.set[set], (real *)p->out.set[set], p->rows, p->cols);
}

static bool sums_are_right(const struct problem *p, const real *h_x)
{
    real *h_partial = (real *)play_fetch(&p->partial);
    bool right = true;
    for (int first = 0; first < p->n; first += LAB02_BLOCK_SIZE) {
        double sum = 0;
        for (int i = first; i < p->n && i < first + LAB02_BLOCK_SIZE; i++)
            sum += h_x[i];
        right = right && play_near(h_partial[first / LAB02_BLOCK_SIZE], sum);
    }
    free(h_partial);
    return right;
}

static bool is_transposed(const struct problem *p, const real *h_in)
{
    real *h_out = (real *)play_fetch(&p->out);
    bool right = true;
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->cols; c++)
            right = right && h_out[(size_t)c * p->rows + r] == h_in[(size_t)r * p->cols + c];
    free(h_out);
    return right;
}

static void time_sum(struct play *play, struct problem *p)
{
    const size_t bytes = (size_t)p->n * sizeof(real);
    const size_t blocks = ((size_t)p->n + LAB02_BLOCK_SIZE - 1) / LAB02_BLOCK_SIZE;
    play_sets(play, bytes);
    real *h_x = play_numbers(p->n);
    p->x = play_copies(play, h_x, bytes);
    p->partial = play_copies(play, NULL, blocks * sizeof(real));
    play_clear(play, &p->partial);
    const struct timing t = play_time(play, reduce, p);
    play_row(play, "lab02_reduce_blocks", t, bytes + blocks * sizeof(real), 0, sums_are_right(p, h_x));
    play_free(play, &p->x);
    play_free(play, &p->partial);
    free(h_x);
}

static void time_transpose(struct play *play, struct problem *p)
{
    const size_t count = (size_t)p->rows * p->cols, bytes = count * sizeof(real);
    play_sets(play, 2 * bytes);
    real *h_in = play_numbers(count);
    p->in = play_copies(play, h_in, bytes);
    p->out = play_copies(play, NULL, bytes);
    play_clear(play, &p->out);
    struct timing t = play_time(play, transpose, p);
    play_row(play, "lab02_transpose", t, 2.0 * bytes, 0, is_transposed(p, h_in));
    play_clear(play, &p->out);
    t = play_time(play, transpose_conflicts, p);
    play_row(play, "lab02_transpose_conflicts", t, 2.0 * bytes, 0, is_transposed(p, h_in));
    play_clear(play, &p->out);
    t = play_time(play, transpose_naive, p);
    play_row(play, "lab02_transpose_naive", t, 2.0 * bytes, 0, is_transposed(p, h_in));
    play_free(play, &p->in);
    play_free(play, &p->out);
    free(h_in);
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 100000000, 1 << 21, 1);
    p.rows = play_size(&play, argc, argv, 2, "rows", 8192, 1536, 1);
    p.cols = play_size(&play, argc, argv, 3, "cols", 6144, 1024, 1);
    time_sum(&play, &p);
    time_transpose(&play, &p);
    return play_end(&play);
}
