/* Parts of the modeled time: parts of an SM that get in each other's way; random touches of more than L2 holds. */
#include <math.h>

#include "test.h"
#include "sim/model/model.h"
#include "sim/model/timing_internal.h"

TEST(random_touches_come_from_l2_while_it_has_room)
{
    const struct sim_profile *h100 = sim_profile_find("h100");
    /* 2^20 sectors are 32 MiB: touched 2^21 times at random, 86 % of them are touched at all. */
    const double unique = 0.8647 * (1 << 20), most = (1 << 21) / unique;
    struct timing_touched t[2] = {timing_touched(1 << 21, unique, 1)};
    assert_true(timing_kept(h100, t, 1) == 1);
    assert_true(timing_comes_again(t, 1) < 1.001);
    /* Eight times as much, of 256 MiB: L2 has a seventh of what is touched again. */
    t[0] = timing_touched(8.0 * (1 << 21), 8 * unique, 1);
    double alone = timing_comes_again(t, timing_kept(h100, t, 1));
    assert_true(alone > 0.85 * most && alone < most);
    assert_true(timing_comes_again(t, 0) > 0.999 * most);
    const struct timing_touched once = timing_touched(100, 100, 1), none = timing_touched(0, 0, 1);
    assert_true(timing_comes_again(&once, 0) == 1 && timing_comes_again(&none, 0) == 1);
}

/* What streams through L2 drives out what is touched at random beside it. */
TEST(streams_take_room_from_random_touches)
{
    const struct sim_profile *h200 = sim_profile_find("h200");
    /* 24 MB in words, each stored once at a random place, alone and beside 144 MB that stream. */
    struct timing_touched t[2] = {timing_touched(6e6, 7.5e5, 1), timing_touched(4.5e6, 4.5e6, 0)};
    assert_true(timing_comes_again(t, timing_kept(h200, t, 1)) < 1.001);
    double kept = timing_kept(h200, t, 2);
    assert_true(kept > 0.1 && kept < 0.2);
    assert_true(timing_comes_again(t, kept) > 2);
}

/* The copies of an unrolled loop find fewer and fewer sectors that none of them has touched. */
TEST(operations_touch_an_array_together)
{
    const double n = 1 << 20;
    struct timing_touched t[4], whole = timing_touched(3 * n, n * (1 - exp(-3)), 1);
    const struct allocation *array = (const struct allocation *)t, *places[] = {array, array, NULL, array};
    for (int i = 0; i < 4; i++)
        t[i] = timing_touched(n, n * exp(-(i - (i == 3))) * (1 - exp(-1)), 1);
    const struct timing_touched other = t[2];
    timing_share(t, places, 4);
    assert_true(memcmp(&t[2], &other, sizeof other) == 0);
    double alone = 0;
    for (int i = 0; i < 4; i++)
        alone += i == 2 ? 0 : t[i].unique * timing_comes_again(&t[i], 0.2);
    const double together = whole.unique * timing_comes_again(&whole, 0.2);
    assert_true(alone > 0.99 * together && alone < 1.01 * together);
}

/* A load of every eighth word touches all sectors of 8 lines: L2 serves it as it does eight loads of neighbors. */
TEST(whole_lines_cost_no_more_than_neighbors)
{
    assert_true(timing_load_apart(4) == 1);
    assert_true(timing_load_apart(1) == 2 && timing_load_apart(0) == 2);
    assert_true(timing_load_apart(2) > 1 && timing_load_apart(2) < 2);
}

/* ---- the queue of memory ------------------------------------------------------------------------------- */

#define LOADS 100
#define WARPS 64

/* Loads of which each waits for the one before; nothing of it has to be known of the PTX. */
static void fill_chain(struct sass *instrs, int *none)
{
    for (int i = 0; i <= LOADS; i++) {
        instrs[i] = (struct sass){.unit = i < LOADS ? SASS_GLOBAL : SASS_NONE,
                                  .kind = i < LOADS ? SASS_LOAD : SASS_EXIT,
                                  .stall = 1,
                                  .half_passes = 2,
                                  .guard = SASS_ALWAYS,
                                  .wait = i > 0,
                                  .release_result = i < LOADS ? 0 : SASS_NO_BARRIER,
                                  .release_read = SASS_NO_BARRIER};
        none[i] = -1;
    }
}

/* Cycles that an SM takes with 64 warps, each of which runs the chain. */
static double cycles_of_chains(const struct pipeline_machine *machine)
{
    struct sass instrs[LOADS + 1];
    int none[LOADS + 1];
    bool works[LOADS + 1] = {false};
    struct code_block block = {
        .last = LOADS, .next = NO_BLOCK, .taken = NO_BLOCK, .meeting = NO_BLOCK, .call = NO_BLOCK};
    struct machine_code code = {.code = {.instrs = instrs, .count = LOADS + 1},
                                .ops = none,
                                .group = none,
                                .works = works,
                                .blocks = &block,
                                .block_count = 1};
    struct pipeline_cost costs[LOADS + 1] = {0};
    struct pipeline_warp warps[WARPS] = {{NULL}};
    struct pipeline_task task = {.code = &code,
                                 .machine = machine,
                                 .costs = costs,
                                 .warps = warps,
                                 .kinds = 1,
                                 .warps_per_block = WARPS,
                                 .resident = 1,
                                 .blocks = 1,
                                 .most_instructions = 1 << 20};
    struct pipeline_result result = {0};
    fill_chain(instrs, none);
    for (int i = 0; i < LOADS; i++)
        costs[i] = (struct pipeline_cost){
            .data_cycles = 4, .l2_bytes = 512, .memory_bytes = 512, .l2_share = 1, .memory_share = 1};
    assert_true(pipeline_run(&task, &result));
    return result.cycles;
}

/*
 * Requests of all warps wait in the queue of memory in the order in which they came. If some always came first, the
 * others would be left alone at the end, with too few loads in flight (lab 06's `wide`: 76 % of the roof, where an
 * H100 reaches 94 %).
 */
TEST(the_queue_of_memory_is_fair)
{
    const struct pipeline_machine machine = {
        .l1_latency = 34, .l2_latency = 250, .memory_latency = 650, .l2_bytes = 34, .memory_bytes = 12};
    double busy = WARPS * LOADS * 512.0 / 12, cycles = cycles_of_chains(&machine);
    assert_true(cycles >= busy && cycles < 1.05 * busy);
}

RUN_ALL
