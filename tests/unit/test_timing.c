/* Parts of the modelled time: parts of an SM that get in each other's way; random touches of more than L2 holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/model/model.h"
#include "sim/model/timing_internal.h"

static double contended(struct pipeline_result result)
{
    const struct pipeline_machine machine = {.start_interval = 100};
    result.cycles = 1000;
    return timing_contended_cycles(&machine, 1, &result);
}

static void a_part_alone_takes_its_own_time(void **state)
{
    (void)state;
    struct pipeline_result issue = {0}, memory = {0};
    issue.busy[PIPELINE_ISSUE] = 1;
    issue.busy[PIPELINE_FMA] = 1; /* one each cycle: no other part */
    memory.busy[PIPELINE_MEMORY] = 1;
    assert_true(contended(issue) >= 1000 && contended(issue) < 1001);
    assert_true(contended(memory) >= 1000 && contended(memory) < 1001);
}

static void parts_that_are_as_busy_get_in_each_others_way(void **state)
{
    (void)state;
    struct pipeline_result two = {0}, three = {0};
    two.busy[PIPELINE_MEMORY] = two.busy[PIPELINE_ISSUE] = 0.9;
    three = two;
    three.busy[PIPELINE_INT] = 0.9;
    assert_true(contended(two) > 1080 && contended(two) < 1150);
    assert_true(contended(three) > contended(two));
    two.busy[PIPELINE_ISSUE] = 0.3;
    assert_true(contended(two) < 1005);
}

static void idle_parts_leave_latency_as_it_is(void **state)
{
    (void)state;
    struct pipeline_result waits = {0};
    waits.busy[PIPELINE_MEMORY] = waits.busy[PIPELINE_L2] = 0.2;
    assert_true(contended(waits) < 1005);
}

static void random_touches_come_from_l2_while_it_has_room(void **state)
{
    (void)state;
    const struct sim_profile *h100 = sim_profile_find("h100");
    /* 2^20 sectors are 32 MiB: touched 2^21 times at random, 86 % of them are touched at all. */
    double unique = 0.8647 * (1 << 20);
    assert_true(timing_reads_per_sector(h100, 1 << 21, unique) < 1.001);
    /* Eight times as much, of 256 MiB: L2 has a seventh of what is touched again. */
    double reads = timing_reads_per_sector(h100, 8.0 * (1 << 21), 8 * unique);
    double most = (1 << 21) / unique;
    assert_true(reads > 0.85 * most && reads < most);
    assert_true(timing_reads_per_sector(h100, 100, 100) == 1);
    assert_true(timing_reads_per_sector(h100, 0, 0) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_alone_takes_its_own_time),
        cmocka_unit_test(parts_that_are_as_busy_get_in_each_others_way),
        cmocka_unit_test(idle_parts_leave_latency_as_it_is),
        cmocka_unit_test(random_touches_come_from_l2_while_it_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
