/* cp.async and mbarrier: what has arrived when, and who waits for whom. */
#include "test.h"
#include "exec_support.h"

/* in: word i is i; out: one word a thread. %a: the thread's word in shared memory, %x its neighbor's. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %a, %x, %r<20>; .reg .pred %p<8>;\n"                         \
    ".shared .align 16 .b8 s[4096]; .shared .align 8 .b64 bar;\n"                                            \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 4, %in;\n"  \
    "mad.wide.u32 %out, %t, 4, %out; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; mov.u32 %x, s; xor.b32 %r1, "  \
    "%t, 1;\n"                                                                                               \
    "mad.lo.u32 %x, %r1, 4, %x;\n"
#define TAIL "st.global.u32 [%out], %r1; ret; }\n"

TEST(copies_arrive_when_waited_for)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(
        exec_numbers(&e,
                     HEAD "cp.async.ca.shared.global [%a], [%in], 4;\ncp.async.commit_group;\n"
                          "cp.async.ca.shared.global [%a+1024], [%in+1024], 4;\ncp.async.commit_group;\n"
                          "cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r1, [%x];\n"
                          "cp.async.wait_all; bar.sync 0; ld.shared.u32 %r2, [%x+1024]; mad.lo.u32 %r1, "
                          "%r2, 1000, %r1;\n" TAIL,
                     256, out),
        SIM_OK);
    for (uint32_t t = 0; t < 256; t++)
        assert_int_equal(out[t], ((t ^ 1) + 256) * 1000 + (t ^ 1));
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

/* Reading before the wait finds what was there before; that is a race with the lane's own copy, and only that. */
TEST(reading_before_the_wait_is_noticed)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(exec_numbers(&e,
                                  HEAD "cp.async.ca.shared.global [%a], [%in], 4;\ncp.async.commit_group;\n"
                                       "ld.shared.u32 %r1, [%a]; cp.async.wait_group 0;\n" TAIL,
                                  32, out),
                     SIM_OK);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], 0xa5a5a5a5);
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_RACE_SHARED), 1);
    assert_int_equal(exec_all_hazards(&e), 1);
    exec_close(&e);
}

TEST(the_rest_is_filled_with_zeros)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(
        exec_numbers(
            &e,
            HEAD
            "mul.lo.u32 %r2, %t, 4; add.u32 %r3, %a, %r2; add.u32 %r3, %r3, %r2; add.u32 %r3, %r3, %r2;\n"
            "ld.param.u64 %in, [in]; mad.wide.u32 %in, %t, 16, %in; min.u32 %r4, %r2, 16;\n"
            "cp.async.cg.shared.global.L2::128B [%r3], [%in], 16, %r4;\n"
            "cp.async.wait_all; ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];\n"
            "shl.b32 %r8, %r8, 24; shl.b32 %r7, %r7, 16; shl.b32 %r6, %r6, 8; or.b32 %r1, %r5, %r6;\n"
            "or.b32 %r1, %r1, %r7; or.b32 %r1, %r1, %r8;\n" TAIL,
            8, out),
        SIM_OK);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0x00000004);
    assert_int_equal(out[2], 0x00000908);
    assert_int_equal(out[4], 0x13121110);
    exec_close(&e);
}

/* A warp copies 16 bytes a lane from an odd multiple of 16 bytes on. `operands`: behind the size. */
static void expect_counts(const char *operands, int requests, int sectors, int wavefronts)
{
    struct exec e;
    uint32_t out[256];
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s%s%s",
             HEAD "mul.lo.u32 %r2, %t, 12; add.u32 %r3, %a, %r2; mov.u32 %r1, 0;\n"
                  "ld.param.u64 %in, [in]; mad.wide.u32 %in, %t, 16, %in;\n"
                  "setp.gt.u32 %p1, %t, 7; selp.u32 %r4, 0, 16, %p1;\n"
                  "cp.async.cg.shared.global [%r3], [%in+16], 16",
             operands, "; cp.async.wait_all;\n" TAIL);
    assert_int_equal(exec_numbers(&e, ptx, 32, out), SIM_OK);
    assert_int_equal(e.result.counters.global_load_requests, requests);
    assert_int_equal(e.result.counters.global_load_sectors, sectors);
    assert_int_equal(e.result.counters.shared_store_requests, 1);
    assert_int_equal(e.result.counters.shared_store_wavefronts, wavefronts);
    exec_close(&e);
}

