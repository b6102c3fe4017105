/* What did not happen: which thread's turn it would have been, and what kept it away. */
#include "test.h"
#include "exec_support.h"
#include "sim/origin/origin.h"

static const struct sim_dim3 one = {1, 1, 1}, two = {2, 1, 1}, warp = {32, 1, 1}, four = {4, 1, 1},
                             eight = {8, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %b, %r<20>; .reg .pred %p<8>;\n"                             \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"          \
    "mul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;\n"
#define TAIL "done:\nret; }\n"

struct fixture {
    struct exec e;
    sim_addr in, out;
    struct sim_origin_absence absence;
};

/* Runs the kernel over 64 inputs and outputs, recorded. */
static void run(struct fixture *f, const char *ptx, struct sim_dim3 grid, struct sim_dim3 block)
{
    exec_open(&f->e);
    exec_load(&f->e, ptx);
    uint32_t in[64];
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i;
    f->in = exec_buffer(&f->e, in, sizeof in);
    f->out = exec_buffer(&f->e, NULL, sizeof in);
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
    uint64_t args[] = {f->in, f->out};
    if (exec_launch(&f->e, "k", grid, block, 0, args) != SIM_OK)
        fail_msg("%s", f->e.result.message);
}

static const struct sim_origin_absence *ask(struct fixture *f, int element, bool store)
{
    const sim_addr first = store ? f->out : f->in;
    sim_origin_absent(f->e.sim, first, 256, first + 4 * (uint64_t)element, 4, store, &f->absence);
    return &f->absence;
}

TEST(names_no_condition_for_the_next_thread)
{
    struct fixture f;
    run(&f, /* thread 5 need not be the one that should store it: of a block's sum it never is */
        HEAD
        ".loc 1 4 1\nsetp.gt.u32 %p1, %t, 4; @%p1 bra done;\n.loc 1 5 1\nst.global.u32 [%rd3], %t;\n" TAIL,
        one, warp);
    const struct sim_origin_absence *a = ask(&f, 5, true);
    assert_int_equal(a->why, SIM_ORIGIN_ELSEWHERE);
    assert_int_equal(a->place.line, 5);
    assert_int_equal(a->guard.line, 0);
    assert_int_equal(a->near.thread.x, 4);
    assert_int_equal(ask(&f, 3, true)->why, SIM_ORIGIN_DONE);
    exec_close(&f.e);
}

TEST(tells_that_no_kernel_stores)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd2];\n" TAIL, one, warp);
    assert_int_equal(ask(&f, 0, true)->why, SIM_ORIGIN_WHY_UNKNOWN);
    assert_int_equal(ask(&f, 40, false)->why, SIM_ORIGIN_NO_THREAD);
    exec_close(&f.e);
}

TEST(tells_that_no_thread_is_left_or_where_the_next_one_went)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n" TAIL, two, warp);
    assert_int_equal(ask(&f, 32, true)->why,
                     SIM_ORIGIN_ELSEWHERE); /* the second block stores what the first one did */
    exec_close(&f.e);
    run(&f,
        HEAD
        "setp.eq.u32 %p1, %b, 1; @%p1 bra done; ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n" TAIL,
        two, warp);
    assert_int_equal(ask(&f, 32, false)->why, SIM_ORIGIN_ELSEWHERE); /* … or does not come there */
    exec_close(&f.e);
    run(&f, HEAD "st.global.u32 [%rd3], %t;\n" TAIL, one, eight);
    assert_int_equal(ask(&f, 8, true)->why, SIM_ORIGIN_NO_THREAD);
    assert_int_equal(f.absence.near.thread.x, 7);
    exec_close(&f.e);
}

