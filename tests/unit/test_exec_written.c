/* Reads of what was never written: bit-fields, padding, copies. What counts is what the thread does with the bytes. */
#include "test.h"
#include "exec_support.h"

static const struct sim_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

/* %f: 64 fresh bytes of the thread in global memory; %l, own: 64 in local memory; %s in shared; %out: 16 that are set. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 fresh, .param .u64 out) {\n"                                              \
    ".local .align 16 .b8 own[64]; .shared .align 16 .b8 near[2048];\n"                                      \
    ".reg .b64 %f, %l, %s, %out, %rd<8>; .reg .b32 %t, %r<24>; .reg .b16 %h<8>; .reg .pred %p<4>;\n"         \
    "ld.param.u64 %f, [fresh]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u64 %l, own;\n"             \
    "mad.wide.u32 %f, %t, 64, %f; mad.wide.u32 %out, %t, 16, %out; mov.u64 %s, near;\n"                      \
    "mad.wide.u32 %s, %t, 64, %s; cvta.local.u64 %l, %l; cvta.shared.u64 %s, %s;\n"

static int reads_of_fresh_memory(const char *middle, bool other_reports_too)
{
    char ptx[4096];
    struct exec e;
    exec_open(&e);
    snprintf(ptx, sizeof ptx, "%s%s\nret; }\n", HEAD, middle);
    exec_load(&e, ptx);
    sim_addr fresh = sim_mem_alloc(e.sim, 2048, NULL);
    uint64_t args[] = {fresh, exec_buffer(&e, NULL, 512)};
    if (exec_launch(&e, "k", one, warp, 0, args) != SIM_OK)
        fail_msg("%s", e.result.message);
    int found = exec_hazards(&e, SIM_HAZARD_UNINITIALIZED);
    if (!other_reports_too)
        assert_int_equal(exec_all_hazards(&e), found);
    exec_close(&e);
    return found;
}

#define SILENT(middle)   assert_int_equal(reads_of_fresh_memory(middle, false), 0)
#define REPORTED(middle) assert_int_equal(reads_of_fresh_memory(middle, false), 1)

/* s.a = ..., of `unsigned a : 3, b : 5, c : 10`, as nvcc does it with and without optimization. */
#define SET_A(at)                                                                                            \
    "ld.u32 %r3, [" at "]; and.b32 %r4, %r3, -8; and.b32 %r2, %t, 7; or.b32 %r5, %r4, %r2; st.u32 [" at      \
    "], %r5;\n"
#define SET_C(at)                                                                                            \
    "ld.u32 %r6, [" at "]; mov.u32 %r7, 5; bfi.b32 %r8, %r7, %r6, 8, 10; st.u32 [" at "], %r8;\n"
#define GET_A(at)                                                                                            \
    "ld.u32 %r9, [" at "]; and.b32 %r12, %r9, 7; add.u32 %r13, %r12, 1; st.global.u32 [%out], %r13;\n"
#define GET_C(at)                                                                                            \
    "ld.u32 %r14, [" at "]; shl.b32 %r10, %r14, 14; shr.u32 %r11, %r10, 22; st.global.u32 [%out], %r11;\n"
/* s.b++ */
#define NEXT_B(at)                                                                                           \
    "ld.u32 %r15, [" at "]; add.u32 %r16, %r15, 8; and.b32 %r17, %r16, 0xf8; and.b32 %r18, %r15, -249;\n"    \
    "or.b32 %r19, %r17, %r18; st.u32 [" at "], %r19;\n"

TEST(setting_a_bit_field_reads_nothing)
{
    SILENT(SET_A("%l"));
    SILENT(SET_A("%l") SET_C("%l") GET_A("%l") GET_C("%l"));
    SILENT(SET_A("%f") SET_C("%f") GET_A("%f") GET_C("%f"));
    SILENT(SET_A("%s") SET_C("%s") GET_A("%s") GET_C("%s"));
    /* s.a = 1 of one bit, and s.b++ of bits that a field beside them shares a byte with */
    SILENT("ld.u8 %h1, [%l]; or.b16 %h2, %h1, 1; st.u8 [%l], %h2;\n");
    SILENT(SET_A("%l") NEXT_B("%l"));
}

