/*
 * Generic addresses: the lanes of one instruction lie in several state spaces. Each thread has 16 bytes in each
 * of local, shared and global memory; `select` says lane by lane through which of them it goes.
 */
#include "test.h"
#include "exec_support.h"

enum { LANES = 32, SPACES = 3, WORDS = 4 };
enum space { LOCAL, SHARED, GLOBAL };

static const struct sim_dim3 one = {1, 1, 1}, warp = {LANES, 1, 1};

/*
 * in: one word per thread, its space. out: 16 words per thread: its bytes of local, shared and global memory
 * after the instructions in the middle, and %r4 to %r7. Before them word i of space s holds 0x1000 s + 0x10 t + i, and
 * %g is the generic address of the thread's bytes. Only lanes with %use take part.
 */
#define HEAD                                                                                                 \
    ".global .align 16 .b8 far[512];\n"                                                                      \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".shared .align 16 .b8 near[512]; .local .align 16 .b8 own[16];\n"                                       \
    ".reg .b64 %in, %out, %g, %l, %s, %f, %rd<8>; .reg .b32 %t, %sel, %r<20>; .reg .b16 %h<8>;\n"            \
    ".reg .pred %p<8>, %use;\n"                                                                              \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"                                \
    "mad.wide.u32 %in, %t, 4, %in; mad.wide.u32 %out, %t, 64, %out; ld.global.u32 %sel, [%in];\n"            \
    "mov.u64 %l, own; cvta.local.u64 %l, %l; mov.u64 %s, near; mad.wide.u32 %s, %t, 16, %s;\n"               \
    "cvta.shared.u64 %s, %s; mov.u64 %f, far; mad.wide.u32 %f, %t, 16, %f; cvta.global.u64 %f, %f;\n"        \
    "shl.b32 %r0, %t, 4; add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 2; add.u32 %r3, %r0, 3;\n"                   \
    "st.v4.u32 [%l], {%r0, %r1, %r2, %r3};\n"                                                                \
    "or.b32 %r0, %r0, 0x1000; or.b32 %r1, %r1, 0x1000; or.b32 %r2, %r2, 0x1000; or.b32 %r3, %r3, 0x1000;\n"  \
    "st.v4.u32 [%s], {%r0, %r1, %r2, %r3};\n"                                                                \
    "xor.b32 %r0, %r0, 0x3000; xor.b32 %r1, %r1, 0x3000; xor.b32 %r2, %r2, 0x3000;\n"                        \
    "xor.b32 %r3, %r3, 0x3000; st.v4.u32 [%f], {%r0, %r1, %r2, %r3};\n"                                      \
    "setp.eq.u32 %p0, %sel, 0; setp.eq.u32 %p1, %sel, 1; setp.lt.u32 %use, %sel, 3;\n"                       \
    "selp.b64 %g, %s, %f, %p1; selp.b64 %g, %l, %g, %p0;\n"                                                  \
    "mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; add.u32 %r10, %t, 0xabcd00;\n"
#define TAIL                                                                                                 \
    "ld.v4.u32 {%r0, %r1, %r2, %r3}, [%l]; st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};\n"                 \
    "ld.v4.u32 {%r0, %r1, %r2, %r3}, [%s]; st.global.v4.u32 [%out+16], {%r0, %r1, %r2, %r3};\n"              \
    "ld.v4.u32 {%r0, %r1, %r2, %r3}, [%f]; st.global.v4.u32 [%out+32], {%r0, %r1, %r2, %r3};\n"              \
    "st.global.v4.u32 [%out+48], {%r4, %r5, %r6, %r7}; ret; }\n"

/* What a thread has at the end. */
struct thread {
    uint32_t memory[SPACES][WORDS], result[WORDS];
};

typedef void (*effect)(struct thread *thread, enum space space, uint32_t t);

