/* Functions: parameters, recursion, pointers to functions, and those that the driver provides. */
#include "test.h"
#include "exec_support.h"

EXEC_FIXTURE

static const struct sim_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 p) {\n"                                                                   \
    ".reg .b64 %p, %base, %rd<8>; .reg .b32 %t, %r<20>; .reg .pred %p<8>;\n"                                 \
    "ld.param.u64 %base, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 4, %base;\n"
#define TAIL "st.global.u32 [%p], %r1; ret; }\n"

/* fib(n), recursively, with a local array in every frame. */
static const char fib[] =
    ".func (.param .b32 ret) fib(.param .b32 n) {\n"
    ".local .align 4 .b8 depot[8]; .reg .b32 %r<9>; .reg .b64 %l; .reg .pred %p1;\n"
    "ld.param.u32 %r1, [n]; mov.u64 %l, depot; st.local.u32 [%l+4], %r1; mov.u32 %r2, %r1;\n"
    "setp.lt.s32 %p1, %r1, 2; @%p1 bra DONE;\n"
    "add.s32 %r3, %r1, -1;\n{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 v; call.uni (v), fib, (a);\n"
    "ld.param.b32 %r4, [v]; }\nld.local.u32 %r1, [%l+4]; add.s32 %r3, %r1, -2;\n"
    "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 v; call.uni (v), fib, (a);\nld.param.b32 %r5, [v]; "
    "}\n"
    "add.s32 %r2, %r4, %r5;\nDONE: st.param.b32 [ret], %r2; ret; }\n";

static size_t stack; /* cudaLimitStackSize of the next run; 0: what a device has at first */

static void run(const char *before, const char *kernel, uint32_t out[32])
{
    char ptx[8192];
    snprintf(ptx, sizeof ptx, "%s%s", before, kernel);
    reopen();
    exec_load(&e, ptx);
    sim_config(e.sim)->stack_limit = stack;
    uint64_t args[] = {exec_buffer(&e, NULL, 128)};
    if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s", e.result.message);
    memcpy(out, exec_bytes(&e, args[0], 128), 128);
    assert_int_equal(exec_all_hazards(&e), 0);
}

#define CALL_FIB                                                                                             \
    "{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r1, [v]; " \
    "}\n"

EXEC_TEST(functions_recurse)
{
    uint32_t out[32], expected[32] = {0, 1};
    run(fib,
        HEAD "and.b32 %r2, %t, 15;\n" CALL_FIB
             "activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.u32 %r1, %r3, 100000, %r1;\n" TAIL,
        out);
    for (int i = 2; i < 16; i++)
        expected[i] = expected[i - 1] + expected[i - 2];
    for (int t = 0; t < 32; t++)
        assert_int_equal(out[t], 3200000 + expected[t % 16]); /* all lanes are together again */
}

EXEC_TEST(only_some_lanes_call)
{
    uint32_t out[32];
    run(fib,
        HEAD "mov.u32 %r1, 77; setp.ne.u32 %p1, %t, 9; @%p1 bra END; mov.u32 %r2, 10;\n" CALL_FIB
             "END:\n" TAIL,
        out);
    for (int t = 0; t < 32; t++)
        assert_int_equal(out[t], t == 9 ? 55 : 77);
}

EXEC_TEST(reports_endless_recursion)
{
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s%s",
             ".func down(.param .b32 n) { .reg .b32 %r<4>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1;\n"
             ".loc 1 8 0\n{ .param .b32 a; st.param.b32 [a], %r1; call.uni down, (a); } ret; }\n",
             HEAD "{ .param .b32 a; st.param.b32 [a], %t; call.uni down, (a); } mov.u32 %r1, 0;\n" TAIL);
    reopen();
    exec_load(&e, ptx);
    uint64_t args[] = {exec_buffer(&e, NULL, 128)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_STACK_OVERFLOW);
    assert_non_null(strstr(e.result.message, "t.cu:8"));
    assert_non_null(strstr(e.result.message, "calls down too deep: stack overflow"));
    assert_non_null(strstr(e.result.message, "and a thread has 1024 (cudaLimitStackSize)"));
}

