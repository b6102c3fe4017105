/* Modeled time of grids whose blocks differ: it is not that of the blocks in the middle of the grid. */
#include "test.h"
#include "exec_support.h"
#include "sim/model/model.h"
#include "sim/model/strata.h"

EXEC_FIXTURE

/*
 * Each block loads a word; blocks [first, end) then add up `n` times, and store. In `rising`, block b does so b times n
 * times; in `queue` each thread block takes pieces of work, n in all, until there are none.
 */
static const char ptx[] =
    ".visible .entry some(.param .u64 p, .param .u32 first, .param .u32 end, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %b, %first, %end, %i, %n; .reg .f32 %a; .reg .pred %q, %r;\n"
    "ld.param.u64 %out, [p];\n"
    "ld.param.u32 %first, [first];\n"
    "ld.param.u32 %end, [end];\n"
    "ld.param.u32 %n, [n];\n"
    "mov.u32 %b, %ctaid.x;\n"
    "mov.u32 %i, 0;\n"
    "ld.global.f32 %a, [%out];\n"
    "setp.lt.u32 %q, %b, %first;\n"
    "setp.ge.u32 %r, %b, %end;\n"
    "or.pred %q, %q, %r;\n"
    "@%q bra done;\n"
    "loop:\n"
    "fma.rn.f32 %a, %a, %a, %a;\n"
    "add.u32 %i, %i, 1;\n"
    "setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "st.global.f32 [%out+64], %a;\n"
    "done:\n"
    "ret; }\n"
    ".visible .entry rising(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %b, %i, %n; .reg .f32 %a; .reg .pred %q;\n"
    "ld.param.u64 %out, [p];\n"
    "ld.param.u32 %n, [n];\n"
    "mov.u32 %b, %ctaid.x;\n"
    "mul.lo.u32 %n, %n, %b;\n"
    "mov.u32 %i, 0;\n"
    "ld.global.f32 %a, [%out];\n"
    "loop:\n"
    "fma.rn.f32 %a, %a, %a, %a;\n"
    "add.u32 %i, %i, 1;\n"
    "setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "st.global.f32 [%out+64], %a;\n"
    "ret; }\n";

static uint64_t buffer;

static double seconds_of(const char *kernel, unsigned blocks, const uint64_t *args)
{
    struct sim_config *config = sim_config(e.sim);
    config->hazards = false;
    config->machine_code = true;
    config->instruction_limit = 0;
    assert_int_equal(
        exec_launch(&e, kernel, (struct sim_dim3){blocks, 1, 1}, (struct sim_dim3){128, 1, 1}, 0, args),
        SIM_OK);
    return e.result.machine_seconds;
}

static double some(unsigned blocks, unsigned first, unsigned end, unsigned n)
{
    const uint64_t args[] = {buffer, first, end, n};
    return seconds_of("some", blocks, args);
}

static void open_device(uint64_t sample_work)
{
    reopen();
    exec_load(&e, ptx);
    buffer = exec_buffer(&e, NULL, 4096);
    sim_config(e.sim)->sample_work = sample_work;
    if (some(1, 0, 1, 1) == 0)
        skip();
}

static void expect_ratio(double found, double expected, double least, double most, const char *what)
{
    if (!(found >= least * expected && found <= most * expected))
        fail_msg("%s: %.3f us, expected %.2f to %.2f times %.3f us", what, 1e6 * found, least, most,
                 1e6 * expected);
}

enum { BLOCKS = 4000, LOOPS = 200 };

/* The others cost what starting a block costs, at least: one in 1.2 cycles on the whole device (timing_machine.c). */
static void idle_blocks_cost_their_start(uint64_t sample_work)
{
    open_device(sample_work);
    const double alone = some(BLOCKS, 0, BLOCKS, LOOPS);
    const double idle = 3 * BLOCKS * 1.2 / (sim_config(e.sim)->profile->clock_ghz * 1e9);
    const double first = some(4 * BLOCKS, 0, BLOCKS, LOOPS),
                 last = some(4 * BLOCKS, 3 * BLOCKS, 4 * BLOCKS, LOOPS);
    const double middle = some(4 * BLOCKS, 3 * BLOCKS / 2, 5 * BLOCKS / 2, LOOPS);
    expect_ratio(first, alone + idle, 0.7, 1.4, "the first quarter works");
    expect_ratio(last, alone + idle, 0.7, 1.4, "the last quarter works");
    expect_ratio(middle, alone + idle, 0.7, 1.4, "the middle works");
}

