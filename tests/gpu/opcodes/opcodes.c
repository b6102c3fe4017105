/*
 * Executes the instructions of the table, and those of warp.cu, on edge cases and pseudo-random operands, and
 * prints a checksum of the results of each: built for a GPU and for the simulator, the lines must be equal.
 *
 *   opcodes [DUMP]                    the checksums; DUMP: file for all results
 *   opcodes --compare SIM-DUMP GPU-DUMP    which instructions differ, and for which operands
 */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcodes.h"

#define N            4096 /* sets of operands */
#define OPERANDS_MAX 4
#define RESULTS_MAX  128

/* ---- the values that operands take ----------------------------------------------------------------- */

static const uint64_t edges_b32[] = {
    0,          1,          2,          3,          5,          7,          8,          31,
    32,         33,         63,         64,         100,        127,        128,        255,
    256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
    0x1000000,  0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0x55555555, 0x0f0f0f0f,
    0x12345678, 0xffff0000, 0xff00ff00, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff, 0xfffffff9,
    0xfffffffe, 0xffffffff, 0x00010002, 0x7f80ff01,
};
static const uint64_t edges_shift[] = {
    0,   1,       2,      3,       4,          5,          7,          8,          15,         16,
    17,  23,      24,     30,      31,         32,         33,         40,         47,         48,
    63,  64,      65,     96,      127,        128,        255,        256,        257,        288,
    511, 0x10000, 0x1f00, 0x10001, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffe1, 0xffffffff,
};
static const uint64_t edges_b64[] = {
    0,
    1,
    2,
    3,
    7,
    32,
    63,
    64,
    100,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    UINT64_C(0x100000000),
    UINT64_C(0x100000001),
    UINT64_C(0x1fffffffffffff),
    UINT64_C(0x20000000000000),
    UINT64_C(0x20000000000001),
    UINT64_C(0x7ffffffffffffffe),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001),
    UINT64_C(0xaaaaaaaaaaaaaaaa),
    UINT64_C(0x123456789abcdef0),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0xffffffff7fffffff),
    UINT64_C(0xffffffff80000000),
    UINT64_C(0xffffffffffff8000),
    UINT64_C(0xffffffffffffff80),
    UINT64_C(0xffffffffffffff7f),
    UINT64_C(0xfffffffffffffff9),
    UINT64_C(0xfffffffffffffffe),
    UINT64_C(0xffffffffffffffff),
};
static const uint64_t edges_b16[] = {
    0,      1,      2,      3,      7,      16,     100,    127,    128,    255,    256,    0x3fff, 0x7ffe,
    0x7fff, 0x8000, 0x8001, 0xaaaa, 0x5555, 0x1234, 0xff00, 0xff80, 0xff7f, 0xfff9, 0xfffe, 0xffff,
};
/* Zeros, the borders of subnormals, near 1, halves, pi, borders of integers of 8 to 64 bits and of half
 * precision, borders of exp2, infinities, NaNs with and without payload. */