TEST(names_the_condition_that_keeps_all_threads_away)
{
    struct fixture f;
    run(&f,
        HEAD
        ".loc 1 3 1\natom.global.add.u32 %r4, [%in+28], 1;\n.loc 1 4 1\nsetp.ne.u32 %p1, %r4, 99; @%p1 bra done;\n"
        ".loc 1 5 1\nst.global.u32 [%rd3], %t;\n" TAIL,
        one, warp);
    const struct sim_origin_absence *a = ask(&f, 0, true);
    assert_int_equal(a->why, SIM_ORIGIN_NOT_REACHED);
    assert_int_equal(a->place.line, 5);
    assert_int_equal(a->guard.line, 4);
    exec_close(&f.e);
    run(&f, /* one condition keeps all threads from both stores */
        HEAD ".loc 1 3 1\nsetp.ne.u32 %p1, %t, 99; @%p1 bra done;\n.loc 1 5 1\nst.global.u32 [%rd3], %t;\n"
             ".loc 1 7 1\nst.global.u32 [%rd3+64], %t;\n" TAIL,
        one, warp);
    a = ask(&f, 0, true);
    assert_int_equal(a->why, SIM_ORIGIN_NOT_REACHED);
    assert_int_equal(a->place.line, 5);
    assert_int_equal(a->guard.line, 3);
    exec_close(&f.e);
    run(&f, /* … and a third one stores another element: the two may be the other branch */
        HEAD ".loc 1 2 1\nst.global.u32 [%rd3], %t;\n.loc 1 3 1\nsetp.ne.u32 %p1, %t, 99; @%p1 bra done;\n"
             ".loc 1 5 1\nst.global.u32 [%rd3+64], %t;\n.loc 1 7 1\nst.global.u32 [%rd3+128], %t;\n" TAIL,
        one, warp);
    assert_int_not_equal(ask(&f, 32, true)->why, SIM_ORIGIN_NOT_REACHED);
    exec_close(&f.e);
    run(&f, /* either store may be the one that is missing */
        HEAD
        ".loc 1 3 1\nsetp.ne.u32 %p1, %t, 99; @%p1 bra other;\n.loc 1 4 1\nst.global.u32 [%rd3], %t;\nother:\n"
        ".loc 1 6 1\nsetp.ne.u32 %p1, %t, 98; @%p1 bra done;\n.loc 1 7 1\nst.global.u32 [%rd3+64], %t;\n" TAIL,
        one, warp);
    assert_int_not_equal(ask(&f, 0, true)->why, SIM_ORIGIN_NOT_REACHED);
    exec_close(&f.e);
}

TEST(finds_elements_that_several_threads_store)
{
    struct fixture f;
    struct sim_origin_overlap overlap;
    run(&f, HEAD ".loc 1 8 1\nst.global.u32 [%rd3+12], %t;\n" TAIL, two, eight);
    assert_true(sim_origin_overlaps(f.e.sim, f.out, 256, 4, &overlap));
    assert_int_equal(overlap.count, 8);
    assert_int_equal(overlap.address, f.out + 12);
    assert_int_equal(overlap.thread[0].block.x, 0);
    assert_int_equal(overlap.thread[1].block.x, 1);
    assert_int_equal(overlap.place[1].line, 8);
    exec_close(&f.e);
    run(&f, HEAD "st.global.u32 [%rd3], %t; st.global.u32 [%rd3], %t;\n" TAIL, one, eight);
    assert_true(sim_origin_overlaps(f.e.sim, f.out, 256, 4, &overlap));
    assert_int_equal(overlap.count, 0); /* the same thread twice */
    exec_close(&f.e);
    run(&f, HEAD ".loc 1 8 1\nst.global.u32 [%rd3+12], %t;\n" TAIL, four, eight);
    assert_true(sim_origin_overlaps(f.e.sim, f.out, 256, 4, &overlap));
    assert_int_equal(overlap.count, 8); /* elements, however often each is stored */
    exec_close(&f.e);
}

/* Thread 3's element goes through shared memory and a shuffle, and is not chosen. */
TEST(follows_what_is_lost)
{
    struct fixture f;
    struct sim_origin_lost lost;
    const struct sim_origin_thread end = {.thread = {4, 0, 0}};
    run(&f,
        ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %r<20>; .reg .pred %p<8>; .shared .align 4 .b8 s[128];\n"
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %rd1, %t, 4;\n"
        "add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1; mov.u32 %r1, s; shl.b32 %r2, %t, 2;\n"
        "add.s32 %r1, %r1, %r2;\n"
        ".loc 1 3 1\nld.global.u32 %r3, [%rd2];\n"
        ".loc 1 4 1\nst.shared.u32 [%r1], %r3; ld.shared.u32 %r4, [%r1];\n"
        ".loc 1 5 1\nshfl.sync.up.b32 %r5|%p1, %r4, 1, 0, -1;\n"
        ".loc 1 6 1\nsetp.gt.u32 %p2, %t, 4; selp.b32 %r6, %r5, %t, %p2;\n"
        ".loc 1 7 1\nst.global.u32 [%rd3], %r6;\n" TAIL,
        one, warp);
    assert_true(sim_origin_lost(f.e.sim, f.in + 12, 4, &end, &lost));
    assert_int_equal(lost.place.line, 6);
    assert_int_equal(lost.thread.thread.x, 4);
    assert_false(lost.stores);
    assert_true(sim_origin_lost(f.e.sim, f.in + 4 * 31, 4, &end, &lost)); /* none reads it further on */
    assert_int_equal(lost.place.line, 5);
    assert_true(sim_origin_lost(f.e.sim, f.in + 4 * 8, 4, &end, &lost));
    assert_true(lost.stores);
    assert_false(sim_origin_lost(f.e.sim, f.in + 4 * 40, 4, &end, &lost)); /* none reads it at all */
    exec_close(&f.e);
}

RUN_ALL
