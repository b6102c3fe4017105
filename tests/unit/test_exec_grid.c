/* Grids: every block once, waiting between blocks, schedules, limits, counters. */
#include "test.h"
#include "exec_support.h"

EXEC_FIXTURE

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 p) {\n"                                                                   \
    ".reg .b64 %p, %base, %q; .reg .b32 %t, %b, %r<20>; .reg .pred %p<8>;\n"                                 \
    "ld.param.u64 %base, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"
#define TAIL "ret; }\n"

static const struct sim_dim3 warp = {32, 1, 1};

EXEC_TEST(every_thread_runs_once)
{
    reopen();
    /* One word a thread, at its linear index in a grid of three dimensions. */
    exec_load(
        &e,
        HEAD "mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y;\n"
             "mad.lo.u32 %r1, %r2, %r4, %r1; mad.lo.u32 %r1, %r1, %r3, %b;\n"
             "mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y; mov.u32 %r7, %ntid.z; mov.u32 %r8, %tid.y; mov.u32 "
             "%r9, %tid.z;\n"
             "mad.lo.u32 %r8, %r9, %r6, %r8; mad.lo.u32 %r8, %r8, %r5, %t;\n"
             "mul.lo.u32 %r10, %r5, %r6; mul.lo.u32 %r10, %r10, %r7; mad.lo.u32 %r1, %r1, %r10, %r8;\n"
             "mad.wide.u32 %p, %r1, 4, %base; ld.global.u32 %r2, [%p]; add.u32 %r1, %r1, 1; add.u32 %r2, "
             "%r2, %r1;\n"
             "st.global.u32 [%p], %r2;\n" TAIL);
    enum { THREADS = 3 * 5 * 2 * 7 * 3 * 2 };
    uint64_t args[] = {exec_buffer(&e, NULL, THREADS * 4)};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){3, 5, 2}, (struct sim_dim3){7, 3, 2}, 0, args),
                     SIM_OK);
    const uint32_t *out = exec_bytes(&e, args[0], THREADS * 4);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i + 1);
    assert_int_equal(e.result.counters.blocks, 30);
    assert_int_equal(e.result.counters.warps, 60);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* Block b waits for a flag that block b + 1 sets: the blocks that wait must keep their place while others
 * run. */
EXEC_TEST(blocks_that_wait_give_way)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        reopen();
        sim_config(e.sim)->schedule_seed = seed;
        exec_load(
            &e, HEAD
            "mad.wide.u32 %p, %b, 4, %base; mov.u32 %r3, %nctaid.x; add.u32 %r4, %b, 1;\n"
            "setp.eq.u32 %p1, %r4, %r3; mov.u32 %r1, 0; setp.ne.u32 %p3, %t, 0; @%p3 ret; @%p1 bra SET;\n"
            "WAIT: ld.acquire.gpu.global.u32 %r1, [%p+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;\n"
            "SET: add.u32 %r1, %r1, 1; st.release.gpu.global.u32 [%p], %r1;\n" TAIL);
        uint64_t args[] = {exec_buffer(&e, NULL, 400)};
        assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){20, 1, 1}, warp, 0, args), SIM_OK);
        const uint32_t *out = exec_bytes(&e, args[0], 400);
        for (uint32_t b = 0; b < 20; b++)
            assert_int_equal(out[b], 20 - b);
    }
}

/* What cooperative_groups makes of grid.sync(): an arrival counter in the workspace of %envreg1 and %envreg2.
 */
