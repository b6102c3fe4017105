/* Floating-point opcodes in forms that tests/gpu/opcodes/table does not have, and with some of the lanes. */
#include "test.h"
#include "exec_support.h"

#define NAN32  0x7fffffff
#define INF32  0x7f800000
#define ONE32  0x3f800000
#define TINY32 0x00000001 /* the smallest subnormal */
#define INF64  UINT64_C(0x7ff0000000000000)
#define ONE64  UINT64_C(0x3ff0000000000000)

/* Each kind of loop over lanes; the table has all of them active. */
TEST(loops_over_some_of_the_lanes)
{
    EXEC_CHECK_OP("add.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {INF32, 0xff800000, 0, NAN32},
                  {TINY32, TINY32, 0, 2});
    EXEC_CHECK_OP("add.rp.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0x33800000, 0, ONE32 + 1});
    EXEC_CHECK_OP("add.ftz.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {TINY32, TINY32, 0, 0});
    EXEC_CHECK_OP("sqrt.rn.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40000000, 0, 0, 0x3fb504f3});
    EXEC_CHECK_OP("fma.rn.ftz.sat.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {ONE32, ONE32, ONE32, ONE32});
    EXEC_CHECK_OP("add.rp.f64 %d, %a, %b;", "b64", "b64", "b64", NULL, {ONE64, 1, 0, ONE64 + 1});
    EXEC_CHECK_OP("neg.f64 %d, %a;", "b64", "b64", NULL, NULL, {ONE64, 0, 0, UINT64_C(0xbff0000000000000)});
    EXEC_CHECK_OP("testp.finite.f32 %d, %a;", "pred", "b32", NULL, NULL, {ONE32, 0, 0, 1}, {INF32, 0, 0, 0});
    EXEC_CHECK_OP("setp.lt.f32 %d, %a, %b;", "pred", "b32", "b32", NULL, {0, ONE32, 0, 1}, {ONE32, 0, 0, 0});
    EXEC_CHECK_OP("cvt.rzi.s32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0xc0200000, 0, 0, 0xfffffffe});
    EXEC_CHECK_OP("cvt.sat.u8.s32 %d, %a;", "b32", "b32", NULL, NULL, {300, 0, 0, 255});
    EXEC_CHECK_OP("fma.rn.f32 %d, %a, 0f40000000, %c;", "b32", "b32", NULL, "b32",
                  {ONE32, 0, ONE32, 0x40400000});
}

/* Where the PTX ISA leaves it open, and what an H100 does (tests/gpu/opcodes). */
TEST(agrees_with_a_gpu)
{
    const uint64_t signaling = UINT64_C(0x7ff0000000000001);
    EXEC_CHECK_OP("div.approx.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {NAN32, 0x7f000001, 0, NAN32});
    EXEC_CHECK_OP("sin.approx.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x80000001, 0, 0, 0x80000000});
    EXEC_CHECK_OP("rsqrt.approx.f64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x4014000000000000), 0, 0, UINT64_C(0x3fdc9f25c5bfedd9)});
    EXEC_CHECK_OP("rcp.approx.ftz.f64 %d, %a;", "b64", "b64", NULL, NULL, {signaling, 0, 0, 0},
                  {1, 0, 0, INF64});
}

TEST(compares_and_chooses)
{
    EXEC_CHECK_OP("setp.lt.s32 _|%d, %a, %b;", "pred", "b32", "b32", NULL, {1, 2, 0, 0}, {2, 2, 0, 1});
    EXEC_CHECK_OP("set.gt.f32.f32 %d, %a, %b;", "b32", "b32", "b32", NULL, {ONE32, 0, 0, ONE32},
                  {0, ONE32, 0, 0});
    EXEC_CHECK_OP("slct.f32.f32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {1, 2, ONE32, 1},
                  {1, 2, 0xbf800000, 2}, {1, 2, NAN32, 2}, {1, 2, 0x80000000, 1});
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