static const uint64_t edges_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x00800001, 0x01000000, 0x20000000, 0xa0000000, 0x33000000, 0x33000001, 0x33800000,
    0x387fc000, 0x38800000, 0x3e800000, 0x3effffff, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000,
    0xbf800000, 0x3f800001, 0x3fc00000, 0xbfc00000, 0x40000000, 0x40200000, 0xc0200000, 0x40490fdb,
    0x42fe0000, 0x42ff0000, 0x43000000, 0xc3000000, 0xc3008000, 0x437f8000, 0x43800000, 0xc3150000,
    0x46fffe00, 0x477fe000, 0x477ff000, 0x47800000, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4effffff,
    0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
    0x5f800000, 0x7e800000, 0x7f000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00000, 0x7fc12345, 0x7fffffff, 0x7f800001, 0xff812345,
};
static const uint64_t edges_f64[] = {
    0,
    UINT64_C(0x8000000000000000),
    1,
    UINT64_C(0x8000000000000001),
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x800fffffffffffff),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x8010000000000000),
    UINT64_C(0x0020000000000001),
    UINT64_C(0x3690000000000000), /* 2^-150, half the smallest float */
    UINT64_C(0x3690000000000001),
    UINT64_C(0x36a0000000000000),
    UINT64_C(0x380fffffffffffff),
    UINT64_C(0x3810000000000000),
    UINT64_C(0x3e60000000000000), /* 2^-25, half the smallest half */
    UINT64_C(0x3ca0000000000000),
    UINT64_C(0x3fe0000000000000),
    UINT64_C(0xbfe0000000000000),
    UINT64_C(0x3fefffffffffffff),
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x3ff0000000000001),
    UINT64_C(0x3ff0000010000000), /* between two floats */
    UINT64_C(0x3ff0000030000000),
    UINT64_C(0x3ff0020000000000), /* between two halves */
    UINT64_C(0x3ff8000000000000),
    UINT64_C(0xbff8000000000000),
    UINT64_C(0x4000000000000000),
    UINT64_C(0x4004000000000000),
    UINT64_C(0x400921fb54442d18),
    UINT64_C(0x405fe00000000000), /* 127.5 */
    UINT64_C(0x406ff00000000000), /* 255.5 */
    UINT64_C(0x40effc0000000000), /* 65504 */
    UINT64_C(0x40effe0000000000), /* 65520 */
    UINT64_C(0x41dfffffffc00000), /* 2^31 - 1 */
    UINT64_C(0x41dfffffffe00000),
    UINT64_C(0x41e0000000000000),
    UINT64_C(0xc1e0000000000000),
    UINT64_C(0xc1e0000000200000),
    UINT64_C(0x41efffffffe00000),
    UINT64_C(0x41f0000000000000),
    UINT64_C(0x4330000000000001),
    UINT64_C(0x43dfffffffffffff),
    UINT64_C(0x43e0000000000000),
    UINT64_C(0xc3e0000000000000),
    UINT64_C(0x43efffffffffffff),
    UINT64_C(0x43f0000000000000),
    UINT64_C(0x47efffffe0000000), /* the largest float */
    UINT64_C(0x47effffff0000000),
    UINT64_C(0x47f0000000000000),
    UINT64_C(0x7fe0000000000000),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0xffefffffffffffff),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0xfff8000000000000),
    UINT64_C(0x7ff8123456789abc),
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0xfff4000000000000),
    UINT64_C(0x7fffffffffffffff),
};
static const uint64_t edges_f16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x0800, 0x1400,
    0x3800, 0xb800, 0x37ff, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00, 0xbe00, 0x4000, 0x4100, 0xc100,
    0x4248, 0x57f8, 0x5800, 0xd800, 0x5bfc, 0x5c00, 0x6400, 0x6401, 0x6bff, 0x7000, 0x77ff, 0x7800,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7d01, 0xfc01, 0x7fff, 0x7e12,
};
static const uint64_t edges_bf16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x0100, 0x3300,
    0x3e80, 0x3f00, 0xbf00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0, 0xbfc0, 0x4000, 0x4020, 0xc020,
    0x4049, 0x42fe, 0x42ff, 0x4300, 0xc300, 0x437f, 0x4380, 0x4700, 0x4f00, 0xcf00, 0x4f80, 0x5f00,
    0x7e80, 0x7f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0xff81, 0x7fff,
};

/* A pool of values for one letter of the table. */
struct pool {
    char letter;
    int bits;
    int fraction_bits; /* of a floating-point number; 0: an integer */
    const uint64_t *edges;
    int count;
};
#define EDGES(list) list, sizeof list / sizeof list[0]
static const struct pool pools[] = {
    {'i', 32, 0, EDGES(edges_b32)},  {'n', 32, 0, EDGES(edges_shift)}, {'m', 8, 0, EDGES(edges_shift)},
    {'l', 64, 0, EDGES(edges_b64)},  {'s', 16, 0, EDGES(edges_b16)},   {'p', 1, 0, EDGES(edges_b32)},
    {'f', 32, 23, EDGES(edges_f32)}, {'d', 64, 52, EDGES(edges_f64)},  {'h', 16, 10, EDGES(edges_f16)},
    {'x', 16, 10, EDGES(edges_f16)}, {'b', 16, 7, EDGES(edges_bf16)},  {'y', 16, 7, EDGES(edges_bf16)},
};

static const struct pool *find_pool(char letter)
{
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        if (pools[i].letter == letter)
            return &pools[i];
    fprintf(stderr, "opcodes: the table has an operand '%c'\n", letter);
    exit(2);
}

