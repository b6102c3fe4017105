/* After an access that must not happen the launch goes on, where hazards are looked for, and fails all the same. */
#include "test.h"
#include "exec_support.h"

#include <unistd.h>

EXEC_FIXTURE

static const struct sim_dim3 one = {1, 1, 1};

/* x: 64 words, the thread's own number; %far: 1 MiB behind it. %x: the thread's word. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 x) {\n"                                                                   \
    ".shared .align 16 .b8 near[256]; .local .align 16 .b8 own[16];\n"                                       \
    ".reg .b64 %x, %far, %g, %s, %rd<8>; .reg .b32 %t, %a, %r<20>; .reg .pred %p<8>;\n"                      \
    "ld.param.u64 %x, [x]; mov.u32 %t, %tid.x; mad.wide.u32 %x, %t, 4, %x; add.u64 %far, %x, 0x100000;\n"    \
    "mov.u32 %a, near; mad.lo.u32 %a, %t, 4, %a; setp.eq.u32 %p0, %t, 3;\n"

static enum sim_status run(const char *middle, uint32_t out[64])
{
    char ptx[4096];
    uint32_t numbers[64];
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = i;
    reopen();
    snprintf(ptx, sizeof ptx, "%s%s\nret; }\n", HEAD, middle);
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, numbers, sizeof numbers)};
    enum sim_status status = exec_launch(&e, "k", one, (struct sim_dim3){64, 1, 1}, 0, args);
    memcpy(out, exec_bytes(&e, args[0], 256), 256);
    return status;
}

static const struct sim_hazard *first_report(void)
{
    const struct sim_hazard *hazards;
    assert_true(sim_hazards(e.sim, &hazards) > 0);
    return &hazards[0];
}

/* A race behind the fault: thread t reads what thread t + 32 writes. */
#define RACE                                                                                                 \
    "st.shared.u32 [%a], %t; xor.b32 %r9, %t, 32; shl.b32 %r9, %r9, 2; mov.u32 %r8, near; add.u32 %r9, "     \
    "%r9, %r8; ld.shared.u32 %r10, [%r9]; st.global.u32 [%x], %r10;\n"

EXEC_TEST(races_behind_a_fault_are_found)
{
    static const char *const faults[] = {
        "@%p0 st.global.u32 [%far], 7;", "st.global.u32 [%far], 7;",
        "ld.global.u32 %r1, [%far];",    "atom.global.add.u32 %r1, [%far], 1;",
        "st.shared.u32 [%a+4096], 7;",   "ld.global.v2.u32 {%r1, %r2}, [%x+4];",
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t out[64];
        char text[1024];
        snprintf(text, sizeof text, "%s\n%s", faults[i], RACE);
        enum sim_status status = run(text, out);
        assert_int_equal(status, i == 5 ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS);
        assert_int_equal(first_report()->class, i == 5 ? SIM_HAZARD_MISALIGNED : SIM_HAZARD_OUT_OF_BOUNDS);
        assert_string_equal(first_report()->message, e.result.message);
        assert_true(exec_hazards(&e, SIM_HAZARD_RACE_SHARED) > 0);
        assert_int_equal(exec_hazards(&e, SIM_HAZARD_OUT_OF_BOUNDS) + exec_hazards(&e, SIM_HAZARD_MISALIGNED),
                         1);
    }
}

/* However far off the index is, the array is the one whose pointer the address is computed from. */
EXEC_TEST(a_far_index_belongs_to_the_array_that_is_meant)
{
    static const char *const faults[] = {
        "@%p0 st.global.u32 [%far], 7;",
        "mov.u64 %g, %x; LOOP: add.u64 %g, %g, 0x80000; setp.lt.u64 %p1, %g, %far; @%p1 bra LOOP;\n"
        "@%p0 ld.global.u32 %r1, [%g];",
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t out[64];
        assert_int_equal(run(faults[i], out), SIM_OUT_OF_BOUNDS);
        if (!strstr(first_report()->message, "at index 262147 of") ||
            !strstr(first_report()->message, "which has 64 elements"))
            fail_msg("%s", first_report()->message);
    }
    /* From no pointer: no array is named. */
    uint32_t out[64];
    assert_int_equal(run("mov.u64 %g, 0x123456789000; st.global.u32 [%g], 7;", out), SIM_OUT_OF_BOUNDS);
    assert_null(strstr(first_report()->message, "at index"));
}

/* Lines 1 and 3 of the file have a comparison, with the sides the other way round; line 2 has none. */
static void expect_conditions(const char *middle, const char *words)
{
    char path[] = "/tmp/conditions-XXXXXX", text[2048];
    uint32_t out[64];
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "if (i < n) {\n}\nif (p->n > i) {\n", 31) == 31);
    close(fd);
    snprintf(text, sizeof text, "%s\nret; }\n.file 1 \"%s\"\n.visible .entry other() {", middle, path);
    assert_int_equal(run(text, out), SIM_OUT_OF_BOUNDS);
    const char *said = strstr(first_report()->message, "The thread comes there because");
    if (words ? !said || strcmp(said, words) != 0 : said != NULL)
        fail_msg("%s", first_report()->message);
    unlink(path);
}

#define N        "mov.u32 %r1, %ntid.x; add.u32 %r2, %r1, 2;\n" /* 64 and 66 */
#define AT(line) ".loc 1 " #line " 1\n"
#define STORE    "st.global.u32 [%far], 7;\n"

