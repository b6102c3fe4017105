/*
 * Products of small matrices by mma and wmma: 2,000 of each type and shape, against sums in double. A fourth of them
 * are of small integers: their results are exact, bit for bit. Of the others PTX fixes neither order nor rounding: the
 * error is within what follows from terms that are cut 23 bits below the largest or later. "bits" is a checksum of all
 * results. With a file's name: the results go there.
 */
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mma.h>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/check.h"

#define PRODUCTS 2000

/* ---- numbers ------------------------------------------------------------------------------------------- */

enum format { F16, BF16, TF32, F32, F64, S8, U8, S32 };

static size_t bytes_of(format f)
{
    return f == F16 || f == BF16 ? 2 : f == F64 ? 8 : f == S8 || f == U8 ? 1 : 4;
}

template <class T, class B> static T as(B bits)
{
    T value;
    memcpy((void *)&value, (const void *)&bits, sizeof value);
    return value;
}

static double number(format f, const void *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes_of(f));
    switch (f) {
    case F16: return __half2float(as<__half>((uint16_t)bits));
    case BF16: return as<float>((uint32_t)bits << 16);
    case TF32: return as<float>((uint32_t)bits & 0xffffe000u);
    case F32: return as<float>((uint32_t)bits);
    case F64: return as<double>(bits);
    case S8: return (int8_t)bits;
    case U8: return (uint8_t)bits;
    default: return (int32_t)bits;
    }
}

static void put(format f, void *at, double x)
{
    const float narrow = (float)x;
    uint64_t bits = 0;
    switch (f) {
    case F16: bits = as<uint16_t>(__float2half(narrow)); break;
    case BF16: bits = as<uint32_t>(narrow) >> 16; break;
    case F64: bits = as<uint64_t>(x); break;
    case TF32: /* with bits that do not count, where it is no integer */
    case F32: bits = as<uint32_t>(narrow); break;
    default: bits = (uint64_t)(int64_t)x;
    }
    memcpy(at, &bits, bytes_of(f));
}

static uint64_t state;

static uint32_t draw(void) /* splitmix64 (Steele, Lea, Flood 2014) */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

/* Of kind 0 small integers, 1 from -1 to 1, 2 of many sizes, 3 as 1 with zeros and what nearly cancels. */
static double draw_number(format f, int kind)
{
    const double x = (double)draw() * 0x1p-31 - 1;
    if (f >= S8)
        return f == U8 ? draw() % 256 : f == S8 ? (int)(draw() % 256) - 128 : (int)draw();
    if (kind == 0)
        return (double)(int)(draw() % 17) - 8;
    return kind == 2                      ? ldexp(x, (int)(draw() % 13) - 8)
           : kind == 3 && draw() % 4 == 0 ? (double)(draw() % 3) - 1
                                          : x;
}

/* ---- mma: registers as in the PTX ISA, "Matrix Fragments" ---------------------------------------------- */

template <class T> __device__ uint32_t packed(const T *from, int step)
{
    uint32_t bits = 0;
    for (int i = 0; i < 4 / (int)sizeof(T); i++)
        bits |= (uint32_t)from[i * step] << (8 * sizeof(T) * i);
    return bits;
}

/* F: factors, S: sums, as integers of their size. */
template <class P, class F, class S, int M, int K>
__global__ void mma_kernel(const F *a, const F *b, const S *c, S *d)
{
    const int group = threadIdx.x / 4, place = threadIdx.x % 4, each = 4 / (int)sizeof(F),
              pair = 4 / (int)sizeof(S);
    const int A = M * K / 32 / each, B = K / 4 / each, D = M / 4 / pair;
    uint32_t ra[A], rb[B], rc[D], rd[D];
    a += blockIdx.x * M * K, b += blockIdx.x * K * 8, c += blockIdx.x * M * 8, d += blockIdx.x * M * 8;
    for (int i = 0; i < A; i++) {
        const int row = group + (M == 16 ? i % 2 * 8 : 0),
                  column = each * (place + (M == 16 ? i / 2 : i) * 4);
        ra[i] = packed(&a[row * K + column], 1);
    }
    for (int i = 0; i < B; i++)
        rb[i] = packed(&b[each * (place + 4 * i) * 8 + group], 8);
    for (int i = 0; i < D; i++)
        rc[i] =
            packed(&c[(group + (pair == 2 ? i : i / 2) * 8) * 8 + 2 * place + (pair == 2 ? 0 : i % 2)], 1);
    P::multiply(rd, ra, rb, rc);
    for (int i = 0; i < D; i++)
        for (int k = 0; k < pair; k++)
            d[(group + (pair == 2 ? i : i / 2) * 8) * 8 + 2 * place + (pair == 2 ? k : i % 2)] =
                (S)(rd[i] >> (8 * sizeof(S) * k));
}

