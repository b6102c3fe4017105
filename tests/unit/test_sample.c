/* Launches of which a sample is run: what is extrapolated against what all blocks count. */
#include <math.h>

#include "test.h"
#include "exec_support.h"
#include "sim/model/sample.h"

EXEC_FIXTURE

/* p: output, q: input, t: a table. %i: the thread's number in the grid. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 t) {\n"                                     \
    ".reg .b64 %out, %in, %table, %a, %b, %c; .reg .b32 %t, %block, %i, %r<20>; .reg .pred %p<8>;\n"         \
    "ld.param.u64 %out, [p]; ld.param.u64 %in, [q]; ld.param.u64 %table, [t];\n"                             \
    "mov.u32 %t, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %r1, %ntid.x; mad.lo.u32 %i, %block, %r1, %t;\n"  \
    "mad.wide.u32 %a, %i, 4, %in; mad.wide.u32 %b, %i, 4, %out;\n"
#define TAIL "ret; }\n"

static const struct sim_dim3 threads = {64, 1, 1};
enum { BLOCKS = 6000, SAMPLE_WORK = 100000 };

static struct sim_result full;

/* Runs all blocks, leaves that in `full`, and then a sample, in e.result. */
static void launch_both(const char *ptx, unsigned blocks, size_t table_words)
{
    reopen();
    struct sim_config *config = sim_config(e.sim);
    config->hazards = false;
    config->instruction_limit = 0;
    exec_load(&e, ptx);
    const size_t bytes = (size_t)blocks * 256 + 4096;
    uint64_t args[] = {exec_buffer(&e, NULL, bytes), exec_buffer(&e, NULL, bytes),
                       exec_buffer(&e, NULL, table_words * 4)};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){blocks, 1, 1}, threads, 0, args), SIM_OK);
    full = e.result;
    assert_int_equal(full.sampled_blocks, 0);
    config->sample_work = SAMPLE_WORK;
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){blocks, 1, 1}, threads, 0, args), SIM_OK);
    assert_int_equal(e.result.counters.blocks, blocks);
    assert_int_equal(e.result.counters.launches, 1);
}

static void expect_within(uint64_t found, uint64_t expected, double part, const char *what)
{
    if (fabs((double)found - (double)expected) > part * (double)expected)
        fail_msg("%s: %llu extrapolated, %llu counted", what, (unsigned long long)found,
                 (unsigned long long)expected);
}

#define EXPECT_WITHIN(field, part) expect_within(e.result.counters.field, full.counters.field, part, #field)

static void expect_sampled(void)
{
    assert_true(e.result.sampled_blocks > 0);
    assert_true(e.result.sampled_blocks < full.counters.blocks);
}

#define SPIN_A_WHILE "mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra LOOP;\n"

EXEC_TEST(a_stream_is_exact)
{
    launch_both(HEAD SPIN_A_WHILE "ld.global.u32 %r3, [%a]; st.global.u32 [%b], %r3;\n" TAIL, BLOCKS, 8);
    expect_sampled();
    assert_true(e.result.relative_error < 1e-9);
    EXPECT_WITHIN(warp_instructions, 0);
    EXPECT_WITHIN(thread_instructions, 0);
    EXPECT_WITHIN(warps, 0);
    EXPECT_WITHIN(global_load_sectors, 0);
    EXPECT_WITHIN(global_loads, 0);
    EXPECT_WITHIN(global_load_fresh, 0.001);
    EXPECT_WITHIN(unique_sectors_read, 0.001);
    EXPECT_WITHIN(unique_sectors_written, 0.001);
    EXPECT_WITHIN(issue_cycles[COST_INT], 0);
    assert_true(fabs(e.result.seconds / full.seconds - 1) < 0.01);
    assert_string_equal(e.result.limiter, full.limiter);
}

