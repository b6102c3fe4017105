/* What goes in too often, and what is left over: loads of loops, loops that end early. */
#include "test.h"
#include "exec_support.h"
#include "sim/origin/origin.h"

static const struct sim_dim3 one = {1, 1, 1}, two = {2, 1, 1}, warp = {32, 1, 1}, sixteen = {16, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %b, %r<20>; .reg .f32 %f<20>; .reg .pred %p<8>;\n"           \
    ".shared .align 4 .b8 s[1024];\n"                                                                        \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"          \
    "mul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;\n"                         \
    "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.s32 %r3, %r1, %r2;\n"
#define TAIL "done:\nret; }\n"

struct fixture {
    struct exec e;
    sim_addr in, out;
    struct sim_origin origin;
};

/* Runs the kernel over 64 inputs and outputs, recorded. */
static void run(struct fixture *f, const char *ptx, struct sim_dim3 grid, struct sim_dim3 block)
{
    exec_open(&f->e);
    exec_load(&f->e, ptx);
    uint32_t in[64] = {0};
    f->in = exec_buffer(&f->e, in, sizeof in);
    f->out = exec_buffer(&f->e, in, sizeof in);
    f->origin = (struct sim_origin){0};
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
    uint64_t args[] = {f->in, f->out};
    if (exec_launch(&f->e, "k", grid, block, 0, args) != SIM_OK)
        fail_msg("%s", f->e.result.message);
}

static const struct sim_origin *ask(struct fixture *f, int element)
{
    sim_origin_free(&f->origin);
    assert_true(sim_origin_find(f->e.sim, f->out + 4 * (uint64_t)element, 4, &f->origin));
    return &f->origin;
}

static void end(struct fixture *f)
{
    sim_origin_free(&f->origin);
    exec_close(&f->e);
}

TEST(tells_loads_that_a_loop_repeats)
{
    struct fixture f;
    for (int step = 0; step <= 4; step += 4) {
        char ptx[2048];
        snprintf(
            ptx, sizeof ptx,
            "%smov.f32 %%f2, 0f00000000; mov.u32 %%r4, 0;\nturn:\n.loc 1 6 1\nld.global.f32 %%f1, [%%rd2];\n"
            ".loc 1 7 1\nadd.f32 %%f2, %%f2, %%f1; add.s64 %%rd2, %%rd2, %d; add.s32 %%r4, %%r4, 1;\n"
            "setp.lt.u32 %%p1, %%r4, 3; @%%p1 bra turn;\nst.global.f32 [%%rd3], %%f2;\n%s",
            HEAD, step, TAIL);
        run(&f, ptx, one, warp);
        const struct sim_origin *o = ask(&f, 5);
        assert_int_equal(o->fork.made.line, 0);
        if (step == 0) {
            assert_int_equal(o->again.runs, 3);
            assert_int_equal(o->again.times, 2);
            assert_int_equal(o->again.place.line, 6);
            assert_int_equal(o->again.thread.thread.x, 5);
        } else {
            assert_int_equal(o->again.runs, 0);
        }
        end(&f);
    }
    run(&f,
        HEAD
        "ld.global.f32 %f1, [%rd2];\n.loc 1 8 1\nadd.f32 %f2, %f1, %f1; st.global.f32 [%rd3], %f2;\n" TAIL,
        one, warp);
    assert_int_equal(ask(&f, 5)->fork.use[0].line, 8);
    end(&f);
}

/* A sum by halves that ends when 8 numbers are left. */
TEST(tells_the_loop_that_ends_early)
{
    struct fixture f;
    struct sim_origin_lost lost;
    struct sim_origin_left left;
    run(&f,
        HEAD
        "ld.global.f32 %f1, [%rd2]; st.shared.f32 [%r3], %f1; st.shared.f32 [%r3+128], %f1; mov.u32 %r4, 16;\n"
        "turn:\nbar.sync 0; shl.b32 %r5, %r4, 2; add.s32 %r6, %r3, %r5;\n.loc 1 6 1\nld.shared.f32 %f2, [%r6];\n"
        "ld.shared.f32 %f3, [%r3]; add.f32 %f4, %f2, %f3; st.shared.f32 [%r3], %f4; shr.b32 %r4, %r4, 1;\n"
        ".loc 1 7 1\nsetp.gt.u32 %p1, %r4, 4; @%p1 bra turn;\n"
        ".loc 1 9 1\nsetp.ne.u32 %p2, %t, 0; @%p2 bra done;\nld.shared.f32 %f5, [%r3];\n"
        "st.global.f32 [%rd3], %f5;\n" TAIL,
        one, warp);
    const struct sim_origin *o = ask(&f, 0);
    assert_true(sim_origin_lost(f.e.sim, f.in + 4, 4, &o->store[0].thread, &lost));
    assert_true(lost.keeps);
    assert_int_equal(lost.place.line, 6);
    assert_true(sim_origin_left(f.e.sim, &o->store[0].thread, &left));
    assert_int_equal(left.load.line, 6);
    assert_int_equal(left.guard.line, 7);
    assert_int_equal(left.runs, 2);
    end(&f);
}

TEST(tells_what_is_stored_over)
{
    struct fixture f;
    struct sim_origin_lost lost;
    run(&f,
        HEAD
        ".loc 1 6 1\nld.global.f32 %f1, [%rd2]; st.shared.f32 [%r3], %f1; mov.f32 %f2, 0f00000000; bar.sync 0;\n"
        ".loc 1 7 1\nsetp.ne.u32 %p1, %t, 3; @%p1 bra skip;\nst.shared.f32 [%r3], %f2;\nskip:\nbar.sync 0;\n"
        ".loc 1 9 1\nld.shared.f32 %f5, [%r3]; st.global.f32 [%rd3], %f5;\n" TAIL,
        one, warp);
    const struct sim_origin *o = ask(&f, 3);
    assert_true(sim_origin_lost(f.e.sim, f.in + 12, 4, &o->store[0].thread, &lost));
    assert_false(lost.keeps);
    assert_int_equal(lost.place.line, 6);
    assert_int_equal(lost.buried.line, 7);
    assert_int_equal(lost.buried_by.thread.x, 3);
    end(&f);
}

/* Threads whose condition is never met in a loop: the condition, and not the end of the loop. */
TEST(names_the_condition_in_a_loop)
{
    struct fixture f;
    struct sim_origin_absence absence;
    run(&f,
        HEAD "mov.u32 %r4, 0;\nturn:\n.loc 1 6 1\nsetp.ge.u32 %p1, %t, 4; @%p1 bra skip;\n"
             ".loc 1 7 1\nld.global.u32 %r5, [%rd2];\nskip:\n.loc 1 5 1\nadd.s32 %r4, %r4, 1;\n"
             "setp.lt.u32 %p2, %r4, 2; @%p2 bra turn;\nst.global.u32 [%rd3], %r5;\n" TAIL,
        one, warp);
    assert_true(sim_origin_absent(f.e.sim, f.in, 256, f.in + 16, 4, false, &absence));
    assert_int_equal(absence.why, SIM_ORIGIN_GUARDED);
    assert_int_equal(absence.place.line, 7);
    assert_int_equal(absence.guard.line, 6);
    end(&f);
}

/* The first half of each block's threads reads 8 elements. */
TEST(tells_that_no_block_is_left)
{
    struct fixture f;
    struct sim_origin_absence absence;
    run(&f,
        HEAD "setp.ge.u32 %p1, %t, 8; @%p1 bra done; mad.lo.s32 %r4, %b, 8, %t; mul.wide.u32 %rd4, %r4, 4;\n"
             "add.s64 %rd5, %in, %rd4; ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd3], %r5;\n" TAIL,
        two, sixteen);
    assert_true(sim_origin_absent(f.e.sim, f.in, 256, f.in + 64, 4, false, &absence));
    assert_int_equal(absence.why, SIM_ORIGIN_NO_BLOCK);
    assert_int_equal(absence.count, 2);
    assert_int_equal(absence.distance, 32);
    assert_int_equal(absence.near.block.x, 1);
    assert_true(sim_origin_absent(f.e.sim, f.in, 256, f.in + 68, 4, false, &absence));
    assert_int_not_equal(absence.why, SIM_ORIGIN_NO_BLOCK);
    end(&f);
}

RUN_ALL
