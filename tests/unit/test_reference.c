/* References: kept for tasks with the same inputs, and for no others; computed in pieces or as a whole. */
#include <stdatomic.h>

#include "test.h"
#include "harness/judge/call.h"
#include "harness/judge/inputs.h"
#include "harness/judge/judge.h"
#include "harness/judge/memory.h"
#include "harness/judge/reference.h"
#include "harness/judge/seed.h"
#include "harness/result/grader.h"

#define MANY 200001

static atomic_int elements; /* of references that were computed */

static int shape(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    return 2;
}

static int other_shape(struct lab_run *run)
{
    return shape(run);
}

static void expect(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = 2 * (double)x[expect->first + i];
    atomic_fetch_add(&elements, (int)expect->count);
}

static void fill_whole(struct lab_run *run)
{
    lab_fill_whole(run->buffer[0].data, run->arg[0], run->seed, 0, 1000);
}

static void expect_sums(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = (const real *)run->buffer[0].data + expect->first;
    double sum = expect->before;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = sum += (double)x[i];
}

static double sum_of(const struct lab_run *run, int64_t first, int64_t count)
{
    const real *x = run->buffer[0].data;
    double sum = 0;
    for (int64_t i = first; i < first + count; i++)
        sum += (double)x[i];
    return sum;
}

static int shape_sum(struct lab_run *run)
{
    shape(run);
    run->buffer[1].count = 1;
    return 2;
}

static void expect_sum(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    expect->want[0] = buffer < 0 ? 1 : sum_of(run, 0, run->arg[0]);
    atomic_fetch_add(&elements, 1);
}

static const struct lab_case cases[] = {{.name = NULL}};
static const struct lab_task tasks[] = {
    {.id = "first", .cases = cases, .shape = shape, .expect = expect, .granule = 1, .keeps_reference = true},
    {.id = "same", .cases = cases, .shape = shape, .expect = expect, .granule = 1, .keeps_reference = true},
    {.id = "other",
     .cases = cases,
     .shape = other_shape,
     .expect = expect,
     .granule = 1,
     .keeps_reference = true},
    {.id = "pieces", .cases = cases, .shape = shape, .expect = expect, .granule = 7},
    {.id = "sums",
     .cases = cases,
     .shape = shape,
     .fill = fill_whole,
     .expect = expect_sums,
     .granule = 7,
     .sum_of = sum_of},
    {.id = "one sum",
     .cases = cases,
     .shape = shape_sum,
     .fill = fill_whole,
     .expect = expect_sum,
     .result_count = 1},
};
const struct lab the_lab = {.name = "lab92", .tasks = tasks, .task_count = 6};

