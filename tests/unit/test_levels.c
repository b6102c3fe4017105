/* More points for more speed: which levels a measured speed reaches. */
#include "test.h"
#include "harness/result/grader.h"
#include "harness/result/score.h"

const struct lab the_lab;

static const struct lab_level levels[] = {
    {0.44, 5, "vectors"}, {0.60, 5, "two buffers"}, {0.75, 10, "the library"}, {.fraction = 0}};
static const struct lab_speed ask = {.fraction = 0.30, .levels = levels};
static const struct lab_task task = {.id = "matmul", .points = 45, .speed = &ask};

/* A right task that reached `fraction` of a roof of 1 ms. */
static struct grader_task timed(double fraction)
{
    const double seconds = 1e-3 / fraction;
    struct grader_task t = {.task = &task, .passed = 3};
    t.speed.verdict = SPEED_ENOUGH;
    t.speed.time.count = 20;
    t.speed.time.median = seconds;
    t.speed.roof = 1e-3;
    return t;
}

static void expect(struct grader_task t, int points, const struct lab_level *level,
                   const struct lab_level *next)
{
    assert_int_equal(task_take_levels(&t), points);
    assert_ptr_equal(t.speed.level, level);
    assert_ptr_equal(t.speed.next_level, next);
}

TEST(test_each_level)
{
    expect(timed(0.43), 0, NULL, &levels[0]);
    expect(timed(0.45), 5, &levels[0], &levels[1]);
    expect(timed(0.74), 10, &levels[1], &levels[2]);
    expect(timed(0.80), 20, &levels[2], NULL);
}

TEST(test_nothing_for_what_is_wrong_or_too_slow)
{
    struct grader_task t = timed(0.80);
    t.failed = 1;
    expect(t, 0, NULL, NULL);
    t = timed(0.80);
    t.speed.verdict = SPEED_WRONG;
    expect(t, 0, NULL, NULL);
    t = timed(0.80);
    t.speed.verdict = SPEED_TOO_SLOW;
    expect(t, 0, NULL, NULL);
    t.speed.verdict = SPEED_INCONCLUSIVE;
    expect(t, 0, NULL, NULL);
    t.speed.verdict = SPEED_IMPOSSIBLE;
    expect(t, 0, NULL, NULL);
    t = timed(0.80);
    t.counters.exceeded = true;
    expect(t, 0, NULL, NULL);
}

TEST(test_nothing_for_modeled_time)
{
    struct grader_task t = timed(0.80);
    t.speed.modeled = true;
    expect(t, 0, NULL, NULL);
    t = timed(0.80);
    t.speed.time.count = 0;
    expect(t, 0, NULL, NULL);
}

RUN_ALL