EXEC_TEST(test_idle_blocks_cost_their_start_long)
{
    idle_blocks_cost_their_start(0);
}

EXEC_TEST(test_idle_blocks_of_a_sample)
{
    idle_blocks_cost_their_start(100000);
}

/* Half a wave: of the blocks in the middle nothing follows for the others, which run at the same time. */
EXEC_TEST(test_a_few_blocks_that_work)
{
    open_device(0);
    const double alone = some(8, 0, 8, 20000), half = some(64, 0, 16, 20000);
    expect_ratio(half, alone, 0.9, 1.2, "16 of 64 blocks work");
}

/* Each block has more to do than the one before: as long as if all had as much as the mean, and a tail. On a device of few SMs,
   where fewer blocks are several waves. */
EXEC_TEST(test_work_that_rises_long)
{
    enum { GRID = 1000 };
    open_device(0);
    sim_config(e.sim)->profile = sim_profile_find("rtx3060");
    const double even = some(GRID, 0, GRID, GRID / 2);
    const uint64_t args[] = {buffer, 1};
    const double rising = seconds_of("rising", GRID, args);
    expect_ratio(rising, even, 0.9, 1.4, "block b has b to do");
}

/* What is found does not depend on how many of the host's threads run blocks. */
EXEC_TEST(test_host_threads_do_not_matter)
{
    double seconds[2];
    for (unsigned i = 0; i < 2; i++) {
        open_device(0);
        sim_config(e.sim)->threads = 1 + 3 * i;
        sim_config(e.sim)->threads_from = 1;
        const uint64_t args[] = {buffer, 3};
        seconds[i] = seconds_of("rising", 500, args) + some(500, 0, 100, LOOPS);
    }
    assert_true(seconds[0] == seconds[1]);
}

/* Two of a thousand blocks have most of the work, and none was watched: the time is as unsure as that work. */
EXEC_TEST(test_blocks_that_were_not_watched_long)
{
    open_device(0);
    some(1000, 0, 1000, LOOPS);
    const double known = e.result.unlike_error;
    some(1000, 701, 703, 1000 * LOOPS);
    const double unknown = e.result.unlike_error;
    assert_true(known == 0);
    assert_true(unknown > 0.5 && unknown < 0.6);
}

/* As many operations, but only the first quarter of the blocks stores: the others do not stand for it. */
EXEC_TEST(test_blocks_that_store_nothing_are_others)
{
    enum { GRID = 1000, ORDER = 40 };
    struct op_count counts[1] = {{0, 0, 0}};
    const struct code code = {.count = 1};
    struct trace *trace = trace_create(sim_profile_find("h100"), &code, GRID, 4, 1);
    for (uint64_t i = 0; i < GRID; i++) {
        struct trace_block *block = trace_block_begin(trace, i);
        trace_note_end(trace, i, 100, i < GRID / 4);
        if (!block)
            continue;
        block->counts[0].warps = 100;
        trace_block_end(block, counts, i < GRID / 4);
    }
    strata_settle(trace);
    assert_non_null(trace->strata);
    int order[ORDER];
    strata_order(trace, ORDER, order);
    for (int i = 0; i < ORDER; i++)
        assert_true(trace->blocks[order[i]].acts == (i < ORDER / 4));
    trace_destroy(trace);
}

EXEC_TEST(test_sizes_grow_with_operations)
{
    int last = 0;
    for (uint64_t n = 0; n < 100000; n++) {
        const int size = trace_size_of(n);
        assert_true(size == last || size == last + 1 || n < 5);
        last = size;
    }
    assert_int_equal(trace_size_of(UINT64_MAX), TRACE_SIZES - 1);
}

RUN_ALL
