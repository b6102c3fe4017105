/*
 * Generic addresses in a state space that the instruction does not reach, and local ones that follow each other. Lanes of
 * one instruction that lie in several spaces: tests/differential.
 */
#include "test.h"
#include "exec_support.h"

enum { LANES = 32 };
enum space { LOCAL, SHARED, GLOBAL };

static const struct sim_dim3 one = {1, 1, 1}, warp = {LANES, 1, 1};

/* in: one word per thread, the space of the 16 bytes whose generic address %g is. %s: those in shared memory. */
#define HEAD                                                                                                 \
    ".global .align 16 .b8 far[512];\n"                                                                      \
    ".visible .entry k(.param .u64 in) {\n"                                                                  \
    ".shared .align 16 .b8 near[512]; .local .align 16 .b8 own[16];\n"                                       \
    ".reg .b64 %in, %g, %l, %s, %f, %rd<8>; .reg .b32 %t, %sel, %r<20>; .reg .pred %p<8>;\n"                 \
    "ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 4, %in; ld.global.u32 %sel, [%in];\n" \
    "mov.u64 %l, own; cvta.local.u64 %l, %l; mov.u64 %s, near; mad.wide.u32 %s, %t, 16, %s;\n"               \
    "cvta.shared.u64 %s, %s; mov.u64 %f, far; mad.wide.u32 %f, %t, 16, %f; cvta.global.u64 %f, %f;\n"        \
    "setp.eq.u32 %p0, %sel, 0; setp.eq.u32 %p1, %sel, 1;\n"                                                  \
    "selp.b64 %g, %s, %f, %p1; selp.b64 %g, %l, %g, %p0; mov.u32 %r4, 4; mov.u32 %r5, 5; mov.u32 %r10, %t;\n"
#define TAIL "ret; }\n"

/* The address in local memory differs from lane to lane: neighbors as numbers, not as bytes. */
TEST(local_addresses_may_follow_each_other)
{
    struct exec e;
    exec_open(&e);
    exec_load(
        &e, ".visible .entry k(.param .u64 out) {\n"
            ".local .align 16 .b8 own[128]; .reg .b64 %out, %l, %g; .reg .b32 %t, %i, %r<4>; .reg .pred %p;\n"
            "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, 8, %out;\n"
            "mov.u32 %i, 0; mov.u64 %l, own;\n"
            "FILL: mad.lo.u32 %r0, %t, 100, %i; st.local.u32 [%l], %r0; add.u64 %l, %l, 4;\n"
            "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 32; @%p bra FILL;\n"
            "mov.u64 %l, own; mad.wide.u32 %l, %t, 4, %l; ld.local.u32 %r1, [%l]; cvta.local.u64 %g, %l;\n"
            "add.u32 %r1, %r1, 1000; st.u32 [%g], %r1; ld.u32 %r2, [%g]; ld.local.u32 %r1, [%l];\n"
            "st.global.v2.u32 [%out], {%r1, %r2}; ret; }\n");
    uint64_t args[] = {exec_buffer(&e, NULL, 8 * LANES)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_OK);
    const uint32_t *out = exec_bytes(&e, args[0], 8 * LANES);
    for (uint32_t t = 0; t < LANES; t++) {
        assert_int_equal(out[2 * t], 101 * t + 1000);
        assert_int_equal(out[2 * t + 1], 101 * t + 1000);
    }
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

/* Lane 5 is in the space `of`, all others are in global memory. */
static void check_refusal(const char *middle, enum space of, const char *text)
{
    char ptx[8192];
    struct exec e;
    exec_open(&e);
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD, middle, TAIL);
    exec_load(&e, ptx);
    uint32_t select[LANES];
    for (int i = 0; i < LANES; i++)
        select[i] = i == 5 ? of : GLOBAL;
    uint64_t args[] = {exec_buffer(&e, select, sizeof select)};
    assert_int_equal(exec_launch(&e, "k", one, warp, 0, args), SIM_ADDRESS_SPACE);
    if (!strstr(e.result.message, text) || !strstr(e.result.message, "thread (5,0,0)"))
        fail_msg("%s", e.result.message);
    assert_int_equal(exec_hazards(&e, SIM_HAZARD_OUT_OF_BOUNDS), 1);
    exec_close(&e);
}

TEST(addresses_of_the_wrong_space_are_refused)
{
    const char *local = "in its local memory. Atomics reach global and shared memory only";
    check_refusal("atom.add.u32 %r4, [%g+4], %r10;\n", LOCAL, local);
    check_refusal("red.add.u32 [%g+4], %r10;\n", LOCAL, local);
    check_refusal("mov.u64 %rd1, 5; atom.exch.b64 %rd2, [%g+8], %rd1;\n", LOCAL, local);
    const char *from_local =
                   "an address in the thread's local memory, but this instruction reaches global memory",
               *from_shared = "an address in shared memory, but this instruction reaches global memory";
    check_refusal("ld.global.u32 %r4, [%g+4];\n", LOCAL, from_local);
    check_refusal("ld.global.u32 %r4, [%g+4];\n", SHARED, from_shared);
    check_refusal("st.global.v2.u32 [%g+8], {%r4, %r5};\n", SHARED, from_shared);
    const char *copy =
        "cvta.to.shared.u64 %rd1, %s; cp.async.ca.shared.global [%rd1], [%g], 16; cp.async.wait_all;\n";
    check_refusal(copy, LOCAL, from_local);
    check_refusal(copy, SHARED, from_shared);
    check_refusal("setp.eq.u32 %p2, %t, 5; cvta.to.shared.u64 %rd1, %s; @%p2 mov.u64 %rd1, %s;\n"
                  "ld.shared.u32 %r4, [%rd1];\n",
                  GLOBAL,
                  "but this instruction takes offsets in shared memory: __cvta_generic_to_shared converts");
}

RUN_ALL