#define OUT2   "=r"(d[0]), "=r"(d[1])
#define OUT4   OUT2, "=r"(d[2]), "=r"(d[3])
#define IN1(x) "r"(x[0])
#define IN2(x) IN1(x), "r"(x[1])
#define IN4(x) IN2(x), "r"(x[2]), "r"(x[3])
#define PRODUCT(name, text, registers, out, ...)                                                             \
    struct name {                                                                                            \
        static __device__ void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b,                   \
                                        const uint32_t *c)                                                   \
        {                                                                                                    \
            asm("mma.sync.aligned." text " " registers ";" : out : __VA_ARGS__);                             \
        }                                                                                                    \
    };
#define PRODUCT_442(name, text)                                                                              \
    PRODUCT(name, text, "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13}", OUT4, IN4(a), IN2(b), IN4(c))
#define PRODUCT_421(name, text)                                                                              \
    PRODUCT(name, text, "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10}", OUT4, IN2(a), IN1(b), IN4(c))
#define PRODUCT_242(name, text)                                                                              \
    PRODUCT(name, text, "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9}", OUT2, IN4(a), IN2(b), IN2(c))
#define PRODUCT_221(name, text)                                                                              \
    PRODUCT(name, text, "{%0,%1},{%2,%3},{%4},{%5,%6}", OUT2, IN2(a), IN1(b), IN2(c))
#define PRODUCT_211(name, text) PRODUCT(name, text, "{%0,%1},{%2},{%3},{%4,%5}", OUT2, IN1(a), IN1(b), IN2(c))

