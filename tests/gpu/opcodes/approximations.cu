/*
 * How far the approximate instructions are from the exact result: the largest error over many operands, on a
 * GPU over all 2^32 floats, and whether it is within what the PTX ISA promises ("Floating Point Instructions"
 * and "Half Precision Floating Point Instructions", by instruction). The exact result is the double-precision
 * function's.
 *
 *   approximations [COUNT]    operands an instruction (default 262144; 4294967296: every float once)
 *
 * Exit: 0 all within their bounds, 1 one is not, 2 it could not be run.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Operand k: an odd factor reaches every pattern of 32 bits once. */
static __host__ __device__ uint32_t pattern(uint64_t k)
{
    return (uint32_t)k * 2654435761u;
}

/* A second operand, and wide ones: splitmix64 (Steele, Lea, Flood 2014). */
static __host__ __device__ uint64_t scramble(uint64_t z)
{
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* ---- formats ------------------------------------------------------------------------------------------- */

enum { F32, F32_FTZ, F16, BF16, BF16_FTZ, F64_FTZ, F64 };

static __device__ double value_of(int format, uint64_t bits)
{
    float narrow;
    switch (format) {
    case F16:
        asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(narrow) : "r"((uint32_t)bits));
        break;
    case BF16:
    case BF16_FTZ: narrow = __uint_as_float((uint32_t)bits << 16); break;
    case F64_FTZ:
    case F64: return __longlong_as_double((long long)bits);
    default: narrow = __uint_as_float((uint32_t)bits);
    }
    return narrow;
}

static __device__ int fraction_bits(int format)
{
    return format <= F32_FTZ ? 23 : format == F16 ? 10 : format <= BF16_FTZ ? 7 : 52;
}

static __device__ int least_exponent(int format)
{
    return format == F16 ? -14 : format >= F64_FTZ ? -1022 : -126;
}

static __device__ bool flushes(int format)
{
    return format == F32_FTZ || format == BF16_FTZ || format == F64_FTZ;
}

/* The unit in the last place of results of this size. */
static __device__ double unit_of(int format, double size)
{
    int exponent = max(ilogb(size), least_exponent(format));
    return scalbn(1.0, exponent - fraction_bits(format));
}

/* ---- errors -------------------------------------------------------------------------------------------- */

/*
 * ULPS: from the correctly rounded result; RELATIVE: to the exact result, or to the smallest normal number if
 * that is larger; NEAR_ONE: absolute for operands in (1/2, 2), else relative.
 */
enum { ULPS, RELATIVE, ABSOLUTE, NEAR_ONE };

/* What is kept of a sweep: the largest errors as the bits of a float, above the operand's number. */
struct worst {
    unsigned long long measured, ulps;
    unsigned long long
        wrong_kind; /* NaN or infinity where there should be a number, or the other way round */
};

static __device__ void note(unsigned long long *place, double error, uint64_t k)
{
    unsigned long long packed = (unsigned long long)__float_as_uint((float)error) << 32 | (uint32_t)k;
    if (packed > *(volatile unsigned long long *)place)
        atomicMax(place, packed);
}

static __device__ void judge(int format, int measure, double operand, double got, double exact, uint64_t k,
                             struct worst *worst)
{
    const double smallest = scalbn(1.0, least_exponent(format));
    const double largest = scalbn(2.0 - scalbn(1.0, -fraction_bits(format)), -least_exponent(format) + 1);
    if (flushes(format) && (fabs(exact) < smallest * 1.001 || fabs(operand) < smallest))
        return; /* zeros, which the table has */
    if (isnan(exact) || fabs(exact) >= largest * 0.999 || isinf(operand)) {
        if (isnan(exact) != isnan(got))
            atomicAdd(&worst->wrong_kind, 1ull);
        return;
    }
    if (isnan(got) || isinf(got)) {
        atomicAdd(&worst->wrong_kind, 1ull);
        return;
    }
    const double error = fabs(got - exact);
    const double ulps = exact == 0 && error == 0 ? 0 : error / unit_of(format, exact);
    const double off = fabs(got - rint(exact / unit_of(format, exact)) * unit_of(format, exact));
    const bool absolute = measure == ABSOLUTE || (measure == NEAR_ONE && operand > 0.5 && operand < 2);
    note(&worst->ulps, ulps, k);
    note(&worst->measured,
         measure == ULPS ? off / unit_of(format, exact)
         : absolute      ? error
                         : error / fmax(fabs(exact), smallest),
         k);
}

