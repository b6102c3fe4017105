/* Video instructions, with values worked out by hand from the PTX ISA's pseudocode. */
#include "test.h"
#include "exec_support.h"

#define CHECK32(text, ...) EXEC_CHECK_OP(text, "b32", "b32", "b32", "b32", __VA_ARGS__)

TEST(scalar_arithmetic)
{
    CHECK32("vadd.s32.s32.s32 %d, %a, %b;", {5, (uint32_t)-7, 0, (uint32_t)-2},
            {0x7fffffff, 1, 0, 0x80000000});
    CHECK32("vadd.s32.s32.s32.sat %d, %a, %b;", {0x7fffffff, 1, 0, 0x7fffffff},
            {0x80000000, 0xffffffff, 0, 0x80000000});
    CHECK32("vadd.u32.s32.s32.sat %d, %a, %b;", {5, (uint32_t)-7, 0, 0},
            {0x7fffffff, 0x7fffffff, 0, 0xfffffffe});
    CHECK32("vadd.u32.u32.u32.sat %d, %a, %b;", {0xffffffff, 2, 0, 0xffffffff}, {1, 2, 0, 3});
    CHECK32("vsub.s32.u32.u32.sat %d, %a, %b;", {1, 3, 0, (uint32_t)-2}, {0, 0xffffffff, 0, 0x80000000});
    CHECK32("vabsdiff.u32.s32.s32 %d, %a, %b;", {0x80000000, 0x7fffffff, 0, 0xffffffff}, {3, 10, 0, 7});
    CHECK32("vabsdiff.u32.u32.u32 %d, %a, %b;", {0x80000000, 0x7fffffff, 0, 1});
    CHECK32("vmin.s32.s32.u32 %d, %a, %b;", {0xffffffff, 1, 0, 0xffffffff}, {3, 0xffffffff, 0, 3});
    CHECK32("vmax.s32.s32.u32.sat %d, %a, %b;", {0xffffffff, 1, 0, 1}, {3, 0xffffffff, 0, 0x7fffffff});
}

TEST(parts_of_words)
{
    CHECK32("vadd.s32.s32.s32 %d, %a.b3, %b.h0;", {0xff000000, 0x00018000, 0, (uint32_t)-32769});
    CHECK32("vadd.s32.u32.u32 %d, %a.b3, %b.h0;", {0xff000000, 0x00018000, 0, 255 + 32768});
    CHECK32("vsub.s32.s32.s32 %d, %a.h1, %b.b1;", {0x12340000, 0x0000f000, 0, 0x1234 + 16});
    /* into a part of c */
    CHECK32("vadd.u32.u32.u32 %d.b2, %a, %b, %c;", {0x1ff, 2, 0xaabbccdd, 0xaa01ccdd});
    CHECK32("vadd.u32.u32.u32.sat %d.b2, %a, %b, %c;", {0x1ff, 2, 0xaabbccdd, 0xaaffccdd});
    CHECK32("vadd.s32.s32.s32.sat %d.h1, %a, %b, %c;", {40000, 2, 0xaabbccdd, 0x7fffccdd},
            {(uint32_t)-40000, 2, 0xaabbccdd, 0x8000ccdd});
}

TEST(second_operations)
{
    CHECK32("vadd.s32.s32.s32.add %d, %a, %b, %c;", {1, 2, 3, 6});
    CHECK32("vabsdiff.u32.u32.u32.add %d, %a, %b, %c;", {10, 13, 100, 103});
    CHECK32("vmax.s32.s32.s32.min %d, %a, %b, %c;", {1, 2, (uint32_t)-3, (uint32_t)-3}, {1, 2, 7, 2});
    CHECK32("vmin.u32.u32.u32.max %d, %a, %b, %c;", {1, 2, 0x80000000, 0x80000000}, {5, 6, 1, 5});
    CHECK32("vset.s32.s32.lt %d, %a, %b;", {0xffffffff, 0, 0, 1}, {0, 0, 0, 0});
    CHECK32("vset.u32.u32.lt %d, %a, %b;", {0xffffffff, 0, 0, 0});
    CHECK32("vset.s32.u32.ge.add %d, %a, %b, %c;", {0, 0, 41, 42}, {0xffffffff, 0, 41, 41});
}

