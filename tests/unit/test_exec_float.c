/* Floating-point opcodes: rounding, flushing, saturation, NaN, comparison, approximations. */
#include <math.h>

#include "test.h"
#include "exec_support.h"

#define NAN32     0x7fffffff
#define INF32     0x7f800000
#define ONE32     0x3f800000
#define TINY32    0x00000001 /* the smallest subnormal */
#define SUBNORMAL 0x00400000
#define INF64     UINT64_C(0x7ff0000000000000)
#define ONE64     UINT64_C(0x3ff0000000000000)

/* 1 + 2^-24 lies between two floats: the mode decides. */
TEST(rounds_as_asked)
{
    EXEC_CHECK_OP("add.rn.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x33800000, 0, ONE32});
    EXEC_CHECK_OP("add.rp.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x33800000, 0, ONE32 + 1});
    EXEC_CHECK_OP("add.rm.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x33800000, 0, ONE32},
                  {ONE32, 0xbf800000, 0, 0x80000000});
    EXEC_CHECK_OP("sub.rz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x33000000, 0, 0x3f7fffff});
    EXEC_CHECK_OP("mul.rp.f32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x3f800001, 0x3f800001, 0, 0x3f800003});
    EXEC_CHECK_OP("mul.rn.f32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x3f800001, 0x3f800001, 0, 0x3f800002});
    EXEC_CHECK_OP("fma.rm.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {ONE32, ONE32, 0x33800000, ONE32});
    EXEC_CHECK_OP("fma.rp.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {ONE32, ONE32, 0x33800000, ONE32 + 1});
    EXEC_CHECK_OP("div.rn.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x40400000, 0, 0x3eaaaaab});
    EXEC_CHECK_OP("div.rz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x40400000, 0, 0x3eaaaaaa});
    EXEC_CHECK_OP("sqrt.rn.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40000000, 0, 0, 0x3fb504f3});
    EXEC_CHECK_OP("sqrt.rp.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40000000, 0, 0, 0x3fb504f4});
    EXEC_CHECK_OP("rcp.rn.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40400000, 0, 0, 0x3eaaaaab},
                  {0, 0, 0, INF32});
    EXEC_CHECK_OP("add.rp.f64 %d, %a, %b;", "b64", "b64", "b64", NULL, {ONE64, 1, 0, ONE64 + 1});
    EXEC_CHECK_OP("add.rz.f64 %d, %a, %b;", "b64", "b64", "b64", NULL, {ONE64, 1, 0, ONE64});
    EXEC_CHECK_OP("fma.rn.f64 %d, %a, %b, %c;", "b64", "b64", "b64", "b64",
                  {ONE64 + 1, ONE64 + 1, UINT64_C(0xbff0000000000002), UINT64_C(0x3970000000000000)});
    EXEC_CHECK_OP("div.rm.f64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {ONE64, UINT64_C(0x4008000000000000), 0, UINT64_C(0x3fd5555555555555)});
    EXEC_CHECK_OP("div.rp.f64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {ONE64, UINT64_C(0x4008000000000000), 0, UINT64_C(0x3fd5555555555556)});
    EXEC_CHECK_OP("sqrt.rn.f64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x4000000000000000), 0, 0, UINT64_C(0x3ff6a09e667f3bcd)});
}

/* The product is not rounded before the sum: (1 + e)(1 - e) - 1 is -e * e. */
TEST(fuses)
{
    EXEC_CHECK_OP("fma.rn.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x3f800001, 0x3f7ffffe, 0xbf800000, 0xa8800000});
    EXEC_CHECK_OP("fma.rn.f32 %d, %a, 0f40000000, %c;", "b32", "b32", NULL, "b32",
                  {ONE32, 0, ONE32, 0x40400000});
}

TEST(flushes_and_saturates)
{
    EXEC_CHECK_OP("add.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {TINY32, TINY32, 0, 2});
    EXEC_CHECK_OP("add.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {TINY32, TINY32, 0, 0},
                  {0x80000001, 0x80000001, 0, 0x80000000}, {ONE32, SUBNORMAL, 0, ONE32},
                  {0x00800001, 0x80800000, 0, 0});
    EXEC_CHECK_OP("mul.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x00800000, 0x3f000000, 0, 0},
                  {0x80800000, 0x3f000000, 0, 0x80000000});
    EXEC_CHECK_OP("fma.rn.ftz.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {ONE32, TINY32, TINY32, 0},
                  {ONE32, ONE32, ONE32, 0x40000000});
    EXEC_CHECK_OP("add.sat.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, ONE32, 0, ONE32},
                  {ONE32, 0xc0000000, 0, 0}, {0x3e800000, 0x3e800000, 0, 0x3f000000},
                  {INF32, 0xff800000, 0, 0});
    EXEC_CHECK_OP("fma.rn.ftz.sat.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {ONE32, ONE32, ONE32, ONE32});
    EXEC_CHECK_OP("abs.ftz.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x80000001, 0, 0, 0},
                  {0xbf800000, 0, 0, ONE32});
    EXEC_CHECK_OP("neg.f32 %d, %a;", "b32", "b32", NULL, NULL, {0, 0, 0, 0x80000000},
                  {ONE32, 0, 0, 0xbf800000});
    EXEC_CHECK_OP("neg.f64 %d, %a;", "b64", "b64", NULL, NULL, {ONE64, 0, 0, UINT64_C(0xbff0000000000000)});
}

TEST(treats_nan_as_ptx_does)
{
    EXEC_CHECK_OP("add.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {INF32, 0xff800000, 0, NAN32},
                  {0x7fc12345, ONE32, 0, NAN32});
    EXEC_CHECK_OP("mul.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {INF32, 0, 0, NAN32});
    EXEC_CHECK_OP("min.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x7fc00000, ONE32, 0, ONE32},
                  {ONE32, 0x7fc00000, 0, ONE32}, {0, 0x80000000, 0, 0x80000000},
                  {0x80000000, 0, 0, 0x80000000}, {0x7fc00000, 0x7fc00001, 0, NAN32});
    EXEC_CHECK_OP("max.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x7fc00000, ONE32, 0, ONE32},
                  {0, 0x80000000, 0, 0}, {0x80000000, 0, 0, 0}, {ONE32, 0xbf800000, 0, ONE32});
    EXEC_CHECK_OP("min.NaN.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x7fc00000, ONE32, 0, NAN32},
                  {ONE32, 0, 0, 0});
    EXEC_CHECK_OP("max.f64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {UINT64_C(0x7ff8000000000000), ONE64, 0, ONE64});
    EXEC_CHECK_OP("copysign.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x80000000, ONE32, 0, 0xbf800000});
    EXEC_CHECK_OP("sqrt.rn.f32 %d, %a;", "b32", "b32", NULL, NULL, {0xbf800000, 0, 0, NAN32},
                  {0x80000000, 0, 0, 0x80000000});
}

/* Where the PTX ISA leaves it open, and what an H100 does (tests/gpu/opcodes). */
TEST(agrees_with_a_gpu)
{
    const uint64_t nan1 = UINT64_C(0x7ff8123456789abc), nan2 = UINT64_C(0xfff8000000000000),
                   signaling = UINT64_C(0x7ff0000000000001), quieted = UINT64_C(0x7ff8000000000001);
    EXEC_CHECK_OP("mul.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x3f7fffff, 0x00800000, 0, 0},
                  {0x3f7fffff, 0x80800000, 0, 0x80000000}, {0x3f800000, 0x00800000, 0, 0x00800000});
    EXEC_CHECK_OP("mul.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x3f7fffff, 0x00800000, 0, 0x00800000});
    EXEC_CHECK_OP("mul.rm.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x80800000, 0x3f7fffff, 0, 0x80000000});
    EXEC_CHECK_OP("fma.rn.ftz.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x3f7fffff, 0x00800000, 0x80000000, 0}, {0x3f7fffff, 0x00800000, 0x00800000, 0x01000000});
    EXEC_CHECK_OP("div.rn.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x3f7fffff, 0x7e800000, 0, 0});
    EXEC_CHECK_OP("div.approx.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {NAN32, 0x7f000001, 0, NAN32});
    EXEC_CHECK_OP("sin.approx.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x80000001, 0, 0, 0x80000000});
    EXEC_CHECK_OP("rsqrt.approx.f64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x4014000000000000), 0, 0, UINT64_C(0x3fdc9f25c5bfedd9)});
    EXEC_CHECK_OP("rcp.approx.ftz.f64 %d, %a;", "b64", "b64", NULL, NULL, {signaling, 0, 0, 0},
                  {1, 0, 0, INF64});
    EXEC_CHECK_OP("sub.f64 %d, %a, %b;", "b64", "b64", "b64", NULL, {nan1, nan2, 0, nan2},
                  {signaling, ONE64, 0, quieted});
    EXEC_CHECK_OP("fma.rn.f64 %d, %a, %b, %c;", "b64", "b64", "b64", "b64", {nan1, ONE64, nan2, nan2},
                  {ONE64, nan1, nan2, nan1}, {nan1, ONE64, ONE64, nan1});
    EXEC_CHECK_OP("neg.f64 %d, %a;", "b64", "b64", NULL, NULL, {nan2, 0, 0, nan2},
                  {signaling, 0, 0, quieted});
}

TEST(classifies)
{
    EXEC_CHECK_OP("testp.finite.f32 %d, %a;", "pred", "b32", NULL, NULL, {ONE32, 0, 0, 1}, {INF32, 0, 0, 0},
                  {NAN32, 0, 0, 0});
    EXEC_CHECK_OP("testp.notanumber.f32 %d, %a;", "pred", "b32", NULL, NULL, {ONE32, 0, 0, 0},
                  {NAN32, 0, 0, 1});
    EXEC_CHECK_OP("testp.subnormal.f32 %d, %a;", "pred", "b32", NULL, NULL, {TINY32, 0, 0, 1}, {0, 0, 0, 0});
    EXEC_CHECK_OP("testp.infinite.f64 %d, %a;", "pred", "b64", NULL, NULL, {INF64, 0, 0, 1},
                  {ONE64, 0, 0, 0});
}

TEST(compares)
{
    EXEC_CHECK_OP("setp.lt.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1},
                  {ONE32, ONE32, 0, 0}, {NAN32, ONE32, 0, 0});
    EXEC_CHECK_OP("setp.ltu.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1},
                  {ONE32, ONE32, 0, 0}, {NAN32, ONE32, 0, 1});
    EXEC_CHECK_OP("setp.eq.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, 0x80000000, 0, 1},
                  {NAN32, NAN32, 0, 0});
    EXEC_CHECK_OP("setp.ne.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1},
                  {NAN32, NAN32, 0, 0});
    EXEC_CHECK_OP("setp.neu.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1},
                  {NAN32, NAN32, 0, 1}, {0, 0, 0, 0});
    EXEC_CHECK_OP("setp.num.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1}, {0, NAN32, 0, 0});
    EXEC_CHECK_OP("setp.nan.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 0}, {0, NAN32, 0, 1});
    EXEC_CHECK_OP("setp.gt.ftz.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {TINY32, 0, 0, 0},
                  {ONE32, 0, 0, 1});
    EXEC_CHECK_OP("setp.ge.f64 %d, %a, %b;", "pred", "b64", "b64", NULL, {ONE64, ONE64, 0, 1},
                  {0, ONE64, 0, 0});
    EXEC_CHECK_OP("setp.lt.s32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0xffffffff, 0, 0, 1},
                  {0, 0xffffffff, 0, 0});
    EXEC_CHECK_OP("setp.lt.u32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0xffffffff, 0, 0, 0},
                  {0, 0xffffffff, 0, 1});
    EXEC_CHECK_OP("setp.hs.u32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0xffffffff, 0, 0, 1}, {1, 1, 0, 1},
                  {0, 1, 0, 0});
    EXEC_CHECK_OP("setp.ge.s64 %d, %a, %b;", "pred", "b64", "b64", NULL, {UINT64_MAX, 0, 0, 0}, {5, 5, 0, 1});
    EXEC_CHECK_OP("setp.eq.s16 %d, %a, %b;", "pred", "b16", "b16", NULL, {7, 7, 0, 1}, {7, 8, 0, 0});
    EXEC_CHECK_OP("setp.ne.b64 %d, %a, %b;", "pred", "b64", "b64", NULL, {UINT64_C(1) << 40, 0, 0, 1},
                  {7, 7, 0, 0});
}

TEST(combines_predicates)
{
    EXEC_CHECK_OP("setp.eq.s32 %d, %c, 1; setp.lt.and.s32 %d, %a, %b, %d;", "pred", "b32", "b32", "b32",
                  {1, 2, 1, 1}, {1, 2, 0, 0}, {3, 2, 1, 0});
    EXEC_CHECK_OP("setp.eq.s32 %d, %c, 1; setp.lt.or.s32 %d, %a, %b, !%d;", "pred", "b32", "b32", "b32",
                  {3, 2, 1, 0}, {3, 2, 0, 1}, {1, 2, 1, 1});
    EXEC_CHECK_OP("setp.eq.s32 %d, %c, 1; setp.lt.xor.s32 %d, %a, %b, %d;", "pred", "b32", "b32", "b32",
                  {1, 2, 1, 0}, {1, 2, 0, 1});
    EXEC_CHECK_OP("setp.lt.s32 _|%d, %a, %b;", "pred", "b32", "b32", NULL, {1, 2, 0, 0}, {2, 2, 0, 1});
    EXEC_CHECK_OP("setp.eq.s32 %d, %a, %b; not.pred %d, %d;", "pred", "b32", "b32", NULL, {1, 2, 0, 1},
                  {2, 2, 0, 0});
    EXEC_CHECK_OP("setp.eq.s32 %d, %a, %b; xor.pred %d, %d, %d;", "pred", "b32", "b32", NULL, {1, 2, 0, 0},
                  {2, 2, 0, 0});
    EXEC_CHECK_OP("set.lt.u32.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {1, 2, 0, 0xffffffff},
                  {2, 2, 0, 0});
    EXEC_CHECK_OP("set.gt.f32.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0, 0, ONE32},
                  {0, ONE32, 0, 0});
    EXEC_CHECK_OP("slct.f32.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {1, 2, ONE32, 1},
                  {1, 2, 0xbf800000, 2}, {1, 2, NAN32, 2}, {1, 2, 0x80000000, 1});
}

/* ---- approximations: within the PTX ISA's bounds ------------------------------------------------------- */

struct approximation_case {
    const char *text;
    double (*exact)(double);
    float low, high;
    double relative, absolute; /* |got - exact| <= relative * |exact| + absolute */
};

static double exact_rcp(double x)
{
    return 1 / x;
}

static double exact_rsqrt(double x)
{
    return 1 / sqrt(x);
}

TEST(approximates)
{
    static const struct approximation_case cases[] = {
        {"ex2.approx.f32", exp2, -120, 120, 0x1p-22, 0},
        {"lg2.approx.f32", log2, 0.01f, 100, 0x1p-22, 0x1p-22},
        {"sin.approx.f32", sin, -3.14f, 3.14f, 0, 0x1p-20},
        {"cos.approx.f32", cos, -3.14f, 3.14f, 0, 0x1p-20},
        {"rcp.approx.f32", exact_rcp, 0.001f, 1000, 0x1p-23, 0},
        {"rsqrt.approx.f32", exact_rsqrt, 0.001f, 1000, 0x1p-22, 0},
        {"sqrt.approx.f32", sqrt, 0, 1000, 0x1p-22, 0},
        {"tanh.approx.f32", tanh, -4, 4, 0x1p-11, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct approximation_case *c = &cases[k];
        char ptx[1024];
        snprintf(ptx, sizeof ptx,
                 ".visible .entry k(.param .u64 p) { .reg .b64 %%p; .reg .b32 %%i; .reg .f32 %%x;\n"
                 "ld.param.u64 %%p, [p]; mov.u32 %%i, %%tid.x; mad.wide.u32 %%p, %%i, 4, %%p;\n"
                 "ld.global.f32 %%x, [%%p]; %s %%x, %%x; st.global.f32 [%%p], %%x; ret; }",
                 c->text);
        struct exec e;
        float x[256];
        for (int i = 0; i < 256; i++)
            x[i] = c->low + (c->high - c->low) * (float)i / 255;
        exec_open(&e);
        exec_load(&e, ptx);
        uint64_t args[] = {exec_buffer(&e, x, sizeof x)};
        assert_int_equal(
            exec_launch(&e, "k", (struct sim_dim3){1, 1, 1}, (struct sim_dim3){256, 1, 1}, 0, args), SIM_OK);
        const float *got = exec_bytes(&e, args[0], sizeof x);
        for (int i = 0; i < 256; i++) {
            double exact = c->exact(x[i]);
            if (!(fabs(got[i] - exact) <= c->relative * fabs(exact) + c->absolute))
                fail_msg("%s of %a is %a, exactly %a", c->text, x[i], got[i], exact);
        }
        exec_close(&e);
    }
}

TEST(knows_special_values_of_approximations)
{
    EXEC_CHECK_OP("ex2.approx.ftz.f32 %d, %a;", "b32", "b32", NULL, NULL, {0, 0, 0, ONE32},
                  {0xff800000, 0, 0, 0}, {0xc3010000, 0, 0, 0});
    EXEC_CHECK_OP("lg2.approx.f32 %d, %a;", "b32", "b32", NULL, NULL, {ONE32, 0, 0, 0}, {0, 0, 0, 0xff800000},
                  {0xbf800000, 0, 0, NAN32});
    EXEC_CHECK_OP("rcp.approx.ftz.f32 %d, %a;", "b32", "b32", NULL, NULL, {TINY32, 0, 0, INF32},
                  {INF32, 0, 0, 0});
    EXEC_CHECK_OP("div.approx.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x7f000000, 0, 0},
                  {0x40800000, 0x40000000, 0, 0x40000000});
    EXEC_CHECK_OP("div.full.f32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x40800000, 0x40000000, 0, 0x40000000});
}

RUN_ALL