/* ---- one kernel an instruction ------------------------------------------------------------------------- */

static __device__ double exact_rcp(double x)
{
    return 1 / x;
}
static __device__ double exact_rsqrt(double x)
{
    return 1 / sqrt(x);
}

#define SWEEP_HEAD(name)                                                                                     \
    static __global__ void name(uint64_t count, double limit, int format, int measure, struct worst *worst)  \
    {                                                                                                        \
        const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;                                            \
        for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride) {
#define SWEEP_TAIL                                                                                           \
    }                                                                                                        \
    }

/* Of one float; limit: operands beyond it are left out. */
#define UNARY_32(name, text, exact)                                                                          \
    SWEEP_HEAD(name)                                                                                         \
    const uint32_t bits = pattern(k);                                                                        \
    uint32_t d;                                                                                              \
    const double x = value_of(format, bits);                                                                 \
    if (!(fabs(x) <= limit))                                                                                 \
        continue;                                                                                            \
    asm(text " %0, %1;" : "=r"(d) : "r"(bits));                                                              \
    judge(format, measure, x, value_of(format, d), exact(x), k, worst);                                      \
    SWEEP_TAIL

#define UNARY_16(name, text, exact)                                                                          \
    SWEEP_HEAD(name)                                                                                         \
    const uint16_t bits = (uint16_t)k;                                                                       \
    uint16_t d;                                                                                              \
    const double x = value_of(format, bits);                                                                 \
    if (!(fabs(x) <= limit))                                                                                 \
        continue;                                                                                            \
    asm(text " %0, %1;" : "=h"(d) : "h"(bits));                                                              \
    judge(format, measure, x, value_of(format, d), exact(x), k, worst);                                      \
    SWEEP_TAIL

#define UNARY_64(name, text, exact)                                                                          \
    SWEEP_HEAD(name)                                                                                         \
    const uint64_t bits = scramble(k);                                                                       \
    uint64_t d;                                                                                              \
    const double x = value_of(format, bits);                                                                 \
    if (!(fabs(x) <= limit))                                                                                 \
        continue;                                                                                            \
    asm(text " %0, %1;" : "=l"(d) : "l"(bits));                                                              \
    judge(format, measure, x, value_of(format, d), exact(x), k, worst);                                      \
    SWEEP_TAIL

