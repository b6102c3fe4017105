/*
 * Matrices in the registers of a warp: mma, wmma, ldmatrix, movmatrix. tests/api/matrix_products.cu has each shape and
 * type.
 */
#include "test.h"
#include "exec_support.h"

/* in: word i is i, out: one word a thread. %d: where the thread's word of out lies. */
#define HEAD                                                                                                       \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                       \
    ".reg .b64 %in, %out, %d; .reg .b32 %t, %a, %r<20>, %s<8>; .reg .f32 %f<9>; .reg .b16 %h; .reg .pred %p<8>;\n" \
    ".shared .align 16 .b8 s[4096];\n"                                                                             \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %d, %t, 4, %out;\n"        \
    "mov.u32 %a, s; mad.lo.u32 %a, %t, 16, %a;\n"
#define TAIL "st.global.u32 [%d], %r1; ret; }\n"

static void run(struct exec *e, const char *ptx, unsigned threads, uint32_t out[256])
{
    if (exec_numbers(e, ptx, threads, out) != SIM_OK)
        fail_msg("%s%s", e->message, e->result.message);
}

/* An element of a product: all of A are `a`, of B `b` and of C `c`, as the registers have them. */
static uint32_t product(const char *form, uint32_t a, uint32_t b, uint32_t c)
{
    struct exec e;
    uint32_t out[256];
    char ptx[2048];
    snprintf(ptx, sizeof ptx,
             "%smov.b32 %%r5, %u; mov.b32 %%r6, %u; mov.b32 %%r7, %u;\n"
             "mma.sync.aligned.%s {%%s0, %%s1, %%s2, %%s3}, {%%r5, %%r5, %%r5, %%r5}, {%%r6, %%r6}, "
             "{%%r7, %%r7, %%r7, %%r7};\nmov.b32 %%r1, %%s2;\n%s",
             HEAD, a, b, c, form, TAIL);
    run(&e, ptx, 32, out);
    for (int t = 1; t < 32; t++)
        assert_int_equal(out[t], out[0]);
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
    return out[0];
}

#define F16_PRODUCT  "m16n8k16.row.col.f32.f16.f16.f32"
#define TF32_PRODUCT "m16n8k8.row.col.f32.tf32.tf32.f32"

TEST(multiplies)
{
    assert_int_equal(product(F16_PRODUCT, 0x3c003c00, 0x40004000, 0x3f800000), 0x42040000); /* 16 * 2 + 1 */
    assert_int_equal(product(TF32_PRODUCT, 0x40400000, 0x3f801fff, 0xc0000000),
                     0x41b00000); /* 8 * 3 * 1 - 2 */
    assert_int_equal(product("m16n8k16.row.col.f32.bf16.bf16.f32", 0x3f803f80, 0x00003f80, 0), 0x41000000);
    assert_int_equal(product("m16n8k32.row.col.s32.s8.u8.s32", 0xffffffff, 0x80808080, 5),
                     0xfffff005); /* 5 - 32 * 128 */
    assert_int_equal(product("m16n8k32.row.col.satfinite.s32.s8.s8.s32", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffff00),
                     0x7fffffff);
    assert_int_equal(product("m16n8k32.row.col.s32.s8.s8.s32", 0x01010101, 0x01010101, 0x7fffffff),
                     0x8000001f);
}

/* What an H100 gave. Products are exact; terms are cut 25 bits below the largest, the sum to f32. */
TEST(cuts_what_it_adds)
{
    assert_int_equal(product(F16_PRODUCT, 0x0c000c00, 0x0c000c00, 0x3f800000),
                     0x3f800008); /* 1 + 16 * 2^-24 */
    assert_int_equal(product(F16_PRODUCT, 0x04000400, 0x10001000, 0x3f800000),
                     0x3f800004); /* 1 + 16 * 2^-25 */
    assert_int_equal(product(F16_PRODUCT, 0x02000200, 0x10001000, 0x3f800000), 0x3f800000); /* 2^-26 is cut */
    assert_int_equal(product(TF32_PRODUCT, 0x33800000, 0x3f800000, 0xbf800000), 0xbf7ffff8);
    assert_int_equal(product(F16_PRODUCT, 0, 0x7bff7bff, 0x30000001), 0x30000001); /* 0 is not large */
    assert_int_equal(product(TF32_PRODUCT, 0x80000000, 0x3f800000, 0x80000000), 0);
    assert_int_equal(product("m16n8k16.row.col.f32.bf16.bf16.f32", 0x00830083, 0x3c803c80, 0), 0x0020c000);
}

/* What an H100 gave. */
TEST(knows_what_is_no_number)
{
    assert_int_equal(product(F16_PRODUCT, 0x7c007c00, 0x3c003c00, 0), 0x7f800000);
    assert_int_equal(product(F16_PRODUCT, 0x7c007c00, 0, 0), 0x7fffffff);
    assert_int_equal(product(F16_PRODUCT, 0x3c003c00, 0x3c003c00, 0xff800000), 0xff800000);
    assert_int_equal(product(TF32_PRODUCT, 0x7f800000, 0x3f800000, 0xff800000), 0x7fffffff);
    assert_int_equal(product(TF32_PRODUCT, 0x7f801000, 0x3f800000, 0),
                     0x7f800000); /* that bit does not count */
    assert_int_equal(product("m16n8k16.row.col.f32.bf16.bf16.f32", 0x7f7f7f7f, 0x3f803f80, 0x7f7fffff),
                     0x7f800000);
}