PRODUCT_442(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32")
PRODUCT_421(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32")
PRODUCT_242(half_k16, "m16n8k16.row.col.f16.f16.f16.f16")
PRODUCT_221(half_k8, "m16n8k8.row.col.f16.f16.f16.f16")
PRODUCT_442(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
PRODUCT_421(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
PRODUCT_442(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
PRODUCT_421(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
PRODUCT_442(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32")
PRODUCT_421(u8_k16, "m16n8k16.row.col.s32.u8.u8.s32")
PRODUCT_211(s8_m8, "m8n8k16.row.col.s32.s8.s8.s32")
PRODUCT_442(s8_clamped, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")

__global__ void f64_kernel(const double *a, const double *b, const double *c, double *d)
{
    const int group = threadIdx.x / 4, place = threadIdx.x % 4, at = 64 * blockIdx.x + 8 * group + 2 * place;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};"
        : "=d"(d[at]), "=d"(d[at + 1])
        : "d"(a[32 * blockIdx.x + 4 * group + place]), "d"(b[32 * blockIdx.x + 8 * place + group]),
          "d"(c[at]), "d"(c[at + 1]));
}

/* ---- wmma ---------------------------------------------------------------------------------------------- */

using namespace nvcuda;

/* P: the factors' type for wmma, T: in memory, S: of the sums; all matrices lie row by row, or A and B by columns. */
template <class P, class T, class S, int M, int N, int K, class L>
__global__ void wmma_kernel(const T *a, const T *b, const S *c, S *d)
{
    const bool columns = std::is_same<L, wmma::col_major>::value;
    wmma::fragment<wmma::matrix_a, M, N, K, P, L> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, P, L> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc;
    wmma::load_matrix_sync(fa, a + blockIdx.x * M * K, columns ? M : K);
    wmma::load_matrix_sync(fb, b + blockIdx.x * K * N, columns ? K : N);
    wmma::load_matrix_sync(fc, c + blockIdx.x * M * N, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d + blockIdx.x * M * N, fc, N, wmma::mem_row_major);
}

/* ---- one form ------------------------------------------------------------------------------------------ */

struct form {
    const char *name;
    format factor, sum;
    int m, n, k;
    bool columns; /* A and B lie column by column */
    void (*launch)(const void *a, const void *b, const void *c, void *d);
    bool clamped;
};

struct host_matrices {
    std::vector<unsigned char> a, b, c, d;
};

static void draw_matrix(std::vector<unsigned char> &to, format f, int elements)
{
    to.resize(bytes_of(f) * elements * PRODUCTS);
    for (int p = 0; p < PRODUCTS; p++)
        for (int i = 0; i < elements; i++)
            put(f, &to[bytes_of(f) * ((size_t)p * elements + i)], draw_number(f, p % 4));
}

static void *to_device(const std::vector<unsigned char> &from)
{
    void *at;
    CHECK(cudaMalloc(&at, from.size()));
    CHECK(cudaMemcpy(at, from.data(), from.size(), cudaMemcpyHostToDevice));
    return at;
}

static void run(const form &f, host_matrices &h)
{
    draw_matrix(h.a, f.factor, f.m * f.k);
    draw_matrix(h.b, f.factor, f.k * f.n);
    draw_matrix(h.c, f.sum, f.m * f.n);
    h.d.resize(h.c.size());
    void *a = to_device(h.a), *b = to_device(h.b), *c = to_device(h.c), *d = to_device(h.d);
    f.launch(a, b, c, d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h.d.data(), d, h.d.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(d));
}

/* Product p's factors as numbers, row by row. */
struct factors {
    double a[32 * 32], b[32 * 32];
};

static void read_factors(const form &f, const host_matrices &h, int p, factors *to)
{
    const size_t size = bytes_of(f.factor);
    for (int k = 0; k < f.k; k++) {
        for (int i = 0; i < f.m; i++)
            to->a[i * f.k + k] =
                number(f.factor, &h.a[size * (p * f.m * f.k + (f.columns ? k * f.m + i : i * f.k + k))]);
        for (int j = 0; j < f.n; j++)
            to->b[k * f.n + j] =
                number(f.factor, &h.b[size * (p * f.k * f.n + (f.columns ? j * f.k + k : k * f.n + j))]);
    }
}

/* Element (i, j) of product p: the error by the bound, or whether it is exact: then 0 or infinity. */
static double error_of(const form &f, const host_matrices &h, const factors &by, int p, int i, int j)
{
    const size_t at = bytes_of(f.sum) * (((size_t)p * f.m + i) * f.n + j);
    double sum = number(f.sum, &h.c[at]), largest = fabs(sum);
    for (int k = 0; k < f.k; k++) {
        const double product = by.a[i * f.k + k] * by.b[k * f.n + j];
        sum += product;
        largest = fmax(largest, fabs(product));
    }
    if (f.sum == S32)
        sum = f.clamped ? fmin(fmax(sum, INT32_MIN), INT32_MAX) : (double)(int32_t)(uint32_t)(int64_t)sum;
    const double error = fabs(number(f.sum, &h.d[at]) - sum);
    if (f.sum == S32 || (p % 4 == 0 && f.sum != F64))
        return error == 0 ? 0 : INFINITY;
    const double unit = f.sum == F64 ? 0x1p-52 : 0x1p-23;
    return error /
           ((f.k + 2) * unit * largest + (f.sum == F16 ? 0x1p-11 * fabs(sum) + 0x1p-25 : unit * fabs(sum)));
}

static void check(const form &f, FILE *file)
{
    host_matrices h;
    factors by;
    double worst = 0;
    uint64_t bits = 0xcbf29ce484222325; /* FNV-1a */
    run(f, h);
    for (int p = 0; p < PRODUCTS; p++) {
        read_factors(f, h, p, &by);
        for (int i = 0; i < f.m; i++)
            for (int j = 0; j < f.n; j++)
                worst = fmax(worst, error_of(f, h, by, p, i, j));
    }
    for (unsigned char byte : h.d)
        bits = (bits ^ byte) * 0x100000001b3;
    printf("%-22s %s, bits %016llx\n", f.name, worst <= 1 ? "right" : "wrong", (unsigned long long)bits);
    if (file && fwrite(h.d.data(), 1, h.d.size(), file) != h.d.size())
        perror("the results");
}

#define LAUNCH(F, S, ...)                                                                                    \
    [](const void *a, const void *b, const void *c, void *d) {                                               \
        __VA_ARGS__<<<PRODUCTS, 32>>>((const F *)a, (const F *)b, (const S *)c, (S *)d);                     \
    }
#define MMA(name, factor, sum, F, S, m, k, clamped)                                                          \
    {                                                                                                        \
        "mma " #name, factor, sum, m, 8, k, false, LAUNCH(F, S, mma_kernel<name, F, S, m, k>), clamped       \
    }
#define WMMA(name, factor, sum, P, F, S, m, n, k, L)                                                         \
    {                                                                                                        \
        "wmma " name, factor, sum, m, n, k, std::is_same<L, wmma::col_major>::value,                         \
            LAUNCH(F, S, wmma_kernel<P, F, S, m, n, k, L>), false                                            \
    }

static const form forms[] = {
    MMA(f16_k16, F16, F32, uint16_t, uint32_t, 16, 16, false),
    MMA(f16_k8, F16, F32, uint16_t, uint32_t, 16, 8, false),
    MMA(half_k16, F16, F16, uint16_t, uint16_t, 16, 16, false),
    MMA(half_k8, F16, F16, uint16_t, uint16_t, 16, 8, false),
    MMA(bf16_k16, BF16, F32, uint16_t, uint32_t, 16, 16, false),
    MMA(bf16_k8, BF16, F32, uint16_t, uint32_t, 16, 8, false),
    MMA(tf32_k8, TF32, F32, uint32_t, uint32_t, 16, 8, false),
    MMA(tf32_k4, TF32, F32, uint32_t, uint32_t, 16, 4, false),
    MMA(s8_k32, S8, S32, uint8_t, uint32_t, 16, 32, false),
    MMA(s8_clamped, S8, S32, uint8_t, uint32_t, 16, 32, true),
    MMA(u8_k16, U8, S32, uint8_t, uint32_t, 16, 16, false),
    MMA(s8_m8, S8, S32, uint8_t, uint32_t, 8, 16, false),
    {"mma f64", F64, F64, 8, 8, 4, false, LAUNCH(double, double, f64_kernel), false},
    WMMA("f16", F16, F32, __half, __half, float, 16, 16, 16, wmma::row_major),
    WMMA("f16 columns", F16, F32, __half, __half, float, 16, 16, 16, wmma::col_major),
    WMMA("f16 32 x 8", F16, F32, __half, __half, float, 32, 8, 16, wmma::row_major),
    WMMA("f16 8 x 32", F16, F32, __half, __half, float, 8, 32, 16, wmma::col_major),
    WMMA("f16 to f16", F16, F16, __half, __half, __half, 16, 16, 16, wmma::row_major),
    WMMA("bf16", BF16, F32, __nv_bfloat16, __nv_bfloat16, float, 16, 16, 16, wmma::row_major),
    WMMA("tf32", TF32, F32, wmma::precision::tf32, float, float, 16, 16, 8, wmma::row_major),
    WMMA("tf32 columns", TF32, F32, wmma::precision::tf32, float, float, 16, 16, 8, wmma::col_major),
    WMMA("s8", S8, S32, signed char, signed char, int, 16, 16, 16, wmma::row_major),
    WMMA("u8 8 x 32", U8, S32, unsigned char, unsigned char, int, 8, 32, 16, wmma::col_major),
    WMMA("f64", F64, F64, double, double, double, 8, 8, 4, wmma::row_major),
};

int main(int count, char **arguments)
{
    FILE *file = count > 1 ? fopen(arguments[1], "wb") : NULL;
    for (const form &f : forms)
        check(f, file);
    if (file && fclose(file) != 0)
        return 2;
    return 0;
}