/* Each block reads all of a table besides, and its neighbors' edges. */
EXEC_TEST(tables_and_edges_are_shared)
{
    launch_both(HEAD SPIN_A_WHILE
                "ld.global.u32 %r3, [%a]; ld.global.u32 %r4, [%a+128]; add.u32 %r3, %r3, %r4;\n"
                "mad.wide.u32 %c, %t, 4, %table; ld.global.u32 %r5, [%c]; ld.global.u32 %r6, [%c+256];\n"
                "add.u32 %r5, %r5, %r6; add.u32 %r3, %r3, %r5; st.global.u32 [%b], %r3;\n" TAIL,
                BLOCKS, 128);
    expect_sampled();
    EXPECT_WITHIN(warp_instructions, 0);
    EXPECT_WITHIN(unique_sectors_read, 0.03);
    EXPECT_WITHIN(unique_sectors_written, 0.001);
    EXPECT_WITHIN(global_load_fresh, 0.03);
}

/* Halos as large as what each block has for itself: whichever clusters are drawn, all of the input may have been read. */
EXEC_TEST(halos_are_no_missing_work)
{
    launch_both(HEAD SPIN_A_WHILE
                "ld.global.u32 %r3, [%a]; ld.global.u32 %r4, [%a+256]; ld.global.u32 %r5, [%a+512];\n"
                "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%b], %r3;\n" TAIL,
                BLOCKS, 8);
    const size_t bytes = (size_t)BLOCKS * 256 + 4096;
    uint64_t args[] = {exec_buffer(&e, NULL, bytes), exec_buffer(&e, NULL, bytes), 0};
    for (int i = 0; i < 60; i++) {
        expect_sampled();
        const struct sim_counters *c = &e.result.counters;
        const double most = (double)c->unique_sectors_read + (double)c->unsure_sectors;
        if (most < 0.99 * (double)full.counters.unique_sectors_read)
            fail_msg("launch %d: at most %.0f sectors, %llu are read", i, most,
                     (unsigned long long)full.counters.unique_sectors_read);
        assert_true(most < 1.05 * (double)full.counters.unique_sectors_read);
        assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){BLOCKS, 1, 1}, threads, 0, args), SIM_OK);
    }
}

/* A word at a random place of a table that is half as large as what all threads read: a few are never met. */
EXEC_TEST(gathers_meet_again)
{
    launch_both(HEAD SPIN_A_WHILE
                "mul.lo.u32 %r3, %i, 0x9E3779B1; xor.b32 %r4, %r3, 0x5bd1e995; mul.lo.u32 %r3, %r4, %r3;\n"
                "shr.u32 %r3, %r3, 14; mad.wide.u32 %c, %r3, 4, %table; ld.global.u32 %r5, [%c];\n"
                "st.global.u32 [%b], %r5;\n" TAIL,
                BLOCKS, 1 << 18);
    expect_sampled();
    EXPECT_WITHIN(global_load_sectors, 0.01);
    EXPECT_WITHIN(unique_sectors_read, 0.1);
}

/* A product of matrices: each block reads one of 64 panels of A and one of 64 of B. */
EXEC_TEST(panels_are_shared_by_rows_and_columns_long)
{
    launch_both(HEAD "and.b32 %r3, %block, 63; shl.b32 %r3, %r3, 8; add.u32 %r3, %r3, %t; mov.u32 %r2, 0;\n"
                     "shr.u32 %r4, %block, 6; shl.b32 %r4, %r4, 8; add.u32 %r4, %r4, %t;\n"
                     "mad.wide.u32 %c, %r3, 4, %table; mad.wide.u32 %a, %r4, 4, %in;\n"
                     "LOOP: ld.global.u32 %r5, [%c]; ld.global.u32 %r6, [%a]; add.u32 %r2, %r2, 1;\n"
                     "add.u64 %a, %a, 256; add.u64 %c, %c, 256; setp.lt.u32 %p1, %r2, 4; @%p1 bra LOOP;\n"
                     "add.u32 %r2, %r5, %r6; mov.u32 %r7, 0;\n"
                     "MORE: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2000; @%p1 bra MORE;\n"
                     "st.global.u32 [%b], %r2;\n" TAIL,
                4096, 64 * 256);
    expect_sampled();
    assert_true(e.result.sampled_blocks < 40);
    EXPECT_WITHIN(unique_sectors_read, 0.001);
    EXPECT_WITHIN(unique_sectors_written, 0.001);
}

