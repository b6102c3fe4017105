/* What a warp did, step by step. */
#include "test.h"
#include "exec_support.h"
#include "sim/origin/origin.h"

#define STEPS 32

/* Thread t stores element t * stride of `out` (line 4); the first 16 lanes of each warp once more (line 5). */
static const char kernel[] =
    ".visible .entry put(.param .u64 out, .param .u32 stride) {\n"
    ".reg .b64 %a, %o; .reg .b32 %t, %s, %n; .reg .pred %p;\n"
    ".loc 1 3 1\nld.param.u64 %o, [out];\nld.param.u32 %s, [stride];\nmov.u32 %t, %tid.x;\n"
    "mul.lo.u32 %n, %t, %s;\nmul.wide.u32 %a, %n, 4;\nadd.u64 %a, %a, %o;\n"
    ".loc 1 4 1\nst.global.u32 [%a], %t;\n"
    "and.b32 %n, %t, 31;\nsetp.lt.u32 %p, %n, 16;\n"
    ".loc 1 5 1\n@%p st.global.u32 [%a], %n;\nret; }\n";

struct fixture {
    struct exec e;
    sim_addr out;
    struct sim_origin_traced step[STEPS];
    size_t count;
    uint64_t all;
};

static void open_and_run(struct fixture *f, uint64_t stride)
{
    exec_open(&f->e);
    exec_load(&f->e, kernel);
    f->out = exec_buffer(&f->e, NULL, 64 * 4 * 32);
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
    uint64_t args[2] = {f->out, stride};
    if (exec_launch(&f->e, "put", (struct sim_dim3){1, 1, 1}, (struct sim_dim3){64, 1, 1}, 0, args) != SIM_OK)
        fail_msg("%s", f->e.result.message);
}

/* The first access at the line; fails if there is none. */
static const struct sim_origin_traced *at_line(const struct fixture *f, int line)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->step[i].is_access && f->step[i].line == line)
            return &f->step[i];
    fail_msg("no access at line %d", line);
    return NULL;
}

TEST(one_warp_is_followed)
{
    struct fixture f;
    open_and_run(&f, 1);
    const struct sim_origin_thread thread = {.thread = {40, 0, 0}};
    const struct sim_origin_filter filter = {.thread = &thread};
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, STEPS, &f.all);
    const struct sim_origin_traced *whole = at_line(&f, 4), *half = at_line(&f, 5);
    assert_int_equal(whole->lanes.first_thread, 32);
    assert_int_equal(whole->lanes.lanes, UINT32_MAX);
    assert_true(whole->lanes.address[0] == f.out + 32 * 4);
    assert_int_equal(whole->lanes.cost, 4);
    assert_int_equal(whole->lanes.least, 4);
    assert_int_equal(half->lanes.lanes, 0xffff);
    assert_int_equal(half->lanes.cost, 2);
    assert_true(whole < half);
    exec_close(&f.e);
}

TEST(a_stride_costs_a_sector_for_each_lane)
{
    struct fixture f;
    open_and_run(&f, 32);
    const struct sim_origin_thread thread = {.thread = {0, 0, 0}};
    const struct sim_origin_filter filter = {.thread = &thread};
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, STEPS, &f.all);
    assert_int_equal(at_line(&f, 4)->lanes.cost, 32);
    assert_int_equal(at_line(&f, 4)->lanes.least, 4);
    exec_close(&f.e);
}

TEST(stores_of_all_warps)
{
    struct fixture f;
    open_and_run(&f, 1);
    const struct sim_origin_filter filter = {.kind = SIM_ORIGIN_ALL_STORES};
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, STEPS, &f.all);
    assert_int_equal(f.count, 4);
    assert_int_equal(f.all, 4);
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, 3, &f.all); /* no more than there is room for */
    assert_int_equal(f.count, 3);
    assert_int_equal(f.all, 4);
    exec_close(&f.e);
}

/* Each thread stores its number in shared memory (line 4), waits (line 5), and takes its lower neighbor's by a shuffle (line 6). */
static const char block_kernel[] =
    ".visible .entry meet(.param .u64 out, .param .u32 unused) {\n"
    ".reg .b32 %t, %s, %n; .reg .pred %p; .shared .align 4 .b8 s_x[256];\n"
    ".loc 1 4 1\nmov.u32 %t, %tid.x;\nshl.b32 %n, %t, 2;\nmov.u32 %s, s_x;\nadd.u32 %s, %s, %n;\n"
    "st.shared.u32 [%s], %t;\n"
    ".loc 1 5 1\nbar.sync 0;\n"
    ".loc 1 6 1\nshfl.sync.up.b32 %n|%p, %t, 1, 0, -1;\n"
    ".loc 1 7 1\nst.shared.u32 [%s], %n;\nret; }\n";

/* Two blocks are launched; of the second one, both warps are followed. */
TEST(all_warps_of_a_block)
{
    struct fixture f;
    int barriers = 0, shuffles = 0, stores = 0;
    exec_open(&f.e);
    exec_load(&f.e, block_kernel);
    assert_true(sim_origin_start(f.e.sim, (size_t)1 << 24));
    uint64_t args[2] = {0, 0};
    assert_int_equal(
        exec_launch(&f.e, "meet", (struct sim_dim3){2, 1, 1}, (struct sim_dim3){64, 1, 1}, 0, args), SIM_OK);
    const struct sim_origin_thread thread = {.block = {1, 0, 0}};
    const struct sim_origin_filter filter = {&thread, SIM_ORIGIN_OF_BLOCK};
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, STEPS, &f.all);
    for (size_t i = 0; i < f.count; i++) {
        assert_int_equal(f.step[i].lanes.block.x, 1);
        barriers += f.step[i].is_barrier;
        shuffles += f.step[i].is_shuffle;
        stores += f.step[i].is_access;
        if (f.step[i].is_shuffle)
            assert_int_equal(f.step[i].lanes.address[7], 6);
    }
    assert_int_equal(barriers, 2);
    assert_int_equal(shuffles, 2);
    assert_int_equal(stores, 4);
    assert_int_equal(f.all, 8);
    exec_close(&f.e);
}

/* Where there is less room than steps, a warp's that are alike are one. */
TEST(a_long_block_is_told_in_brief)
{
    struct fixture f;
    open_and_run(&f, 1);
    const struct sim_origin_thread thread = {.thread = {0, 0, 0}};
    const struct sim_origin_filter filter = {&thread, SIM_ORIGIN_OF_BLOCK};
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, 4, &f.all);
    assert_int_equal(f.all, 4); /* two stores of each of two warps */
    f.count = sim_origin_trace(f.e.sim, &filter, f.step, 3, &f.all);
    assert_int_equal(f.count, 3); /* they differ in their lanes */
    assert_int_equal(f.step[0].instructions, 1);
    exec_close(&f.e);
}

RUN_ALL