TEST(shifts)
{
    CHECK32("vshl.u32.u32.u32.clamp %d, %a, %b;", {1, 31, 0, 0x80000000}, {1, 32, 0, 0}, {1, 1000, 0, 0});
    CHECK32("vshl.u32.u32.u32.wrap %d, %a, %b;", {1, 33, 0, 2});
    CHECK32("vshl.u32.u32.u32.sat.clamp %d, %a, %b;", {3, 31, 0, 0xffffffff}, {3, 2, 0, 12});
    CHECK32("vshr.s32.s32.u32.clamp %d, %a, %b;", {0x80000000, 4, 0, 0xf8000000},
            {0x80000000, 99, 0, 0xffffffff});
    CHECK32("vshr.u32.u32.u32.wrap.add %d, %a, %b, %c;", {0x80000000, 36, 1, 0x08000001});
}

TEST(multiplies_and_adds)
{
    CHECK32("vmad.s32.s32.s32 %d, %a, %b, %c;", {(uint32_t)-3, 4, 5, (uint32_t)-7});
    CHECK32("vmad.u32.u32.u32.shr7 %d, %a.h0, %b.h1, %c;", {0xffff, 0xffff0000, 0, 0xfffe0001u >> 7});
    CHECK32("vmad.u32.u32.u32.shr15 %d, %a, %b, %c;", {0x80000000, 0x10000, 0, 0}, {0x8000, 6, 0x8000, 7});
    CHECK32("vmad.u32.u32.u32.sat %d, %a, %b, %c;", {0x80000000, 2, 0, 0xffffffff}, {3, 4, 5, 17});
    CHECK32("vmad.s32.s32.s32.sat %d, %a, %b, %c;", {0x80000000, 2, 0, 0x80000000});
    CHECK32("vmad.s32.u32.u32 %d, -%a, %b, %c;", {3, 4, 5, (uint32_t)-7});
    CHECK32("vmad.s32.u32.u32.sat %d, %a, %b, -%c;", {1, 1, 5, (uint32_t)-4});
    CHECK32("vmad.u32.u32.u32.po %d, %a, %b, %c;", {3, 4, 5, 18});
}

TEST(simd_halves)
{
    CHECK32("vadd2.s32.s32.s32 %d, %a, %b, %c;", {0x7fff0001, 0x0001ffff, 0, 0x80000000});
    CHECK32("vadd2.s32.s32.s32.sat %d, %a, %b, %c;", {0x7fff8000, 0x0001ffff, 0, 0x7fff8000});
    CHECK32("vadd2.u32.u32.u32.sat %d, %a, %b, %c;", {0xffff0001, 0x00020001, 0, 0xffff0002});
    CHECK32("vsub2.u32.u32.u32.sat %d, %a, %b, %c;", {0x00010005, 0x00020003, 0, 0x00000002});
    CHECK32("vadd2.s32.s32.s32.add %d, %a, %b, %c;", {0x00010002, 0xfffd0004, 100, 100 - 2 + 6});
    CHECK32("vavrg2.u32.u32.u32 %d, %a, %b, %c;", {0x00010004, 0x00020004, 0, 0x00020004});
    CHECK32("vavrg2.s32.s32.s32 %d, %a, %b, %c;", {0xfffdfffe, 0x0000ffff, 0, 0xfffefffe});
    CHECK32("vabsdiff2.s32.s32.s32 %d, %a, %b, %c;", {0xffff0005, 0x00020001, 0, 0x00030004});
    CHECK32("vmin2.s32.s32.s32 %d, %a, %b, %c;", {0xffff0005, 0x00020001, 0, 0xffff0001});
    CHECK32("vmax2.u32.u32.u32 %d, %a, %b, %c;", {0xffff0005, 0x00020001, 0, 0xffff0005});
    CHECK32("vset2.s32.s32.lt %d, %a, %b, %c;", {0xffff0005, 0x00020001, 0, 0x00010000});
    CHECK32("vset2.u32.u32.ne.add %d, %a, %b, %c;", {0xffff0005, 0x00020001, 40, 42});
    /* chosen parts, and only one of them written */
    CHECK32("vadd2.u32.u32.u32 %d.h1, %a.h01, %b.h23, %c;", {0x00010002, 0x00300040, 0xaaaabbbb, 0x0042bbbb});
    CHECK32("vadd2.u32.u32.u32 %d, %a.h33, %b.h10, %c;", {0x00010002, 0x00300040, 0, 0x00310032});
    CHECK32("vadd2.u32.u32.u32.add %d.h0, %a, %b, %c;", {0x00010002, 0x00300040, 1000, 1000 + 0x42});
}