/* A call that is answered rightly but for element `wrong`; -1: everywhere. */
static void answer(struct call *call, int task, int64_t n, uint64_t seed, int64_t wrong)
{
    static int64_t arg[LAB_MAX_ARGS];
    char message[256];
    arg[0] = n;
    assert_true(call_make(call, &tasks[task], arg, seed, true, message));
    const real *x = call->run.buffer[0].data;
    real *y = call->run.buffer[1].data;
    for (int64_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + (i == wrong);
}

/* Judges a call; how many elements of references were computed for it? */
static int judged(int task, int64_t n, uint64_t seed, int64_t wrong)
{
    struct call call;
    struct grader_finding finding = {0};
    answer(&call, task, n, seed, wrong);
    atomic_store(&elements, 0);
    assert_int_equal(judge_call(&call, NULL, &finding), wrong < 0);
    assert_int_equal(finding.reason, wrong < 0 ? REASON_NONE : REASON_VALUES);
    call_free(&call);
    return atomic_load(&elements);
}

TEST(test_kept_for_the_same_inputs)
{
    assert_int_equal(judged(0, MANY, 5, -1), MANY);
    assert_int_equal(judged(0, MANY, 5, -1), 0);
    assert_int_equal(judged(1, MANY, 5, -1), 0);
    assert_int_equal(judged(1, MANY, 5, 77777), 0); /* and what is wrong is found with it */
    assert_int_equal(judged(1, MANY, 6, -1), MANY); /* another seed */
    assert_int_equal(judged(1, MANY + 1, 5, -1), MANY + 1);
    assert_int_equal(judged(2, MANY, 5, -1), MANY); /* other inputs */
    reference_forget();
    assert_int_equal(judged(0, MANY, 5, -1), MANY);
    reference_forget();
}

/* Of a long output of a call with `draw` a part is judged, and what is wrong all over is found. */
TEST(test_a_part_is_judged)
{
    const int64_t n = 600 * 8192;
    for (uint64_t draw = 1; draw < 4; draw++) {
        struct call call;
        struct grader_finding finding = {0};
        answer(&call, 0, n, 5, -1);
        call.draw = draw;
        atomic_store(&elements, 0);
        assert_true(judge_call(&call, NULL, &finding));
        assert_in_range(atomic_load(&elements), 1, n / 8);
        for (int64_t i = 0; i < n; i++)
            ((real *)call.run.buffer[1].data)[i] += 1;
        assert_false(judge_call(&call, NULL, &finding));
        assert_int_equal(finding.reason, REASON_VALUES);
        call_free(&call);
    }
}

/* Every element is looked at, the first and last of each piece, too. */
TEST(test_in_pieces)
{
    assert_int_equal(judged(3, MANY, 5, -1), MANY);
    assert_int_equal(judged(3, MANY, 5, -1), MANY); /* not kept */
    const int64_t places[] = {0, 1, 6, 7, 32765, 32766, 32767, 32768, 32771, 50000, MANY - 2, MANY - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_true(judged(3, MANY, 5, places[i]) >= MANY);
}

/* Sums over all elements before, whatever the pieces: as one loop has them; and one wrong sum is found. */
TEST(test_sums_before)
{
    static const int64_t counts[] = {0, 1, 6, 7, 8, 4096, 8191, 8192, 8197, MANY};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct call call;
        struct lab_expect expect;
        struct grader_finding finding = {0};
        char message[256];
        const int64_t n = counts[c], arg[LAB_MAX_ARGS] = {n};
        assert_true(call_make(&call, &tasks[4], arg, 5, true, message));
        assert_true(call_expect(&call, 1, &expect));
        const real *x = call.run.buffer[0].data;
        real *y = call.run.buffer[1].data;
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            y[i] = (real)(sum += (double)x[i]);
            assert_true(expect.want[i] == sum);
        }
        assert_true(judge_call(&call, NULL, &finding));
        for (int64_t i = n - 1; i > 0; i /= 3) {
            y[i] += 1;
            assert_false(judge_call(&call, NULL, &finding));
            assert_int_equal(finding.element, i);
            y[i] -= 1;
        }
        call_expect_free(&expect);
        call_free(&call);
    }
}

/* References of one sum and one returned value that were computed for a call. */
static int sums_computed(int64_t n, uint64_t seed, bool right)
{
    struct call call;
    struct grader_finding finding = {0};
    char message[256];
    const int64_t arg[LAB_MAX_ARGS] = {n};
    assert_true(call_make(&call, &tasks[5], arg, seed, true, message));
    *(real *)call.run.buffer[1].data = (real)(sum_of(&call.run, 0, n) + !right);
    call.run.result[0] = 1;
    atomic_store(&elements, 0);
    assert_int_equal(judge_call(&call, NULL, &finding), right);
    call_free(&call);
    return atomic_load(&elements);
}

/* A sum over very many elements is kept without being asked for; one over few is added up again. */
TEST(test_long_sums_are_kept)
{
    const int64_t many = 1 << 20;
    assert_int_equal(sums_computed(many, 5, true), 2);
    assert_int_equal(sums_computed(many, 5, true), 0);
    assert_int_equal(sums_computed(many, 5, false), 0); /* and a wrong one is found with it */
    assert_int_equal(sums_computed(many, 6, true), 2);
    assert_int_equal(sums_computed(many + 1, 5, true), 2);
    assert_int_equal(sums_computed(1000, 5, true), 2);
    assert_int_equal(sums_computed(1000, 5, true), 2);
    reference_forget();
}

