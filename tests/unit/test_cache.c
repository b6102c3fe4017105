/* What L1 makes of the requests of the blocks watched: lines, tags, misses and hits on lines that are on their way. */
#include "test.h"
#include "sim/model/cache.h"

enum { BLOCKS = 2, MOST = 64 };

static struct trace_warp warps[BLOCKS];
static struct trace_block blocks[BLOCKS];
static trace_touch touches[BLOCKS][MOST];
static struct op_count counts[BLOCKS];
static struct trace_banks banks[BLOCKS];
static struct trace trace;

/* So many blocks of one warp and one operation, which have touched nothing yet. */
static void begin(int block_count)
{
    memset(warps, 0, sizeof warps);
    memset(banks, 0, sizeof banks);
    trace = (struct trace){
        .count = block_count, .at_once = block_count, .warps = 1, .operations = 1, .blocks = blocks};
    for (int i = 0; i < BLOCKS; i++) {
        warps[i].touches = touches[i];
        blocks[i] = (struct trace_block){
            .trace = &trace, .warps = &warps[i], .counts = &counts[i], .banks = &banks[i], .run = true};
    }
}

/* A load of the whole line; `goes_on`: by the same request as the one before. */
static void touch(int block, uint64_t line, bool goes_on)
{
    touches[block][warps[block].count++] = line | UINT64_C(15) << 42 | (uint64_t)goes_on << 62;
}

static struct cache_counts run(unsigned waves)
{
    struct cache_counts c = {0};
    assert_true(cache_run(&trace, 64 * 1024, waves, &c));
    return c;
}

/* Lanes 0 to 15 and 16 to 31 on the same 16 rows, as of a naive product of matrices: 16 lines, not 32. */
TEST(test_a_line_counts_once)
{
    begin(1);
    for (uint64_t i = 0; i < 32; i++)
        touch(0, i % 16 * 24, i > 0);
    struct cache_counts c = run(1);
    assert_int_equal(c.requests, 1);
    assert_int_equal(c.lines, 16);
    assert_int_equal(c.tags, 16); /* 24 lines apart: all in one quarter of the tags */
}

TEST(test_neighboring_lines_are_looked_up_together)
{
    begin(1);
    for (uint64_t i = 0; i < 8; i++)
        touch(0, 100 + i, i > 0);
    assert_int_equal(run(1).tags, 2);
}

/* Two warps want one line at the same time: one misses, the other waits as long. */
TEST(test_hits_on_lines_on_their_way_are_late)
{
    begin(2);
    touch(0, 7, false);
    touch(1, 7, false);
    touch(1, 7, false);
    struct cache_counts c = run(1);
    assert_int_equal(c.requests, 3);
    assert_int_equal(c.missed_requests, 1);
    assert_int_equal(c.late_requests, 1);
}

/* What all blocks read is there when the next wave comes; what one of them reads is not. */
TEST(test_common_lines_miss_once)
{
    begin(2);
    for (uint64_t i = 0; i < 20; i++)
        for (int block = 0; block < 2; block++) {
            touch(block, i, false);
            touch(block, 1000 + 100 * (uint64_t)block + i, false);
        }
    struct cache_counts once = run(1), often = run(10);
    assert_int_equal(once.missed_requests, 60);
    assert_in_range(often.missed_requests, 40, 44);
    assert_in_range(often.late_requests, 0, 4);
}

/* Stores of `lines` lines, so many times; the sectors that reach L2. */
static uint64_t stored(uint64_t lines, int times, bool load_between)
{
    begin(1);
    for (int k = 0; k < times; k++) {
        for (uint64_t i = 0; i < lines; i++) {
            touch(0, i, i > 0);
            touches[0][warps[0].count - 1] |= (trace_touch)TRACE_STORE << 60;
        }
        if (load_between)
            touch(0, 100, false);
    }
    return run(1).missed_sectors - (load_between ? 4 : 0);
}

/* As bench/stores.cu measured it: 3 x 4, 4 x 4 and 2 x 16 bytes of each lane, and 4 x 4 with a load between. */
TEST(test_stores_that_follow_each_other_are_joined)
{
    assert_int_equal(stored(3, 3, false), 3 * 4);
    assert_int_equal(stored(4, 4, false), 2 * 4 * 4);
    assert_int_equal(stored(8, 2, false), 2 * 8 * 4);
    assert_int_equal(stored(4, 4, true), 4 * 4 * 4);
}

RUN_ALL
