/* How long a block takes by itself: kernels in PTX, run on the simulator. */
#include "test.h"
#include "sim/device/sim.h"

static struct sim *sim;
static sim_addr memory; /* 1 MB of zeros */

static int setup(void **state)
{
    struct sim_config config = {.profile = sim_profile_find("h100"), .counters = true};

    sim = sim_create(&config);
    memory = sim_mem_alloc(sim, 1 << 20, NULL);
    memset(sim_mem_host(sim, memory, 1 << 20), 0, 1 << 20);
    sim_mem_mark_written(sim, memory, 1 << 20);
    return 0;
}

static int teardown(void **state)
{
    sim_destroy(sim);
    return 0;
}

/* Cycles of a block of `threads` threads that runs `body`; %rd1 holds the memory's address, %r1 the thread.
 */
static double cycles(const char *body, unsigned threads)
{
    static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<8>;\n.reg .f32 %f<32>;\n"
                               ".reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.shared .align 4 .b8 s[4096];\n"
                               "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n";
    char text[8192], message[512];
    struct ptx_error error;
    void *arguments[] = {&memory};
    struct sim_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .args = arguments};
    struct sim_result result;
    struct sim_module *module;
    struct ptx_module *ptx;

    snprintf(text, sizeof(text), "%s%sret;\n}\n", head, body);
    ptx = ptx_parse(text, strlen(text), &error);
    if (ptx == NULL)
        fail_msg("line %d: %s", error.line, error.message);
    module = sim_module_load(sim, ptx, message);
    assert_non_null(module);
    launch.kernel = sim_module_kernel(module, "k", message);
    if (launch.kernel == NULL)
        fail_msg("%s", message);
    assert_int_equal(sim_launch_run(sim, &launch, &result), SIM_OK);
    sim_module_unload(sim, module);
    return result.block_cycles;
}

#define FMA(d, a)  "fma.rn.f32 %f" #d ", %f" #a ", %f" #a ", %f" #a ";\n"
#define LOAD(d, n) "ld.global.f32 %f" #d ", [%rd1+" #n "];\n"
#define ZERO       "mov.f32 %f0, 0f00000000;\n"
#define USE(a)     "st.global.f32 [%rd1], %f" #a ";\n"

TEST(test_dependent_arithmetic_takes_longer)
{
    double chain =
        cycles(ZERO FMA(1, 0) FMA(2, 1) FMA(3, 2) FMA(4, 3) FMA(5, 4) FMA(6, 5) FMA(7, 6) USE(7), 32);
    double apart =
        cycles(ZERO FMA(1, 0) FMA(2, 0) FMA(3, 0) FMA(4, 0) FMA(5, 0) FMA(6, 0) FMA(7, 0) USE(7), 32);

    assert_true(chain - apart > 10 && chain - apart < 25); /* six results of 4 cycles, less the issue slots */
}

TEST(test_independent_loads_overlap)
{
    double one = cycles(LOAD(1, 0) USE(1), 32);
    double four = cycles(LOAD(1, 0) LOAD(2, 4096) LOAD(3, 8192)
                             LOAD(4, 12288) "add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\n"
                                            "add.f32 %f7, %f5, %f6;\n" USE(7),
                         32);
    double dram = sim_profile_find("h100")->dram_latency_ns * 1.98;

    assert_true(one >= dram && one < dram + 60);
    assert_true(four > one && four < one + 30);
}

TEST(test_loads_do_not_pass_stores_and_barriers)
{
    double apart = cycles(LOAD(1, 0) USE(1) "bar.sync 0;\n" LOAD(2, 4096) USE(2), 32);
    double together = cycles(LOAD(1, 0) LOAD(2, 4096) USE(1) USE(2), 32);

    assert_true(apart > 1.8 * together);
}

TEST(test_what_is_known_already_comes_from_the_cache)
{
    double fresh = cycles(LOAD(1, 0) USE(1) "bar.sync 0;\n" LOAD(2, 4096) USE(2), 32);
    double again = cycles(LOAD(1, 0) USE(1) "bar.sync 0;\n" LOAD(2, 0) USE(2), 32);

    assert_true(fresh - again > 500);
}

/* The loop's chain goes through every round; a load in it waits each time. */
#define LOOP(body)                                                                                           \
    ZERO "mov.u32 %r3, 0;\nmov.f32 %f1, %f0;\nL:\n" body                                                     \
         "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 100;\n@%p1 bra L;\n" USE(1)

TEST(test_loops)
{
    double empty = cycles(LOOP(""), 32);
    double chain = cycles(LOOP("add.f32 %f1, %f1, %f0;\nadd.f32 %f1, %f1, %f0;\nadd.f32 %f1, %f1, %f0;\n"
                               "add.f32 %f1, %f1, %f0;\nadd.f32 %f1, %f1, %f0;\nadd.f32 %f1, %f1, %f0;\n"),
                          32);
    double shared = cycles(LOOP("ld.shared.f32 %f2, [%r2];\nadd.f32 %f1, %f1, %f2;\n"), 32);

    assert_true(empty > 100 * 8 && empty < 100 * 40);
    assert_true(chain > empty + 100 * 4);
    assert_true(shared < empty + 100 * 40);
}

/* Code of one warp holds up the others: they wait at the barrier behind it. */
#define GUARDED(limit)                                                                                       \
    "setp.lt.u32 %p1, %r1, " #limit ";\n@!%p1 bra SKIP;\n"                                                   \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\n"                    \
    "st.global.f32 [%rd3], %f1;\nSKIP:\nbar.sync 0;\n"

TEST(test_the_slowest_warp_counts)
{
    double one_of_eight = cycles(GUARDED(32), 256), all = cycles(GUARDED(256), 256),
           none = cycles(GUARDED(0), 256);

    assert_true(one_of_eight > 0.9 * all && one_of_eight < 1.1 * all);
    assert_true(none < 0.2 * all);
}

int main(void)
{
    return RUN_WITH(setup, teardown);
}