TEST(test_tasks_with_the_same_inputs)
{
    struct grader grader = {.seed = 11};
    assert_true(plan_same_inputs(&tasks[0], &tasks[1]));
    assert_false(plan_same_inputs(&tasks[0], &tasks[2]));
    assert_true(plan_seed(&grader, &tasks[0], "a case", 0) == plan_seed(&grader, &tasks[1], "a case", 0));
    assert_true(plan_seed(&grader, &tasks[0], "a case", 0) != plan_seed(&grader, &tasks[2], "a case", 0));
    assert_true(plan_seed(&grader, &tasks[0], "a case", 0) != plan_seed(&grader, &tasks[0], "a case", 1));
    assert_true(plan_seed(&grader, &tasks[0], "a case", 0) != plan_seed(&grader, &tasks[0], "another", 0));
}

/* Of what is counted and timed, the function of no other task has had the inputs; and no input tells what is drawn of a sample. */
TEST(test_seeds_that_are_not_known_before)
{
    struct grader grader = {.seed = 11}, other = {.seed = 11 + (UINT64_C(1) << 40)};
    assert_true(plan_own_seed(&grader, &tasks[0], "a case", 0) !=
                plan_own_seed(&grader, &tasks[1], "a case", 0));
    assert_true(plan_own_seed(&grader, &tasks[0], "a case", 0) ==
                plan_own_seed(&other, &tasks[0], "a case", 0));
    assert_true(plan_seed(&grader, &tasks[0], "a case", 0) == plan_seed(&other, &tasks[0], "a case", 0));
    assert_true(plan_sample_seed(&grader, &tasks[0]) != plan_sample_seed(&other, &tasks[0]));
    assert_true(seed_drawn() != seed_drawn());
}

/* Large inputs are shared by calls that have the same, and stay what they were. */
TEST(test_large_inputs_are_shared)
{
    static const int64_t arg[LAB_MAX_ARGS] = {17 << 20};
    struct call first, same, another, again;
    char message[256];
    if (inputs_room() < UINT64_C(300) << 20)
        skip();
    assert_true(call_make(&first, &tasks[0], arg, 5, true, message));
    assert_true(call_make(&same, &tasks[1], arg, 5, true, message));
    assert_true(call_make(&another, &tasks[1], arg, 6, true, message));
    const real *x = first.run.buffer[0].data;
    assert_ptr_equal(x, same.run.buffer[0].data);
    assert_ptr_not_equal(x, another.run.buffer[0].data);
    assert_ptr_not_equal(first.run.buffer[1].data, same.run.buffer[1].data); /* outputs are each one's own */
    real few[1000];
    lab_fill_real(few, 1000, 5, 0);
    assert_memory_equal(x, few, sizeof few);
    call_free(&first);
    call_free(&same);
    assert_true(call_make(&again, &tasks[0], arg, 5, false, message));
    assert_ptr_equal(x, again.run.buffer[0].data); /* kept meanwhile */
    assert_memory_equal(x, few, sizeof few);
    call_free(&another);
    call_free(&again);
    inputs_forget();
    memory_forget();
}

TEST(test_memory_is_used_again)
{
    const uint64_t size = UINT64_C(5) << 20;
    char *first = memory_take(size);
    assert_non_null(first);
    memset(first, 1, size);
    memory_give_back(first, size);
    char *again = memory_take(size - 100), *other = memory_take(size);
    assert_ptr_equal(again, first);
    assert_ptr_not_equal(other, first);
    memset(other, 2, size);
    memory_give_back(again, size - 100);
    memory_give_back(other, size);
    assert_non_null(first = memory_take(4 * size)); /* none of them is large enough */
    memset(first, 3, 4 * size);
    memory_give_back(first, 4 * size);
    memory_forget();
}

RUN_ALL
