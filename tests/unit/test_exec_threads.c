/*
 * Blocks of one launch on several host threads: whatever a kernel does, memory, status, hazards, counters and
 * modeled time are those of one thread; and kernels whose blocks are independent are really shared.
 */
#define _GNU_SOURCE /* memmem */
#include "test.h"
#include "exec_support.h"

/* p: words that are written; q: words that are not; g: number of the thread in the grid. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 p, .param .u64 q) {\n"                                                    \
    ".reg .b64 %base, %fresh, %x, %y, %z, %w<4>; .reg .b32 %t, %b, %n, %g, %r<20>; .reg .f32 %f<4>;\n"       \
    ".reg .pred %p<8>; .shared .align 4 .b8 tile[4096];\n"                                                   \
    "ld.param.u64 %base, [p]; ld.param.u64 %fresh, [q]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"         \
    "mov.u32 %n, %ntid.x; mad.lo.u32 %g, %b, %n, %t; mad.wide.u32 %x, %g, 4, %base;\n"                       \
    "mad.wide.u32 %y, %g, 4, %fresh; mad.wide.u32 %z, %b, 4, %fresh; mov.u32 %r9, tile;\n"                   \
    "mad.lo.u32 %r8, %t, 4, %r9;\n"
#define TAIL "ret; }\n"

enum { BYTES = 65536 };

enum shared { ALONE, SHARED, SHARED_UNWATCHED, EITHER };

struct program {
    const char *name, *body;
    unsigned blocks, threads;
    enum shared expected;
    bool unwatched_only;
};

static const struct program programs[] = {
    {"own words", "ld.global.u32 %r1, [%x]; add.u32 %r1, %r1, 1; st.global.u32 [%y], %r1;", 50, 96, SHARED,
     false},
    {"in place", "ld.global.u32 %r1, [%x]; add.u32 %r1, %r1, 1; st.global.u32 [%x], %r1;", 50, 96, SHARED,
     false},
    {"own bytes", "cvt.u64.u32 %w0, %g; add.u64 %w1, %fresh, %w0; st.global.u8 [%w1], %t;", 50, 33, SHARED,
     false},
    {"words of the next block",
     "mad.wide.u32 %w0, %n, 4, %x; ld.global.u32 %r1, [%w0]; st.global.u32 [%x], %r1;", 50, 64, ALONE, false},
    {"words of the block before",
     "mad.wide.u32 %w0, %n, 4, %x; ld.global.u32 %r1, [%x]; add.u32 %r1, %r1, 1; st.global.u32 [%w0], %r1;",
     50, 64, ALONE, false},
    {"one flag for all", "st.global.u32 [%base], %b;", 20, 32, ALONE, false},
    {"two blocks share a word",
     "shr.u32 %r1, %b, 1; setp.ne.u32 %p1, %t, 0; @%p1 ret; mad.wide.u32 %w0, %r1, 4, "
     "%base; st.global.u32 [%w0], %b;",
     20, 32, EITHER, false},
    {"sums whose results nothing reads",
     "atom.global.add.u32 %r1, [%base], %t; red.global.max.u32 [%base+4], %g; red.global.min.s32 [%base+8], "
     "%g;\n"
     "red.global.or.b32 [%base+12], %g; cvt.u64.u32 %w0, %g; red.global.add.u64 [%base+16], %w0;",
     50, 96, ALONE, false}, /* five kinds */
    {"four kinds of sums",
     "atom.global.add.u32 %r1, [%base], %t; red.global.max.u32 [%base+4], %g; red.global.min.s32 [%base+8], "
     "%g;\n"
     "red.global.xor.b32 [%base+12], %g;",
     50, 96, SHARED, false},
    {"sum and maximum of one word", "red.global.add.u32 [%base], %t; red.global.max.u32 [%base], %g;", 50, 32,
     ALONE, false},
    {"sums of two widths",
     "cvt.u64.u32 %w0, %g; red.global.add.u32 [%base+4], %t; red.global.add.u64 [%base], "
     "%w0;",
     50, 32, ALONE, false},
    {"a sum and a plain look at it",
     "red.global.add.u32 [%base], %t; ld.global.u32 %r1, [%base]; "
     "st.global.u32 [%y], %r1;",
     50, 32, ALONE, false},
    {"sum of floats",
     "cvt.rn.f32.u32 %f1, %g; mul.f32 %f1, %f1, 0f3dcccccd; red.global.add.f32 [%base], %f1;", 50, 96, ALONE,
     false},
    {"tickets", "atom.global.add.u32 %r1, [%base], 1; st.global.u32 [%y], %r1;", 50, 32, ALONE, false},
    {"sums of a block",
     "mov.u32 %r1, 0; setp.ne.u32 %p1, %t, 0; @!%p1 st.shared.u32 [%r9], %r1; bar.sync 0;\n"
     "red.shared.add.u32 [%r9], %g; bar.sync 0; @%p1 ret; ld.shared.u32 %r1, [%r9]; st.global.u32 [%z], "
     "%r1;\n"
     "red.global.add.u32 [%base], %r1;",
     60, 96, SHARED, false},
    {"many words of a histogram",
     "mul.lo.u32 %r1, %g, 2654435761; shr.u32 %r1, %r1, 19; mad.wide.u32 %w0, %r1, 4, "
     "%base; red.global.add.u32 [%w0], 1;",
     50, 96, SHARED, false},
    {"reads from anywhere",
     "mul.lo.u32 %r1, %g, 2654435761; shr.u32 %r1, %r1, 19; mad.wide.u32 %w0, %r1, 4, %base; "
     "ld.global.u32 %r2, [%w0]; st.global.u32 [%y], %r2;",
     50, 96, SHARED, false},
    {"writes to anywhere",
     "mul.lo.u32 %r1, %g, 40503; and.b32 %r1, %r1, 16383; mad.wide.u32 %w0, %r1, 4, %fresh; "
     "st.global.u32 [%w0], %g;",
     50, 96, SHARED, false},
    {"out of bounds in block 17",
     "setp.eq.u32 %p1, %b, 17; st.global.u32 [%y], %g; @%p1 st.global.u32 "
     "[%base+900000], %g; st.global.u32 [%x], %g;",
     50, 32, ALONE, false},
    {"unwritten words in block 17",
     "setp.eq.u32 %p1, %b, 17; @%p1 ld.global.u32 %r1, [%fresh+40000]; st.global.u32 "
     "[%x], %g;",
     50, 32, SHARED_UNWATCHED, false},
    {"what it has written itself",
     "st.global.u32 [%y], %g; ld.global.u32 %r1, [%y]; st.global.u32 [%x], %r1;", 50, 64, SHARED, false},
    {"race in shared memory in block 17",
     "setp.ne.u32 %p1, %b, 17; st.shared.u32 [%r8], %g; @%p1 bra FINE; mov.u32 %r2, 252; sub.u32 %r1, %r2, "
     "%r8; "
     "add.u32 %r1, %r1, %r9; add.u32 %r1, %r1, %r9; st.shared.u32 [%r1], %g;\nFINE: bar.sync 0; "
     "ld.shared.u32 "
     "%r3, [%r8]; st.global.u32 [%y], %r3;",
     50, 64, SHARED_UNWATCHED, false},
    {"half a warp waits",
     "mov.u32 %r1, 0xffff; setp.ge.u32 %p1, %t, 16; @%p1 mov.u32 %r1, 0xffff0000; "
     "st.shared.u32 [%r8], %g; bar.warp.sync %r1; xor.b32 %r2, %t, 1; mad.lo.u32 %r2, %r2, 4, %r9; "
     "ld.shared.u32 "
     "%r3, [%r2]; st.global.u32 [%y], %r3;",
     50, 32, SHARED, false},
    {"fences and sums", "st.global.u32 [%y], %g; membar.gl; red.global.add.u32 [%base], 1;", 50, 32,
     SHARED_UNWATCHED, false},
    {"clocks",
     "mov.u32 %r1, %clock; st.global.u32 [%y], %r1; mov.u64 %w0, %globaltimer; cvt.u32.u64 %r2, %w0; "
     "st.global.u32 [%x], %r2;",
     50, 96, SHARED, false},
    {"a flag that the next block sets",
     "mov.u32 %r3, %nctaid.x; add.u32 %r4, %b, 1; setp.eq.u32 %p1, %r4, %r3; setp.ne.u32 %p3, %t, 0; @%p3 "
     "ret;\n"
     "mov.u32 %r1, 0; mad.wide.u32 %w0, %b, 4, %base; st.global.u32 [%w0+4096], %g; @%p1 bra SET;\n"
     "WAIT: ld.acquire.gpu.global.u32 %r1, [%w0+4]; setp.gt.u32 %p2, %r1, 1000000; @%p2 bra WAIT;\n"
     "SET: mov.u32 %r1, 7; st.release.gpu.global.u32 [%w0], %r1;",
     20, 32, ALONE, false},
    {"barriers, one of which orders nothing",
     ".loc 1 20 0\nst.shared.u32 [%r8], %g; bar.sync 0;\n.loc 1 21 0\nbar.sync 0;\n.loc 1 22 0\n"
     "ld.shared.u32 %r1, [%r8]; st.global.u32 [%y], %r1;",
     50, 64, SHARED, false},
    {"a loop without an end in block 9",
     "setp.ne.u32 %p1, %b, 9; st.global.u32 [%y], %g;\nL: @%p1 bra DONE; bra "
     "L;\nDONE: st.global.u32 [%x], %g;",
     20, 32, ALONE, true},
    {"long blocks",
     "mov.u32 %r1, 1500000;\nL: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
     "st.global.u32 [%y], %g;",
     3, 32, SHARED, true},
    {"registers and local memory that nothing has set",
     ".reg .b32 %u; .reg .pred %v; .local .align 4 .b8 mine[64]; ld.local.u32 %r1, [mine+8]; st.global.u32 "
     "[%x], %r1;\n"
     "st.global.u32 [%y], %u; @%v st.global.u32 [%y], %t; mov.u32 %u, %g; setp.eq.u32 %v, %g, %g; "
     "st.local.u32 "
     "[mine+8], %g; @%v st.global.u32 [%y+16384], %u;",
     50, 32, SHARED, true},
    {"a long block that reads what the next one writes",
     "setp.ne.u32 %p2, %b, 0; @%p2 bra OTHERS; mov.u32 %r1, 1500000;\nL: sub.u32 %r1, %r1, 1; setp.ne.u32 "
     "%p1, %r1, "
     "0; @%p1 bra L;\nld.global.u32 %r2, [%x+128]; st.global.u32 [%y], %r2; ret;\nOTHERS: st.global.u32 "
     "[%x], %g;",
     3, 32, ALONE, true},
};