static uint64_t random_state;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Any bits; or, for floats, exponents near that of 1, so that sums cancel and round; small integers. */
static uint64_t draw_value(const struct pool *pool, int i)
{
    const uint64_t any = draw();
    if (pool->letter == 'n' && i % 4 != 0)
        return any % 70;
    if (pool->fraction_bits == 0)
        return i % 4 == 1 ? any % 200 - 100 : any;
    if (i % 4 == 0)
        return any;
    const int exponent_bits = pool->bits - 1 - pool->fraction_bits;
    const uint64_t sign = any & UINT64_C(1) << (pool->bits - 1);
    const uint64_t fraction = any & ((UINT64_C(1) << pool->fraction_bits) - 1);
    const uint64_t exponent = (UINT64_C(1) << (exponent_bits - 1)) - 1 + draw() % 9 - 4;
    return sign | exponent << pool->fraction_bits | (i % 4 == 1 ? fraction & ~UINT64_C(0x1f) : fraction);
}

/* The sets of operands of a row: all pairs of edge cases of the first two, then drawn ones. */
static void fill_operands(const char *letters, uint64_t *operands)
{
    random_state = 2026;
    for (int i = 0; i < N; i++) {
        int step = 1;
        for (int k = 0; letters[k] != '\0'; k++) {
            const struct pool *pool = find_pool(letters[k]);
            const bool paired = letters[k] == 'x' || letters[k] == 'y';
            const int first = find_pool(letters[0])->count;
            const int second = letters[1] ? find_pool(letters[1])->count : 1;
            uint64_t value, high;
            if (i < first * second) {
                int place = k == 0   ? i % first
                            : k == 1 ? i / first
                                     : (i * 7 + i / first * 3 + k) % pool->count;
                value = pool->edges[place];
                high = pool->edges[(place * 5 + 3 + k) % pool->count];
            } else {
                value = draw_value(pool, i);
                high = draw_value(pool, i + step++);
            }
            value = pool->bits < 64 ? value & ((UINT64_C(1) << pool->bits) - 1) : value;
            if (paired)
                value |= (high & 0xffff) << 16;
            operands[k * N + i] = value;
        }
    }
}

/* ---- results ------------------------------------------------------------------------------------------- */

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "opcodes: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

struct parts {
    uint64_t sign, exponent, exponent_max, fraction;
};

static struct parts split(uint64_t bits, const struct pool *pool)
{
    const int exponent_bits = pool->bits - 1 - pool->fraction_bits;
    const uint64_t exponent_max = (UINT64_C(1) << exponent_bits) - 1;
    return (struct parts){bits >> (pool->bits - 1) & 1, bits >> pool->fraction_bits & exponent_max,
                          exponent_max, bits & ((UINT64_C(1) << pool->fraction_bits) - 1)};
}

/* What an approximation of a special value is: NaN; infinity, zero, or another number, with its sign. */
static uint64_t kind_of(uint64_t bits, const struct pool *pool)
{
    const struct parts p = split(bits, pool);
    if (p.exponent == p.exponent_max)
        return p.fraction ? 6 : 2 + p.sign;
    return (p.exponent == 0 && p.fraction == 0 ? 4 : 8) + p.sign;
}

/* Keeps of approximations what must be equal. */
static void reduce_to_kinds(const struct opcode_row *row, const uint64_t *operands, uint64_t *results)
{
    const struct pool *pool = find_pool(row->operands[0]);
    const int edges = pool->count * (row->operands[1] ? find_pool(row->operands[1])->count : 1);
    for (int i = 0; i < row->count * N; i++) {
        const char *name = row->names[i / N];
        const struct parts operand = split(operands[i % N], pool);
        const bool normal = operand.exponent > 0 && operand.exponent < operand.exponent_max;
        const bool periodic = strncmp(name, "sin", 3) == 0 || strncmp(name, "cos", 3) == 0;
        results[i] = i % N < edges && !(periodic && normal) ? kind_of(results[i], pool) : 0;
    }
}

