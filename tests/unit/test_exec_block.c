/* Barriers of a block, with numbers, counts and reductions; what happens when threads do not meet. */
#include "test.h"
#include "exec_support.h"

EXEC_FIXTURE

static const struct sim_dim3 one = {1, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 p) {\n"                                                                   \
    ".reg .b64 %p, %base, %q; .reg .b32 %t, %w, %r<20>; .reg .pred %p<8>;\n.shared .align 4 .b8 s[4096];\n"  \
    "ld.param.u64 %base, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 4, %base; shr.u32 %w, %t, 5;\n"
#define TAIL "st.global.u32 [%p], %r1; ret; }\n"

static enum sim_status run_block(const char *ptx, unsigned threads, uint32_t *out)
{
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, NULL, 4096)};
    enum sim_status status = exec_launch(&e, "k", one, (struct sim_dim3){threads, 1, 1}, 0, args);
    if (out)
        memcpy(out, exec_bytes(&e, args[0], 4096), 4096);
    return status;
}

EXEC_TEST(barriers_separate_phases)
{
    uint32_t out[1024];
    /* Each thread reads what the thread 200 - 1 - t wrote; twice. */
    assert_int_equal(
        run_block(HEAD "mov.u32 %r2, s; shl.b32 %r3, %t, 2; add.u32 %r3, %r3, %r2; sub.u32 %r4, 199, %t;\n"
                       "shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2; st.shared.u32 [%r3], %t; bar.sync 0;\n"
                       "ld.shared.u32 %r1, [%r4]; barrier.sync.aligned 0; st.shared.u32 [%r3], %r1;\n"
                       "barrier.cta.sync 0; ld.shared.u32 %r5, [%r4]; mad.lo.u32 %r1, %r5, 1000, %r1;\n" TAIL,
                  200, out),
        SIM_OK);
    for (uint32_t t = 0; t < 200; t++)
        assert_int_equal(out[t], t * 1000 + 199 - t);
    assert_int_equal(exec_all_hazards(&e), 0);
    assert_int_equal(e.result.counters.block_barriers, 3 * 7);
}

EXEC_TEST(barriers_reduce)
{
    uint32_t out[1024];
    assert_int_equal(
        run_block(HEAD
                  "setp.lt.u32 %p1, %t, 70; setp.ge.u32 %p2, %t, 0; bar.red.popc.u32 %r1, 0, %p1;\n"
                  "bar.red.and.pred %p3, 0, %p1; bar.red.or.pred %p4, 0, %p1; bar.red.and.pred %p5, 0, %p2;\n"
                  "barrier.cta.red.popc.aligned.u32 %r5, 1, !%p1; mad.lo.u32 %r1, %r5, 10000, %r1;\n"
                  "selp.u32 %r2, 1000, 0, %p3; selp.u32 %r3, 2000, 0, %p4; selp.u32 %r4, 4000, 0, %p5;\n"
                  "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;\n" TAIL,
                  100, out),
        SIM_OK);
    for (uint32_t t = 0; t < 100; t++)
        assert_int_equal(out[t], 300000 + 6070);
}

/* Warp 0 produces, warp 1 consumes, through two named barriers of 64 threads; warps 2 and 3 do not take part.
 */
EXEC_TEST(producers_arrive_and_consumers_wait)
{
    uint32_t out[1024];
    assert_int_equal(
        run_block(
            HEAD
            "mov.u32 %r1, 0; mov.u32 %r2, s; and.b32 %r3, %t, 31; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, "
            "%r2;\n"
            "setp.eq.u32 %p1, %w, 0; setp.eq.u32 %p2, %w, 1; mov.u32 %r5, 0; @%p1 bra PRODUCE; @%p2 bra "
            "CONSUME; bra.uni END;\n"
            "PRODUCE: add.u32 %r6, %r5, %t; st.shared.u32 [%r3], %r6; bar.arrive 1, 64; bar.sync 2, 64;\n"
            "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 5; @%p3 bra PRODUCE; bra.uni END;\n"
            "CONSUME: bar.sync 1, 64; ld.shared.u32 %r6, [%r3]; add.u32 %r1, %r1, %r6; bar.arrive 2, 64;\n"
            "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 5; @%p3 bra CONSUME;\n"
            "END:\n" TAIL,
            128, out),
        SIM_OK);
    for (uint32_t t = 0; t < 128; t++)
        assert_int_equal(out[t], t / 32 == 1 ? 5 * (t - 32) + 10 : 0);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* The real machine goes on when some threads have ended; students should know all the same. */
EXEC_TEST(reports_threads_that_ended_before_a_barrier)
{
    uint32_t out[1024];
    const struct sim_hazard *hazards;
    assert_int_equal(
        run_block(HEAD "setp.ge.u32 %p1, %t, 50; @%p1 ret;\n.loc 1 33 0\nbar.sync 0; mov.u32 %r1, 1;\n" TAIL,
                  100, out),
        SIM_OK);
    assert_int_equal(out[49], 1);
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_BARRIER), 1);
    sim_hazards(e.sim, &hazards);
    assert_int_equal(hazards[0].here.line, 33);
    assert_non_null(strstr(hazards[0].message, "thread (50,0,0) of block (0,0,0)"));
}

