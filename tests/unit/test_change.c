/* Small changes of kernels: which one makes a wrong kernel right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exec_support.h"

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b) {\n"                                   \
    ".reg .b64 %out, %a, %b, %rd<8>; .reg .b32 %t, %r<20>; .reg .f32 %f<20>; .reg .pred %p<8>;\n"            \
    ".loc 1 1 0\n"                                                                                           \
    "ld.param.u64 %out, [out]; ld.param.u64 %a, [a]; mov.u32 %t, %tid.x; mov.u32 %r1, %ctaid.x;\n"
#define STORE(line)                                                                                          \
    ".loc 1 " #line " 0\n"                                                                                   \
    "mul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r9;\n"
#define TAIL "ret; }\n"

struct trial {
    struct exec e;
    sim_addr out;
    uint32_t values[64];
};

static bool launch(struct trial *t, int blocks)
{
    const struct sim_dim3 grid = {(unsigned)blocks, 1, 1}, block = {32, 1, 1};
    uint64_t args[] = {t->out, 5, 7};
    const bool good = exec_launch(&t->e, "k", grid, block, 0, args) == SIM_OK;
    memcpy(t->values, exec_bytes(&t->e, t->out, sizeof t->values), sizeof t->values);
    return good;
}

static void begin(struct trial *t, const char *ptx, int blocks)
{
    exec_open(&t->e);
    exec_load(&t->e, ptx);
    t->out = exec_buffer(&t->e, NULL, sizeof t->values);
    launch(t, blocks);
    memset(exec_bytes(&t->e, t->out, sizeof t->values), 0, sizeof t->values);
}

/*
 * The first change with which 64 elements are what they should be: its number, or -1; checks that there are less than
 * 200.
 */
static int first_right(const char *ptx, int blocks, uint32_t (*want)(uint32_t), struct ptx_change *change)
{
    static const int near[] = {20};
    const struct sim_changes of = {.file = "t.cu", .functions = 1, .near = near, .near_count = 1};
    for (int number = 0; number < 200; number++) {
        struct trial t;
        int count;
        bool right;
        begin(&t, ptx, blocks);
        assert_false(sim_change(t.e.sim, &of, -1, change, &count));
        if (number >= count) {
            exec_close(&t.e);
            return -1;
        }
        right = sim_change(t.e.sim, &of, number, change, &count) && launch(&t, blocks);
        for (uint32_t i = 0; i < 32 * (uint32_t)blocks && right; i++)
            right = t.values[i] == want(i);
        exec_close(&t.e);
        if (right)
            return number;
    }
    fail_msg("200 changes of a small kernel");
    return -1;
}

static uint32_t itself(uint32_t i)
{
    return i;
}

static void a_guard_that_is_too_strict(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD
                            ".loc 1 10 0\nsetp.ge.s32 %p1, %t, 31; @%p1 bra DONE;\nmov.u32 %r9, %t;\n" STORE(
                                11) "DONE: " TAIL,
                            1, itself, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_EQUAL);
    assert_string_equal(change.from, "ge");
    assert_string_equal(change.to, "gt");
    assert_int_equal(change.site.line, 10);
    assert_string_equal(change.function, "k");
}

static uint32_t even_ones(uint32_t i)
{
    return i % 2 ? 7 : 0;
}

static void exchanged_branches(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 12 0\nand.b32 %r2, %t, 1; setp.eq.s32 %p1, %r2, 0;\n"
                                 "selp.u32 %r9, 7, 0, %p1;\n" STORE(13) TAIL,
                            1, even_ones, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_OPPOSITE);
    assert_int_equal(change.site.line, 12);
}

static uint32_t twelve_each_and_seven(uint32_t i)
{
    return 12 * i + 7;
}

static void a_missing_factor(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 40 0\nmul.lo.s32 %r2, %r1, 12;\n"
                                 ".loc 1 20 0\nadd.s32 %r9, %t, 7;\n" STORE(21) TAIL,
                            1, twelve_each_and_seven, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_FACTOR);
    assert_string_equal(change.from, "%tid.x");
    assert_int_equal((int)change.number[1], 12);
    assert_int_equal(change.site.line, 20);
}

