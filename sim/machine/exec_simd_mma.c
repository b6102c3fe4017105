/*
 * mma and wmma.mma: a product of matrices that the registers of a warp hold.
 *
 * Of floating-point numbers the PTX ISA fixes neither the order of the sum nor its rounding. Experiments with GPUs
 * (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021): products are exact; they and c
 * are cut at a fixed distance below the largest of them, then added. Here as on an H100, to which all results of
 * tests/api/matrix_products.cu are equal bit for bit: cut 25 bits below the largest exponent, where that of a product is
 * the sum of its factors', and 0 has none; the sum is cut to f32, or rounded to f16. Other GPUs cut 23 bits below it or
 * later, and may add in several steps: results differ by less than (K + 2) 2^-23 times the largest term.
 */
#include <math.h>

#include "sim/core/half.h"
#include "sim/machine/exec_fragment.h"
#include "sim/machine/exec_lanes.h"

enum { ELEMENTS = 32 * 32, KEPT_BITS = 25, EXPONENT_BIAS = 127, NOT_FINITE = 128, OF_ZERO = -400 };

/* A matrix row by row: its numbers, and their exponents as the multiplier sees them. */
struct numbers {
    f32 value[ELEMENTS];
    s32 exponent[ELEMENTS];
    bool finite;
};

static f32 number_of(enum ptx_type type, u32 bits, int part)
{
    switch (type) {
    case PTX_F16: return f16_to_float((uint16_t)(bits >> 16 * part));
    case PTX_BF16: return bf16_to_float((uint16_t)(bits >> 16 * part));
    case PTX_TF32: return half_bits_float(bits & ~UINT32_C(0x1fff));
    default: return half_bits_float(bits);
    }
}

/* From an element of a register to the next one, in a matrix that lies row by row. */
static int step_of(const struct fragment *f)
{
    return f->matrix == MATRIX_B ? f->columns : 1;
}

static int place_of(const struct fragment *f, int reg, int lane)
{
    const struct element e = fragment_element(f, reg, lane);
    return e.row * f->columns + e.column;
}

/* `least`: that of subnormal numbers. */
static s32 exponent_of(f32 x, s32 least)
{
    const s32 exponent = (s32)(half_float_bits(x) >> 23 & 255) - EXPONENT_BIAS;
    return x == 0 ? OF_ZERO : exponent < least ? least : exponent;
}

static s32 least_exponent(enum ptx_type type)
{
    return type == PTX_F16 ? -14 : -126;
}

static void find_exponents(struct numbers *n, int count, s32 least)
{
    s32 largest = least;
    for (int i = 0; i < count; i++) {
        n->exponent[i] = exponent_of(n->value[i], least);
        largest = n->exponent[i] > largest ? n->exponent[i] : largest;
    }
    n->finite = largest < NOT_FINITE;
}

static void read_numbers(const struct warp *warp, const struct fragment *f, struct numbers *n)
{
    const int step = step_of(f);
    for (int reg = 0; reg < f->count; reg++) {
        const row_u32 *bits = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            for (int part = 0, to = place_of(f, reg, lane); part < f->each; part++, to += step)
                n->value[to] = number_of(f->type, bits[lane], part);
    }
    find_exponents(n, f->rows * f->columns, least_exponent(f->type));
}

static inline f64 power_of_two(s32 exponent)
{
    const u64 bits = (u64)(exponent + 1023) << 52;
    f64 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One row of the sum: c and the `depth` products of a row of A with B, from its row `first` on, are cut and added. */
static void add_row(const f32 *a, const s32 *a_exponent, const struct numbers *b, int first, const f32 *c,
                    const s32 *c_exponent, int columns, int depth, f64 *sum)
{
    const f32 *by = &b->value[first * columns];
    const s32 *by_exponent = &b->exponent[first * columns];
    s32 top[WARP_LANES];
    f64 up[WARP_LANES];
    for (int j = 0; j < columns; j++)
        top[j] = c_exponent[j];
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < columns; j++) {
            const s32 exponent = a_exponent[first + k] + by_exponent[k * columns + j];
            top[j] = exponent > top[j] ? exponent : top[j];
        }
    for (int j = 0; j < columns; j++) {
        up[j] = power_of_two(KEPT_BITS - top[j]);
        sum[j] = 0.0 + trunc((f64)c[j] * up[j]); /* no sum is -0 */
    }
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < columns; j++)
            sum[j] += trunc((f64)a[first + k] * (f64)by[k * columns + j] * up[j]);
    for (int j = 0; j < columns; j++)
        sum[j] *= power_of_two(top[j] - KEPT_BITS);
}

static u32 cut_to_f32(f64 x)
{
    const f32 near = (f32)x;
    if (near != near)
        return 0x7fffffff;
    return half_float_bits(near) - (fabs(x) < 0x1p128 && fabs((f64)near) > fabs(x));
}

/* Of wmma with tf32 ptxas makes instructions of four products per sum; of mma, one of all of them (CUDA 13.0, sm_90). */
static int products_at_once(const struct mma_detail *detail)
{
    return detail->a.type == PTX_TF32 && detail->d.columns > 8 ? 4 : detail->a.columns;
}

/* Row i, step by step. */
static void add_steps(const struct mma_detail *detail, const struct numbers *a, const struct numbers *b,
                      struct numbers *c, int i, f64 *sum)
{
    const int columns = detail->d.columns, depth = detail->a.columns, step = products_at_once(detail);
    f32 *row_c = &c->value[i * columns];
    s32 *exponents = &c->exponent[i * columns];
    for (int k = 0; k < depth; k += step) {
        for (int j = 0; k && j < columns; j++) {
            row_c[j] = half_bits_float(cut_to_f32(sum[j]));
            exponents[j] = exponent_of(row_c[j], least_exponent(detail->c.type));
        }
        add_row(&a->value[i * depth], &a->exponent[i * depth], b, k, row_c, exponents, columns, step, sum);
    }
}

