/* One call in the arena: poison, guard zones, inputs; what is noticed when they are damaged. */
#include <math.h>
#include "test.h"
#include "harness/judge/call.h"
#include "harness/judge/compare.h"
#include "harness/judge/judge.h"
#include "harness/result/grader.h"

static int shape(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_work", LAB_INOUT, LAB_REAL, run->arg[0]);
    run->buffer[2] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    run->buffer[3] = lab_host("h_count", LAB_OUT, LAB_INT32, 1);
    return run->arg[0] == 13 ? -1 : 4;
}

static void expect(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = buffer == 2 ? 2 * (double)x[i] : (double)run->arg[0];
}

static const struct lab_case cases[] = {{.name = NULL}};
static const struct lab_task task = {.id = "task", .cases = cases, .shape = shape, .expect = expect};
const struct lab the_lab = {.name = "lab91", .tasks = &task, .task_count = 1};

/* ---- a call, answered rightly unless a test spoils it -------------------------------------------------- */

struct fixture {
    struct arena arena;
    struct call call;
    struct protocol_request request;
    struct protocol_reply reply;
    struct grader_finding finding;
    int64_t arg[LAB_MAX_ARGS];
};

static void *slot(struct fixture *f, int buffer)
{
    return f->arena.base + f->call.spec[buffer].offset + f->call.spec[buffer].guard;
}

static void open_call(struct fixture *f, int64_t n, bool guarded)
{
    char message[256];
    memset(f, 0, sizeof *f);
    f->arg[0] = n;
    assert_true(call_make(&f->call, &task, f->arg, 42, guarded, message));
    assert_true(grader_arena_create(&f->arena, call_arena_bytes(&f->call)));
    call_place(&f->call, &f->arena, &f->request);
    const real *x = slot(f, 0);
    real *y = slot(f, 2);
    for (int64_t i = 0; i < n; i++)
        y[i] = 2 * x[i];
    *(int32_t *)slot(f, 3) = (int32_t)n;
}

static bool judged(struct fixture *f)
{
    memset(&f->finding, 0, sizeof f->finding);
    call_take(&f->call, &f->arena, &f->reply, true, true);
    return judge_call(&f->call, NULL, &f->finding);
}

static void close_call(struct fixture *f)
{
    call_free(&f->call);
    grader_arena_destroy(&f->arena);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

TEST(test_right)
{
    static const int64_t sizes[] = {0, 1, 31, 1000, 5000};
    struct fixture f;
    for (int i = 0; i < 10; i++) {
        open_call(&f, sizes[i / 2], i % 2);
        protocol_init_request(&f.request, PROTOCOL_RUN, 1);
        assert_null(protocol_check_request(&f.request, f.arena.bytes));
        assert_true(judged(&f));
        close_call(&f);
    }
}

TEST(test_refused_arguments)
{
    struct call call;
    char message[256];
    const int64_t bad[LAB_MAX_ARGS] = {13}, negative[LAB_MAX_ARGS] = {-1};
    assert_false(call_make(&call, &task, bad, 1, true, message));
    assert_non_null(strstr(message, "does not allow"));
    call_free(&call);
    assert_false(call_make(&call, &task, negative, 1, true, message));
    call_free(&call);
}

/* Guards read as reals are NaN on both sides, aligned as the data is. */
TEST(test_guards_are_nan)
{
    struct fixture f;
    open_call(&f, 100, true);
    const real *x = slot(&f, 0);
    for (int i = 1; i <= 1000; i++)
        assert_true(isnan((double)x[-i]) && isnan((double)x[100 + i - 1]));
    assert_int_equal(f.call.spec[0].guard % 256, 0);
    close_call(&f);
}

TEST(test_written_past_the_end)
{
    struct fixture f;
    open_call(&f, 100, true);
    ((real *)slot(&f, 2))[102] = 1;
    assert_false(judged(&f));
    assert_int_equal(f.finding.reason, REASON_GUARD);
    assert_non_null(strstr(f.finding.headline, "d_y"));
    assert_non_null(strstr(f.finding.detail, "d_y[102]"));
    close_call(&f);
}

TEST(test_written_before_the_start)
{
    struct fixture f;
    open_call(&f, 100, true);
    ((real *)slot(&f, 0))[-1] = 1; /* also around an input */
    assert_false(judged(&f));
    assert_int_equal(f.finding.reason, REASON_GUARD);
    assert_non_null(strstr(f.finding.detail, "d_x[-1]"));
    close_call(&f);
}

/* Host buffers have guards on both backends. */
TEST(test_host_buffer)
{
    struct fixture f;
    open_call(&f, 100, false);
    ((int32_t *)slot(&f, 3))[1] = 5;
    assert_false(judged(&f));
    assert_int_equal(f.finding.reason, REASON_GUARD);
    assert_non_null(strstr(f.finding.detail, "h_count[1]"));
    close_call(&f);
}

TEST(test_input_changed)
{
    struct fixture f;
    open_call(&f, 100, true);
    ((real *)slot(&f, 0))[7] += 1;
    ((real *)slot(&f, 0))[9] += 1;
    assert_false(judged(&f));
    assert_int_equal(f.finding.reason, REASON_INPUT);
    assert_non_null(strstr(f.finding.detail, "2 of 100 elements changed, d_x[7] first"));
    close_call(&f);
}

TEST(test_inout_may_change)
{
    struct fixture f;
    open_call(&f, 100, true);
    memset(slot(&f, 1), 0, 100 * sizeof(real));
    assert_true(judged(&f));
    close_call(&f);
}

TEST(test_wrong_values)
{
    struct fixture f;
    open_call(&f, 100, true);
    ((real *)slot(&f, 2))[50] += 1;
    assert_false(judged(&f));
    assert_int_equal(f.finding.reason, REASON_VALUES);
    assert_non_null(strstr(f.finding.detail, "d_y[50]"));
    close_call(&f);
    open_call(&f, 100, true);
    *(int32_t *)slot(&f, 3) = 99;
    assert_false(judged(&f));
    assert_non_null(strstr(f.finding.headline, "h_count"));
    close_call(&f);
}

/* Nobody writes: the poison is still there, and is told apart from a wrong value. */
TEST(test_never_written)
{
    struct fixture f;
    open_call(&f, 100, true);
    memset(slot(&f, 2), compare_poison(LAB_REAL), 100 * sizeof(real));
    assert_false(judged(&f));
    assert_int_equal(f.finding.pattern, PATTERN_UNWRITTEN);
    close_call(&f);
}

/* Inputs depend on the seed and on nothing else; outputs are poisoned where the worker finds them, each time. */
TEST(test_inputs)
{
    struct fixture f, g;
    open_call(&f, 100, true);
    open_call(&g, 100, false);
    assert_memory_equal(f.call.run.buffer[0].data, g.call.run.buffer[0].data, 100 * sizeof(real));
    assert_memory_not_equal(f.call.run.buffer[0].data, f.call.run.buffer[1].data, 100 * sizeof(real));
    const unsigned char *y = slot(&g, 2);
    assert_int_not_equal(y[3], 0xff); /* the answer of open_call */
    call_place(&g.call, &g.arena, &g.request);
    for (size_t i = 0; i < 100 * sizeof(real); i++)
        assert_int_equal(y[i], 0xff);
    close_call(&f);
    close_call(&g);
}

RUN_ALL