static uint32_t seven_each(uint32_t i)
{
    return 7 * i;
}

/* The load of the other parameter goes in before; the loop still comes to its label. */
static void another_parameter_long(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD "mov.u32 %r9, 0; mov.u32 %r3, 0; cvt.u32.u64 %r5, %a;\n"
                                 ".loc 1 18 0\n"
                                 "LOOP: setp.ge.u32 %p1, %r3, %t; @%p1 bra DONE;\n"
                                 "add.s32 %r9, %r9, %r5; add.s32 %r3, %r3, 1; bra LOOP;\nDONE:\n" STORE(15)
                                     TAIL,
                            1, seven_each, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_PARAMETER);
    assert_int_equal(change.parameter[0], 1);
    assert_int_equal(change.parameter[1], 2);
}

static void a_block_size_in_the_code(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD
                            ".loc 1 20 0\nshl.b32 %r2, %r1, 6; add.s32 %t, %t, %r2; and.b32 %t, %t, 63;\n"
                            "mov.u32 %r9, %t;\n" STORE(21) TAIL,
                            2, itself, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_BUILTIN);
    assert_string_equal(change.to, "%ntid.x");
    assert_int_equal((int)change.number[0], 64);
}

static uint32_t ten_less(uint32_t i)
{
    return 10 - 2 * i;
}

static void a_product_with_the_wrong_sign(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(
        first_right(HEAD ".loc 1 16 0\ncvt.rn.f32.u32 %f1, %t;\n"
                         "fma.rn.f32 %f2, %f1, 0f40000000, 0f41200000; cvt.rzi.s32.f32 %r9, %f2;\n" STORE(17)
                             TAIL,
                    1, ten_less, &change) >= 0);
    assert_true(change.kind == PTX_CHANGE_SIGN || change.kind == PTX_CHANGE_NUMBER);
}

static uint32_t steps(uint32_t i)
{
    return (i >= 4) + (i >= 8) + (i >= 16) + (i >= 20) + (i >= 24);
}

/* An unrolled loop: the comparison stands there once for each turn, with another number. */
static void all_turns_of_a_loop(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(
        first_right(
            HEAD ".loc 1 10 0\nmov.u32 %r9, 0;\n"
                 "setp.gt.u32 %p1, %t, 4; selp.u32 %r2, 1, 0, %p1; add.u32 %r9, %r9, %r2;\n"
                 "setp.gt.u32 %p1, %t, 8; selp.u32 %r2, 1, 0, %p1; add.u32 %r9, %r9, %r2;\n"
                 "setp.gt.u32 %p1, %t, 16; selp.u32 %r2, 1, 0, %p1; add.u32 %r9, %r9, %r2;\n"
                 "setp.gt.u32 %p1, %t, 20; selp.u32 %r2, 1, 0, %p1; add.u32 %r9, %r9, %r2;\n"
                 "setp.gt.u32 %p1, %t, 24; selp.u32 %r2, 1, 0, %p1; add.u32 %r9, %r9, %r2;\n" STORE(11) TAIL,
            1, steps, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_EQUAL);
}

/* Of the two lines the one that is near the line that is asked for. */
static void near_lines_come_first(void **state)
{
    (void)state;
    static const int near[] = {30};
    const struct sim_changes of = {.file = "t.cu", .functions = 1, .near = near, .near_count = 1};
    struct ptx_change change;
    struct trial t;
    int count;
    begin(&t,
          HEAD ".loc 1 10 0\nsetp.lt.s32 %p1, %t, 31;\n.loc 1 31 0\nsetp.lt.s32 %p2, %t, 31;\n"
               "selp.u32 %r9, 1, 0, %p1;\n" STORE(40) TAIL,
          1);
    assert_int_equal(sim_functions_used(t.e.sim), 1);
    assert_true(sim_change(t.e.sim, &of, 0, &change, &count));
    assert_int_equal(change.site.line, 31);
    exec_close(&t.e);
}

static uint32_t next_one(uint32_t i)
{
    return i + 100 + 1;
}

/* Each loads its own element, and should load the next one's. */
static void a_load_one_element_too_early(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(
        first_right(HEAD ".shared .u32 s[40];\n mov.u32 %r4, s; shl.b32 %r5, %t, 2; add.s32 %r6, %r4, %r5;\n"
                         "add.s32 %r7, %t, 100; st.shared.u32 [%r6], %r7; mov.u32 %r8, 132;\n"
                         "st.shared.u32 [s+128], %r8; bar.sync 0;\n"
                         ".loc 1 20 0\nld.shared.u32 %r9, [%r6];\n" STORE(21) TAIL,
                    1, next_one, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_PLACE);
    assert_int_equal((int)change.number[1], 1);
    assert_int_equal(change.site.line, 20);
}

/* A second store wipes out what the first one left. */
static void a_store_too_many(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD
                            "mov.u32 %r9, %t;\n" STORE(20) ".loc 1 22 0\nst.global.u32 [%rd2], 5;\n" TAIL,
                            1, itself, &change) >= 0);
    assert_true(change.kind == PTX_CHANGE_SKIP || change.kind == PTX_CHANGE_ADD);
    assert_int_equal(change.site.line, 22);
}

