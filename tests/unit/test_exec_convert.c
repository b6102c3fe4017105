/* Moves, packing, address spaces. */
#include "test.h"
#include "exec_support.h"

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
