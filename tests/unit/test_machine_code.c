/* Modeled time from machine code: what instructions cost, and that warps walk as far as the simulator has counted. */
#include "test.h"
#include "exec_support.h"
#include "sim/model/sass.h"

EXEC_FIXTURE

/* Dependent multiply-adds, n in all or 16 n; n barriers. */
#define FOUR_ADDS                                                                                            \
    "fma.rn.f32 %a, %a, %a, %a;\nfma.rn.f32 %a, %a, %a, %a;\nfma.rn.f32 %a, %a, %a, %a;\nfma.rn.f32 %a, %a, %a, %a;\n"
#define WAY(i)                                                                                               \
    "w" i ":\n" FOUR_ADDS "add.f32 %a, %a, 0f3F80000" i "; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 1000;\n"   \
    "@%q bra w" i "; bra.uni end;\n"
static const char ptx[] =
    ".visible .entry long_chain(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n; .reg .f32 %a; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.f32 %a, 0f3F800000;\n"
    "loop:\n" FOUR_ADDS FOUR_ADDS FOUR_ADDS FOUR_ADDS "add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "st.global.f32 [%out], %a; ret; }\n"
    ".visible .entry chain(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n; .reg .f32 %a; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.f32 %a, 0f3F800000;\n"
    "loop:\n"
    "fma.rn.f32 %a, %a, %a, %a;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "st.global.f32 [%out], %a; ret; }\n"
    ".visible .entry waits(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0;\n"
    "loop:\n"
    "bar.sync 0;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "st.global.u32 [%out], %i; ret; }\n"
    ".visible .entry exchanges(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n, %v; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %v, 0;\n"
    "loop:\n"
    "atom.global.exch.b32 %v, [%out], %v;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n;\n"
    "@%q bra loop;\n"
    "ret; }\n";
/* In a module of their own, which ptxas takes long for. */
static const char unusual[] =
    /* A loop that is entered in its middle and goes on at its top without a jump, as nvcc unrolls with a rest. */
    ".visible .entry entered(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n; .reg .f32 %a; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.f32 %a, 0f3F800000;\n"
    "bar.sync 0; bra.uni middle;\n"
    "top:\n" FOUR_ADDS FOUR_ADDS "add.u32 %i, %i, 1;\n"
    "middle:\n.pragma \"nounroll\";\n" FOUR_ADDS FOUR_ADDS FOUR_ADDS FOUR_ADDS "setp.ge.u32 %q, %i, %n;\n"
    "@%q bra end; bra.uni top;\n"
    "end: st.global.f32 [%out], %a; ret; }\n"
    /* A loop behind an indirect branch, which walks through machine code do not follow. */
    ".visible .entry switched(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %out; .reg .b32 %i, %n; .reg .f32 %a; .reg .pred %q;\n"
    "ld.param.u64 %out, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.f32 %a, 0f3F800000;\n"
    "bar.sync 0; and.b32 %n, %n, 7;\n"
    "ways: .branchtargets w0, w1, w2, w3, w4, w5, w6, w7;\n"
    "brx.idx %n, ways;\n" WAY("0") WAY("1") WAY("2") WAY("3") WAY("4") WAY("5") WAY("6")
        WAY("7") "end: st.global.f32 [%out], %a; ret; }\n";

/* Cycles from the first block's start to the last one's end; 0: there is no ptxas. */
static double cycles_of(const char *kernel, unsigned blocks, unsigned threads, uint32_t n)
{
    struct sim_config *config = sim_config(e.sim);
    uint64_t args[] = {exec_buffer(&e, NULL, 4096), n};
    config->hazards = false;
    config->machine_code = true;
    config->instruction_limit = 0;
    assert_int_equal(
        exec_launch(&e, kernel, (struct sim_dim3){blocks, 1, 1}, (struct sim_dim3){threads, 1, 1}, 0, args),
        SIM_OK);
    return e.result.machine_seconds * config->profile->clock_ghz * 1e9;
}

static void open_with(const char *module, const char *kernel)
{
    reopen();
    exec_load(&e, module);
    if (cycles_of(kernel, 1, 32, 1) == 0)
        skip();
}

static void open_device(void)
{
    open_with(ptx, "chain");
}