/* Where something is infinite or NaN: what the sum is then, if that reaches it. */
static f64 plain_sum(const f32 *a, const struct numbers *b, f32 c, int columns, int depth, int j)
{
    f64 plain = c;
    for (int k = 0; k < depth; k++)
        plain += (f64)a[k] * (f64)b->value[k * columns + j];
    return plain;
}

static u32 narrowed(enum ptx_type type, f64 x)
{
    return type == PTX_F16 ? small_from_double(&format_f16, x, ROUND_NEAREST) : cut_to_f32(x);
}

static void write_sums(const struct warp *warp, const struct fragment *f, const f64 *sums)
{
    for (int reg = 0; reg < f->count; reg++) {
        row_u32 *d = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const f64 *from = &sums[place_of(f, reg, lane)];
            d[lane] = narrowed(f->type, from[0]);
            if (f->each == 2)
                d[lane] |= narrowed(f->type, from[1]) << 16;
        }
    }
}

static void multiply_floats(const struct warp *warp, const struct mma_detail *detail)
{
    struct numbers a, b, c;
    f64 sums[ELEMENTS];
    const int columns = detail->d.columns, depth = detail->a.columns;
    read_numbers(warp, &detail->a, &a);
    read_numbers(warp, &detail->b, &b);
    read_numbers(warp, &detail->c, &c);
    const bool finite = a.finite && b.finite && c.finite;
    for (int i = 0; i < detail->d.rows; i++) {
        f64 *sum = &sums[i * columns], plain[WARP_LANES] = {0};
        for (int j = 0; j < columns && !finite; j++)
            plain[j] = plain_sum(&a.value[i * depth], &b, c.value[i * columns + j], columns, depth, j);
        add_steps(detail, &a, &b, &c, i, sum);
        for (int j = 0; j < columns && !finite; j++)
            sum[j] = isfinite(plain[j]) ? sum[j] : plain[j];
    }
    write_sums(warp, &detail->d, sums);
}

/* ---- integers: exact, cut to 32 bits or clamped -------------------------------------------------------- */

static s64 integer_of(enum ptx_type type, u32 bits, int part)
{
    return type == PTX_S8   ? (s8)(bits >> 8 * part)
           : type == PTX_U8 ? (s64)(bits >> 8 * part & 255)
                            : (s64)(s32)bits;
}

static void read_integers(const struct warp *warp, const struct fragment *f, s64 *out)
{
    const int step = step_of(f);
    for (int reg = 0; reg < f->count; reg++) {
        const row_u32 *bits = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            for (int part = 0, to = place_of(f, reg, lane); part < f->each; part++, to += step)
                out[to] = integer_of(f->type, bits[lane], part);
    }
}

static void multiply_integers(const struct warp *warp, const struct mma_detail *detail)
{
    s64 a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
    const struct fragment *f = &detail->d;
    const int depth = detail->a.columns;
    read_integers(warp, &detail->a, a);
    read_integers(warp, &detail->b, b);
    read_integers(warp, &detail->c, c);
    for (int i = 0; i < f->rows; i++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < f->columns; j++)
                c[i * f->columns + j] += a[i * depth + k] * b[k * f->columns + j];
    for (int reg = 0; reg < f->count; reg++) {
        row_u32 *d = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const s64 sum = c[place_of(f, reg, lane)];
            d[lane] = (u32)(!detail->satfinite ? sum
                            : sum > INT32_MAX  ? INT32_MAX
                            : sum < INT32_MIN  ? INT32_MIN
                                               : sum);
        }
    }
}

/* ---- f64: fused multiply-adds, in the order of k ------------------------------------------------------- */

static void read_doubles(const struct warp *warp, const struct fragment *f, f64 *out)
{
    for (int reg = 0; reg < f->count; reg++) {
        const row_f64 *from = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            out[place_of(f, reg, lane)] = from[lane];
    }
}

static void multiply_doubles(const struct warp *warp, const struct mma_detail *detail)
{
    f64 a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
    const struct fragment *f = &detail->d;
    const int depth = detail->a.columns;
    read_doubles(warp, &detail->a, a);
    read_doubles(warp, &detail->b, b);
    read_doubles(warp, &detail->c, c);
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < f->columns; j++)
            for (int k = 0; k < depth; k++)
                c[i * f->columns + j] = fma(a[i * depth + k], b[k * f->columns + j], c[i * f->columns + j]);
    for (int reg = 0; reg < f->count; reg++) {
        row_f64 *d = row(warp, f->registers[reg]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            d[lane] = c[place_of(f, reg, lane)];
    }
}

/* ---- handlers ------------------------------------------------------------------------------------------ */

#define DEFINE_PRODUCT(name, multiply)                                                                       \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const uint32_t lanes = exec_meet_all(warp, op, active);                                              \
        if (lanes)                                                                                           \
            multiply(warp, op->detail);                                                                      \
        return lanes == active ? STEP_NEXT : STEP_SCHEDULE;                                                  \
    }
DEFINE_PRODUCT(mma_f32, multiply_floats)
DEFINE_PRODUCT(mma_s32, multiply_integers)
DEFINE_PRODUCT(mma_f64, multiply_doubles)

const struct handler SIMD(exec_mma_handlers)[] = {
    {"mma.f32", mma_f32},
    {"mma.s32", mma_s32},
    {"mma.f64", mma_f64},
    {NULL, NULL},
};
