/* Parts of the modeled time: parts of an SM that get in each other's way; random touches of more than L2 holds. */
#include "test.h"
#include "sim/model/model.h"
#include "sim/model/timing_internal.h"

TEST(random_touches_come_from_l2_while_it_has_room)
{
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

/* A load of every eighth word touches all sectors of 8 lines: L2 serves it as it does eight loads of neighbors. */
TEST(whole_lines_cost_no_more_than_neighbors)
{
    assert_true(timing_load_apart(4) == 1);
    assert_true(timing_load_apart(1) == 2 && timing_load_apart(0) == 2);
    assert_true(timing_load_apart(2) > 1 && timing_load_apart(2) < 2);
}

RUN_ALL