/* x / y; limit: of the size of y, and of its inverse. */
#define DIVISION(name, text)                                                                                 \
    SWEEP_HEAD(name)                                                                                         \
    const uint64_t both = scramble(k);                                                                       \
    const uint32_t a = (uint32_t)both, b = (uint32_t)(both >> 32);                                           \
    uint32_t d;                                                                                              \
    const double x = value_of(format, a), y = value_of(format, b);                                           \
    if (!(fabs(x) < INFINITY && fabs(y) <= limit && fabs(y) >= 1 / limit))                                   \
        continue;                                                                                            \
    if (flushes(format) && fabs(y) < 0x1p-126)                                                               \
        continue;                                                                                            \
    asm(text " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));                                                     \
    judge(format, measure, x, value_of(format, d), x / y, k, worst);                                         \
    SWEEP_TAIL

UNARY_32(rcp_f32, "rcp.approx.f32", exact_rcp)
UNARY_32(rcp_ftz_f32, "rcp.approx.ftz.f32", exact_rcp)
UNARY_32(sqrt_f32, "sqrt.approx.f32", sqrt)
UNARY_32(sqrt_ftz_f32, "sqrt.approx.ftz.f32", sqrt)
UNARY_32(rsqrt_f32, "rsqrt.approx.f32", exact_rsqrt)
UNARY_32(rsqrt_ftz_f32, "rsqrt.approx.ftz.f32", exact_rsqrt)
UNARY_32(sin_f32, "sin.approx.f32", sin)
UNARY_32(sin_ftz_f32, "sin.approx.ftz.f32", sin)
UNARY_32(cos_f32, "cos.approx.f32", cos)
UNARY_32(cos_ftz_f32, "cos.approx.ftz.f32", cos)
UNARY_32(lg2_f32, "lg2.approx.f32", log2)
UNARY_32(lg2_ftz_f32, "lg2.approx.ftz.f32", log2)
UNARY_32(ex2_f32, "ex2.approx.f32", exp2)
UNARY_32(ex2_ftz_f32, "ex2.approx.ftz.f32", exp2)
UNARY_32(tanh_f32, "tanh.approx.f32", tanh)
DIVISION(div_approx_f32, "div.approx.f32")
DIVISION(div_approx_ftz_f32, "div.approx.ftz.f32")
DIVISION(div_full_f32, "div.full.f32")
DIVISION(div_full_ftz_f32, "div.full.ftz.f32")
UNARY_16(ex2_f16, "ex2.approx.f16", exp2)
UNARY_16(tanh_f16, "tanh.approx.f16", tanh)
UNARY_16(ex2_bf16, "ex2.approx.ftz.bf16", exp2)
UNARY_16(tanh_bf16, "tanh.approx.bf16", tanh)
UNARY_64(rcp_f64, "rcp.approx.ftz.f64", exact_rcp)
UNARY_64(rsqrt_ftz_f64, "rsqrt.approx.ftz.f64", exact_rsqrt)
UNARY_64(rsqrt_f64, "rsqrt.approx.f64", exact_rsqrt)

/* ---- the bounds ---------------------------------------------------------------------------------------- */

/* For operands up to `limit`; bound 0: none is promised. Source: PTX ISA 9.7.3 and 9.7.4, notes on each. */
static const struct sweep {
    const char *name;
    void (*kernel)(uint64_t, double, int, int, struct worst *);
    int format, measure;
    double limit, bound;
} sweeps[] = {
    {"rcp.approx.f32", rcp_f32, F32, ULPS, INFINITY, 1},
    {"rcp.approx.ftz.f32", rcp_ftz_f32, F32_FTZ, ULPS, INFINITY, 1},
    {"sqrt.approx.f32", sqrt_f32, F32, RELATIVE, INFINITY, 0x1p-23},
    {"sqrt.approx.ftz.f32", sqrt_ftz_f32, F32_FTZ, RELATIVE, INFINITY, 0x1p-23},
    {"rsqrt.approx.f32", rsqrt_f32, F32, RELATIVE, INFINITY, 1.2773e-7 /* 2^-22.9 */},
    {"rsqrt.approx.ftz.f32", rsqrt_ftz_f32, F32_FTZ, RELATIVE, INFINITY, 1.2773e-7},
    {"sin.approx.f32, to 2 pi", sin_f32, F32, ABSOLUTE, 6.2831853, 6.7435e-7 /* 2^-20.5 */},
    {"sin.approx.ftz.f32, to 2 pi", sin_ftz_f32, F32_FTZ, ABSOLUTE, 6.2831853, 6.7435e-7},
    {"sin.approx.f32, to 100 pi", sin_f32, F32, ABSOLUTE, 314.15926, 3.7573e-5 /* 2^-14.7 */},
    {"sin.approx.f32, all", sin_f32, F32, ABSOLUTE, INFINITY, 0},
    {"cos.approx.f32, to 2 pi", cos_f32, F32, ABSOLUTE, 6.2831853, 6.7435e-7},
    {"cos.approx.ftz.f32, to 2 pi", cos_ftz_f32, F32_FTZ, ABSOLUTE, 6.2831853, 6.7435e-7},
    {"cos.approx.f32, to 100 pi", cos_f32, F32, ABSOLUTE, 314.15926, 3.7573e-5},
    {"cos.approx.f32, all", cos_f32, F32, ABSOLUTE, INFINITY, 0},
    {"lg2.approx.f32", lg2_f32, F32, NEAR_ONE, INFINITY, 0x1p-22},
    {"lg2.approx.ftz.f32", lg2_ftz_f32, F32_FTZ, NEAR_ONE, INFINITY, 0x1p-22},
    {"ex2.approx.f32", ex2_f32, F32, ULPS, INFINITY, 2},
    {"ex2.approx.ftz.f32", ex2_ftz_f32, F32_FTZ, ULPS, INFINITY, 2},
    {"tanh.approx.f32", tanh_f32, F32, RELATIVE, INFINITY, 0x1p-11},
    {"div.approx.f32", div_approx_f32, F32, ULPS, 0x1p126, 2},
    {"div.approx.ftz.f32", div_approx_ftz_f32, F32_FTZ, ULPS, 0x1p126, 2},
    {"div.full.f32", div_full_f32, F32, ULPS, INFINITY, 2},
    {"div.full.ftz.f32", div_full_ftz_f32, F32_FTZ, ULPS, INFINITY, 2},
    {"ex2.approx.f16", ex2_f16, F16, RELATIVE, INFINITY, 1.0466e-3 /* 2^-9.9 */},
    {"tanh.approx.f16", tanh_f16, F16, ABSOLUTE, INFINITY, 4.9271e-4 /* 2^-10.987 */},
    {"ex2.approx.ftz.bf16", ex2_bf16, BF16_FTZ, RELATIVE, INFINITY, 0x1p-7},
    {"tanh.approx.bf16", tanh_bf16, BF16, ABSOLUTE, INFINITY, 0x1p-8},
    {"rcp.approx.ftz.f64", rcp_f64, F64_FTZ, RELATIVE, INFINITY, 0},
    {"rsqrt.approx.ftz.f64", rsqrt_ftz_f64, F64_FTZ, RELATIVE, INFINITY, 0},
    {"rsqrt.approx.f64", rsqrt_f64, F64, RELATIVE, INFINITY, 0},
};

/* ---- all of them --------------------------------------------------------------------------------------- */

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "approximations: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static float error_in(unsigned long long packed)
{
    const uint32_t bits = (uint32_t)(packed >> 32);
    float error;
    memcpy(&error, &bits, sizeof error);
    return error;
}

/* The operand, or both, with the largest error in ulps. */
static void print_operand(const struct sweep *sweep, uint32_t k)
{
    const bool division = strncmp(sweep->name, "div", 3) == 0;
    if (division)
        printf("  %08x / %08x", (uint32_t)scramble(k), (uint32_t)(scramble(k) >> 32));
    else if (sweep->format >= F64_FTZ)
        printf("  %016llx", (unsigned long long)scramble(k));
    else if (sweep->format >= F16)
        printf("  %04x", k & 0xffff);
    else
        printf("  %08x", pattern(k));
}

/* Prints a row of the table; false if the instruction is not within its bound. */
static bool run(const struct sweep *sweep, uint64_t count, struct worst *d_worst)
{
    static const char *const measures[] = {"ulp", "relative", "absolute", "abs or rel"};
    struct worst worst;
    if (sweep->format >= F16 && sweep->format <= BF16_FTZ)
        count = 65536;
    else if (sweep->format >= F64_FTZ && count > 1 << 28)
        count = 1 << 28;
    const int blocks = count > 1 << 20 ? 1056 : 64;
    must(cudaMemset(d_worst, 0, sizeof *d_worst), "cudaMemset");
    sweep->kernel<<<blocks, 256>>>(count, sweep->limit, sweep->format, sweep->measure, d_worst);
    must(cudaDeviceSynchronize(), sweep->name);
    must(cudaMemcpy(&worst, d_worst, sizeof worst, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const float measured = error_in(worst.measured);
    const bool good = worst.wrong_kind == 0 && (sweep->bound == 0 || measured <= sweep->bound);
    printf("%-28s %-10s %10.4g ", sweep->name, measures[sweep->measure], measured);
    if (sweep->bound == 0)
        printf("%10s", "none");
    else
        printf("%10.4g", sweep->bound);
    printf(" %12.4g", error_in(worst.ulps));
    print_operand(sweep, (uint32_t)worst.ulps);
    if (worst.wrong_kind != 0)
        printf("  %llu NaN or infinite where they should not be, or not where they should", worst.wrong_kind);
    printf("%s\n", good ? "" : "  MORE THAN THE BOUND");
    return good;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 262144;
    struct worst *d_worst;
    bool good = true;
    must(cudaMalloc((void **)&d_worst, sizeof *d_worst), "cudaMalloc");
    printf("%-28s %-10s %10s %10s %12s  %s\n", "instruction", "error as", "largest", "bound", "ulp of exact",
           "for the operand");
    for (const struct sweep &sweep : sweeps)
        good = run(&sweep, count, d_worst) && good;
    printf(good ? "all within their bounds\n" : "not all within their bounds\n");
    return good ? 0 : 1;
}