EXEC_TEST(says_nothing_when_threads_end_after_the_last_barrier)
{
    assert_int_equal(
        run_block(HEAD "bar.sync 0; mov.u32 %r1, 1; setp.ge.u32 %p1, %t, 50; @%p1 ret;\n" TAIL, 100, NULL),
        SIM_OK);
    assert_int_equal(exec_all_hazards(&e), 0);
}

EXEC_TEST(reports_threads_at_different_barriers)
{
    const struct sim_hazard *hazards;
    assert_int_equal(
        run_block(
            HEAD
            "setp.lt.u32 %p1, %t, 32; @%p1 bra LOW;\n.loc 1 20 0\nbar.sync 0; mov.u32 %r1, 1; bra.uni END;\n"
            ".loc 1 21 0\nLOW: bar.sync 0; mov.u32 %r1, 2;\nEND:\n" TAIL,
            64, NULL),
        SIM_OK);
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_BARRIER), 1);
    sim_hazards(e.sim, &hazards);
    assert_int_equal(hazards[0].here.line + hazards[0].there.line, 41);
    /* The same inside one warp. */
    assert_int_equal(
        run_block(
            HEAD
            "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n.loc 1 20 0\nbar.sync 0; mov.u32 %r1, 1; bra.uni END;\n"
            ".loc 1 21 0\nLOW: bar.sync 0; mov.u32 %r1, 2;\nEND:\n" TAIL,
            64, NULL),
        SIM_OK);
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_BARRIER), 1);
}

EXEC_TEST(recognises_deadlocks)
{
    /* Warp 0 waits at barrier 1 for everybody, warp 1 at barrier 2. */
    assert_int_equal(run_block(HEAD ".loc 1 20 0\nsetp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1;\n@!%p1 bar.sync "
                                    "2; mov.u32 %r1, 0;\n" TAIL,
                               64, NULL),
                     SIM_DEADLOCK);
    assert_non_null(strstr(e.result.message, "t.cu:20"));
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_DEADLOCK), 1);
    /* Half a warp waits for the block, the other half for the warp. */
    assert_int_equal(
        run_block(HEAD "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\nbar.sync 0; mov.u32 %r1, 1; bra.uni END;\n"
                       "LOW: bar.warp.sync -1; bar.sync 0; mov.u32 %r1, 2;\nEND:\n" TAIL,
                  64, NULL),
        SIM_DEADLOCK);
    /* A count that is never reached. */
    assert_int_equal(run_block(HEAD "bar.sync 3, 96; mov.u32 %r1, 0;\n" TAIL, 64, NULL), SIM_DEADLOCK);
}

/* The one hazard of the kernel: its place, and words of its message. */
static void expect_report(const char *ptx, unsigned threads, int line, const char *const *words)
{
    const struct sim_hazard *hazards;
    run_block(ptx, threads, NULL);
    assert_int_equal(sim_hazards(e.sim, &hazards), 1);
    assert_int_equal(hazards[0].here.line, line);
    assert_true(hazards[0].parts_threads);
    for (; *words; words++)
        if (!strstr(hazards[0].message, *words))
            fail_msg("not said: %s, but: %s", *words, hazards[0].message);
}