#define PROGRAMS (sizeof programs / sizeof programs[0])

struct setting {
    unsigned threads;
    uint64_t seed;
    bool watched;
};

/* What two launches leave behind, as text. The caller frees it. */
static char *run(const struct program *program, const struct setting *setting, bool *shared)
{
    struct exec e;
    char *text, *ptx = malloc(strlen(program->body) + sizeof HEAD TAIL + 1);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint32_t words[BYTES / 4];
    exec_open(&e);
    *sim_config(e.sim) = (struct sim_config){.profile = sim_profile_find("h100"),
                                             .hazards = setting->watched,
                                             .counters = setting->watched,
                                             .schedule_seed = setting->seed,
                                             .instruction_limit = 20000000,
                                             .threads = setting->threads,
                                             .threads_from = 1};
    sprintf(ptx, "%s%s\n%s", HEAD, program->body, TAIL);
    exec_load(&e, ptx);
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = i * UINT32_C(2654435761) | UINT32_C(1) << 20;
    uint64_t args[2] = {exec_buffer(&e, words, sizeof words), sim_mem_alloc(e.sim, BYTES, NULL)};
    for (int k = 0; k < 2; k++) {
        exec_launch(&e, "k", (struct sim_dim3){program->blocks, 1, 1},
                    (struct sim_dim3){program->threads, 1, 1}, 0, args);
        *shared = e.sim->shared_by > 1;
        fprintf(out, "%d %s %d %a %a\n", e.result.status, e.result.message, (int)e.result.hottest_atomic,
                e.result.block_cycles, e.result.seconds);
        fwrite(&e.result.counters, sizeof e.result.counters, 1, out);
        for (int i = 0; i < 2; i++)
            fwrite(exec_bytes(&e, args[i], BYTES), BYTES, 1, out);
        const struct sim_hazard *hazards;
        int count = sim_hazards(e.sim, &hazards);
        for (int i = 0; i < count; i++)
            fprintf(out, "%s %d\n", hazards[i].message, (int)hazards[i].count);
        for (const struct idle_barrier *b = e.sim->idle_barriers; b->line > 0; b++)
            fprintf(out, "barrier at line %d: %d %d\n", b->line, (int)b->idle, (int)b->busy);
        const struct sim_line_counters *lines;
        count = sim_lines(e.sim, &lines);
        for (int i = 0; i < count; i++)
            fwrite(&lines[i].counts, sizeof lines[i].counts, 1, out);
    }
    fclose(out);
    exec_close(&e);
    free(ptx);
    char *whole = malloc(size + sizeof size); /* its size first */
    memcpy(whole, &size, sizeof size);
    memcpy(whole + sizeof size, text, size);
    free(text);
    return whole;
}

