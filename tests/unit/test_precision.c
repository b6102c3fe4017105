/* Lab 09: products of numbers in half precision or TF32, which tensor cores compute, lie outside the bound of the timed sums. */
#include "lab09_matmul_tiled/grader.c"
#include "harness/judge/call.h"
#include "test.h"

#define SIDE  24
#define DEPTH 2048

/* To 11 bits, as half precision and TF32 have; `nearest` or cut. */
static double to_eleven_bits(double x, bool nearest)
{
    int exponent;
    frexp(x, &exponent);
    const double unit = ldexp(1, exponent - 11);
    return (nearest ? rint(x / unit) : trunc(x / unit)) * unit;
}

static void round_matrix(struct lab_buffer *buffer, bool nearest)
{
    for (int64_t i = 0; i < buffer->count; i++)
        ((real *)buffer->data)[i] = (real)to_eleven_bits((double)((real *)buffer->data)[i], nearest);
}

static void check(const struct lab_task *task, const int64_t *arg, bool both, bool nearest)
{
    struct call call;
    struct lab_expect right, rounded;
    char message[256];
    assert_true(call_make(&call, task, arg, 7, false, message));
    assert_true(call_expect(&call, 2, &right));
    round_matrix(&call.run.buffer[0], nearest);
    if (both)
        round_matrix(&call.run.buffer[1], nearest);
    assert_true(call_expect(&call, 2, &rounded));
    for (int64_t i = 0; i < right.count; i++)
        assert_true(right.tolerance[i] < 0 ||
                    fabs(rounded.want[i] - right.want[i]) > 1.5 * right.tolerance[i]);
    call_expect_free(&right);
    call_expect_free(&rounded);
    call_free(&call);
}

TEST(half_precision_is_told)
{
    const int64_t arg[LAB_MAX_ARGS] = {SIDE, SIDE, DEPTH, DEPTH + 1, SIDE + 2, SIDE + 3};
    const int64_t anywhere[LAB_MAX_ARGS] = {SIDE, SIDE, DEPTH, 1, 3};
    for (int way = 0; way < 4; way++) {
        check(&tasks[5], arg, way & 1, way & 2);
        check(&tasks[6], anywhere, way & 1, way & 2);
    }
}

/* Both signs occur in every row of A, in every column of B and in C. */
TEST(signs_are_mixed)
{
    const int64_t arg[LAB_MAX_ARGS] = {SIDE, SIDE, DEPTH, DEPTH, SIDE, SIDE};
    struct call call;
    struct lab_expect c;
    char message[256];
    int negative = 0;
    assert_true(call_make(&call, &tasks[5], arg, 7, false, message));
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t l = negative = 0; l < DEPTH; l++) {
            negative += ((real *)call.run.buffer[0].data)[i * DEPTH + l] < 0;
            if (l == DEPTH - 1)
                assert_in_range(negative, DEPTH / 4, DEPTH * 3 / 4);
        }
    assert_true(call_expect(&call, 2, &c));
    negative = 0;
    for (int64_t i = 0; i < c.count; i++)
        negative += c.want[i] < 0;
    assert_in_range(negative, 1, c.count - 1);
    call_expect_free(&c);
    call_free(&call);
}

RUN_ALL