/* A multiply-add waits four cycles for the one before; what a launch costs besides is the same for both lengths. */
EXEC_TEST(test_a_chain_takes_its_latency)
{
    open_device();
    const double more = cycles_of("long_chain", 1, 32, 600) - cycles_of("long_chain", 1, 32, 100);
    assert_in_range((int)more, 8000 * 4 * 9 / 10, 8000 * 6);
}

/* What is behind a jump comes later: a loop of few instructions takes longer than these, which ptxas makes four of one. */
EXEC_TEST(test_a_jump_is_waited_for)
{
    open_device();
    const double chain = cycles_of("chain", 1, 32, 9000) - cycles_of("chain", 1, 32, 1000);
    assert_in_range((int)chain, 2000 * 26, 2000 * 30);
}

/* 132 SMs with 64 warps each: 128 lanes take four warps a cycle, and the loop has other instructions as well. */
EXEC_TEST(test_many_chains_take_the_lanes_long)
{
    open_device();
    const double more = cycles_of("chain", 264, 1024, 1500) - cycles_of("chain", 264, 1024, 500);
    assert_in_range((int)more, 1000 * 64 / 4, 1000 * 64 / 4 * 2);
}

/* On an H200 one atomic waits 502 cycles for the one before, a load from L2 292: within a tenth. */
EXEC_TEST(test_an_atomic_answers_later_than_a_load)
{
    open_device();
    const double more = cycles_of("exchanges", 1, 1, 300) - cycles_of("exchanges", 1, 1, 100);
    assert_in_range((int)more, 200 * 452, 200 * 552);
}

EXEC_TEST(test_barriers_are_waited_for)
{
    open_device();
    const double alone = cycles_of("waits", 1, 32, 3000) - cycles_of("waits", 1, 32, 1000);
    const double many = cycles_of("waits", 1, 1024, 3000) - cycles_of("waits", 1, 1024, 1000);
    assert_in_range((int)alone, 2000 * 10, 2000 * 60);
    assert_true(many >= alone);
}

/* An SM takes 16 threads per cycle at its barriers: 64 warps need 128 cycles, however fast they come. */
EXEC_TEST(test_barriers_take_threads_at_a_rate)
{
    open_device();
    const double more = cycles_of("waits", 264, 1024, 150) - cycles_of("waits", 264, 1024, 50);
    assert_in_range((int)more, 100 * 128, 100 * 128 * 3 / 2);
}

/* ptxas writes the end of a loop in another way for each generation; a loop with a barrier runs as often on all. */
EXEC_TEST(test_loops_end_on_every_device)
{
    static const char *const names[] = {"v100",    "t4",   "a100", "rtx3060", "rtx3090",
                                        "rtx4090", "h100", "h200", "b200",    "rtx5090"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static const char *const kernels[] = {"chain", "waits"};
        for (int k = 0; k < 2; k++) {
            open_device();
            sim_config(e.sim)->profile = sim_profile_find(names[i]);
            assert_non_null(sim_config(e.sim)->profile);
            const double few = cycles_of(kernels[k], 1, 64, 1000), many = cycles_of(kernels[k], 1, 64, 3000);
            if (many - few < 2000 * 4 || many - few > 2000 * 80)
                fail_msg("%s on %s: 2000 turns take %.0f cycles", kernels[k], names[i], many - few);
        }
    }
}

EXEC_TEST(test_a_loop_entered_in_its_middle_runs_as_often_as_counted)
{
    open_with(unusual, "entered");
    const double more = cycles_of("entered", 1, 64, 600) - cycles_of("entered", 1, 64, 100);
    assert_in_range((int)more, 500 * 24 * 4 * 9 / 10, 500 * 24 * 6);
}

EXEC_TEST(test_less_work_than_was_counted_is_no_time)
{
    open_with(unusual, "entered");
    assert_true(cycles_of("switched", 1, 64, 3) == 0);
    assert_true(e.result.seconds > 0);
}

EXEC_TEST(test_host_threads_do_not_matter)
{
    double cycles[2];
    open_device();
    for (unsigned i = 0; i < 2; i++) {
        sim_config(e.sim)->threads = i + 1;
        sim_config(e.sim)->threads_from = 1;
        cycles[i] = cycles_of("chain", 500, 256, 100);
    }
    assert_true(cycles[0] == cycles[1]);
}