static bool is_expected(enum shared expected, bool watched, bool shared)
{
    switch (expected) {
    case ALONE: return !shared;
    case SHARED: return shared;
    case SHARED_UNWATCHED: return shared == !watched;
    default: return true;
    }
}

static void compare(const struct program *program, uint64_t seed, bool watched)
{
    static const unsigned counts[] = {2, 7};
    bool shared;
    struct setting one = {1, seed, watched};
    char *expected = run(program, &one, &shared);
    size_t size;
    assert_false(shared);
    memcpy(&size, expected, sizeof size);
    for (int i = 0; i < 2; i++) {
        struct setting many = {counts[i], seed, watched};
        char *got = run(program, &many, &shared);
        if (memcmp(expected, got, sizeof size + size) != 0)
            fail_msg("%s: %u threads differ from one (seed %d, watched %d)", program->name, counts[i],
                     (int)seed, watched);
        if (!is_expected(program->expected, watched, shared))
            fail_msg("%s: %s by %u threads (seed %d, watched %d)", program->name,
                     shared ? "shared" : "not shared", counts[i], (int)seed, watched);
        free(got);
    }
    free(expected);
}

TEST(threads_change_nothing_long)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            if (!programs[i].unwatched_only)
                compare(&programs[i], seed, true);
            if (!programs[i].unwatched_only || seed == 0)
                compare(&programs[i], seed, false);
        }
}

