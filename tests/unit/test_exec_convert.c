/* Conversions between all kinds of numbers, moves, packing, address spaces. */
#include "test.h"
#include "exec_support.h"

#define NAN32 0x7fffffff
#define INF32 0x7f800000

TEST(converts_integers)
{
    EXEC_CHECK_OP("cvt.s64.s32 %d, %a;", "b64", "b32", NULL, NULL, {0xfffffffe, 0, 0, (uint64_t)-2});
    EXEC_CHECK_OP("cvt.s64.s32 %d, %a;", "b64", "b64", NULL, NULL, {0x1fffffffe, 0, 0, (uint64_t)-2},
                  {0xffffffff00000002, 0, 0, 2});
    EXEC_CHECK_OP("cvt.s32.s16 %d, %a;", "b32", "b32", NULL, NULL, {0x18001, 0, 0, 0xffff8001},
                  {0xffff0001, 0, 0, 1});
    EXEC_CHECK_OP("cvt.f64.f32 %d, %a;", "f64", "b64", NULL, NULL, {0x3fc00000, 0, 0, 0x3ff8000000000000});
    EXEC_CHECK_OP("cvt.u64.u32 %d, %a;", "b64", "b32", NULL, NULL, {0xfffffffe, 0, 0, 0xfffffffe});
    EXEC_CHECK_OP("cvt.u32.u64 %d, %a;", "b32", "b64", NULL, NULL, {UINT64_C(0x123456789), 0, 0, 0x23456789});
    EXEC_CHECK_OP("cvt.s32.s16 %d, %a;", "b32", "b16", NULL, NULL, {0x8001, 0, 0, 0xffff8001});
    EXEC_CHECK_OP("cvt.u32.u16 %d, %a;", "b32", "b16", NULL, NULL, {0x8001, 0, 0, 0x8001});
    EXEC_CHECK_OP("cvt.u16.u32 %d, %a;", "b16", "b32", NULL, NULL, {0x12348001, 0, 0, 0x8001});
    EXEC_CHECK_OP("cvt.s32.s8 %d, %a;", "b32", "b32", NULL, NULL, {0x1280, 0, 0, 0xffffff80});
    EXEC_CHECK_OP("cvt.s32.s8 %d, %a;", "b32", "b16", NULL, NULL, {0x1280, 0, 0, 0xffffff80});
    EXEC_CHECK_OP("cvt.u32.u8 %d, %a;", "b32", "b16", NULL, NULL, {0x1280, 0, 0, 0x80});
    EXEC_CHECK_OP("cvt.s8.s32 %d, %a;", "b32", "b32", NULL, NULL, {0x180, 0, 0, 0xffffff80});
    EXEC_CHECK_OP("cvt.u8.u32 %d, %a;", "b16", "b32", NULL, NULL, {0x180, 0, 0, 0x80});
    EXEC_CHECK_OP("cvt.sat.s8.s32 %d, %a;", "b32", "b32", NULL, NULL, {300, 0, 0, 127},
                  {(uint32_t)-300, 0, 0, 0xffffff80});
    EXEC_CHECK_OP("cvt.sat.u8.s32 %d, %a;", "b32", "b32", NULL, NULL, {300, 0, 0, 255},
                  {(uint32_t)-300, 0, 0, 0}, {7, 0, 0, 7});
    EXEC_CHECK_OP("cvt.sat.u32.s64 %d, %a;", "b32", "b64", NULL, NULL, {(uint64_t)-1, 0, 0, 0},
                  {UINT64_C(1) << 40, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("cvt.sat.s32.u32 %d, %a;", "b32", "b32", NULL, NULL, {0xffffffff, 0, 0, 0x7fffffff});
}

TEST(converts_floats_to_integers)
{
    /* 2.5, -2.5, 3.5, NaN, 1e10, -1e10 */
    EXEC_CHECK_OP("cvt.rzi.s32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40200000, 0, 0, 2},
                  {0xc0200000, 0, 0, (uint32_t)-2}, {NAN32, 0, 0, 0}, {0x501502f9, 0, 0, 0x7fffffff},
                  {0xd01502f9, 0, 0, 0x80000000});
    EXEC_CHECK_OP("cvt.rni.s32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40200000, 0, 0, 2},
                  {0x40600000, 0, 0, 4}, {0xc0200000, 0, 0, (uint32_t)-2});
    EXEC_CHECK_OP("cvt.rmi.s32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40200000, 0, 0, 2},
                  {0xc0200000, 0, 0, (uint32_t)-3});
    EXEC_CHECK_OP("cvt.rpi.s32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40200000, 0, 0, 3},
                  {0xc0200000, 0, 0, (uint32_t)-2});
    EXEC_CHECK_OP("cvt.rzi.u32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0xc0200000, 0, 0, 0},
                  {0x501502f9, 0, 0, 0xffffffff}, {0x4f000000, 0, 0, 0x80000000});
    EXEC_CHECK_OP("cvt.rzi.s64.f32 %d, %a;", "b64", "b32", NULL, NULL,
                  {0x501502f9, 0, 0, UINT64_C(10000000000)}, {NAN32, 0, 0, UINT64_C(1) << 63});
    EXEC_CHECK_OP("cvt.rzi.s32.f64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0xc004000000000000), 0, 0, (uint32_t)-2},
                  {UINT64_C(0x7ff8000000000000), 0, 0, 0x80000000});
    EXEC_CHECK_OP("cvt.rni.u64.f64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x43e0000000000000), 0, 0, UINT64_C(1) << 63},
                  {UINT64_C(0x43f0000000000000), 0, 0, UINT64_MAX}, {UINT64_C(0xbff0000000000000), 0, 0, 0});
    EXEC_CHECK_OP("cvt.rzi.s8.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x43960000, 0, 0, 127},
                  {0xc3960000, 0, 0, 0xffffff80});
    EXEC_CHECK_OP("cvt.rni.ftz.f32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40200000, 0, 0, 0x40000000},
                  {0xbe800000, 0, 0, 0x80000000});
    EXEC_CHECK_OP("cvt.rmi.f32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0xc0200000, 0, 0, 0xc0400000});
    EXEC_CHECK_OP("cvt.rpi.f64.f64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x4004000000000000), 0, 0, UINT64_C(0x4008000000000000)});
}

TEST(converts_integers_to_floats)
{
    EXEC_CHECK_OP("cvt.rn.f32.s32 %d, %a;", "b32", "b32", NULL, NULL, {(uint32_t)-2, 0, 0, 0xc0000000},
                  {16777217, 0, 0, 0x4b800000});
    EXEC_CHECK_OP("cvt.rp.f32.s32 %d, %a;", "b32", "b32", NULL, NULL, {16777217, 0, 0, 0x4b800001},
                  {(uint32_t)-16777217, 0, 0, 0xcb800000});
    EXEC_CHECK_OP("cvt.rm.f32.s32 %d, %a;", "b32", "b32", NULL, NULL,
                  {(uint32_t)-16777217, 0, 0, 0xcb800001});
    EXEC_CHECK_OP("cvt.rz.f32.u32 %d, %a;", "b32", "b32", NULL, NULL, {0xffffffff, 0, 0, 0x4f7fffff});
    EXEC_CHECK_OP("cvt.rn.f32.u32 %d, %a;", "b32", "b32", NULL, NULL, {0xffffffff, 0, 0, 0x4f800000});
    EXEC_CHECK_OP("cvt.rn.f64.s32 %d, %a;", "b64", "b32", NULL, NULL,
                  {(uint32_t)-1, 0, 0, UINT64_C(0xbff0000000000000)});
    EXEC_CHECK_OP("cvt.rn.f64.u64 %d, %a;", "b64", "b64", NULL, NULL,
                  {UINT64_MAX, 0, 0, UINT64_C(0x43f0000000000000)});
    EXEC_CHECK_OP("cvt.rn.f64.s64 %d, %a;", "b64", "b64", NULL, NULL,
                  {(uint64_t)-1, 0, 0, UINT64_C(0xbff0000000000000)});
    /* 2^40 + 2^16 + 1: rounding to double first would lose the last bit and round to even. */
    EXEC_CHECK_OP("cvt.rn.f32.u64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x8000008000000001), 0, 0, 0x5f000001});
    EXEC_CHECK_OP("cvt.rz.f32.s64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x7fffffffffffffff), 0, 0, 0x5effffff});
    EXEC_CHECK_OP("cvt.rn.f32.s8 %d, %a;", "b32", "b16", NULL, NULL, {0xff, 0, 0, 0xbf800000});
    EXEC_CHECK_OP("cvt.rn.f32.u16 %d, %a;", "b32", "b16", NULL, NULL, {0xffff, 0, 0, 0x477fff00});
}

TEST(converts_floats)
{
    EXEC_CHECK_OP("cvt.f64.f32 %d, %a;", "b64", "b32", NULL, NULL,
                  {0x3f800000, 0, 0, UINT64_C(0x3ff0000000000000)}, {1, 0, 0, UINT64_C(0x36a0000000000000)});
    /* What of a NaN passes (tests/gpu/opcodes). */
    EXEC_CHECK_OP("cvt.f32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0xff812345, 0, 0, 0xff812345});
    EXEC_CHECK_OP("cvt.f32.bf16 %d, %a;", "b32", "b16", NULL, NULL, {0x7f81, 0, 0, 0x7f810000});
    EXEC_CHECK_OP("cvt.rn.f32.f64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x7ff8123456789abc), 0, 0, 0x7fc091a2});
    EXEC_CHECK_OP("cvt.rz.f32.f64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x7ff0000000000001), 0, 0, 0x7fc00000});
    EXEC_CHECK_OP("cvt.rn.f16.f64 %d, %a;", "b16", "b64", NULL, NULL,
                  {UINT64_C(0xfff4000000000000), 0, 0, 0xff00});
    EXEC_CHECK_OP("cvt.f64.f16 %d, %a;", "b64", "b16", NULL, NULL,
                  {0x7d01, 0, 0, UINT64_C(0x7ffc040000000000)});
    EXEC_CHECK_OP("cvt.ftz.f64.f32 %d, %a;", "b64", "b32", NULL, NULL,
                  {0x7fc00000, 0, 0, UINT64_C(0x7fffffffe0000000)});
    EXEC_CHECK_OP("cvt.ftz.f64.f32 %d, %a;", "b64", "b32", NULL, NULL, {0x80000001, 0, 0, UINT64_C(1) << 63});
    EXEC_CHECK_OP(
        "cvt.rn.f32.f64 %d, %a;", "b32", "b64", NULL, NULL, {UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800000},
        {UINT64_C(0x3ff0000030000000), 0, 0, 0x3f800002}, {UINT64_C(0x7fe0000000000000), 0, 0, INF32});
    EXEC_CHECK_OP("cvt.rp.f32.f64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800001});
    EXEC_CHECK_OP("cvt.rz.f32.f64 %d, %a;", "b32", "b64", NULL, NULL,
                  {UINT64_C(0x7fe0000000000000), 0, 0, 0x7f7fffff});
    EXEC_CHECK_OP("cvt.sat.f32.f32 %d, %a;", "b32", "b32", NULL, NULL, {0x40000000, 0, 0, 0x3f800000},
                  {0xbf800000, 0, 0, 0}, {NAN32, 0, 0, 0});
}

TEST(converts_halves)
{
    EXEC_CHECK_OP("cvt.f32.f16 %d, %a;", "b32", "b16", NULL, NULL, {0x3c00, 0, 0, 0x3f800000},
                  {0x0001, 0, 0, 0x33800000}, {0x7c00, 0, 0, INF32}, {0x8000, 0, 0, 0x80000000},
                  {0x7bff, 0, 0, 0x477fe000});
    EXEC_CHECK_OP("cvt.rn.f16.f32 %d, %a;", "b16", "b32", NULL, NULL, {0x3f800000, 0, 0, 0x3c00},
                  {0x33800000, 0, 0, 1}, {0x33000000, 0, 0, 0}, {0x33000001, 0, 0, 1},
                  {0x477ff000, 0, 0, 0x7c00}, {0x477fefff, 0, 0, 0x7bff}, {NAN32, 0, 0, 0x7fff},
                  {0x3f801000, 0, 0, 0x3c00}, {0x3f803000, 0, 0, 0x3c02});
    EXEC_CHECK_OP("cvt.rz.f16.f32 %d, %a;", "b16", "b32", NULL, NULL, {0x477ff000, 0, 0, 0x7bff},
                  {0x3f801fff, 0, 0, 0x3c00});
    EXEC_CHECK_OP("cvt.rn.f16.f64 %d, %a;", "b16", "b64", NULL, NULL,
                  {UINT64_C(0x3ff0020000000001), 0, 0, 0x3c01});
    EXEC_CHECK_OP("cvt.rn.bf16.f32 %d, %a;", "b16", "b32", NULL, NULL, {0x3f800000, 0, 0, 0x3f80},
                  {0x3f808000, 0, 0, 0x3f80}, {0x3f818000, 0, 0, 0x3f82});
    EXEC_CHECK_OP("cvt.rn.f16x2.f32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x3f800000, 0x40000000, 0, 0x3c004000});
    EXEC_CHECK_OP("cvt.rzi.s32.f16 %d, %a;", "b32", "b16", NULL, NULL, {0xc100, 0, 0, (uint32_t)-2});
    EXEC_CHECK_OP("cvt.rn.f16.s32 %d, %a;", "b16", "b32", NULL, NULL, {100000, 0, 0, 0x7c00},
                  {2049, 0, 0, 0x6800});
}

TEST(moves_and_packs)
{
    EXEC_CHECK_OP("mov.u32 %d, 7;", "b32", NULL, NULL, NULL, {0, 0, 0, 7});
    EXEC_CHECK_OP("mov.f32 %d, 0f3F800000;", "b32", NULL, NULL, NULL, {0, 0, 0, 0x3f800000});
    EXEC_CHECK_OP("mov.f64 %d, 0d3FF0000000000000;", "b64", NULL, NULL, NULL,
                  {0, 0, 0, UINT64_C(0x3ff0000000000000)});
    EXEC_CHECK_OP("mov.b64 %d, {%a, %b};", "b64", "b32", "b32", NULL, {1, 2, 0, UINT64_C(0x200000001)});
    EXEC_CHECK_OP("mov.b64 {%d, _}, %a;", "b32", "b64", NULL, NULL, {UINT64_C(0x200000001), 0, 0, 1});
    EXEC_CHECK_OP("mov.b64 {_, %d}, %a;", "b32", "b64", NULL, NULL, {UINT64_C(0x200000001), 0, 0, 2});
    EXEC_CHECK_OP("mov.b32 %d, {%a, %b};", "b32", "b16", "b16", NULL, {1, 2, 0, 0x20001});
    EXEC_CHECK_OP("mov.b32 {_, %d}, %a;", "b16", "b32", NULL, NULL, {0x20001, 0, 0, 2});
    EXEC_CHECK_OP("mov.u32 %d, WARP_SZ;", "b32", NULL, NULL, NULL, {0, 0, 0, 32});
}

TEST(knows_generic_addresses)
{
    EXEC_CHECK_OP("cvta.shared.u64 %a, %a; isspacep.shared %d, %a;", "pred", "b64", NULL, NULL,
                  {16, 0, 0, 1});
    EXEC_CHECK_OP("cvta.local.u64 %a, %a; isspacep.shared %d, %a;", "pred", "b64", NULL, NULL, {16, 0, 0, 0});
    EXEC_CHECK_OP("isspacep.global %d, %a;", "pred", "b64", NULL, NULL, {4096, 0, 0, 1});
    EXEC_CHECK_OP("cvta.local.u64 %d, %a; cvta.to.local.u64 %d, %d;", "b64", "b64", NULL, NULL,
                  {16, 0, 0, 16});
    EXEC_CHECK_OP("cvta.to.global.u64 %d, %a;", "b64", "b64", NULL, NULL, {16, 0, 0, 16});
}

RUN_ALL