static uint32_t three_times(uint32_t i)
{
    return 3 * i;
}

static void a_store_for_a_sum(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD "mov.u32 %r9, %t;\n" STORE(
                                20) ".loc 1 22 0\nadd.s32 %r2, %t, %t; st.global.u32 [%rd2], %r2;\n" TAIL,
                            1, three_times, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_ADD);
}

static uint32_t from_seven(uint32_t i)
{
    return i * 7 % 32;
}

/* What line 12 computes is used in line 20, and what line 14 computes should be. */
static void another_variable(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(
        first_right(HEAD ".loc 1 12 0\nmul.lo.s32 %r4, %t, 5; and.b32 %r5, %r4, 31;\n"
                         ".loc 1 14 0\nmul.lo.s32 %r6, %t, 7; and.b32 %r7, %r6, 31;\n"
                         ".loc 1 20 0\nadd.s32 %r9, %r5, 0;\n.loc 1 21 0\nst.global.u32 [%out], %r7;\n" STORE(
                             22) TAIL,
                    1, from_seven, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_VARIABLE);
    assert_int_equal(change.line[0], 12);
    assert_int_equal(change.line[1], 14);
    assert_int_equal(change.parameter[1], -1);
}

static uint32_t five_and_seven(uint32_t i)
{
    return 5 * i + 3;
}

/* Line 20 takes what lines 12 and 14 compute the wrong way round. */
static void exchanged_variables(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 12 0\nadd.s32 %r4, %t, 0;\n.loc 1 14 0\nmov.u32 %r6, 3;\n"
                                 ".loc 1 20 0\nmad.lo.s32 %r9, %r6, 5, %r4;\n" STORE(22) TAIL,
                            1, five_and_seven, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_EXCHANGE);
    assert_int_equal(change.line[0] + change.line[1], 12 + 14);
    assert_int_equal(change.site.line, 20);
}

static uint32_t five(uint32_t i)
{
    return i < 16 ? 5 + 2 * i : 7 + i;
}

/* The kernel is given 5 for `a` and 7 for `b`, and should have them the other way round. */
static void exchanged_arguments(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD
                            "ld.param.u64 %b, [b];\n.loc 1 20 0\ncvt.u32.u64 %r3, %a; cvt.u32.u64 %r4, %b;\n"
                            "add.s32 %r5, %r4, %t; add.s32 %r5, %r5, %t; add.s32 %r6, %r3, %t;\n"
                            ".loc 1 21 0\nsetp.lt.u32 %p1, %t, 16; selp.u32 %r9, %r5, %r6, %p1;\n" STORE(22)
                                TAIL,
                            1, five, &change) >= 0);
    assert_true(change.kind == PTX_CHANGE_ARGUMENTS || change.kind == PTX_CHANGE_EXCHANGE);
    assert_int_equal(change.parameter[0], 1);
    assert_int_equal(change.parameter[1], 2);
}

