/* What was stored over although it was still needed. */

#include "exec_support.h"
#include "sim/origin/origin.h"
#include "test.h"

static const struct sim_dim3 one = {1, 1, 1};

/*
 * put stores `value` to `at`; add stores what stands at `at`, and 1, to `out`; both say at which line. Line 3 of put, lines 5
 * and 6 of add.
 */
static const char kernels[] =
    ".visible .entry put(.param .u64 at, .param .u64 out, .param .f32 value) {\n"
    ".reg .b64 %a; .reg .f32 %v; ld.param.u64 %a, [at]; ld.param.f32 %v, [value];\n"
    ".loc 1 3 1\nst.global.f32 [%a], %v;\nret; }\n"
    ".visible .entry add(.param .u64 at, .param .u64 out, .param .f32 value) {\n"
    ".reg .b64 %a, %o; .reg .f32 %v; ld.param.u64 %a, [at]; ld.param.u64 %o, [out];\n"
    ".loc 1 5 1\nld.global.f32 %v, [%a];\nadd.f32 %v, %v, 0f3F800000;\n"
    ".loc 1 6 1\nst.global.f32 [%o], %v;\nret; }\n";

struct fixture {
    struct exec e;
    sim_addr at, out;
    struct sim_origin_over over;
};

static void open_recorded(struct fixture *f)
{
    exec_open(&f->e);
    exec_load(&f->e, kernels);
    f->at = exec_buffer(&f->e, NULL, 64);
    f->out = exec_buffer(&f->e, NULL, 64);
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
}

static void launch(struct fixture *f, const char *kernel, sim_addr at, sim_addr out, float value)
{
    uint64_t args[3] = {at, out};
    memcpy(&args[2], &value, sizeof value);
    if (exec_launch(&f->e, kernel, one, one, 0, args) != SIM_OK)
        fail_msg("%s", f->e.result.message);
}

TEST(names_both_stores)
{
    struct fixture f;
    open_recorded(&f);
    launch(&f, "put", f.at, 0, 4);
    launch(&f, "put", f.at, 0, 9);
    launch(&f, "add", f.at, f.out, 0);
    assert_true(sim_origin_stored_over(f.e.sim, f.out, 4, 5, 10, &f.over));
    assert_int_equal(f.over.steps, 0);
    assert_int_equal(f.over.stored.line, 3);
    assert_int_equal(f.over.over.line, 3);
    assert_int_equal(f.over.read.line, 5);
    assert_int_equal(f.over.storer.launch, 0);
    assert_int_equal(f.over.second.launch, 1);
    assert_int_equal(f.over.reader.launch, 2);
    assert_true(f.over.before == 4 && f.over.now == 9);
    /* another number is not explained by it */
    assert_false(sim_origin_stored_over(f.e.sim, f.out, 4, 6, 10, &f.over));
    assert_false(sim_origin_stored_over(f.e.sim, f.out, 4, 10, 10, &f.over));
    exec_close(&f.e);
}

/* The number goes through another launch before it comes to the wrong one. */
TEST(follows_the_number_back)
{
    struct fixture f;
    open_recorded(&f);
    launch(&f, "put", f.at, 0, 4);
    launch(&f, "put", f.at, 0, 9);
    launch(&f, "add", f.at, f.at + 32, 0);
    launch(&f, "add", f.at + 32, f.out, 0);
    assert_true(sim_origin_stored_over(f.e.sim, f.out, 4, 6, 11, &f.over));
    assert_int_equal(f.over.steps, 1);
    assert_int_equal(f.over.reader.launch, 2);
    exec_close(&f.e);
}

/* What has been read before it is stored over was not lost; nor what is stored over after the last look at it. */
TEST(knows_what_was_read)
{
    struct fixture f;
    open_recorded(&f);
    launch(&f, "put", f.at, 0, 4);
    launch(&f, "add", f.at, f.at + 16, 0);
    launch(&f, "put", f.at, 0, 9);
    launch(&f, "add", f.at, f.out, 0);
    launch(&f, "put", f.at, 0, 2);
    launch(&f, "put", f.at, 0, 3);
    assert_false(sim_origin_stored_over(f.e.sim, f.out, 4, 5, 10, &f.over));
    assert_false(sim_origin_stored_over(f.e.sim, f.out, 4, 3, 10, &f.over));
    exec_close(&f.e);
}

/* What the host reads is read, and what it fills is not known any more. */
TEST(knows_what_the_host_does)
{
    struct fixture f;
    for (int fills = 0; fills < 2; fills++) {
        open_recorded(&f);
        launch(&f, "put", f.at, 0, 4);
        sim_origin_copied(f.e.sim, fills ? f.at : 0, fills ? 0 : f.at, 4, NULL);
        launch(&f, "put", f.at, 0, 9);
        launch(&f, "add", f.at, f.out, 0);
        assert_false(sim_origin_stored_over(f.e.sim, f.out, 4, 5, 10, &f.over));
        exec_close(&f.e);
    }
}

RUN_ALL