/* All blocks read one of 16 panels each, every 16th block the same one. */
EXEC_TEST(footprints_are_no_larger_than_the_allocation)
{
    launch_both(HEAD SPIN_A_WHILE
                "and.b32 %r3, %block, 15; shl.b32 %r3, %r3, 6; add.u32 %r3, %r3, %t;\n"
                "mad.wide.u32 %c, %r3, 4, %table; ld.global.u32 %r5, [%c]; st.global.u32 [%b], %r5;\n" TAIL,
                BLOCKS, 1024);
    expect_sampled();
    EXPECT_WITHIN(unique_sectors_read, 0.001);
}

/* The last block has a thousand times the work of the others. */
EXEC_TEST(the_last_block_is_always_run)
{
    launch_both(
        HEAD "mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %block, %r3; mov.u32 %r4, 40;\n"
             "@!%p2 mov.u32 %r4, 40000; mov.u32 %r2, 0;\n"
             "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra LOOP;\n" TAIL,
        BLOCKS, 8);
    expect_sampled();
    EXPECT_WITHIN(warp_instructions, 0.001);
}

/* The later the block, the longer its loop. */
EXEC_TEST(the_error_says_how_sure_it_is)
{
    launch_both(HEAD "shr.u32 %r4, %block, 4; mov.u32 %r2, 0;\n"
                     "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra LOOP;\n" TAIL,
                BLOCKS, 8);
    expect_sampled();
    assert_true(e.result.relative_error > 0.0001 && e.result.relative_error < 0.2);
    EXPECT_WITHIN(warp_instructions, 3 * e.result.relative_error);
}

EXEC_TEST(atomics_on_one_address)
{
    launch_both(HEAD SPIN_A_WHILE "setp.ne.u32 %p2, %t, 0; @%p2 bra OTHER;\n"
                                  "red.global.add.u32 [%table], 1; bra END;\n"
                                  "OTHER: red.global.add.u32 [%b], 1; END:\n" TAIL,
                BLOCKS, 8);
    expect_sampled();
    expect_within(e.result.hottest_atomic, full.hottest_atomic, 0.01, "hottest_atomic");
    EXPECT_WITHIN(global_atomic_sectors, 0.001);
}

/* The sample is the same each time, and only large launches are sampled. */
EXEC_TEST(samples_are_drawn_the_same_way)
{
    struct sim_result first;
    static const char ptx[] = HEAD SPIN_A_WHILE "shr.u32 %r4, %block, 10; setp.lt.u32 %p2, %r4, 3;\n"
                                                "@%p2 st.global.u32 [%b], %r4;\n" TAIL;
    for (int round = 0; round < 2; round++) {
        launch_both(ptx, BLOCKS, 8);
        expect_sampled();
        if (round > 0)
            assert_memory_equal(&first.counters, &e.result.counters, sizeof first.counters);
        first = e.result;
    }
    launch_both(ptx, 100, 8);
    assert_int_equal(e.result.sampled_blocks, 0);
    assert_memory_equal(&full.counters, &e.result.counters, sizeof full.counters);
}

/* What a block cost in the launch before says nothing: this time there may be more to do. */
EXEC_TEST(a_cheap_launch_before_is_no_evidence)
{
    reopen();
    struct sim_config *config = sim_config(e.sim);
    config->hazards = false;
    config->instruction_limit = 0;
    config->sample_work = SAMPLE_WORK;
    exec_load(&e, HEAD "ld.global.u32 %r4, [%table]; mov.u32 %r2, 0;\n"
                       "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra LOOP;\n" TAIL);
    const uint32_t rounds = 1000;
    uint64_t args[] = {0, 0, exec_buffer(&e, NULL, 4)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){6000, 1, 1}, threads, 0, args), SIM_OK);
        assert_true((e.result.sampled_blocks > 0) == (i > 0));
        memcpy(exec_bytes(&e, args[2], 4), &rounds, 4);
    }
}