/* Calls itself n times, and adds up what it finds in an array of its own in each call. */
static const char deep[] =
    ".func (.param .b32 ret) deep(.param .b32 n) { .reg .b32 %r<6>; .reg .pred %p<2>; .local .align 4 .b8 own[8];\n"
    "ld.param.u32 %r1, [n]; st.local.u32 [own+4], %r1; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
    "sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), deep, (a);\n"
    "ld.param.b32 %r3, [v]; } DONE: ld.local.u32 %r4, [own+4]; add.u32 %r3, %r3, %r4; st.param.b32 [ret], %r3;\n"
    "ret; }\n";

#define CALL_DEEP                                                                                            \
    HEAD "{ .param .b32 a; st.param.b32 [a], DEPTH; .param .b32 v; call.uni (v), deep, (a);\n"               \
         "ld.param.b32 %r1, [v]; }\n" TAIL

/* The status of a kernel that calls `depth` deep, with so many bytes of stack; 0: what a device has at first. */
static enum sim_status call_deep(int depth, size_t stack, char *message, size_t size)
{
    char ptx[8192], *place;
    snprintf(ptx, sizeof ptx, "%s%s", deep, CALL_DEEP);
    place = strstr(ptx, "DEPTH");
    memcpy(place, "     ", 5);
    place[snprintf(place, 6, "%d", depth)] = ' ';
    reopen();
    exec_load(&e, ptx);
    sim_config(e.sim)->stack_limit = stack;
    uint64_t args[] = {exec_buffer(&e, NULL, 128)};
    enum sim_status status = exec_launch(&e, "k", one, warp, 0, args);
    if (status == SIM_OK)
        assert_int_equal(((uint32_t *)exec_bytes(&e, args[0], 128))[31], depth * (depth + 1) / 2);
    snprintf(message, size, "%s", e.result.message);
    return status;
}

EXEC_TEST(the_limit_decides_how_deep_calls_go)
{
    char message[1024];
    assert_int_equal(call_deep(20, 0, message, sizeof message), SIM_OK);
    assert_int_equal(call_deep(5000, 0, message, sizeof message), SIM_STACK_OVERFLOW);
    assert_int_equal(call_deep(5000, 65536, message, sizeof message), SIM_STACK_OVERFLOW);
    assert_non_null(strstr(message, "and a thread has 65536 (cudaLimitStackSize)"));
    assert_int_equal(call_deep(5000, 400000, message, sizeof message), SIM_OK);
    assert_int_equal(call_deep(20, 16, message, sizeof message), SIM_STACK_OVERFLOW);
    assert_non_null(strstr(message, "stack overflow at call depth 1. "));
}

/* Lanes call different functions through one pointer; the table is initialized with their addresses. */
/* Takes n bytes from the stack, fills the first of them with `n`, and forgets about it. */
static const char taker[] = ".func taker(.param .b64 n) {\n.reg .b64 %n, %a;\n"
                            "ld.param.u64 %n, [n]; alloca.u64 %a, %n; st.local.u8 [%a], %n; ret; }\n";

EXEC_TEST(the_stack_is_per_thread)
{
    uint32_t out[32];
    stack = 16384;
    run(taker,
        /* different sizes, an alignment, and what a callee takes comes back */
        HEAD
        "add.u32 %r2, %t, 1; cvt.u64.u32 %rd1, %r2; alloca.u64 %rd2, %rd1, 64; st.local.u8 [%rd2], %t;\n"
        "stacksave.u64 %rd3; and.b64 %rd4, %rd2, 63; mov.u32 %r3, 0;\n"
        "LOOP: { .param .b64 a; st.param.b64 [a], 4000; call.uni taker, (a); }\n"
        "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra LOOP;\n"
        "stacksave.u64 %rd5; sub.u64 %rd5, %rd5, %rd3; add.u64 %rd4, %rd4, %rd5;\n"
        "MORE: alloca.u64 %rd6, 4096; st.local.u8 [%rd6], 255; stackrestore.u64 %rd3; add.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p1, %r3, 60; @%p1 bra MORE;\n"
        "ld.local.u8 %r1, [%rd2]; cvt.u32.u64 %r4, %rd4; mad.lo.u32 %r1, %r4, 1000, %r1;\n" TAIL,
        out);
    stack = 0;
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t);
}

