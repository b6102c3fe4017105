/* Numbers of 16 bits: all values through the conversions; opcodes in forms that tests/gpu/opcodes/table does not have. */
#include <math.h>

#include "test.h"
#include "exec_support.h"
#include "sim/core/half.h"

/* The branch-free conversions agree with the plain ones on every f16, and on floats between and around them.
 */
TEST(conversions_agree)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        double exact = small_to_double(&format_f16, (uint16_t)h),
               wide = small_to_double(&format_bf16, (uint16_t)h);
        float f16 = f16_to_float((uint16_t)h), bf16 = bf16_to_float((uint16_t)h);
        assert_true(isnan(exact) ? isnan(f16) : f16 == exact && !signbit(f16) == !signbit(exact));
        assert_true(isnan(wide) ? isnan(bf16) : bf16 == wide && !signbit(bf16) == !signbit(wide));
        if (isnan(exact))
            continue;
        for (int step = -2; step <= 2;
             step++) { /* around the number and around the half-way point above it */
            uint32_t bits = half_float_bits(f16) + (uint32_t)step;
            float near = half_bits_float(bits), between = half_bits_float(bits + (1u << 12));
            assert_int_equal(f16_from_float(near), small_from_double(&format_f16, near, ROUND_NEAREST));
            assert_int_equal(f16_from_float(between), small_from_double(&format_f16, between, ROUND_NEAREST));
        }
    }
    for (uint32_t i = 0; i < 200000; i++) {
        float x = half_bits_float(i * 2654435761u);
        assert_int_equal(f16_from_float(x), small_from_double(&format_f16, x, ROUND_NEAREST));
        assert_int_equal(bf16_from_float(x), small_from_double(&format_bf16, x, ROUND_NEAREST));
    }
}

TEST(works_on_pairs)
{
    EXEC_CHECK_OP("fma.rn.f16x2 %d, %a, %b, %c;", "b32", "b32", "b32", "b32",
                  {0x3c203c20, 0x3c103c10, 0x00018001, 0x3c313c30});
    EXEC_CHECK_OP("setp.gt.f16x2 %d|_, %a, %b;", "pred", "b32", "b32", NULL, {0x00004000, 0x3c003c00, 0, 1},
                  {0x40000000, 0x3c003c00, 0, 0});
    EXEC_CHECK_OP("setp.gt.f16x2 _|%d, %a, %b;", "pred", "b32", "b32", NULL, {0x00004000, 0x3c003c00, 0, 0},
                  {0x40000000, 0x3c003c00, 0, 1});
    EXEC_CHECK_OP("set.gt.f16x2.f16x2 %d, %a, %b;", "b32", "b32", "b32", NULL,
                  {0x00004000, 0x3c003c00, 0, 0x00003c00}, {0x40004000, 0x3c003c00, 0, 0x3c003c00});
    EXEC_CHECK_OP("set.eq.u32.f16 %d, %a, %b;", "b32", "b16", "b16", NULL, {0x3c00, 0x3c00, 0, 0xffffffff},
                  {0, 0x8000, 0, 0xffffffff}, {1, 2, 0, 0});
}

TEST(approximates)
{
    EXEC_CHECK_OP("ex2.approx.f16 %d, %a;", "b16", "b16", NULL, NULL, {0x4000, 0, 0, 0x4400},
                  {0xfc00, 0, 0, 0});
    EXEC_CHECK_OP("tanh.approx.bf16x2 %d, %a;", "b32", "b32", NULL, NULL, {0x00007f80, 0, 0, 0x00003f80});
}

RUN_ALL