/* Tickets decide who does what: all blocks are run, and memory holds what it would. */
EXEC_TEST(blocks_that_depend_on_one_another_are_all_run)
{
    launch_both(HEAD SPIN_A_WHILE "setp.ne.u32 %p2, %t, 0; @%p2 bra END;\n"
                                  "atom.global.add.u32 %r5, [%table], 1;\n"
                                  "mad.wide.u32 %c, %r5, 4, %out; st.global.u32 [%c], %block; END:\n" TAIL,
                BLOCKS, 8);
    assert_int_equal(e.result.sampled_blocks, 0);
    assert_memory_equal(&full.counters, &e.result.counters, sizeof full.counters);
    launch_both(HEAD SPIN_A_WHILE "ld.volatile.global.u32 %r5, [%table]; st.global.u32 [%b], %r5;\n" TAIL,
                BLOCKS, 8);
    assert_int_equal(e.result.sampled_blocks, 0);
    launch_both(HEAD SPIN_A_WHILE "atom.global.add.u32 %r5, [%table], 1;\n" TAIL, BLOCKS, 8);
    expect_sampled(); /* no instruction looks at the result */
}

/* A block that waits for one that is not run is stopped at the limit. */
EXEC_TEST(waiting_ends)
{
    reopen();
    struct sim_config *config = sim_config(e.sim);
    config->hazards = false;
    config->instruction_limit = 3000000;
    config->sample_work = SAMPLE_WORK;
    exec_load(&e, HEAD SPIN_A_WHILE
              "mul.wide.u32 %a, %block, 4; add.u64 %a, %a, %in;\n"
              "WAIT: ld.global.u32 %r5, [%a]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 64), exec_buffer(&e, NULL, (size_t)BLOCKS * 4), 0};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){BLOCKS, 1, 1}, threads, 0, args),
                     SIM_INSTRUCTION_LIMIT);
}

EXEC_TEST(clusters_lie_where_they_may)
{
    for (uint64_t blocks = 200; blocks < 10000000; blocks = blocks * 3 + 1)
        for (uint64_t sample = 1; sample < 10000; sample *= 3) {
            struct sample_plan plan;
            uint64_t before_end = 0, begun;
            if (!sample_plan_make(&plan, blocks, 1 + sample % 100, sample, sample == 1, blocks ^ sample))
                continue;
            assert_true(plan.segments > 0 && plan.segments <= SAMPLE_SEGMENTS && plan.length > 0);
            assert_true(sample != 1 ||
                        (uint64_t)plan.segments * plan.length + 2 * plan.tail <= 6); /* dear ones */
            for (int s = 0; s < plan.segments; s++) {
                uint64_t first[SAMPLE_ROUNDS];
                begun = before_end;
                assert_true(plan.rounds > 0 && plan.rounds <= SAMPLE_ROUNDS);
                for (int r = 0; r < plan.rounds; r++) {
                    first[r] = sample_cluster_at(&plan, s, r);
                    assert_true(first[r] >= plan.head && first[r] >= begun);
                    assert_true(first[r] + plan.length <= blocks - plan.tail);
                    for (int k = 0; k < r; k++)
                        assert_true(first[r] + plan.length <= first[k] || first[k] + plan.length <= first[r]);
                }
                for (int r = 0; r < plan.rounds; r++)
                    before_end = first[r] + plan.length > before_end ? first[r] + plan.length : before_end;
            }
        }
}

EXEC_TEST(footprints)
{
    assert_true(sample_footprint(100, 100, 1000, 5000, 10) == 1000); /* nothing is shared */
    assert_true(sample_footprint(100, 100, 1000, 500, 10) == 500);
    assert_true(fabs(sample_footprint(1000, 10, 100000, 5000, 100) - 10) < 0.01); /* all share ten */
    assert_true(sample_footprint(190, 150, 64000, 1000, 12) ==
                1000); /* panels of a matrix, some of them not met */
    /* Random touches of 1000: 500 of them meet 393 different ones, 3000 meet 950. */
    assert_true(fabs(sample_footprint(500, 393.5, 3000, 5000, 20) - 950) < 5);
    /* Tiles with halos, lab 08's stage (a): two of 18 clusters happen to be neighbors. They touch all of x, 2.6 times. */
    assert_true(sample_footprint(3744, 3644, 2.6 * 524416, 524416, 18) > 0.9 * 524416);
}

RUN_ALL
