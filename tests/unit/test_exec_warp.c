/* Lanes of a warp: divergence, reconvergence, forward progress, and who takes part in shuffles, votes and the like. */
#include "test.h"
#include "exec_support.h"

static const struct sim_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

/* Kernels get the address of one word a thread and leave their result there. */
#define HEAD(name)                                                                                           \
    ".visible .entry " name "(.param .u64 p) {\n"                                                            \
    ".reg .b64 %p, %base, %q; .reg .b32 %t, %r<20>; .reg .pred %p<8>;\n"                                     \
    "ld.param.u64 %base, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 4, %base;\n"
#define TAIL "st.global.u32 [%p], %r1; ret; }\n"

EXEC_FIXTURE
static uint32_t out[32]; /* what run_warp found */

/* Runs one warp of the kernel; its 32 words are in out. */
static void run_warp(const char *ptx)
{
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, NULL, 4096)};
    if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s", e.result.message);
    memcpy(out, exec_bytes(&e, args[0], 4096), sizeof out);
}

EXEC_TEST(branches_diverge_and_meet)
{
    run_warp(
        HEAD("k") "setp.lt.u32 %p1, %t, 10; @%p1 bra LOW;\n"
                  "add.u32 %r1, %t, 100; bra.uni MEET;\n"
                  "LOW: add.u32 %r1, %t, 200;\n"
                  "MEET: activemask.b32 %r2; setp.ne.u32 %p2, %r2, -1; @%p2 add.u32 %r1, %r1, 1000;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 10 ? t + 200 : t + 100);
    assert_int_equal(e.result.counters.divergent_branches, 1);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* Lane t runs the loop t + 1 times; after it all lanes are together again. */
EXEC_TEST(loops_end_lane_by_lane)
{
    run_warp(HEAD(
        "k") "mov.u32 %r1, 0; mov.u32 %r3, 0;\n"
             "LOOP: add.u32 %r1, %r1, %t; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %t; @%p1 bra LOOP;\n"
             "activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r1, %r2, 10000, %r1;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 320000 + t * (t + 1));
}

EXEC_TEST(threads_exit_early)
{
    run_warp(HEAD("k") "setp.ge.u32 %p1, %t, 20; @%p1 exit; mov.u32 %r1, 7; bar.warp.sync -1;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 20 ? 7 : 0);
    assert_int_equal(exec_all_hazards(&e), 0);
}

EXEC_TEST(branches_through_a_table)
{
    run_warp(HEAD("k") "and.b32 %r2, %t, 3;\n"
                       "TABLE: .branchtargets A, B, C, D;\n"
                       "brx.idx %r2, TABLE;\n"
                       "A: mov.u32 %r1, 10; bra.uni END;\nB: mov.u32 %r1, 11; bra.uni END;\n"
                       "C: mov.u32 %r1, 12; bra.uni END;\nD: mov.u32 %r1, 13;\n"
                       "END: activemask.b32 %r3; setp.ne.u32 %p1, %r3, -1; @%p1 mov.u32 %r1, 99;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 10 + t % 4);
}

/* A lock taken lane by lane: the lanes that spin must let the holder go on (independent thread scheduling).
 */
EXEC_TEST(a_lock_between_lanes_makes_progress)
{
    run_warp(HEAD("k") "TAKE: atom.global.cas.b32 %r2, [%base+2048], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra "
                       "TAKE;\n"
                       "ld.volatile.global.u32 %r1, [%base+2052]; add.u32 %r3, %r1, 1;\n"
                       "st.volatile.global.u32 [%base+2052], %r3; membar.gl;\n"
                       "atom.global.exch.b32 %r4, [%base+2048], 0;\n" TAIL);
    uint32_t seen = 0;
    for (uint32_t t = 0; t < 32; t++)
        seen |= 1u << out[t];
    assert_int_equal(seen, 0xffffffff);
}

/* Lane 0 waits for a flag that lane 31 sets, and stands before it in the code. */
EXEC_TEST(a_waiting_lane_does_not_stop_the_others)
{
    run_warp(
        HEAD("k") "mov.u32 %r1, 5; setp.eq.u32 %p1, %t, 31; @%p1 bra SET;\n"
                  "WAIT: ld.volatile.global.u32 %r1, [%base+2048]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;\n"
                  "bra.uni END;\n"
                  "SET: st.volatile.global.u32 [%base+2048], 9;\n"
                  "END:\n" TAIL);
    assert_int_equal(out[0], 9);
    assert_int_equal(out[31], 5);
}

/* ---- collectives --------------------------------------------------------------------------------------- */

/* Two halves of the warp shuffle in different branches, each with the mask of its own lanes. */
EXEC_TEST(halves_shuffle_apart)
{
    run_warp(HEAD("k") "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
                       "shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffff0000; bra.uni END;\n"
                       "LOW: shfl.sync.bfly.b32 %r1, %t, 2, 31, 0x0000ffff;\n"
                       "END:\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 16 ? t ^ 2 : t ^ 1);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* With one mask for all they exchange values, each with its own registers, of the same number or not. */
EXEC_TEST(branches_have_their_own_operands)
{
    run_warp(HEAD("k") "mov.u32 %r4, 7; mov.u32 %r1, 0; setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
                       "add.u32 %r4, %t, 500; mov.u32 %r5, 4; shfl.sync.idx.b32 %r1|%p2, %r4, %r5, 31, -1;\n"
                       "setp.gt.u32 %p3, %t, 29; vote.sync.ballot.b32 %r6, !%p3, -1; bra.uni END;\n"
                       "LOW: mov.u32 %r5, 31; shfl.sync.idx.b32 %r6|%p2, %t, %r5, 31, -1; mov.u32 %r1, %r6;\n"
                       "setp.gt.u32 %p3, %t, 1; vote.sync.ballot.b32 %r6, %p3, -1;\n"
                       "END: @!%p2 add.u32 %r1, %r1, 5000; mad.lo.u32 %r1, %r4, 10000, %r1;\n"
                       "xor.b32 %r6, %r6, 0x3ffffffc; add.u32 %r1, %r1, %r6;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 16 ? 70000 + 531 : 10000 * (t + 500) + 4);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* Lanes that come late: the shuffle behind a branch waits for all that its mask names. */
EXEC_TEST(collectives_wait_for_the_lanes_that_they_name)
{
    run_warp(HEAD("k") "mov.u32 %r2, %t; setp.ge.u32 %p1, %t, 8; @%p1 bra MEET;\n"
                       "add.u32 %r2, %r2, 500;\n"
                       "MEET: vote.sync.ballot.b32 %r1, %p1, -1;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 0xffffff00);
}

/* One leader for each mask, the same one every time; lanes with one mask wait for each other. */
EXEC_TEST(elects_a_leader)
{
    run_warp(HEAD("k") "setp.lt.u32 %p1, %t, 7; mov.b32 %r3, 0xffffff80; @%p1 mov.b32 %r3, 0x7f;\n"
                       "elect.sync %r1|%p2, %r3; @%p2 add.u32 %r1, %r1, 100;\n"
                       "elect.sync _|%p3, -1; @%p3 add.u32 %r1, %r1, 1000;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], (t < 7 ? 0 : 7) + (t == 0 || t == 7 ? 100 : 0) + (t == 0 ? 1000 : 0));
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* A cluster is one block. */
EXEC_TEST(a_block_is_its_own_cluster)
{
    run_warp(
        HEAD("k") "mov.u32 %r1, %cluster_ctaid.x; mov.u32 %r2, %cluster_nctaid.y; add.u32 %r1, %r1, %r2;\n"
                  "mov.u32 %r2, %cluster_nctarank; add.u32 %r1, %r1, %r2; mov.u32 %r2, %cluster_ctarank;\n"
                  "add.u32 %r1, %r1, %r2; mov.u32 %r2, %nclusterid.x; add.u32 %r1, %r1, %r2;\n"
                  "mov.u32 %r2, %clusterid.x; add.u32 %r1, %r1, %r2;\n"
                  "mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r1, %r1, 100;\n"
                  "mov.u64 %q, %gridid; cvt.u32.u64 %r2, %q; mov.u32 %r3, %gridid; sub.u32 %r2, %r2, %r3;\n"
                  "add.u32 %r1, %r1, %r2;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 3);
}

EXEC_TEST(a_block_reaches_itself_as_its_cluster)
{
    run_warp(HEAD("k") ".shared .b32 s[32]; shl.b32 %r2, %t, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;\n"
                       "mapa.shared::cluster.u32 %r3, %r2, 0; st.shared::cluster.u32 [%r3], %t;\n"
                       "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r1, [%r2];\n"
                       "getctarank.shared::cluster.u32 %r2, %r3; add.u32 %r1, %r1, %r2;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* cg::tiled_partition<16>: one instruction, two masks. */
EXEC_TEST(tiles_act_apart_in_one_instruction)
{
    run_warp(HEAD("k") "setp.lt.u32 %p1, %t, 16; selp.b32 %r2, 0xffff, 0xffff0000, %p1;\n"
                       "redux.sync.add.u32 %r1, %t, %r2;\n" TAIL);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t < 16 ? 120 : 376);
    assert_int_equal(exec_all_hazards(&e), 0);
}

EXEC_TEST(two_syncwarps_may_meet)
{
    run_warp(HEAD("k") "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
                       "bar.warp.sync -1; mov.u32 %r1, 1; bra.uni END;\n"
                       "LOW: bar.warp.sync -1; mov.u32 %r1, 2;\n"
                       "END:\n" TAIL);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[31], 1);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* ---- wrong masks --------------------------------------------------------------------------------------- */

/* A lane that its mask does not name hears the result of the others. */
EXEC_TEST(votes_of_lanes_in_the_mask_count)
{
    run_warp(HEAD("k") "setp.ne.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 0;\n"
                       "vote.sync.all.pred %p3, %p1, 0xfffffffe; vote.sync.any.pred %p4, %p2, 0xfffffffe;\n"
                       "vote.sync.ballot.b32 %r2, %p2, 0xfffffffe;\n"
                       "selp.u32 %r1, 1, 0, %p3; @%p4 add.u32 %r1, %r1, 2; add.u32 %r1, %r1, %r2;\n" TAIL);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 1);
    assert_true(exec_hazards(&e, SIM_HAZARD_WARP_MASK) >= 1);
}

/* `call`: as CUDA C++ has it. */
static void expect_mask_hazard(const char *ptx, const char *call)
{
    const struct sim_hazard *hazards;
    run_warp(ptx);
    assert_true(exec_hazards(&e, SIM_HAZARD_WARP_MASK) >= 1);
    sim_hazards(e.sim, &hazards);
    assert_int_equal(hazards[0].here.line, 42);
    assert_non_null(strstr(hazards[0].message, call));
}

EXEC_TEST(reports_wrong_masks)
{
    /* A lane that is not in its own mask. */
    expect_mask_hazard(HEAD("k") ".loc 1 42 0\nshfl.sync.idx.b32 %r1, %t, 0, 31, 0xffff;\n" TAIL,
                       "__shfl_sync()");
    /* Lanes at two shuffles of different kinds, each of which names all lanes. */
    expect_mask_hazard(HEAD("k") "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n.loc 1 42 0\n"
                                 "shfl.sync.bfly.b32 %r1, %t, 1, 31, -1; bra.uni END;\n"
                                 ".loc 1 42 0\nLOW: shfl.sync.down.b32 %r1, %t, 2, 31, -1;\nEND:\n" TAIL,
                       "__shfl_");
    /* The source lane has left. */
    expect_mask_hazard(
        HEAD("k") "setp.lt.u32 %p1, %t, 4; @%p1 exit;\n.loc 1 42 0\n"
                  "shfl.sync.idx.b32 %r1, %t, 2, 31, -1;\n" TAIL,
        "it reads lane 2, which does not execute this call: the value is undefined. The lanes that "
        "execute it: 4-31");
    /* The mask names the lanes of the branch, and the source is none of them. */
    expect_mask_hazard(
        HEAD("k") "setp.lt.u32 %p1, %t, 16; @%p1 bra END;\n.loc 1 42 0\n"
                  "shfl.sync.idx.b32 %r1, %t, 2, 31, 0xffff0000;\nEND:\n" TAIL,
        "it reads lane 2, which does not execute this call: the value is undefined. The lanes that execute it: 16-31");
}

RUN_ALL