TEST(simd_bytes)
{
    CHECK32("vadd4.u32.u32.u32 %d, %a, %b, %c;", {0xff010203, 0x01010101, 0, 0x00020304});
    CHECK32("vadd4.u32.u32.u32.sat %d, %a, %b, %c;", {0xff010203, 0x01010101, 0, 0xff020304});
    CHECK32("vadd4.s32.s32.s32.sat %d, %a, %b, %c;", {0x7f80ff00, 0x01ff0102, 0, 0x7f800002});
    CHECK32("vsub4.s32.s32.s32 %d, %a, %b, %c;", {0x00010203, 0x01010101, 0, 0xff000102});
    CHECK32("vavrg4.u32.u32.u32 %d, %a, %b, %c;", {0xff000103, 0xfe010203, 0, 0xff010203});
    CHECK32("vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", {0x01ff0305, 0x02000305, 9, 0x01ff0000});
    CHECK32("vabsdiff4.s32.s32.s32 %d, %a, %b, %c;", {0x01ff0305, 0x02000305, 9, 0x01010000});
    CHECK32("vabsdiff4.u32.u32.u32.add %d.b2, %a, %b, %c;", {0x01ff0305, 0x02000305, 10, 265});
    CHECK32("vabsdiff4.u32.u32.u32 %d, %a.b0000, %b.b7654, %c;", {0x00000010, 0x01020304, 0, 0x0f0e0d0c});
    CHECK32("vmin4.s32.s32.s32 %d, %a, %b, %c;", {0x80017f00, 0x7fff0001, 0, 0x80ff0000});
    CHECK32("vmax4.u32.u32.u32 %d, %a, %b, %c;", {0x80017f00, 0x7fff0001, 0, 0x80ff7f01});
    CHECK32("vset4.u32.u32.ge %d, %a, %b, %c;", {0x80017f00, 0x7fff0001, 0, 0x01000100});
    CHECK32("vset4.u32.u32.eq.add %d, %a, %b, %c;", {0x80017f00, 0x80007f00, 5, 8});
    CHECK32("vadd4.u32.u32.u32 %d.b31, %a.b7654, %b.b0123, %c;",
            {0x01020304, 0x10203040, 0xaabbccdd, 0x14bb32dd});
}

/* Forms that do not exist are refused. */
TEST(refuses)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"vadd.s32.s32.s32 %r1, %r2.b4, %r3;", "selector .b4"},
        {"vadd.s32.s32.s32 %r1, %r2.b10, %r3;", "selector .b10"},
        {"vadd2.s32.s32.s32 %r1, %r2.h4, %r3, %r4;", "selector .h4"},
        {"vadd2.s32.s32.s32 %r1, %r2.h40, %r3, %r4;", "there are only 4"},
        {"vadd4.s32.s32.s32 %r1.b4, %r2, %r3, %r4;", "there are only 4 parts"},
        {"vadd4.s32.s32.s32 %r1, %r2, %r3;", "third source"},
        {"vadd.s32.s32.s32 %r1.b0, %r2, %r3;", "third source"},
        {"vadd4.s32.s32.s32.min %r1, %r2, %r3, %r4;", "only scalar"},
        {"vadd.s32.s32 %r1, %r2, %r3;", "needs 3 types"},
        {"vset.s32.s32.s32.lt %r1, %r2, %r3;", "needs 2 types"},
        {"vadd.s32.s32.b32 %r1, %r2, %r3;", "expected .u32 or .s32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct exec e;
        char ptx[512];
        snprintf(ptx, sizeof ptx, ".visible .entry k() { .reg .b32 %%r<9>; %s ret; }", cases[i].text);
        exec_open(&e);
        exec_load(&e, ptx);
        assert_null(exec_kernel(&e, "k"));
        if (!strstr(e.message, cases[i].words))
            fail_msg("%s gives: %s", cases[i].text, e.message);
        exec_close(&e);
    }
}

RUN_ALL