static uint32_t bits_of_itself(uint32_t i)
{
    const float number = (float)i + 0.5f;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A number that is converted where its bits are meant: (unsigned)x for __float_as_uint(x). */
static void bits_for_a_conversion(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, 0f3F000000;\n"
                                 ".loc 1 20 0\ncvt.rzi.u32.f32 %r9, %f1;\n" STORE(21) TAIL,
                            1, bits_of_itself, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_CONVERT);
    assert_string_equal(change.from, "number");
    assert_int_equal(change.site.line, 20);
}

/* A number that becomes an integer and a number again has lost its fraction. */
static void a_fraction_that_is_lost(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, 0f3F000000;\n"
                                 ".loc 1 20 0\ncvt.rzi.s32.f32 %r3, %f1; cvt.rn.f32.s32 %f2, %r3;\n"
                                 "mov.b32 %r9, %f2;\n" STORE(21) TAIL,
                            1, bits_of_itself, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_CONVERT);
    assert_string_equal(change.from, "fraction");
}

static uint32_t one_each(uint32_t i)
{
    (void)i;
    return 1;
}

/* A histogram that adds the key instead of 1. */
static void a_count_of_one(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 20 0\nmul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %out, %rd1;\n"
                                 "red.global.add.u32 [%rd2], %t;\n" TAIL,
                            1, one_each, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_NUMBER);
    assert_string_equal(change.from, "variable");
    assert_int_equal((int)change.number[1], 1);
}

/* A mean where a sum is wanted. */
static void a_division_too_many(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 20 0\ncvt.u32.u64 %r4, %a; mul.lo.s32 %r5, %t, 7;\n"
                                 "div.s32 %r9, %r5, %r4;\n" STORE(21) TAIL,
                            1, seven_each, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_WITHOUT);
    assert_string_equal(change.from, "divisor");
}

/* blockIdx.x + threadIdx.x: the blocks overlap, and no number in the code tells their size. */
static void blocks_that_overlap(void **state)
{
    (void)state;
    struct ptx_change change;
    assert_true(first_right(HEAD ".loc 1 20 0\nadd.s32 %t, %r1, %t; mov.u32 %r9, %t;\n" STORE(21) TAIL, 2,
                            itself, &change) >= 0);
    assert_int_equal(change.kind, PTX_CHANGE_FACTOR);
    assert_string_equal(change.from, "%ctaid.x");
    assert_string_equal(change.to, "%ntid.x");
}

/* Lines of other files are not the student's; a number that no change has makes none. */
static void nothing_else(void **state)
{
    (void)state;
    const struct sim_changes other = {.file = "x.cu", .functions = 1}, of = {.file = "t.cu", .functions = 1};
    struct ptx_change change;
    struct trial t;
    int count = -1;
    begin(&t, HEAD ".loc 1 10 0\nadd.s32 %r9, %t, 1;\n" STORE(11) TAIL, 1);
    assert_false(sim_change(t.e.sim, &other, 0, &change, &count));
    assert_int_equal(count, 0);
    assert_false(sim_change(t.e.sim, &of, 100000, &change, &count));
    assert_true(count > 3);
    exec_close(&t.e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_that_is_too_strict),
        cmocka_unit_test(exchanged_branches),
        cmocka_unit_test(another_parameter_long),
        cmocka_unit_test(a_block_size_in_the_code),
        cmocka_unit_test(a_product_with_the_wrong_sign),
        cmocka_unit_test(a_missing_factor),
        cmocka_unit_test(all_turns_of_a_loop),
        cmocka_unit_test(a_load_one_element_too_early),
        cmocka_unit_test(a_store_too_many),
        cmocka_unit_test(a_store_for_a_sum),
        cmocka_unit_test(another_variable),
        cmocka_unit_test(exchanged_variables),
        cmocka_unit_test(exchanged_arguments),
        cmocka_unit_test(bits_for_a_conversion),
        cmocka_unit_test(a_fraction_that_is_lost),
        cmocka_unit_test(a_count_of_one),
        cmocka_unit_test(a_division_too_many),
        cmocka_unit_test(blocks_that_overlap),
        cmocka_unit_test(near_lines_come_first),
        cmocka_unit_test(nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