/* Each lane's space; 3: the lane does not take part. */
static void pattern(int number, uint32_t select[LANES])
{
    static const uint32_t tables[][4] = {{0, 1, 0, 1}, {1, 0, 1, 0}, {0, 2, 0, 2}, {2, 0, 2, 0},
                                         {1, 2, 1, 2}, {2, 1, 0, 2}, {0, 0, 0, 0}, {1, 1, 1, 1},
                                         {3, 0, 3, 1}, {2, 3, 0, 3}};
    enum { TABLES = sizeof tables / sizeof tables[0] };
    static const uint32_t halves[][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {3, 0}, {0, 3}};
    enum { HALVES = sizeof halves / sizeof halves[0] };
    for (int i = 0; i < LANES; i++)
        if (number < TABLES)
            select[i] = tables[number][i % 4];
        else if (number < TABLES + HALVES)
            select[i] = halves[number - TABLES][i / 16];
        else if (number < TABLES + HALVES + 32) /* one lane apart from all others */
            select[i] = i == number - TABLES - HALVES ? 0 : 1;
        else
            select[i] = (uint32_t)rand() % (number % 2 ? 3 : 4);
}
enum { PATTERNS = 10 + 8 + 32 + 50 };

static void check(const struct thread *got, const uint32_t select[LANES], effect expect, bool local,
                  int number)
{
    for (uint32_t t = 0; t < LANES; t++) {
        struct thread want = {.result = {0}};
        for (uint32_t s = 0; s < SPACES; s++)
            for (uint32_t i = 0; i < WORDS; i++)
                want.memory[s][i] = 0x1000 * s + 16 * t + i;
        if (select[t] < 3 && (local || select[t] != LOCAL))
            expect(&want, select[t], t);
        for (int i = 0; i < 16; i++)
            if (((const uint32_t *)&want)[i] != ((const uint32_t *)&got[t])[i])
                fail_msg("pattern %d, lane %u in space %u: word %d is 0x%x, expected 0x%x", number, t,
                         select[t], i, ((const uint32_t *)&got[t])[i], ((const uint32_t *)&want)[i]);
    }
}

/* `local`: lanes in local memory take part. */
static void run_all(const char *middle, effect expect, bool local)
{
    char ptx[8192];
    struct exec e;
    exec_open(&e);
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, local ? "" : "@%p0 setp.ne.u32 %use, %t, %t;\n", middle,
             TAIL);
    exec_load(&e, ptx);
    for (int number = 0; number < 2 * PATTERNS; number++) {
        uint32_t select[LANES];
        if (number == PATTERNS) /* and without whoever watches */
            *sim_config(e.sim) = (struct sim_config){.profile = sim_config(e.sim)->profile};
        pattern(number % PATTERNS, select);
        uint64_t args[] = {exec_buffer(&e, select, sizeof select), exec_buffer(&e, NULL, LANES * 64)};
        if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
            fail_msg("%s", e.result.message);
        check(exec_bytes(&e, args[1], LANES * 64), select, expect, local, number);
        sim_mem_free(e.sim, args[0]);
        sim_mem_free(e.sim, args[1]);
    }
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

static void run_on_both(const char *middle, effect expect, bool local)
{
    run_all(middle, expect, local);
    setenv("LABS_SIM_ISA", "baseline", 1);
    run_all(middle, expect, local);
    unsetenv("LABS_SIM_ISA");
}

static void takes_word(struct thread *thread, enum space space, uint32_t t)
{
    (void)t;
    thread->result[0] = thread->memory[space][1];
}

static void takes_byte(struct thread *thread, enum space space, uint32_t t)
{
    (void)t;
    thread->result[0] = thread->memory[space][2] >> 8 & 0xff;
}

static void takes_all(struct thread *thread, enum space space, uint32_t t)
{
    (void)t;
    memcpy(thread->result, thread->memory[space], sizeof thread->result);
}

static void takes_two(struct thread *thread, enum space space, uint32_t t)
{
    (void)t;
    memcpy(thread->result, thread->memory[space] + 2, 8);
}

