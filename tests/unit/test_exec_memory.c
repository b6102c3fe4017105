/* Loads, stores, atomics: variables, parameters, faults. Widths and vectors: tests/gpu/opcodes; spaces: tests/differential. */
#include "test.h"
#include "exec_support.h"

EXEC_FIXTURE

static const struct sim_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %r<20>; .reg .b16 %h<8>; .reg .f64 %d<4>; .reg .pred "       \
    "%p<8>;\n"                                                                                               \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"                                \
    "mad.wide.u32 %in, %t, 16, %in; mad.wide.u32 %out, %t, 16, %out;\n"
#define TAIL "ret; }\n"

/* Each of 32 threads has 16 bytes of input (byte i of thread t is 16 t + i) and 16 of output, at first 0. */
static void run(const char *ptx, uint8_t out[32][16])
{
    uint8_t in[512];
    for (int i = 0; i < 512; i++)
        in[i] = (uint8_t)i;
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, in, 512), exec_buffer(&e, NULL, 512)};
    if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s", e.result.message);
    memcpy(out, exec_bytes(&e, args[1], 512), 512);
    assert_int_equal(exec_all_hazards(&e), 0);
}

/* Each thread publishes a value and reads its neighbor's, with every spelling of a fence between. */
EXEC_TEST(fences_are_known)
{
    static const char *const fences[] = {
        "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.acq_rel.sys;", "fence.sc.cta;",
        "fence.sc.gpu;",      "fence.sc.sys;",      "membar.cta;",        "membar.gl;",
        "membar.sys;",        "fence.acquire.gpu;",
    };
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
        uint8_t out[32][16];
        char ptx[2048];
        snprintf(ptx, sizeof ptx, "%s%s%s", HEAD "add.u32 %r1, %t, 7; st.volatile.global.u32 [%out], %r1;",
                 fences[i],
                 "bar.warp.sync -1; xor.b32 %r2, %t, 1; sub.s32 %r2, %r2, %t; mul.wide.s32 %rd1, %r2, 16;\n"
                 "add.u64 %rd1, %rd1, %out; ld.volatile.global.u32 %r3, [%rd1]; st.global.u32 [%out+4], "
                 "%r3;\n" TAIL);
        run(ptx, out);
        for (int t = 0; t < 32; t++)
            assert_int_equal(out[t][4], (t ^ 1) + 7);
    }
}

/* What only tunes: the value that is read is the same with and without it. */
EXEC_TEST(hints_change_nothing)
{
    uint8_t out[32][16];
    run(HEAD
        "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;\n"
        "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd2, [%in], 128, 256;\n"
        "createpolicy.cvt.L2.b64 %rd3, 0x14f0000000000000;\n"
        "prefetch.global.L2 [%in]; prefetch.global.L1 [%in]; prefetch.global.L2::evict_last [%in];\n"
        "prefetchu.L1 [%in]; applypriority.global.L2::evict_normal [%in], 128;\n"
        "griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 96;\n"
        "setmaxnreg.dec.sync.aligned.u32 24; pmevent 3; pmevent.mask 1; brkpt; nanosleep.u32 20;\n"
        "ldu.global.v2.u32 {%r1, %r2}, [%in]; st.global.v2.u32 [%out], {%r1, %r2};\n"
        "ld.global.L1::evict_last.L2::cache_hint.L2::128B.u32 %r1, [%in+8], %rd1;\n"
        "st.global.L1::no_allocate.L2::cache_hint.u32 [%out+8], %r1, %rd1;\n"
        "ld.global.nc.L1::no_allocate.L2::256B.u32 %r1, [%in+12]; st.global.cs.u32 [%out+12], %r1;\n" TAIL,
        out);
    for (int i = 0; i < 512; i++)
        assert_int_equal(out[i / 16][i % 16], (uint8_t)i);
    run(HEAD "discard.global.L2 [%in], 128;\n" TAIL, out);
}

