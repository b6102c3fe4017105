/* Integer opcodes in forms that tests/gpu/opcodes/table does not have. Expected values worked out from the PTX ISA. */
#include "test.h"
#include "exec_support.h"

TEST(adds_and_subtracts)
{
    EXEC_CHECK_OP("sub.s32 %d, %a, 5;", "b32", "b32", NULL, NULL, {7, 0, 0, 2}, {0, 0, 0, 0xfffffffb});
}

TEST(compares_to_choose)
{
    EXEC_CHECK_OP("slct.s32.s32 %d, %a, %b, %c;", "b32", "b32", "b32", "b32", {1, 2, 0, 1},
                  {1, 2, 0xffffffff, 2});
}

TEST(works_on_bits)
{
    EXEC_CHECK_OP("shr.u64 %d, %a, 32;", "b64", "b64", NULL, NULL,
                  {UINT64_C(0x123456789abcdef0), 0, 0, 0x12345678});
}

TEST(works_on_fields)
{
    EXEC_CHECK_OP("bfi.b32 %d, %a, %b, 8, 16;", "b32", "b32", "b32", NULL,
                  {0xabcd, 0xffffffff, 0, 0xffabcdff}, {0, 0xffffffff, 0, 0xff0000ff});
    EXEC_CHECK_OP("bfi.b32 %d, %a, %b, %c, 8;", "b32", "b32", "b32", "b32", {0xff, 0, 28, 0xf0000000},
                  {0xff, 7, 32, 7});
    EXEC_CHECK_OP("bfi.b64 %d, %a, %b, 32, 32;", "b64", "b64", "b64", NULL,
                  {1, 2, 0, (UINT64_C(1) << 32) + 2});
}

TEST(carries)
{
    EXEC_CHECK_OP("add.cc.u32 %d, %a, %b; addc.cc.u32 %d, %c, 0; addc.u32 %d, 0, 0;", "b32", "b32", "b32",
                  "b32", {0xffffffff, 1, 0xffffffff, 1}, {1, 1, 0xffffffff, 0});
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

RUN_ALL