TEST(a_field_that_was_not_set_is_found)
{
    REPORTED(GET_A("%l"));
    REPORTED(SET_A("%l") GET_C("%l"));
    REPORTED(SET_A("%f") GET_C("%f"));
    REPORTED(SET_C("%f") GET_A("%f"));
    REPORTED(NEXT_B("%f"));
    /* a word that is changed elsewhere is no bit-field */
    REPORTED("ld.u32 %r3, [%f]; and.b32 %r4, %r3, -8; st.global.u32 [%out], %r4;\n");
}

TEST(an_element_of_a_vector_that_goes_nowhere_is_not_followed)
{
    REPORTED("ld.shared.v2.u32 {_, %r3}, [near]; st.global.u32 [%out], %r3;\n");
}

/* struct { int a; double d; char c; }: copied word by word with what lies between the members. */
TEST(structures_are_copied_with_their_padding)
{
    const char *const places[] = {"%l", "%f", "%s"};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "st.u32 [%1$s], 1; mov.u64 %%rd1, 2; st.u64 [%1$s+8], %%rd1; st.u8 [%1$s+16], 3;\n"
            "ld.u32 %%r1, [%1$s]; ld.u32 %%r2, [%1$s+4]; ld.u64 %%rd2, [%1$s+8]; ld.u32 %%r3, [%1$s+16];\n"
            "ld.u32 %%r4, [%1$s+20];\n"
            "st.u32 [%1$s+32], %%r1; st.u32 [%1$s+36], %%r2; st.u64 [%1$s+40], %%rd2; st.u32 [%1$s+48], %%r3;\n"
            "st.u32 [%1$s+52], %%r4;\n",
            places[i]);
        SILENT(text);
        snprintf(
            text, sizeof text,
            "st.u32 [%1$s], 1; ld.v4.u8 {%%h1, %%h2, %%h3, %%h4}, [%1$s+4]; st.v4.u8 [%1$s+20], {%%h1, %%h2, %%h3, "
            "%%h4};\n",
            places[i]);
        SILENT(text);
    }
    SILENT("ld.u8 %h1, [%l]; st.u8 [%l+1], %h1;\n"); /* an object without members */
    SILENT(
        "ld.v2.u64 {%rd1, %rd2}, [%l]; st.v2.u64 [%l+16], {%rd1, %rd2}; ld.u64 %rd3, [%l+32]; st.u64 [%l+48], "
        "%rd3;\n"); /* members that were not set yet */
}

TEST(copies_of_fresh_memory_are_found)
{
    REPORTED("ld.u32 %r1, [%f]; st.global.u32 [%out], %r1;\n");
    REPORTED("ld.v4.u32 {%r1, %r2, %r3, %r4}, [%f]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};\n");
    REPORTED("ld.u32 %r1, [%l+8]; st.global.u32 [%out], %r1;\n");
    REPORTED("ld.u32 %r1, [%s+4]; st.global.u32 [%out], %r1;\n");
    REPORTED("st.u32 [%l], 1; st.u32 [%l+8], 1; ld.v2.u32 {%r1, %r2}, [%l]; add.u32 %r1, %r1, %r2;\n"
             "st.global.u32 [%out], %r1;\n");
    /* an address and a decision */
    REPORTED("ld.u32 %r1, [%l]; and.b32 %r1, %r1, 12; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %out, %rd1;\n"
             "st.global.u32 [%rd1], 1;\n");
    REPORTED("ld.u32 %r1, [%f+12]; setp.eq.u32 %p1, %r1, 1; @%p1 st.global.u32 [%out], 1;\n");
}

RUN_ALL