EXEC_TEST(finds_variables_of_the_module)
{
    uint8_t out[32][16];
    run(".const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};\n"
        ".global .align 4 .u32 counter = 5;\n"
        ".global .align 8 .u64 pointer = counter;\n" HEAD
        "and.b32 %r1, %t, 3; shl.b32 %r1, %r1, 2; cvt.u64.u32 %rd1, %r1; mov.u64 %rd2, table; add.u64 %rd2, "
        "%rd2, %rd1;\n"
        "ld.const.u32 %r2, [%rd2]; st.global.u32 [%out], %r2; ld.const.u32 %r2, [table+8]; st.global.u32 "
        "[%out+4], %r2;\n"
        "ld.global.u64 %rd3, [pointer]; ld.global.u32 %r3, [%rd3]; st.global.u32 [%out+8], %r3;\n" TAIL,
        out);
    for (int t = 0; t < 32; t++) {
        uint32_t words[4];
        memcpy(words, out[t], 16);
        assert_int_equal(words[0], t % 4 + 1);
        assert_int_equal(words[1], 3);
        assert_int_equal(words[2], 5);
    }
    sim_addr address;
    size_t size;
    assert_true(sim_module_symbol(e.module, "counter", &address, &size));
    assert_int_equal(size, 4);
    assert_false(sim_module_symbol(e.module, "missing", &address, &size));
}

/* A structure passed by value, read through an index and through its generic address. */
EXEC_TEST(reads_parameters)
{
    uint32_t data[4] = {10, 20, 30, 40};
    reopen();
    exec_load(
        &e, ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[16]) { .reg .b64 %o, %a, %b; .reg .b32 "
            "%t, %r<9>;\n"
            "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 8, %o; and.b32 %r1, %t, 3;\n"
            "mov.b64 %a, s; mad.wide.u32 %b, %r1, 4, %a; ld.param.u32 %r2, [%b]; ld.param.u32 %r3, [s+12];\n"
            "add.u32 %r2, %r2, %r3; cvta.param.u64 %a, %a; ld.u32 %r4, [%a+4]; st.global.v2.u32 [%o], {%r2, "
            "%r4}; ret; }");
    uint64_t out = exec_buffer(&e, NULL, 256);
    void *args[] = {&out, data};
    struct sim_launch launch = {.kernel = exec_kernel(&e, "k"), .grid = one, .block = warp, .args = args};
    assert_non_null(launch.kernel);
    assert_int_equal(sim_launch_run(e.sim, &launch, &e.result), SIM_OK);
    const uint32_t *words = exec_bytes(&e, out, 256);
    for (int t = 0; t < 32; t++) {
        assert_int_equal(words[2 * t], data[t % 4] + 40);
        assert_int_equal(words[2 * t + 1], 20);
    }
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

/* All 32 lanes act on the word at `in` of thread 0, at first `before`; afterwards it is `after`. */
static void check_atomic(const char *text, int size, uint64_t before, uint64_t after)
{
    char ptx[2048];
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD "ld.param.u64 %in, [in]; cvt.u64.u32 %rd1, %t;\n", text, TAIL);
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, &before, 8), exec_buffer(&e, NULL, 512)};
    if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s: %s", text, e.result.message);
    uint64_t got = 0;
    memcpy(&got, exec_bytes(&e, args[0], 8), (size_t)size);
    if (got != after)
        fail_msg("%s: got 0x%llx, expected 0x%llx", text, (unsigned long long)got, (unsigned long long)after);
    assert_int_equal(exec_all_hazards(&e), 0);
}

EXEC_TEST(atomics_change_memory)
{
    check_atomic("red.global.add.noftz.f16x2 [%in], 0x3c004000;", 4, 0x3c000000, 0x50205400);
    check_atomic("atom.global.cas.b64 %rd2, [%in], %rd1, 77;", 8, 99, 99);
    check_atomic("atom.acq_rel.gpu.global.add.s32 %r1, [%in], -1;", 4, 32, 0);
    check_atomic("{.reg .pred %q; setp.lt.u32 %q, %t, 3; @%q red.relaxed.gpu.global.add.u32 [%in], 1;}", 4, 0,
                 3);
}