/* What an H100 gave. */
TEST(converts_to_tf32)
{
    EXEC_CHECK_OP("cvt.rna.tf32.f32 %d, %a;", "b32", "f32", NULL, NULL, {0x3f801000, 0, 0, 0x3f802000},
                  {0x3f800fff, 0, 0, 0x3f800000}, {0x7f7fffff, 0, 0, 0x7f800000},
                  {0xffc12345, 0, 0, 0xffc12000});
    EXEC_CHECK_OP("cvt.rn.tf32.f32 %d, %a;", "b32", "f32", NULL, NULL, {0x3f801000, 0, 0, 0x3f800000},
                  {0x3f803000, 0, 0, 0x3f804000}, {0xffc12345, 0, 0, 0x7fffe000});
    EXEC_CHECK_OP("cvt.rz.tf32.f32 %d, %a;", "b32", "f32", NULL, NULL, {0xbf803fff, 0, 0, 0xbf802000});
}

/* Half i of shared memory is i: row r of matrix m are halves 64 m + 8 r to 64 m + 8 r + 7. */
#define FILL                                                                                                 \
    "shl.b32 %r2, %t, 3; mad.lo.u32 %r2, %r2, 0x10001, 0x10000; add.u32 %r3, %r2, 0x20002;\n"                \
    "add.u32 %r4, %r3, 0x20002; add.u32 %r5, %r4, 0x20002; st.shared.v4.b32 [%a], {%r2, %r3, %r4, %r5};\n"

TEST(loads_matrices_of_eight_rows)
{
    struct exec e;
    uint32_t out[256];
    run(&e,
        HEAD FILL "bar.warp.sync -1;\n"
                  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r1, %r8}, [%a];\n" TAIL,
        32, out);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t first = 128 + 8 * (t / 4) + 2 * (t % 4);
        assert_int_equal(out[t], (first + 1) << 16 | first);
    }
    assert_int_equal(e.result.counters.shared_load_wavefronts, 4);
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

/* Of two matrices the lanes from 16 on say nothing: their addresses may be anything. */
TEST(loads_matrices_transposed)
{
    struct exec e;
    uint32_t out[256];
    run(&e,
        HEAD FILL "bar.warp.sync -1; setp.ge.u32 %p1, %t, 16; @%p1 mov.u32 %a, 1;\n"
                  "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r6, %r1}, [%a];\n" TAIL,
        32, out);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t first = 64 + 16 * (t % 4) + t / 4;
        assert_int_equal(out[t], (first + 8) << 16 | first);
    }
    exec_close(&e);
    run(&e,
        HEAD FILL "bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%a];\n"
                  "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n" TAIL,
        32, out);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t first = 16 * (t % 4) + t / 4;
        assert_int_equal(out[t], (first + 8) << 16 | first);
    }
    exec_close(&e);
}

#define HALVES(x) "{%" x ", %" x ", %" x ", %" x ", %" x ", %" x ", %" x ", %" x "}"
#define A         "{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}"
#define B         "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}"

/* The identity times what `in` holds is that: loaded by rows and stored by columns it is transposed. */
TEST(loads_and_stores_whole_matrices)
{
    struct exec e;
    uint32_t out[256];
    uint16_t halves[256];
    run(&e,
        HEAD
        "mov.b32 %r1, 0; mov.b32 %r18, 16; st.shared.v4.b32 [%a], {%r1, %r1, %r1, %r1}; bar.warp.sync -1;\n"
        "setp.lt.u32 %p1, %t, 16; mov.u32 %a, s; mad.lo.u32 %r2, %t, 34, %a; mov.b16 %h, 0x3c00;\n"
        "@%p1 st.shared.b16 [%r2], %h; bar.warp.sync -1;\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " A ", [%a], %r18;\n"
        "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 " B ", [%in], 16;\n"
        "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%s0, %s1, %s2, %s3}, " A ", " B
        ", {%r1, %r1, %r1, %r1};\n"
        "wmma.store.d.sync.aligned.col.m16n16k16.f16 [%out], {%s0, %s1, %s2, %s3}; ret; }\n",
        32, out);
    memcpy(halves, out, sizeof halves);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(halves[i % 16 * 16 + i / 16], i % 2 ? 0 : i / 2);
    assert_int_equal(exec_all_hazards(&e), 0);
    exec_close(&e);
}

static void expect_hazard(const char *ptx, unsigned threads, enum sim_hazard_class class)
{
    struct exec e;
    uint32_t out[256];
    run(&e, ptx, threads, out);
    assert_int_equal(exec_hazards(&e, class), 1);
    assert_int_equal(exec_all_hazards(&e), 1);
    exec_close(&e);
}

#define STORE "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out], " HALVES("f1") ", 16; ret; }\n"

TEST(reports_what_is_wrong)
{
    /* A row that another warp has written. */
    expect_hazard(HEAD "mov.u32 %r1, 0; setp.ge.u32 %p1, %t, 32; @%p1 bra READ;\n" FILL "bra END;\n"
                       "READ: sub.u32 %a, %a, 512;\n"
                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r1, %r8}, [%a];\nEND:\n" TAIL,
                  64, SIM_HAZARD_RACE_SHARED);
    expect_hazard(HEAD "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r1, %r8}, [%a];\n" TAIL, 32,
                  SIM_HAZARD_UNINITIALIZED);
    /* A sum that was never set. */
    expect_hazard(HEAD STORE, 32, SIM_HAZARD_NO_VALUE);
    expect_hazard(HEAD
                  "mov.b32 %r2, 0; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                  "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f5, %f5, %f5, %f5};\nmov.b32 %r1, %f2;\n" TAIL,
                  32, SIM_HAZARD_NO_VALUE);
    /* Half of a warp. */
    expect_hazard(HEAD "mov.b32 %r1, 0; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n" TAIL, 16,
                  SIM_HAZARD_WARP_MASK);
}

RUN_ALL