/* A kernel whose blocks depend on each other is run alone for a while before it is tried again. */
TEST(small_launches_stay_alone)
{
    struct exec e;
    exec_open(&e);
    sim_config(e.sim)->threads = 3;
    exec_load(&e, HEAD "st.global.u32 [%x], %g;\n" TAIL);
    uint64_t args[2] = {exec_buffer(&e, NULL, BYTES), exec_buffer(&e, NULL, BYTES)};
    for (int k = 0; k < 2; k++) { /* the first launch learns how small it is */
        assert_int_equal(
            exec_launch(&e, "k", (struct sim_dim3){70, 1, 1}, (struct sim_dim3){32, 1, 1}, 0, args), SIM_OK);
    }
    assert_int_equal(e.sim->shared_by, 1);
    exec_close(&e);
}

/* Each block waits twice, and once for nothing, whoever counts it. */
TEST(barriers_are_counted_on_all_threads)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        const struct setting setting = {threads, 0, true};
        bool shared;
        for (size_t i = 0; i < PROGRAMS; i++) {
            if (strncmp(programs[i].name, "barriers,", 9) != 0)
                continue;
            char *got = run(&programs[i], &setting, &shared);
            size_t size;
            memcpy(&size, got, sizeof size);
            if (shared != (threads > 1) || !memmem(got, sizeof size + size, "line 21: 50 0\n", 14))
                fail_msg("%u threads have not counted the barriers", threads);
            free(got);
        }
    }
}

RUN_ALL