/* Lanes act one after the other: each gets what the one before it left. */
EXEC_TEST(atomics_return_the_old_value)
{
    uint8_t out[32][16];
    run(HEAD ".shared .align 4 .u32 s; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [s], 100; bar.sync 0;\n"
             "atom.shared.add.u32 %r1, [s], 2; st.global.u32 [%out], %r1;\n" TAIL,
        out);
    for (int t = 0; t < 32; t++) {
        uint32_t word;
        memcpy(&word, out[t], 4);
        assert_int_equal(word, 100 + 2 * t);
    }
}

/* ---- faults -------------------------------------------------------------------------------------------- */

static void expect_fault(const char *ptx, enum sim_status status, enum sim_hazard_class class)
{
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, NULL, 512), exec_buffer(&e, NULL, 512)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), status);
    assert_non_null(strstr(e.result.message, "t.cu"));
    assert_non_null(strstr(e.result.message, "17"));
    assert_int_equal(exec_hazards(&e, class), 1);
}

EXEC_TEST(stops_at_faults)
{
    expect_fault(HEAD ".loc 1 17 0\nst.global.u32 [%out+4096], %t;\n" TAIL, SIM_OUT_OF_BOUNDS,
                 SIM_HAZARD_OUT_OF_BOUNDS);
    expect_fault(HEAD ".loc 1 17 0\nld.global.u32 %r1, [%in+2];\n" TAIL, SIM_MISALIGNED,
                 SIM_HAZARD_MISALIGNED);
    expect_fault(HEAD ".shared .b8 s[64]; mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;\n"
                      ".loc 1 17 0\nst.shared.u32 [%r1], %t;\n" TAIL,
                 SIM_OUT_OF_BOUNDS, SIM_HAZARD_OUT_OF_BOUNDS);
    /* Shared memory does not begin at 0: an offset instead of an address. */
    expect_fault(HEAD ".shared .b8 s[128]; shl.b32 %r1, %t, 2;\n.loc 1 17 0\nst.shared.u32 [%r1], %t;\n" TAIL,
                 SIM_OUT_OF_BOUNDS, SIM_HAZARD_OUT_OF_BOUNDS);
    expect_fault(HEAD ".shared .b8 s[128]; setp.lt.u32 %p1, %t, 32;\n.loc 1 17 0\n"
                      "@%p1 ld.shared.u32 %r1, [4];\n" TAIL,
                 SIM_OUT_OF_BOUNDS, SIM_HAZARD_OUT_OF_BOUNDS);
    expect_fault(".const .align 4 .u32 c = 3;\n" HEAD "mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1;\n"
                 ".loc 1 17 0\nst.u32 [%rd1], %t;\n" TAIL,
                 SIM_OUT_OF_BOUNDS, SIM_HAZARD_READ_ONLY);
}

/* The s_x of a kernel, and one that several share in a namespace without a name, whose own name ends with digits. */
EXEC_TEST(names_shared_arrays_plainly)
{
    static const char *const names[] = {"_ZZ4kernPiE3s_x", "_ZN24_GLOBAL__N__4f10_1_a_1233s_xE"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        reopen();
        snprintf(text, sizeof text,
                 "%s.shared .b8 %s[64]; mov.u32 %%r1, %s; shl.b32 %%r2, %%t, 2;\n"
                 "add.u32 %%r1, %%r1, %%r2; st.shared.u32 [%%r1], %%t;\n%s",
                 HEAD, names[i], names[i], TAIL);
        exec_load(&e, text);
        uint64_t args[] = {exec_buffer(&e, NULL, 512), exec_buffer(&e, NULL, 512)};
        assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_OUT_OF_BOUNDS);
        assert_non_null(strstr(e.result.message, "(byte 64 of s_x)"));
    }
}