EXEC_TEST(reports_a_full_stack)
{
    reopen();
    exec_load(&e,
              HEAD "LOOP: alloca.u64 %rd1, 1000; st.local.u8 [%rd1], 1; bra LOOP; mov.u32 %r1, 0;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 128)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_STACK_OVERFLOW);
    if (!strstr(e.result.message,
                "asks for 1000 bytes by alloca: stack overflow. Of the 1024 bytes of stack that a "
                "thread has (cudaLimitStackSize), 24 are left"))
        fail_msg("%s", e.result.message);
}

EXEC_TEST(calls_through_pointers)
{
    uint32_t out[32];
    const char *functions = ".func (.param .b32 ret) twice(.param .b32 n) { .reg .b32 %r1; ld.param.u32 %r1, "
                            "[n]; shl.b32 %r1, %r1, 1; st.param.b32 [ret], %r1; ret; }\n"
                            ".func (.param .b32 ret) negate(.param .b32 n) { .reg .b64 %w; .reg .b32 %r1, "
                            "%r2; ld.param.u32 %r2, [n]; neg.s32 %r1, %r2; st.param.b32 [ret], %r1; ret; }\n"
                            ".global .align 8 .u64 table[2] = {twice, negate};\n";
    run(functions,
        HEAD "and.b32 %r2, %t, 1; mov.u64 %rd1, table; mad.wide.u32 %rd1, %r2, 8, %rd1; ld.global.u64 %rd2, "
             "[%rd1];\n"
             "{ .param .b32 a; st.param.b32 [a], %t; .param .b32 v;\nproto: .callprototype (.param .b32 _) _ "
             "(.param .b32 _);\n"
             "call (v), %rd2, (a), proto;\nld.param.b32 %r1, [v]; }\n" TAIL,
        out);
    for (int t = 0; t < 32; t++)
        assert_int_equal((int32_t)out[t], t % 2 ? -t : 2 * t);
}

#define PRINTF                                                                                               \
    ".extern .func (.param .b32 ret) vprintf (.param .b64 f, .param .b64 a);\n"                              \
    ".global .align 1 .b8 format[8] = {37, 100, 32, 37, 103, 10};\n" /* "%d %g\n" */

EXEC_TEST(kernels_print)
{
    uint32_t out[32];
    run(PRINTF,
        HEAD ".local .align 8 .b8 depot[16]; .reg .f64 %d1; .reg .b64 %g; setp.gt.u32 %p1, %t, 1; mov.u32 "
             "%r1, 0; @%p1 bra END;\n"
             "cvt.rn.f64.u32 %d1, %t; mul.f64 %d1, %d1, 0d3FE0000000000000; st.local.u32 [depot], %t; "
             "st.local.f64 [depot+8], %d1;\n"
             "cvta.local.u64 %g, depot; mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;\n"
             "{ .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], %g; .param .b32 v;\n"
             "call.uni (v), vprintf, (a, b); ld.param.b32 %r1, [v]; }\nEND:\n" TAIL,
        out);
    assert_string_equal(exec_output(&e), "0 0\n1 0.5\n");
    assert_int_equal(out[0], 2);
}

EXEC_TEST(assertions_stop_the_kernel)
{
    reopen();
    exec_load(&e, ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "
                  ".param .b64 s);\n"
                  ".global .align 1 .b8 text[6] = {120, 32, 62, 32, 48, 0};\n" /* "x > 0" */
              HEAD "setp.ne.u32 %p1, %t, 4; @%p1 bra END; mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; "
                  "mov.u32 %r1, 12; mov.u64 %rd2, 1;\n"
                  "{ .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], %rd1; .param "
                  ".b32 c; st.param.b32 [c], %r1;\n"
                  ".param .b64 d; st.param.b64 [d], %rd1; .param .b64 f; st.param.b64 [f], %rd2; call.uni "
                  "__assertfail, (a, b, c, d, f); }\n"
                  "END: mov.u32 %r1, 0;\n" TAIL);
    uint64_t args[] = {exec_buffer(&e, NULL, 128)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_ASSERT);
    assert_non_null(strstr(e.result.message, "thread (4,0,0)"));
    assert_non_null(strstr(e.result.message, "x > 0"));
}

EXEC_TEST(kernels_allocate)
{
    uint32_t out[32];
    run(".extern .func (.param .b64 ret) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n",
        HEAD "{ .param .b64 a; st.param.b64 [a], 8; .param .b64 v; call.uni (v), malloc, (a); ld.param.b64 "
             "%rd1, [v]; }\n"
             "st.u32 [%rd1+4], %t; ld.u32 %r1, [%rd1+4];\n"
             "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }\n" TAIL,
        out);
    for (int t = 0; t < 32; t++)
        assert_int_equal(out[t], t);
}

RUN_ALL
