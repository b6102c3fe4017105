/* At which step a sum of products goes wrong: small kernels, each with one mistake. */
#include "test.h"
#include "exec_support.h"
#include "sim/origin/origin_bisect.h"

static const struct sim_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

/* The first 32 inputs are the elements of a, the others those of b. %rd2: a + t, %rd4: b + t, %rd3: out + t, %r3: s + t. */
#define HEAD                                                                                                  \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                  \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %r<20>; .reg .f32 %a<8>, %b<8>, %s<8>; .reg .pred %p<8>;\n"   \
    ".shared .align 4 .b8 s[256];\n"                                                                          \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"                                 \
    "mul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1; add.s64 %rd4, %rd2, 128;\n" \
    "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.s32 %r3, %r1, %r2; mov.f32 %s0, 0f00000000;\n"
#define AT(line) ".loc 1 " #line " 1\n"
#define TAIL     "ret; }\n"

struct fixture {
    struct exec e;
    sim_addr in, out;
    struct sim_origin_bisect found;
};

/* Runs the kernel; then asks for an output that should be the sum of a[element + k] * b[element + k], k < terms. */
static enum sim_origin_step_wrong ask(struct fixture *f, const char *ptx, int element, int terms)
{
    exec_open(&f->e);
    exec_load(&f->e, ptx);
    float in[64];
    for (int i = 0; i < 64; i++)
        in[i] = (float)(i + 1);
    f->in = exec_buffer(&f->e, in, sizeof in);
    f->out = exec_buffer(&f->e, NULL, sizeof in);
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
    uint64_t args[] = {f->in, f->out};
    if (exec_launch(&f->e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s", f->e.result.message);
    const sim_addr a = f->in + 4 * (sim_addr)element;
    const struct sim_origin_factors factors = {.first = {a, a + 128},
                                               .stride = {4, 4},
                                               .count = terms,
                                               .array = {f->in, f->in + 128},
                                               .bytes = {128, 128}};
    const bool known = sim_origin_bisect(f->e.sim, f->out + 4 * (sim_addr)element, 4, &factors, 1, &f->found);
    assert_int_equal(known, f->found.what != SIM_ORIGIN_STEP_UNKNOWN);
    return f->found.what;
}

static void end(struct fixture *f)
{
    exec_close(&f->e);
}

#define STAGE                                                                                                \
    "ld.global.f32 %a1, [%rd2];\n" AT(3) "st.shared.f32 [%r3], %a1; bar.sync 0; ld.global.f32 %b1, [%rd4];\n"

TEST(says_nothing_of_what_is_right)
{
    struct fixture f;
    assert_int_equal(ask(&f,
                         HEAD STAGE "ld.shared.f32 %a2, [%r3]; fma.rn.f32 %s1, %a2, %b1, %s0;\n"
                                    "st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 1),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
    /* A factor too few: no wrong one. */
    assert_int_equal(ask(&f,
                         HEAD STAGE "ld.shared.f32 %a2, [%r3]; fma.rn.f32 %s1, %a2, %b1, %s0;\n"
                                    "st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 2),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
    /* Something is added that is no product: whether the product is wrong is not the question. */
    assert_int_equal(ask(&f,
                         HEAD STAGE "ld.shared.f32 %a2, [%r1]; fma.rn.f32 %s1, %a2, %b1, 0f3f800000;\n"
                                    "st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 1),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
}

TEST(finds_the_right_element_in_another_place)
{
    struct fixture f;
    assert_int_equal(ask(&f,
                         HEAD STAGE AT(5) "ld.shared.f32 %a2, [%r1];\n" AT(
                             6) "fma.rn.f32 %s1, %a2, %b1, %s0; st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 1),
                     SIM_ORIGIN_OTHER_PLACE);
    assert_int_equal(f.found.at.line, 6);
    assert_int_equal(f.found.read.line, 5);
    assert_int_equal(f.found.put.line, 3);
    assert_int_equal(f.found.reader.thread.x, 5);
    assert_int_equal(f.found.putter.thread.x, 5);
    assert_string_equal(f.found.here, "s[0]");
    assert_string_equal(f.found.there, "s[5]");
    assert_int_equal(f.found.got - f.in, 0);
    assert_int_equal(f.found.wanted - f.in, 20);
    assert_int_equal(f.found.right - f.in, 128 + 20);
    assert_int_equal(f.found.index_uses, 0);
    assert_int_equal(f.found.put_uses, SIM_ORIGIN_TID_X);
    end(&f);
}

/* All threads store to one place. */
TEST(tells_what_was_replaced)
{
    struct fixture f;
    assert_int_equal(
        ask(&f,
            HEAD
            "ld.global.f32 %a1, [%rd2]; ld.global.f32 %b1, [%rd4];\n" AT(3) "st.shared.f32 [%r1], %a1; bar.sync 0;\n" AT(
                5) "ld.shared.f32 %a2, [%r1]; fma.rn.f32 %s1, %a2, %b1, %s0; st.global.f32 [%rd3], %s1;\n" TAIL,
            5, 1),
        SIM_ORIGIN_REPLACED);
    assert_int_equal(f.found.put.line, 3);
    assert_int_equal(f.found.putter.thread.x, 5);
    assert_int_equal(f.found.replaced.line, 3);
    assert_string_equal(f.found.there, "s[0]");
    end(&f);
}

/* out[5] should be a copy of a[5]. */
static enum sim_origin_step_wrong ask_copy(struct fixture *f, const char *ptx)
{
    ask(f, ptx, 5, 1);
    const bool known = sim_origin_misread(f->e.sim, f->out + 20, 4, f->in + 20, &f->found);
    assert_int_equal(known, f->found.what != SIM_ORIGIN_STEP_UNKNOWN);
    return f->found.what;
}

TEST(tells_where_a_copy_should_have_been_read)
{
    struct fixture f;
    assert_int_equal(ask_copy(&f, HEAD STAGE AT(5) "ld.shared.f32 %a2, [%r1];\n" AT(
                                      6) "st.global.f32 [%rd3], %a2;\n" TAIL),
                     SIM_ORIGIN_OTHER_PLACE);
    assert_int_equal(f.found.read.line, 5);
    assert_int_equal(f.found.put.line, 3);
    assert_string_equal(f.found.here, "s[0]");
    assert_string_equal(f.found.there, "s[5]");
    assert_int_equal(f.found.got - f.in, 0);
    assert_int_equal(f.found.wanted - f.in, 20);
    assert_int_equal(f.found.count, 0);
    end(&f);
    /* The right one, and one that was computed. */
    assert_int_equal(ask_copy(&f, HEAD STAGE "ld.shared.f32 %a2, [%r3]; st.global.f32 [%rd3], %a2;\n" TAIL),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
    assert_int_equal(ask_copy(&f, HEAD STAGE "ld.shared.f32 %a2, [%r1]; add.f32 %a2, %a2, %a2;\n"
                                             "st.global.f32 [%rd3], %a2;\n" TAIL),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
}

TEST(tells_what_was_not_loaded_or_not_put)
{
    struct fixture f;
    assert_int_equal(ask(&f,
                         HEAD AT(2) "ld.global.f32 %a1, [%in]; ld.global.f32 %b1, [%rd4];\n" AT(
                             3) "st.shared.f32 [%r3], %a1; bar.sync 0; ld.shared.f32 %a2, [%r3];\n"
                                "fma.rn.f32 %s1, %a2, %b1, %s0; st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 1),
                     SIM_ORIGIN_NOT_LOADED);
    assert_int_equal(f.found.loaded.line, 2);
    assert_int_equal(f.found.loader.thread.x, 5);
    assert_int_equal(f.found.index_uses, 0);
    end(&f);
    assert_int_equal(ask(&f,
                         HEAD AT(2) "ld.global.f32 %a1, [%rd2]; ld.global.f32 %b1, [%rd4];\n" AT(
                             3) "st.shared.f32 [%r3], %s0; bar.sync 0; ld.shared.f32 %a2, [%r3];\n"
                                "fma.rn.f32 %s1, %a2, %b1, %s0; st.global.f32 [%rd3], %s1;\n" TAIL,
                         5, 1),
                     SIM_ORIGIN_NOT_PUT);
    assert_int_equal(f.found.loaded.line, 2);
    assert_int_equal(f.found.got, 0);
    assert_false(f.found.outside);
    end(&f);
}

TEST(finds_the_right_element_in_another_variable)
{
    struct fixture f;
    assert_int_equal(
        ask(&f,
            HEAD AT(2) "ld.global.f32 %a1, [%rd2]; ld.global.f32 %a2, [%in]; ld.global.f32 %b1, [%rd4];\n" AT(
                4) "mul.f32 %s1, %a2, %b1; mul.f32 %s2, %a1, %a1; st.global.f32 [%rd3], %s1;\n"
                   "st.global.f32 [%rd3+128], %s2;\n" TAIL,
            5, 1),
        SIM_ORIGIN_OTHER_VARIABLE);
    assert_int_equal(f.found.at.line, 4);
    assert_int_equal(f.found.loaded.line, 2);
    end(&f);
}

#define SUMS                                                                                                              \
    "ld.global.f32 %a1, [%rd2]; ld.global.f32 %b1, [%rd4]; ld.global.f32 %a2, [%in]; ld.global.f32 %b2, [%in+128];\n" AT( \
        4) "mul.f32 %s1, %a1, %b1; mul.f32 %s2, %a2, %b2;\n"

TEST(tells_the_right_sum_in_the_wrong_place)
{
    struct fixture f;
    assert_int_equal(
        ask(&f, HEAD SUMS AT(5) "st.global.f32 [%rd3], %s1;\n" AT(6) "st.global.f32 [%rd3], %s2;\n" TAIL, 5,
            1),
        SIM_ORIGIN_STORED_AGAIN);
    assert_int_equal(f.found.at.line, 5);
    assert_int_equal(f.found.stored.line, 6);
    assert_int_equal(f.found.count, 1);
    end(&f);
    const char *elsewhere = HEAD SUMS
        "ld.global.f32 %a3, [%in+24]; ld.global.f32 %b3, [%in+152]; fma.rn.f32 %s1, %a3, %b3, %s1;\n" AT(
            5) "st.global.f32 [%rd3], %s2; st.global.f32 [%rd3+128], %s1;\n" TAIL;
    assert_int_equal(ask(&f, elsewhere, 5, 2), SIM_ORIGIN_STORED_ELSEWHERE);
    assert_int_equal(f.found.at.line, 4);
    assert_int_equal(f.found.put.line, 5);
    assert_int_equal(f.found.there_address - f.out, 20 + 128);
    end(&f);
    /* A product with one right factor may belong to any element: the other factor is the wrong one. */
    assert_int_equal(
        ask(&f,
            HEAD SUMS
            "mul.f32 %s2, %a2, %b1; st.global.f32 [%rd3], %s2; st.global.f32 [%rd3+128], %s1;\n" TAIL,
            5, 1),
        SIM_ORIGIN_OTHER_VARIABLE);
    end(&f);
    assert_int_equal(ask(&f, HEAD SUMS AT(5) "st.global.f32 [%rd3], %s2;\n" TAIL, 5, 1),
                     SIM_ORIGIN_NOT_STORED);
    assert_int_equal(f.found.stored.line, 5);
    end(&f);
    /* The thread goes on with it, to something else: the factors of what it stores are the wrong ones. */
    const char *on =
        HEAD SUMS "st.global.f32 [%rd3], %s2; add.f32 %s1, %s1, %s2; st.global.f32 [%rd3+128], %s1;\n" TAIL;
    assert_int_equal(ask(&f, on, 5, 1), SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
    /* The right sum is on the way of the value that is stored: that value is wrong behind it. */
    assert_int_equal(ask(&f, HEAD SUMS "add.f32 %s3, %s1, %s2; st.global.f32 [%rd3], %s3;\n" TAIL, 5, 1),
                     SIM_ORIGIN_STEP_UNKNOWN);
    end(&f);
}

RUN_ALL