EXEC_TEST(test_without_ptxas_the_ptx_is_modeled)
{
    setenv("LABS_SIM_PTXAS", "", 1);
    reopen();
    exec_load(&e, ptx);
    assert_true(cycles_of("chain", 1, 32, 100) == 0);
    assert_true(e.result.seconds > 0);
    setenv("LABS_SIM_PTXAS", "/nonexistent/ptxas", 1);
    reopen();
    exec_load(&e, ptx);
    assert_true(cycles_of("chain", 1, 32, 100) == 0);
    unsetenv("LABS_SIM_PTXAS");
}

/* ---- instructions, as nvdisasm of CUDA 13 shows them for 9.0 -------------------------------------------- */

static struct sass decode(uint64_t low, uint64_t high, int cc)
{
    unsigned char code[SASS_BYTES];
    memcpy(code, &low, 8);
    memcpy(code + 8, &high, 8);
    return sass_decode(code, cc);
}

EXEC_TEST(test_instructions_are_read)
{
    struct sass s = decode(0x0000000400508947, 0x000fea0003800000, 90); /* @!P0 BRA, 0x540 bytes on */
    assert_int_equal(s.unit, SASS_BRANCH);
    assert_int_equal(s.kind, SASS_JUMP);
    assert_int_equal(s.guard, 0);
    assert_int_equal(s.jump, 0x540);
    s = decode(0x000000010200780c, 0x001fc40003f06270, 90); /* ISETP.GE.AND P0, PT, R2, 0x1, PT */
    assert_int_equal(s.unit, SASS_ALU);
    assert_int_equal(s.stall, 2);
    assert_int_equal(s.wait, 1);
    assert_int_equal(s.guard, SASS_ALWAYS);
    s = decode(0x0000000000037919, 0x000e620000002600, 90); /* S2R R3, SR_CTAID.Y */
    assert_int_equal(s.unit, SASS_SPECIAL);
    assert_int_equal(s.release_result, 1);
    assert_int_equal(s.release_read, SASS_NO_BARRIER);
    s = decode(0x0000000006ff7f8c, 0x0001ee000d80003f, 90); /* ATOMS.POPC.INC.32 RZ, [R6+URZ] */
    assert_int_equal(s.unit, SASS_SHARED);
    assert_int_equal(s.kind, SASS_ATOMIC);
    assert_true(s.counts_lanes);
    s = decode(0x0000001d0aff038c, 0x0005e80000000000, 90); /* @P0 ATOMS.ADD RZ, [R10], R29 */
    assert_false(s.counts_lanes);
    s = decode(0xfffffffd00e47547, 0x000fea000b83ffff, 100); /* BRA.U UP0, back by 0x1d0 */
    assert_int_equal(s.guard, 0);
    assert_true(s.jump < 0);
    s = decode(0x0000000908ac7547, 0x002fea000b800000, 100); /* BRA.U !UP1 */
    assert_int_equal(s.guard, 0);
    s = decode(0x000001727f007947, 0xfea000b800000, 80); /* BRA.DIV, from 0x250 to 0x3d0 */
    assert_int_equal(s.kind, SASS_JUMP);
    assert_int_equal(s.jump, 0x3d0 - 0x260);
}

/* Registers of one bank cost half a cycle each, but for those that the instruction before has kept, and for RZ. */
EXEC_TEST(test_register_banks)
{
    static const struct {
        uint8_t sources[3], reuse;
        int half_passes;
    } wanted[] = {
        {{2, 3, 4}, 1, 3},   /* R2 and R4 in the even bank */
        {{2, 3, 4}, 0, 2},   /* R2 was kept */
        {{2, 4, 6}, 0, 4},   /* three of the even bank */
        {{2, 2, 3}, 0, 2},   /* one register twice */
        {{2, 4, 255}, 0, 3}, /* RZ is not read */
    };
    enum { COUNT = sizeof wanted / sizeof *wanted };
    struct sass code[COUNT];
    for (int i = 0; i < COUNT; i++) {
        code[i] = (struct sass){.unit = SASS_FMA, .half_passes = 2, .reuse = wanted[i].reuse};
        memcpy(code[i].sources, wanted[i].sources, sizeof code[i].sources);
    }
    sass_count_banks(code, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(code[i].half_passes, wanted[i].half_passes);
}

RUN_ALL