/* Which wait is the cause: the barrier in the branch, not the ones behind it, where most threads are. */
EXEC_TEST(blames_the_barrier_that_others_went_past)
{
    /* Thread 0 at a barrier in a branch; its warp at a shuffle behind it, the other warps at the next barrier. */
    expect_report(HEAD ".loc 1 18 0\nsetp.ne.u32 %p1, %t, 0; @%p1 bra PAST;\n.loc 1 20 0\nbar.sync 0;\n"
                       "PAST:\n.loc 1 30 0\nshfl.sync.down.b32 %r1, %t, 1, 31, -1;\n.loc 1 31 0\nbar.sync "
                       "0;\n" TAIL,
                  96, 20,
                  (const char *const[]){"only 1 of the 96 threads", "t.cu:20", "The condition at t.cu:18",
                                        "t.cu:30", NULL});
    /* A trap on the way, as grid.sync() has one where the launch is not cooperative, is no way around what follows. */
    expect_report(
        HEAD ".loc 1 18 0\nsetp.ne.u32 %p1, %t, 0; @%p1 bra PAST;\nsetp.eq.u32 %p2, %t, 77; @!%p2 bra GOOD;\n"
             "trap;\nGOOD:\n.loc 1 20 0\nbar.sync 0;\nPAST:\n.loc 1 30 0\nshfl.sync.down.b32 %r1, %t, "
             "1, 31, -1;\n.loc 1 31 0\nbar.sync 0;\n" TAIL,
        96, 20, (const char *const[]){"only 1 of the 96 threads", "The condition at t.cu:18", NULL});
    /* Half of the block in the branch, by whole warps: both barriers, the one in the branch first. */
    expect_report(
        HEAD ".loc 1 18 0\nsetp.ge.u32 %p1, %t, 32; @%p1 bra PAST;\n.loc 1 20 0\nbar.sync 0;\n"
             "PAST: mov.u32 %r1, 1;\n.loc 1 30 0\nbar.sync 0;\n" TAIL,
        96, 20,
        (const char *const[]){"32 of them at t.cu:20", "64 at t.cu:30", "The condition at t.cu:18", NULL});
    /* Threads that leave early, by a branch and by a guarded ret. */
    expect_report(HEAD ".loc 1 18 0\nsetp.ge.u32 %p1, %t, 50; @%p1 bra END;\n.loc 1 20 0\nbar.sync 0;\n"
                       "mov.u32 %r1, 1; st.global.u32 [%p], %r1;\nEND: ret; }\n",
                  96, 20, (const char *const[]){"46 of the 96 threads", "The condition at t.cu:18", NULL});
    expect_report(
        HEAD
        "setp.ge.u32 %p1, %t, 50;\n.loc 1 19 0\n@%p1 ret;\n.loc 1 20 0\nbar.sync 0; mov.u32 %r1, 1;\n" TAIL,
        96, 20, (const char *const[]){"46 of the 96 threads", "The condition at t.cu:19", NULL});
    /* The inner condition holds for all: the outer one decides. */
    expect_report(
        HEAD
        ".loc 1 17 0\nsetp.ge.u32 %p1, %t, 32; @%p1 bra PAST;\n.loc 1 18 0\nsetp.gt.u32 %p2, %t, 1000; "
        "@%p2 bra PAST;\n.loc 1 20 0\nbar.sync 0;\nPAST: mov.u32 %r1, 1;\n.loc 1 30 0\nbar.sync 0;\n" TAIL,
        96, 20, (const char *const[]){"The condition at t.cu:17", NULL});
}

EXEC_TEST(refuses_barriers_that_do_not_exist)
{
    assert_int_equal(run_block(HEAD "bar.sync 16; mov.u32 %r1, 0;\n" TAIL, 64, NULL), SIM_TRAP);
    assert_int_equal(run_block(HEAD "bar.sync 1, 40; mov.u32 %r1, 0;\n" TAIL, 64, NULL), SIM_TRAP);
}

/* Warp 1 spins on a flag in shared memory that warp 0 sets; and the other way round. */
EXEC_TEST(warps_that_spin_let_others_run)
{
    uint32_t out[1024];
    assert_int_equal(run_block(HEAD
                               "setp.ne.u32 %p1, %t, 0; @%p1 bra READY; st.volatile.shared.u32 [s], 0; "
                               "st.volatile.shared.u32 [s+4], 0;\n"
                               "READY: bar.sync 0; setp.eq.u32 %p1, %w, 1; @%p1 bra SECOND;\n"
                               "A: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p2, %r1, 0; @%p2 bra A;\n"
                               "st.volatile.shared.u32 [s+4], 8; bra.uni END;\n"
                               "SECOND: st.volatile.shared.u32 [s], 7;\n"
                               "B: ld.volatile.shared.u32 %r1, [s+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra B;\n"
                               "END:\n" TAIL,
                               64, out),
                     SIM_OK);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[63], 8);
}

RUN_ALL