TEST(loads_go_to_all_spaces)
{
    run_on_both("@%use ld.u32 %r4, [%g+4];\n", takes_word, true);
    run_on_both("@%use ld.volatile.u32 %r4, [%g+4];\n", takes_word, true);
    run_on_both("@%use ld.u8 %r4, [%g+9];\n", takes_byte, true);
    run_on_both("mov.u64 %rd1, 0; @%use ld.u64 %rd1, [%g+8]; mov.b64 {%r4, %r5}, %rd1;\n", takes_two, true);
    run_on_both("@%use ld.v2.u32 {%r4, %r5}, [%g+8];\n", takes_two, true);
    run_on_both("@%use ld.v4.u32 {%r4, %r5, %r6, %r7}, [%g];\n", takes_all, true);
}

static void puts_word(struct thread *thread, enum space space, uint32_t t)
{
    thread->memory[space][1] = 0xabcd00 + t;
}

static void puts_half(struct thread *thread, enum space space, uint32_t t)
{
    thread->memory[space][2] = (thread->memory[space][2] & 0xffff) | (0xabcd00 + t) << 16;
}

static void puts_two(struct thread *thread, enum space space, uint32_t t)
{
    thread->memory[space][2] = 0xabcd00 + t;
    thread->memory[space][3] = t;
}

static void puts_four(struct thread *thread, enum space space, uint32_t t)
{
    for (int i = 0; i < WORDS; i++)
        thread->memory[space][i] = i == 2 ? t : 0xabcd00 + t;
}

TEST(stores_go_to_all_spaces)
{
    run_on_both("@%use st.u32 [%g+4], %r10;\n", puts_word, true);
    run_on_both("@%use st.volatile.u32 [%g+4], %r10;\n", puts_word, true);
    run_on_both("@%use st.u16 [%g+10], %r10;\n", puts_half, true);
    run_on_both("mov.b64 %rd1, {%r10, %t}; @%use st.u64 [%g+8], %rd1;\n", puts_two, true);
    run_on_both("@%use st.v2.u32 [%g+8], {%r10, %t};\n", puts_two, true);
    run_on_both("@%use st.v4.u32 [%g], {%r10, %r10, %t, %r10};\n", puts_four, true);
}

static void adds_word(struct thread *thread, enum space space, uint32_t t)
{
    thread->result[0] = thread->memory[space][1];
    thread->memory[space][1] += 0xabcd00 + t;
}

static void adds_silently(struct thread *thread, enum space space, uint32_t t)
{
    thread->memory[space][1] += 0xabcd00 + t;
}

static void swaps_word(struct thread *thread, enum space space, uint32_t t)
{
    thread->result[0] = thread->memory[space][3];
    thread->memory[space][3] = thread->result[0] == 16 * t + 0x1003 ? 0xabcd00 + t : thread->result[0];
}

static void swaps_two(struct thread *thread, enum space space, uint32_t t)
{
    memcpy(thread->result, thread->memory[space] + 2, 8);
    puts_two(thread, space, t);
}

TEST(atomics_go_to_shared_and_global_memory)
{
    run_on_both("@%use atom.add.u32 %r4, [%g+4], %r10;\n", adds_word, false);
    run_on_both("@%use red.add.u32 [%g+4], %r10;\n", adds_silently, false);
    run_on_both("shl.b32 %r1, %t, 4; add.u32 %r1, %r1, 0x1003; @%use atom.cas.b32 %r4, [%g+12], %r1, %r10;\n",
                swaps_word, false);
    run_on_both("mov.b64 %rd1, {%r10, %t}; mov.u64 %rd2, 0; @%use atom.exch.b64 %rd2, [%g+8], %rd1;\n"
                "mov.b64 {%r4, %r5}, %rd2;\n",
                swaps_two, false);
}

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
    uint64_t args[] = {exec_buffer(&e, select, sizeof select), exec_buffer(&e, NULL, LANES * 64)};
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