/* FNV-1a over the bytes. */
static uint64_t checksum(const uint64_t *values)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < N; i++)
        for (int byte = 0; byte < 8; byte++)
            hash = (hash ^ (values[i] >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t *d_operands, *d_results, *d_cells;

static void run_row(const struct opcode_row *row, uint64_t *operands, uint64_t *results)
{
    int n = N;
    void *arguments[] = {&d_operands, &d_results, &d_cells, &n};
    const dim3 grid = {N / OPCODE_BLOCK, 1, 1}, block = {OPCODE_BLOCK, 1, 1};
    fill_operands(row->operands, operands);
    must(cudaMemcpy(d_operands, operands, OPERANDS_MAX * N * sizeof *operands, cudaMemcpyHostToDevice),
         "operands");
    must(cudaMemset(d_results, 0, (size_t)row->count * N * sizeof *results), "cudaMemset");
    must(cudaMemset(d_cells, 0, 4 * N * sizeof *results), "cudaMemset");
    cudaError_t error = cudaLaunchKernel(row->kernel, grid, block, arguments, 0, NULL);
    if (error == cudaErrorNotSupported) { /* the simulator says on stderr what it is */
        memset(results, 0, (size_t)row->count * N * sizeof *results);
        return;
    }
    must(error == cudaSuccess ? cudaDeviceSynchronize() : error, row->names[0]);
    must(cudaMemcpy(results, d_results, (size_t)row->count * N * sizeof *results, cudaMemcpyDeviceToHost),
         "results");
    if (row->approximate)
        reduce_to_kinds(row, operands, results);
}

/* ---- comparing two dumps ------------------------------------------------------------------------------- */

static FILE *open_file(const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    if (file == NULL) {
        perror(name);
        exit(2);
    }
    return file;
}

static void read_results(FILE *file, const char *name, uint64_t *values)
{
    if (fread(values, sizeof *values, N, file) != N) {
        fprintf(stderr, "opcodes: %s ends too early\n", name);
        exit(2);
    }
}

static void show_differences(const struct opcode_row *row, const char *name, const uint64_t *operands,
                             const uint64_t *sim, const uint64_t *gpu)
{
    int differing = 0;
    for (int i = 0; i < N; i++)
        differing += sim[i] != gpu[i];
    printf("%s: %d of %d differ\n", name, differing, N);
    for (int i = 0, shown = 0; i < N && shown < 12; i++) {
        if (sim[i] == gpu[i])
            continue;
        printf("   ");
        for (int k = 0; row->operands[k] != '\0'; k++)
            printf(" %llx", (unsigned long long)operands[k * N + i]);
        printf(" -> simulator %llx, GPU %llx\n", (unsigned long long)sim[i], (unsigned long long)gpu[i]);
        shown++;
    }
}

static int compare_rows(const struct opcode_row *rows, FILE *sim_file, FILE *gpu_file, char **names)
{
    static uint64_t operands[OPERANDS_MAX * N], sim[N], gpu[N];
    int differing = 0;
    for (const struct opcode_row *row = rows; row->kernel != NULL; row++) {
        fill_operands(row->operands, operands);
        for (int v = 0; v < row->count; v++) {
            read_results(sim_file, names[2], sim);
            read_results(gpu_file, names[3], gpu);
            if (memcmp(sim, gpu, sizeof sim) == 0)
                continue;
            differing++;
            show_differences(row, row->names[v], operands, sim, gpu);
        }
    }
    return differing;
}

static int compare(char **names)
{
    FILE *sim_file = open_file(names[2], "rb"), *gpu_file = open_file(names[3], "rb");
    int differing = compare_rows(opcode_rows, sim_file, gpu_file, names);
    differing += compare_rows(opcode_warp_rows, sim_file, gpu_file, names);
    printf("%d differ\n", differing);
    return differing > 0;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static void run_rows(const struct opcode_row *rows, FILE *dump)
{
    static uint64_t operands[OPERANDS_MAX * N], results[RESULTS_MAX * N];
    for (const struct opcode_row *row = rows; row->kernel != NULL; row++) {
        if (row->count > RESULTS_MAX) {
            fprintf(stderr, "opcodes: %s: a row may stand for %d results\n", row->names[0], RESULTS_MAX);
            exit(2);
        }
        run_row(row, operands, results);
        for (int v = 0; v < row->count; v++)
            printf("%016llx  %s\n", (unsigned long long)checksum(results + v * N), row->names[v]);
        if (dump != NULL)
            fwrite(results, sizeof *results, (size_t)row->count * N, dump);
    }
}

int main(int count, char **names)
{
    if (count == 4 && strcmp(names[1], "--compare") == 0)
        return compare(names);
    FILE *dump = count > 1 ? open_file(names[1], "wb") : NULL;
    must(cudaMalloc((void **)&d_operands, OPERANDS_MAX * N * sizeof(uint64_t)), "cudaMalloc");
    must(cudaMalloc((void **)&d_results, RESULTS_MAX * N * sizeof(uint64_t)), "cudaMalloc");
    must(cudaMalloc((void **)&d_cells, 4 * N * sizeof(uint64_t)), "cudaMalloc");
    run_rows(opcode_rows, dump);
    run_rows(opcode_warp_rows, dump);
    if (dump != NULL && fclose(dump) != 0) {
        perror(names[1]);
        return 2;
    }
    return 0;
}