/* As Nsight Compute counts it on an H100. */
TEST(what_is_read_decides_what_it_costs)
{
    expect_counts("", 1, 20, 12);
    expect_counts(", 16", 1, 20, 12);    /* a constant that leaves nothing to fill */
    expect_counts(", %r4", 1, 5, 4);     /* lanes 0 to 7 read, the others write zeros */
    expect_counts(", 16, %p1", 1, 5, 4); /* the same by a predicate */
    expect_counts(", 16, !%p1", 1, 15, 4);
}

/* Two warps meet three times at an mbarrier; each reads what the other wrote. */
#define MEETING(test)                                                                                        \
    HEAD "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mov.u32 %r3, 0; "     \
         "mov.u32 %r1, 0; mov.u32 %r8, 0;\n"                                                                 \
         "mov.u32 %r6, s; xor.b32 %r7, %t, 32; mad.lo.u32 %r6, %r7, 4, %r6;\n"                               \
         "AGAIN: add.u32 %r4, %r3, %t; st.shared.u32 [%a], %r4; mbarrier.arrive.shared.b64 %rd1, [bar];\n"   \
         "and.b32 %r9, %r8, 1; WAIT: " test " @!%p2 bra WAIT; add.u32 %r8, %r8, 1;\n"                        \
         "ld.shared.u32 %r5, [%r6]; add.u32 %r1, %r1, %r5; mbarrier.arrive.shared.b64 %rd1, [bar];\n"        \
         "and.b32 %r9, %r8, 1; WAIT2: " test " @!%p2 bra WAIT2; add.u32 %r8, %r8, 1;\n"                      \
         "add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 3; @%p3 bra AGAIN;\n" TAIL

TEST(threads_meet_at_mbarriers)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(exec_numbers(&e, MEETING("mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;"), 64, out),
                     SIM_OK);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(out[t], 3 * (t ^ 32) + 3);
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

TEST(mbarriers_are_awaited_by_parity)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(
        exec_numbers(&e, MEETING("mbarrier.test_wait.parity.shared.b64 %p2, [bar], %r9;"), 64, out), SIM_OK);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(out[t], 3 * (t ^ 32) + 3);
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

/*
 * An arrival when the copies are done: with .noinc it counts, so that 64 of them let everybody pass; without, it does
 * not.
 */
#define COPIES_ARRIVE(arrive)                                                                                \
    HEAD "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mov.u32 %r9, 0;\n"    \
         "cp.async.ca.shared.global [%a], [%in], 4;\n" arrive                                                \
         "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [bar], %r9; @!%p2 bra WAIT;\n"                     \
         "ld.shared.u32 %r1, [%x];\n" TAIL

TEST(copies_arrive_at_mbarriers)
{
    static const char *const programs[] = {
        COPIES_ARRIVE("cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"),
        COPIES_ARRIVE("cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 %rd1, [bar];\n"),
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct exec e;
        uint32_t out[256];
        assert_int_equal(exec_numbers(&e, programs[i], 64, out), SIM_OK);
        for (uint32_t t = 0; t < 64; t++)
            assert_int_equal(out[t], t ^ 1);
        assert_int_equal(exec_all_hazards(&e), 0);
        exec_close(&e);
    }
}

TEST(too_many_arrivals_are_a_fault)
{
    struct exec e;
    uint32_t out[256];
    assert_int_equal(
        exec_numbers(
            &e,
            HEAD "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 8; bar.warp.sync -1;\n"
                 ".loc 1 9 0\nmbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 3; mov.u32 %r1, 0;\n" TAIL,
            32, out),
        SIM_TRAP);
    assert_non_null(strstr(e.result.message, "t.cu:9"));
    exec_close(&e);
}

RUN_ALL