EXEC_TEST(stops_at_traps)
{
    reopen();
    exec_load(&e, HEAD "setp.eq.u32 %p1, %t, 3;\n.loc 1 17 0\n@%p1 trap;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 512), exec_buffer(&e, NULL, 512)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_TRAP);
    assert_non_null(strstr(e.result.message, "t.cu:17: thread (3,0,0) of block (0,0,0)"));
}

/* What is read ahead in shared memory and dropped is no hazard; in a function it is not known whether it is dropped, and
 * what CUB and Thrust read ahead is not the author's fault. */
#define READ_AHEAD(file, stored)                                                                             \
    ".file 2 \"/toolkit/include/cub/block/block_merge_sort.cuh\"\n" HEAD ".shared .b32 s[32];\n.loc " file   \
    " 17 0\nld.shared.u32 %r1, [s+4];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%out], " stored ";\n" TAIL
#define READ_AHEAD_IN_FUNCTION(file)                                                                         \
    ".file 2 \"/toolkit/include/cub/block/block_merge_sort.cuh\"\n.shared .b32 s[32];\n"                     \
    ".func ahead() { .reg .b32 %r<3>;\n.loc " file                                                           \
    " 17 0\nld.shared.u32 %r1, [s+4];\nadd.u32 %r2, %r1, 1;\nret; }\n" HEAD "call.uni ahead;\n" TAIL

EXEC_TEST(reads_ahead_are_no_hazards)
{
    static const struct {
        const char *ptx;
        int hazards;
    } kernels[] = {{READ_AHEAD("1", "%t"), 0},       {READ_AHEAD("1", "%r2"), 1},
                   {READ_AHEAD("2", "%t"), 0},       {READ_AHEAD("2", "%r2"), 1},
                   {READ_AHEAD_IN_FUNCTION("1"), 1}, {READ_AHEAD_IN_FUNCTION("2"), 0}};
    for (int i = 0; i < 6; i++) {
        reopen();
        exec_load(&e, kernels[i].ptx);
        uint64_t args[] = {exec_buffer(&e, NULL, 512), exec_buffer(&e, NULL, 512)};
        assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_OK);
        assert_int_equal(exec_hazards(&e, SIM_HAZARD_UNINITIALIZED), kernels[i].hazards);
    }
}

/* Bytes of the process that are in memory. */
static size_t resident(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * 4096;
}

/* Of 10 GiB only what is written takes memory: 64 words, 160 MiB apart, and what is known of them. */
EXEC_TEST(memory_is_taken_where_it_is_written)
{
    const size_t size = (size_t)10 << 30;
    reopen();
    exec_load(&e, ".visible .entry k(.param .u64 x) {\n"
                  ".reg .b64 %x, %rd<4>; .reg .b32 %t;\n"
                  "ld.param.u64 %x, [x]; mov.u32 %t, %tid.x; mad.wide.u32 %x, %t, 167772160, %x;\n"
                  "st.global.u32 [%x], %t; ret; }\n");
    const size_t before = resident();
    uint64_t args[] = {sim_mem_alloc(e.sim, size, NULL)};
    assert_true(args[0] != 0);
    assert_true(resident() - before < (size_t)16 << 20);
    assert_int_equal(exec_launch(&e, "k", one, (struct sim_dim3){64, 1, 1}, 0, args), SIM_OK);
    assert_int_equal(*(uint32_t *)exec_bytes(&e, args[0] + 63 * 167772160ul, 4), 63);
    /* Pages of 4 KiB or of 2 MiB, as the host likes, for the bytes; others for what is known of them. */
    assert_true(resident() - before < (size_t)512 << 20);
    assert_true(sim_mem_free(e.sim, args[0]));
}

RUN_ALL