EXEC_TEST(cooperative_blocks_meet)
{
    reopen();
    exec_load(
        &e, HEAD
        "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %q, {%r2, %r1};\n"
        "mov.u32 %r3, %nctaid.x; mad.wide.u32 %p, %b, 4, %base; setp.ne.u32 %p1, %t, 0; @%p1 ret;\n"
        "st.global.u32 [%p], %b; membar.gl; atom.global.add.u32 %r4, [%q+4], 1;\n"
        "WAIT: ld.volatile.global.u32 %r4, [%q+4]; setp.lt.u32 %p2, %r4, %r3; @%p2 bra WAIT; membar.gl;\n"
        "sub.u32 %r5, %r3, 1; sub.u32 %r5, %r5, %b; mad.wide.u32 %q, %r5, 4, %base; ld.global.u32 %r6, "
        "[%q];\n"
        "st.global.u32 [%p+4000], %r6;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 8000)};
    assert_int_equal(exec_launch_cooperative(&e, "k", (struct sim_dim3){700, 1, 1}, warp, args), SIM_OK);
    const uint32_t *out = exec_bytes(&e, args[0], 8000);
    for (uint32_t b = 0; b < 700; b++)
        assert_int_equal(out[1000 + b], 699 - b);
}

/* Which block comes first depends on the seed and on nothing else. */
static void order_of_tickets(uint64_t seed, uint32_t tickets[64])
{
    reopen();
    sim_config(e.sim)->schedule_seed = seed;
    exec_load(&e, HEAD "setp.ne.u32 %p1, %t, 0; @%p1 ret; atom.global.add.u32 %r1, [%base], 1; mad.wide.u32 "
                       "%p, %b, 4, %base;\n"
                       "st.global.u32 [%p+4], %r1;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 1024)};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){64, 1, 1}, warp, 0, args), SIM_OK);
    memcpy(tickets, (char *)exec_bytes(&e, args[0], 1024) + 4, 256);
}

EXEC_TEST(schedules_are_drawn_from_the_seed)
{
    uint32_t in_order[64], first[64], again[64], second[64];
    order_of_tickets(0, in_order);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(in_order[i], i);
    order_of_tickets(1, first);
    order_of_tickets(1, again);
    order_of_tickets(2, second);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, in_order, sizeof first);
    assert_memory_not_equal(first, second, sizeof first);
}

EXEC_TEST(stops_at_the_instruction_limit)
{
    reopen();
    sim_config(e.sim)->instruction_limit = 100000;
    exec_load(&e, HEAD "mov.u32 %r1, 0;\n.loc 1 55 0\nLOOP: add.u32 %r1, %r1, 1; bra.uni LOOP;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 4)};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){3, 1, 1}, warp, 0, args), SIM_INSTRUCTION_LIMIT);
    assert_non_null(strstr(e.result.message, "t.cu:55"));
    assert_in_range(e.result.counters.warp_instructions, 100000, 110000);
    /* All blocks wait for a flag that is never set. */
    exec_load(&e, HEAD ".loc 1 66 0\nLOOP: ld.volatile.global.u32 %r1, [%base]; setp.eq.u32 %p1, %r1, 0; "
                       "@%p1 bra LOOP;\n" TAIL);
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){3000, 1, 1}, warp, 0, args),
                     SIM_INSTRUCTION_LIMIT);
    assert_non_null(strstr(e.result.message, "t.cu:66"));
}

EXEC_TEST(counts_what_it_ran)
{
    reopen();
    exec_load(&e, HEAD
              ".reg .f32 %f<4>; .reg .f64 %d<4>; mov.f32 %f1, 0f3F800000; mov.f64 %d1, 0d3FF0000000000000;\n"
              "fma.rn.f32 %f2, %f1, %f1, %f1; add.f32 %f2, %f2, %f1; mul.f64 %d2, %d1, %d1;\n"
              "setp.lt.u32 %p1, %t, 8; @%p1 fma.rn.f32 %f2, %f1, %f1, %f1; @%p1 bra END; nanosleep.u32 "
              "5;\nEND: bar.sync 0;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 4)};
    assert_int_equal(exec_launch(&e, "k", (struct sim_dim3){2, 1, 1}, (struct sim_dim3){40, 1, 1}, 0, args),
                     SIM_OK);
    const struct sim_counters *c = &e.result.counters;
    assert_int_equal(c->warp_instructions, 4 * 14);
    assert_int_equal(c->flops32, 2 * (40 * 2 + 40 + 8 * 2));
    assert_int_equal(c->flops64, 2 * 40);
    assert_int_equal(c->branches, 4);
    assert_int_equal(c->divergent_branches, 2);
    assert_int_equal(c->block_barriers, 4);
    assert_int_equal(c->warps, 4);
}

RUN_ALL
