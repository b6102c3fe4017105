/* Integer opcodes: arithmetic, bits, fields, carries. Expected values worked out from the PTX ISA. */
#include "test.h"
#include "exec_support.h"

TEST(adds_and_subtracts)
{
    EXEC_CHECK_OP("add.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {1, 2, 0, 3}, {0xffffffff, 1, 0, 0},
                  {0x7fffffff, 1, 0, 0x80000000});
    EXEC_CHECK_OP("add.u16 %d, %a, %b;", "b16", "b16", "b16", NULL, {0xffff, 2, 0, 1}, {300, 400, 0, 700});
    EXEC_CHECK_OP("add.s64 %d, %a, %b;", "b64", "b64", "b64", NULL, {UINT64_MAX, 2, 0, 1},
                  {0xffffffff, 1, 0, 0x100000000});
    EXEC_CHECK_OP("add.sat.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x7fffffff, 1, 0, 0x7fffffff},
                  {0x80000000, 0xffffffff, 0, 0x80000000}, {5, 6, 0, 11});
    EXEC_CHECK_OP("sub.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {1, 2, 0, 0xffffffff}, {7, 5, 0, 2});
    EXEC_CHECK_OP("sub.s32 %d, %a, 5;", "b32", "b32", NULL, NULL, {7, 0, 0, 2}, {0, 0, 0, 0xfffffffb});
    EXEC_CHECK_OP("sub.sat.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x80000000, 1, 0, 0x80000000},
                  {0x7fffffff, 0xffffffff, 0, 0x7fffffff});
    EXEC_CHECK_OP("sub.u64 %d, %a, %b;", "b64", "b64", "b64", NULL, {0, 1, 0, UINT64_MAX});
}

TEST(multiplies)
{
    EXEC_CHECK_OP("mul.lo.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {3, 4, 0, 12},
                  {0xffffffff, 7, 0, 0xfffffff9}, {0x10000, 0x10000, 0, 0});
    EXEC_CHECK_OP("mul.hi.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 7, 0, 0xffffffff},
                  {0x10000, 0x10000, 0, 1});
    EXEC_CHECK_OP("mul.hi.u32 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffffffff, 0xffffffff, 0, 0xfffffffe});
    EXEC_CHECK_OP("mul.wide.s32 %d, %a, %b;", "b64", "b32", "b32", NULL, {0xffffffff, 7, 0, (uint64_t)-7},
                  {0x7fffffff, 2, 0, 0xfffffffe});
    EXEC_CHECK_OP("mul.wide.u32 %d, %a, %b;", "b64", "b32", "b32", NULL,
                  {0xffffffff, 7, 0, UINT64_C(0x6fffffff9)});
    EXEC_CHECK_OP("mul.wide.s16 %d, %a, %b;", "b32", "b16", "b16", NULL, {0xffff, 7, 0, (uint32_t)-7});
    EXEC_CHECK_OP("mul.lo.s16 %d, %a, %b;", "b16", "b16", "b16", NULL, {0xffff, 7, 0, 0xfff9},
                  {256, 256, 0, 0});
    EXEC_CHECK_OP("mul.lo.s64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {UINT64_C(1) << 33, 3, 0, UINT64_C(3) << 33});
    EXEC_CHECK_OP("mul.hi.u64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1});
    EXEC_CHECK_OP("mul.hi.s64 %d, %a, %b;", "b64", "b64", "b64", NULL, {UINT64_MAX, 5, 0, UINT64_MAX});
    EXEC_CHECK_OP("mad.lo.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {3, 4, 5, 17},
                  {0xffffffff, 2, 1, 0xffffffff});
    EXEC_CHECK_OP("mad.hi.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x80000000, 4, 5, 7});
    EXEC_CHECK_OP("mad.wide.s32 %d, %a, %b, %c;", "b64", "b32", "b32", "b64", {0xffffffff, 2, 1, UINT64_MAX});
    EXEC_CHECK_OP("mad.wide.u32 %d, %a, %b, %c;", "b64", "b32", "b32", "b64",
                  {0xffffffff, 2, 1, UINT64_C(0x1ffffffff)});
    EXEC_CHECK_OP("mul24.lo.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffff, 5, 0, (uint32_t)-5});
    EXEC_CHECK_OP("mul24.lo.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xff000002, 5, 0, 10});
    EXEC_CHECK_OP("mad24.lo.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {3, 5, 7, 22});
    EXEC_CHECK_OP("sad.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0xffffffff, 3, 10, 14},
                  {9, 3, 1, 7});
    EXEC_CHECK_OP("mad.hi.u16 %d, %a, %b, %c;", "b16", "b16", "b16", "b16", {0x8000, 0x0006, 1, 4});
    EXEC_CHECK_OP("mad.hi.s16 %d, %a, %b, %c;", "b16", "b16", "b16", "b16", {0x8000, 0x0006, 1, 0xfffe});
    EXEC_CHECK_OP("mad24.hi.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0xff800000, 0x20000, 1, 0x1000001});
    EXEC_CHECK_OP("mad24.hi.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0xff800000, 0x20000, 1, 0xff000001});
    EXEC_CHECK_OP("mad24.hi.sat.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x400000, 0x400000, 0x7fffffff, 0x7fffffff});
    EXEC_CHECK_OP("sad.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0xffffffff, 3, 1, 0xfffffffd});
}

TEST(divides)
{
    EXEC_CHECK_OP("div.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {(uint32_t)-7, 2, 0, (uint32_t)-3},
                  {7, 2, 0, 3}, {0x80000000, 0xffffffff, 0, 0x80000000}, {5, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("div.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 2, 0, 0x7fffffff},
                  {5, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("rem.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {(uint32_t)-7, 2, 0, (uint32_t)-1},
                  {7, (uint32_t)-2, 0, 1}, {0x80000000, 0xffffffff, 0, 0}, {5, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("rem.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {17, 5, 0, 2}, {5, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("div.s64 %d, %a, %b;", "b64", "b64", "b64", NULL, {(uint64_t)-100, 7, 0, (uint64_t)-14});
    EXEC_CHECK_OP("div.u64 %d, %a, %b;", "b64", "b64", "b64", NULL, {UINT64_MAX, 3, 0, UINT64_MAX / 3});
    EXEC_CHECK_OP("rem.u64 %d, %a, %b;", "b64", "b64", "b64", NULL, {UINT64_MAX, 10, 0, 5});
    EXEC_CHECK_OP("div.u16 %d, %a, %b;", "b16", "b16", "b16", NULL, {1000, 7, 0, 142});
    EXEC_CHECK_OP("rem.s16 %d, %a, %b;", "b16", "b16", "b16", NULL, {(uint16_t)-7, 4, 0, (uint16_t)-3});
}

TEST(compares_to_choose)
{
    EXEC_CHECK_OP("min.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 1, 0, 0xffffffff},
                  {4, 9, 0, 4});
    EXEC_CHECK_OP("min.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 1, 0, 1});
    EXEC_CHECK_OP("max.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 1, 0, 1});
    EXEC_CHECK_OP("max.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffffffff, 1, 0, 0xffffffff});
    EXEC_CHECK_OP("max.s64 %d, %a, %b;", "b64", "b64", "b64", NULL, {UINT64_MAX, 1, 0, 1});
    EXEC_CHECK_OP("min.u16 %d, %a, %b;", "b16", "b16", "b16", NULL, {0xffff, 1, 0, 1});
    EXEC_CHECK_OP("abs.s32 %d, %a;", "b32", "b32", NULL, NULL, {0xfffffff0, 0, 0, 16},
                  {0x80000000, 0, 0, 0x80000000});
    EXEC_CHECK_OP("abs.s64 %d, %a;", "b64", "b64", NULL, NULL, {(uint64_t)-5, 0, 0, 5});
    EXEC_CHECK_OP("neg.s32 %d, %a;", "b32", "b32", NULL, NULL, {5, 0, 0, 0xfffffffb}, {0, 0, 0, 0});
    EXEC_CHECK_OP("slct.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {1, 2, 0, 1},
                  {1, 2, 0xffffffff, 2});
}

TEST(works_on_bits)
{
    EXEC_CHECK_OP("and.b32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xff00ff, 0xfff, 0, 0xff});
    EXEC_CHECK_OP("or.b64 %d, %a, %b;", "b64", "b64", "b64", NULL,
                  {UINT64_C(1) << 40, 3, 0, (UINT64_C(1) << 40) + 3});
    EXEC_CHECK_OP("xor.b16 %d, %a, %b;", "b16", "b16", "b16", NULL, {0xff00, 0xffff, 0, 0xff});
    EXEC_CHECK_OP("not.b32 %d, %a;", "b32", "b32", NULL, NULL, {0xf, 0, 0, 0xfffffff0});
    EXEC_CHECK_OP("cnot.b32 %d, %a;", "b32", "b32", NULL, NULL, {0xf, 0, 0, 0}, {0, 0, 0, 1});
    EXEC_CHECK_OP("shl.b32 %d, %a, %b;", "b32", "b32", "b32", NULL, {1, 31, 0, 0x80000000}, {1, 32, 0, 0},
                  {1, 0xffffffff, 0, 0});
    EXEC_CHECK_OP("shl.b64 %d, %a, %b;", "b64", "b64", "b32", NULL, {1, 63, 0, UINT64_C(1) << 63},
                  {1, 64, 0, 0});
    EXEC_CHECK_OP("shl.b16 %d, %a, %b;", "b16", "b16", "b32", NULL, {1, 15, 0, 0x8000}, {1, 16, 0, 0});
    EXEC_CHECK_OP("shr.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x80000000, 31, 0, 1},
                  {0x80000000, 32, 0, 0});
    EXEC_CHECK_OP("shr.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x80000000, 31, 0, 0xffffffff},
                  {0x80000000, 99, 0, 0xffffffff});
    EXEC_CHECK_OP("shr.u64 %d, %a, 32;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x123456789abcdef0), 0, 0, 0x12345678});
    EXEC_CHECK_OP("shr.s16 %d, %a, %b;", "b16", "b16", "b32", NULL, {0x8000, 3, 0, 0xf000},
                  {0x8000, 200, 0, 0xffff});
    EXEC_CHECK_OP("shf.l.wrap.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x80000000, 1, 1, 3},
                  {5, 6, 32, 6}, {5, 6, 0, 6});
    EXEC_CHECK_OP("shf.l.clamp.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x80000000, 1, 1, 3},
                  {5, 6, 32, 5}, {5, 6, 40, 5});
    EXEC_CHECK_OP("shf.r.wrap.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x80000000, 1, 1, 0xc0000000}, {5, 6, 32, 5});
    EXEC_CHECK_OP("shf.r.clamp.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {5, 6, 32, 6},
                  {5, 6, 99, 6});
    EXEC_CHECK_OP("lop3.b32 %d, %a, %b, %c, 0x96;", "b32", "b32", "b32", "b32",
                  {0xff, 0xf0f, 0x3333, 0xff ^ 0xf0f ^ 0x3333});
    EXEC_CHECK_OP("lop3.b32 %d, %a, %b, %c, 0xe8;", "b32", "b32", "b32", "b32", {0xc, 0xa, 0x9, 0x8});
}

TEST(counts_bits)
{
    EXEC_CHECK_OP("popc.b32 %d, %a;", "b32", "b32", NULL, NULL, {0xf0f0, 0, 0, 8}, {0, 0, 0, 0},
                  {0xffffffff, 0, 0, 32});
    EXEC_CHECK_OP("popc.b64 %d, %a;", "b32", "b64", NULL, NULL, {UINT64_MAX, 0, 0, 64});
    EXEC_CHECK_OP("clz.b32 %d, %a;", "b32", "b32", NULL, NULL, {1, 0, 0, 31}, {0, 0, 0, 32});
    EXEC_CHECK_OP("clz.b64 %d, %a;", "b32", "b64", NULL, NULL, {1, 0, 0, 63}, {0, 0, 0, 64});
    EXEC_CHECK_OP("brev.b32 %d, %a;", "b32", "b32", NULL, NULL, {1, 0, 0, 0x80000000},
                  {0x0000ffff, 0, 0, 0xffff0000});
    EXEC_CHECK_OP("brev.b64 %d, %a;", "b64", "b64", NULL, NULL, {2, 0, 0, UINT64_C(1) << 62});
    EXEC_CHECK_OP("bfind.u32 %d, %a;", "b32", "b32", NULL, NULL, {0x10, 0, 0, 4}, {0, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("bfind.s32 %d, %a;", "b32", "b32", NULL, NULL, {0xfffffff0, 0, 0, 3},
                  {0xffffffff, 0, 0, 0xffffffff});
    EXEC_CHECK_OP("bfind.shiftamt.u32 %d, %a;", "b32", "b32", NULL, NULL, {0x10, 0, 0, 27});
    EXEC_CHECK_OP("bfind.u64 %d, %a;", "b32", "b64", NULL, NULL, {UINT64_C(1) << 40, 0, 0, 40});
    EXEC_CHECK_OP("fns.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0xf0, 0, 1, 4}, {0xf0, 0, 3, 6},
                  {0xf0, 7, (uint32_t)-2, 6}, {0xf0, 5, 0, 5}, {0xf0, 0, 9, 0xffffffff});
}

TEST(works_on_fields)
{
    EXEC_CHECK_OP("bfe.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x12345678, 8, 8, 0x56},
                  {0x12345678, 0, 0, 0}, {0x12345678, 28, 8, 1}, {0x12345678, 40, 4, 0},
                  {0x12345678, 0, 32, 0x12345678});
    EXEC_CHECK_OP("bfe.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x00008000, 8, 8, 0xffffff80},
                  {0x80000000, 28, 8, 0xfffffff8}, {0x80000000, 40, 4, 0xffffffff}, {0x00007000, 8, 8, 0x70});
    EXEC_CHECK_OP("bfe.u64 %d, %a, %b, %c;", "b64", "b64", "b32", "b32",
                  {UINT64_C(0x123456789abcdef0), 32, 16, 0x5678});
    EXEC_CHECK_OP("bfe.s64 %d, %a, %b, %c;", "b64", "b64", "b32", "b32",
                  {UINT64_C(0x8000000000000000), 60, 4, (uint64_t)-8});
    EXEC_CHECK_OP("bfi.b32 %d, %a, %b, 8, 16;", "b32", "b32", "b32", NULL,
                  {0xabcd, 0xffffffff, 0, 0xffabcdff}, {0, 0xffffffff, 0, 0xff0000ff});
    EXEC_CHECK_OP("bfi.b32 %d, %a, %b, %c, 8;", "b32", "b32", "b32", "b32", {0xff, 0, 28, 0xf0000000},
                  {0xff, 7, 32, 7});
    EXEC_CHECK_OP("bfi.b64 %d, %a, %b, 32, 32;", "b64", "b64", "b64", NULL,
                  {1, 2, 0, (UINT64_C(1) << 32) + 2});
    EXEC_CHECK_OP("bmsk.clamp.b32 %d, %a, %b;", "b32", "b32", "b32", NULL, {4, 8, 0, 0xff0}, {32, 1, 0, 0},
                  {0, 40, 0, 0xffffffff});
    EXEC_CHECK_OP("bmsk.wrap.b32 %d, %a, %b;", "b32", "b32", "b32", NULL, {36, 8, 0, 0xff0}, {4, 32, 0, 0});
    EXEC_CHECK_OP("szext.clamp.s32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x80, 8, 0, 0xffffff80},
                  {0x80, 32, 0, 0x80});
    EXEC_CHECK_OP("szext.wrap.u32 %d, %a, %b;", "b32", "b32", "b32", NULL, {0x1ff, 8, 0, 0xff},
                  {0x1ff, 40, 0, 0xff});
    EXEC_CHECK_OP("prmt.b32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x33221100, 0x77665544, 0x7531, 0x77553311}, {0x33221180, 0x77665544, 0x8888, 0xffffffff},
                  {0x33221100, 0x77665544, 0x0123, 0x00112233});
    EXEC_CHECK_OP("prmt.b32.f4e %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x33221100, 0x77665544, 1, 0x44332211});
    EXEC_CHECK_OP("prmt.b32.rc16 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x33221100, 0x77665544, 1, 0x33223322});
}

TEST(carries)
{
    EXEC_CHECK_OP("add.cc.u32 %d, %a, %b; addc.u32 %d, %c, 0;", "b32", "b32", "b32", "b32",
                  {0xffffffff, 1, 5, 6}, {1, 1, 5, 5});
    EXEC_CHECK_OP("add.cc.u32 %d, %a, %b; addc.cc.u32 %d, %c, 0; addc.u32 %d, 0, 0;", "b32", "b32", "b32",
                  "b32", {0xffffffff, 1, 0xffffffff, 1}, {1, 1, 0xffffffff, 0});
    EXEC_CHECK_OP("sub.cc.u32 %d, %a, %b; subc.u32 %d, %c, 0;", "b32", "b32", "b32", "b32", {0, 1, 5, 4},
                  {1, 1, 5, 5});
    EXEC_CHECK_OP("mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;", "b32", "b32", "b32", "b32",
                  {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {3, 4, 5, 0});
    EXEC_CHECK_OP("add.cc.u64 %d, %a, %b; addc.u64 %d, %c, 0;", "b64", "b64", "b64", "b64",
                  {UINT64_MAX, 1, 5, 6});
}

TEST(multiplies_packed_bytes)
{
    EXEC_CHECK_OP("dp4a.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {0x01020304, 0x01010101, 5, 15},
                  {0xffffffff, 0x02020202, 0, (uint32_t)-8});
    EXEC_CHECK_OP("dp4a.u32.u32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0xffffffff, 0x02020202, 0, 2040});
    EXEC_CHECK_OP("dp2a.lo.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x0002ffff, 0x09080703, 1, 12});
    EXEC_CHECK_OP("dp2a.hi.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x0002ffff, 0x09080703, 1, 11});
    EXEC_CHECK_OP("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x01ff0305, 0x02000305, 10, 266});
}

/* Two halves in a word, and the smaller or larger one but never below 0 (compute capability 9.0). */
TEST(works_on_halves)
{
    EXEC_CHECK_OP("add.u16x2 %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffff0001, 0x00020003, 0, 0x00010004},
                  {0x0001ffff, 0x00010001, 0, 0x00020000});
    EXEC_CHECK_OP("add.s16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x7fff8000, 0x00018000, 0, 0x80000000});
    EXEC_CHECK_OP("min.u16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffff0001, 0x00020003, 0, 0x00020001});
    EXEC_CHECK_OP("max.u16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffff0001, 0x00020003, 0, 0xffff0003});
    EXEC_CHECK_OP("min.s16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffff0001, 0x00020003, 0, 0xffff0001});
    EXEC_CHECK_OP("max.s16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffff8000, 0x00028001, 0, 0x00028001});
    EXEC_CHECK_OP("min.s16x2.relu %d, %a, %b;", "b32", "b32", "b32", NULL, {0xffff0001, 0x00020003, 0, 1});
    EXEC_CHECK_OP("max.s16x2.relu %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0xffff8000, 0x00028001, 0, 0x00020000});
    EXEC_CHECK_OP("min.relu.s32 %d, %a, %b;", "s32", "s32", "s32", NULL, {5, 3, 0, 3},
                  {5, (uint32_t)-3, 0, 0});
    EXEC_CHECK_OP("max.s32.relu %d, %a, %b;", "s32", "s32", "s32", NULL, {5, (uint32_t)-3, 0, 5},
                  {(uint32_t)-1, (uint32_t)-3, 0, 0});
}

TEST(multiplies_24_bits)
{
    EXEC_CHECK_OP("mul24.lo.u32 %d, %a, %b;", "u32", "u32", "u32", NULL, {0xff000003, 0x01000004, 0, 12},
                  {0xffffff, 0xffffff, 0, 0xfe000001});
    EXEC_CHECK_OP("mul24.hi.u32 %d, %a, %b;", "u32", "u32", "u32", NULL, {0xffffff, 0xffffff, 0, 0xfffffe00});
    EXEC_CHECK_OP("mul24.lo.s32 %d, %a, %b;", "s32", "s32", "s32", NULL, {0xffffff, 5, 0, (uint32_t)-5});
    EXEC_CHECK_OP("mul24.hi.s32 %d, %a, %b;", "s32", "s32", "s32", NULL, {0xffffff, 5, 0, 0xffffffff},
                  {0x800000, 0x800000, 0, 0x40000000});
    EXEC_CHECK_OP("mad24.lo.u32 %d, %a, %b, %c;", "u32", "u32", "u32", "u32", {0xff000003, 4, 5, 17});
    EXEC_CHECK_OP("mad24.hi.u32 %d, %a, %b, %c;", "u32", "u32", "u32", "u32",
                  {0xffffff, 0xffffff, 1, 0xfffffe01});
    EXEC_CHECK_OP("mad24.lo.s32 %d, %a, %b, %c;", "s32", "s32", "s32", "s32", {0xffffff, 5, 7, 2});
    EXEC_CHECK_OP("mad24.hi.s32 %d, %a, %b, %c;", "s32", "s32", "s32", "s32", {0xffffff, 5, 7, 6});
    EXEC_CHECK_OP("mad24.hi.sat.s32 %d, %a, %b, %c;", "s32", "s32", "s32", "s32",
                  {0x800000, 0x800000, 0x7fffffff, 0x7fffffff}, {0x7fffff, 0x800000, 0x80000000, 0x80000000},
                  {0x10000, 0x10000, 1, 0x10001});
}

RUN_ALL
