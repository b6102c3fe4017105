/*
 * Lab 09, timed: a complete program with its own main() that times your functions, stage by stage, and tiles
 * whose size is chosen when the program runs. Change it as you like.
 *
 *     make play09                               builds and runs it, on a GPU or on the simulator
 *     make play09 ARGS="1000 500 2000"          other sizes: m, n and k
 *     build/play09 1000 500 2000                the same again
 */
#include <math.h>

#include "common/play.h"
#include "lab09.h"

struct problem {
    int m, n, k;
    struct play_array a, b, c;
};

/* ---- tiles of a size that the compiler does not know -------------------------------------------------------- */

static int tile_size; /* of multiply_any_tile: 8, 16 or 32 */

/* As stage (b), with tiles as large as the block. Both lie in one array, whose size is chosen at launch (lab 03). */
static __global__ void multiply_tiles_of(int m, int n, int k, const real *d_a, int lda, const real *d_b,
                                         int ldb, real *d_c, int ldc)
{
    extern __shared__ real s_tiles[];
    const int size = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    real *s_a = s_tiles, *s_b = s_tiles + size * size; /* element (y, x) is s_a[y * size + x] */
    const int row = blockIdx.y * size + y, column = blockIdx.x * size + x;
    real sum = 0;
    for (int tile = 0; tile < k; tile += size) {
        s_a[y * size + x] = row < m && tile + x < k ? d_a[row * lda + tile + x] : 0;
        s_b[y * size + x] = tile + y < k && column < n ? d_b[(tile + y) * ldb + column] : 0;
        __syncthreads();
        for (int i = 0; i < size; i++)
            sum += s_a[y * size + i] * s_b[i * size + x];
        __syncthreads();
    }
    if (row < m && column < n)
        d_c[row * ldc + column] = sum;
}

static void multiply_any_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                              real *d_c, int ldc)
{
    const dim3 blocks((n + tile_size - 1) / tile_size, (m + tile_size - 1) / tile_size);
    const dim3 threads(tile_size, tile_size);
    const size_t bytes = 2 * sizeof(real) * tile_size * tile_size;
    multiply_tiles_of<<<blocks, threads, bytes>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}

/* ---- what is timed -------------------------------------------------------------------------------------------- */

typedef void product(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                     int ldc);
static product *current; /* the function that is timed */

static const struct contestant {
    const char *name;
    product *function;
    int tile; /* its size, for multiply_any_tile */
} contestants[] = {
    {"lab09_matmul_naive", lab09_matmul_naive, 0},
    {"lab09_matmul_tile", lab09_matmul_tile, 0},
    {"tiles of 8 at run time", multiply_any_tile, 8},
    {"tiles of 16 at run time", multiply_any_tile, 16},
    {"tiles of 32 at run time", multiply_any_tile, 32},
    {"lab09_matmul_registers", lab09_matmul_registers, 0},
    {"lab09_matmul_column", lab09_matmul_column, 0},
    {"lab09_matmul_vectors", lab09_matmul_vectors, 0},
    {"lab09_matmul", lab09_matmul, 0},
};

static void multiply(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    current(p->m, p->n, p->k, (const real *)p->a.set[set], p->k, (const real *)p->b.set[set], p->n,
            (real *)p->c.set[set], p->n);
}

/* The largest error of some of the elements, as a part of the sum, or of 1 if that is larger; NaN if one of them is NaN. */
static double largest_error(const struct problem *p, const real *h_a, const real *h_b)
{
    real *h_c = (real *)play_fetch(&p->c);
    const size_t count = (size_t)p->m * p->n;
    double largest = 0;
    for (size_t element = 0; element < count && largest == largest; element += count / 1000 + 1) {
        const size_t i = element / p->n, j = element % p->n;
        double sum = 0; /* of products from 0 to 1 */
        for (int k = 0; k < p->k; k++)
            sum += (double)h_a[i * p->k + k] * h_b[(size_t)k * p->n + j];
        const double error = fabs(h_c[element] - sum) / fmax(sum, 1);
        largest = error <= largest ? largest : error;
    }
    free(h_c);
    return largest;
}

/* (f), if it is begun: its error beside that of (e), and on a GPU its time; the simulator has no model of tensor cores. */
static void show_tensor(struct play *play, struct problem *p, const real *h_a, const real *h_b, double bytes,
                        double flops)
{
    const double of_matmul = largest_error(p, h_a, h_b); /* which ran last */
    current = lab09_matmul_tensor;
    play_clear(play, &p->c);
    multiply(p, 0);
    const double of_tensor = largest_error(p, h_a, h_b);
    if (of_tensor != of_tensor)
        return;
    if (!play->modeled)
        play_row(play, "lab09_matmul_tensor", play_time(play, multiply, p), bytes, flops, of_tensor < 1e-3);
    printf("  largest error: %.1e of the sum in lab09_matmul, %.1e in lab09_matmul_tensor\n", of_matmul,
           of_tensor);
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.m = play_size(&play, argc, argv, 1, "m", 2048, 512, 1);
    p.n = play_size(&play, argc, argv, 2, "n", 2048, 512, 1);
    p.k = play_size(&play, argc, argv, 3, "k", 2048, 256, 1);
    const size_t count_a = (size_t)p.m * p.k, count_b = (size_t)p.k * p.n, count_c = (size_t)p.m * p.n;
    const double bytes = (double)sizeof(real) * (count_a + count_b + count_c);
    const double flops = 2.0 * p.m * p.n * p.k;
    play_sets(&play, (size_t)bytes);
    real *h_a = play_numbers(count_a), *h_b = play_numbers(count_b);
    p.a = play_copies(&play, h_a, count_a * sizeof(real));
    p.b = play_copies(&play, h_b, count_b * sizeof(real));
    p.c = play_copies(&play, NULL, count_c * sizeof(real));
    for (size_t i = 0; i < sizeof(contestants) / sizeof(contestants[0]); i++) {
        current = contestants[i].function;
        tile_size = contestants[i].tile;
        play_clear(&play, &p.c);
        const struct timing t = play_time(&play, multiply, &p);
        play_row(&play, contestants[i].name, t, bytes, flops, largest_error(&p, h_a, h_b) <= 1e-4);
    }
    show_tensor(&play, &p, h_a, h_b, bytes, flops);
    play_free(&play, &p.a);
    play_free(&play, &p.b);
    play_free(&play, &p.c);
    free(h_a);
    free(h_b);
    return play_end(&play);
}