/* The numbers of comparisons that let the thread come there, where they are known. */
EXEC_TEST(conditions_are_told_with_their_numbers)
{
    expect_conditions(N AT(1) "setp.ge.s32 %p1, %r1, %r2; @%p1 ret;\n" STORE,
                      NULL); /* not alive, and a guarded end */
    expect_conditions(N AT(1) "setp.ge.s32 %p1, %r1, %r2; @%p1 bra OUT;\n" STORE "OUT:\n",
                      "The thread comes there because 64 < 66 (line 1).");
    expect_conditions(N AT(3) "setp.ge.s32 %p1, %r1, %r2; @%p1 bra OUT;\n" STORE "OUT:\n",
                      "The thread comes there because 66 > 64 (line 3).");
    expect_conditions(
        N AT(1) "setp.gt.s32 %p1, %r2, %r1; setp.le.s32 %p2, %r1, %t;\n" AT(
            2) "not.pred %p3, %p1; or.pred %p4, %p2, %p3; @%p4 bra OUT;\n" STORE "OUT:\n",
        "The thread comes there because 0 < 64 and 64 < 66 (line 1). What is compared there with 64, as "
        "many as there are elements, is 0; the index is 262144.");
    /* A part is not known: the register was changed since. */
    expect_conditions(N AT(1) "setp.gt.s32 %p1, %r2, %r1; mov.u32 %r5, %t; setp.le.s32 %p2, %r1, %r5;\n"
                              "add.u32 %r5, %r5, 1; or.pred %p4, %p2, %p2; @%p4 bra OUT;\n" STORE "OUT:\n",
                      NULL);
    /* No line of the two has a comparison. */
    expect_conditions(N AT(2) "setp.ge.s32 %p1, %r1, %r2; @%p1 bra OUT;\n" STORE "OUT:\n", NULL);
    /* The last turn of a loop, and not the first. */
    expect_conditions(
        "mov.u32 %r1, 0; mov.u32 %r2, %ntid.x; mov.u64 %g, %x;\n" AT(
            1) "setp.ge.s32 %p1, %r1, %r2; @%p1 bra OUT;\n"
               "LOOP: add.u64 %g, %g, 0x10000; st.global.u32 [%g], 7; add.s32 %r1, %r1, 1;\n"
               "setp.lt.s32 %p2, %r1, %r2; @%p2 bra LOOP;\nOUT:\n",
        "The thread comes there because 0 < 64 (line 1). What is compared there with 64, as many "
        "as there are elements, is 0; the index is 16384.");
}

EXEC_TEST(loads_bring_poison_and_stores_are_lost)
{
    uint32_t out[64];
    assert_int_equal(
        run("add.u64 %g, %far, 0; @!%p0 mov.u64 %g, %x; ld.u32 %r1, [%g]; add.u32 %r2, %t, 100;\n"
            "st.u32 [%g], %r2; st.global.u32 [%x], %r1;\n",
            out),
        SIM_OUT_OF_BOUNDS);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i == 3 ? UINT32_MAX : i);
    /* lanes in several spaces, one of which leaves its own */
    assert_int_equal(
        run("cvt.u64.u32 %s, %a; cvta.shared.u64 %s, %s; setp.lt.u32 %p1, %t, 9; st.u32 [%s], %t;\n"
            "selp.b64 %g, %s, %x, %p1; @%p0 add.u64 %g, %s, 4096; atom.add.u32 %r1, [%g], 5;\n"
            "ld.shared.u32 %r2, [%a]; add.u32 %r2, %r2, %r1; st.global.u32 [%x], %r2;\n",
            out),
        SIM_OUT_OF_BOUNDS);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i == 3 ? 2 : i < 9 ? 2 * i + 5 : 2 * i);
}

EXEC_TEST(what_follows_from_poison_is_not_reported)
{
    uint32_t out[64];
    assert_int_equal(
        run("@%p0 ld.global.u32 %r1, [%far]; @!%p0 mov.u32 %r1, 0; mul.wide.s32 %rd1, %r1, 4096;\n"
            "add.u64 %rd1, %rd1, %x; ld.global.u32 %r2, [%rd1]; st.global.u32 [%x], %r2;\n",
            out),
        SIM_OUT_OF_BOUNDS);
    assert_int_equal(exec_all_hazards(&e), 1);
}

/* Poison may keep a loop from ending, and a fault in a loop is one fault. */
EXEC_TEST(loops_after_a_fault_end_long)
{
    uint32_t out[64];
    assert_int_equal(run("L: ld.global.u32 %r1, [%far]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n", out),
                     SIM_OUT_OF_BOUNDS);
    assert_int_equal(exec_all_hazards(&e), 1);
    /* a barrier that some threads do not reach because of the fault: no second status */
    assert_int_equal(
        run("ld.global.u32 %r1, [%x]; @%p0 ld.global.u32 %r1, [%far]; setp.eq.u32 %p1, %r1, -1;\n"
            "@%p1 trap; bar.sync 0;\n",
            out),
        SIM_OUT_OF_BOUNDS);
    assert_non_null(strstr(e.result.message, "thread (3,0,0)"));
}

EXEC_TEST(without_hazards_the_launch_stops)
{
    reopen();
    exec_load(&e, HEAD "st.global.u32 [%far], 7; st.global.u32 [%x], 9; ret; }\n");
    uint64_t args[] = {exec_buffer(&e, NULL, 256)};
    sim_config(e.sim)->hazards = false;
    assert_int_equal(exec_launch(&e, "k", one, (struct sim_dim3){64, 1, 1}, 0, args), SIM_OUT_OF_BOUNDS);
    assert_int_equal(*(uint32_t *)exec_bytes(&e, args[0], 4), 0);
}

RUN_ALL
