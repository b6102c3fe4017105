/* Declarations of variables and their initializers. */
#include <math.h>

#include "test.h"
#include "ptx_fixture.h"

static const struct ptx_var *var_of(const struct ptx_module *module, const char *name)
{
    const struct ptx_var *var = ptx_module_find_var(module, name);
    assert_non_null(var);
    return var;
}

TEST(spaces_types_sizes)
{
    struct ptx_module *m = parse_ok(
        PTX_HEAD ".visible .global .attribute(.managed) .align 4 .b8 a[16];\n"
                 ".const .f64 b;\n.extern .shared .align 16 .b8 c[];\n.global .align 8 .v4 .f32 d[3];\n"
                 ".weak .global .u16 e[2][3][4], f;\n.shared .v2 .u8 g;\n.global .texref t;\n");
    const struct {
        const char *name;
        enum ptx_space space;
        enum ptx_type type;
        int align;
        size_t size;
    } expected[] = {
        {"a", PTX_GLOBAL, PTX_B8, 4, 16},  {"b", PTX_CONST, PTX_F64, 8, 8},
        {"c", PTX_SHARED, PTX_B8, 16, 0},  {"d", PTX_GLOBAL, PTX_F32, 8, 48},
        {"e", PTX_GLOBAL, PTX_U16, 2, 48}, {"f", PTX_GLOBAL, PTX_U16, 2, 2},
        {"g", PTX_SHARED, PTX_U8, 2, 2},   {"t", PTX_GLOBAL, PTX_TEXREF, 8, 8},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct ptx_var *var = var_of(m, expected[i].name);
        assert_int_equal(var->space, expected[i].space);
        assert_int_equal(var->type, expected[i].type);
        assert_int_equal(var->align, expected[i].align);
        assert_int_equal(var->size, expected[i].size);
        assert_null(var->init);
    }
    assert_true(var_of(m, "a")->is_visible && var_of(m, "c")->is_extern && var_of(m, "e")->is_weak);
    ptx_module_free(m);
}

TEST(extern_and_definition_are_one)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".extern .global .u32 x[];\n.global .u64 p = x;\n"
                          ".visible .global .u32 x[2] = {7, 8};\n.extern .global .u32 x[];\n");
    assert_int_equal(m->var_count, 2);
    const struct ptx_var *x = var_of(m, "x");
    assert_false(x->is_extern);
    assert_int_equal(x->size, 8);
    assert_non_null(x->init);
    assert_ptr_equal(var_of(m, "p")->relocs[0].var, x);
    ptx_module_free(m);
}

static void bytes_are(const struct ptx_module *module, const char *name, size_t size, const void *bytes)
{
    const struct ptx_var *var = var_of(module, name);
    assert_int_equal(var->size, size);
    assert_non_null(var->init);
    assert_memory_equal(var->init, bytes, size);
}

TEST(numbers)
{
    struct ptx_module *m = parse_ok(
        PTX_HEAD ".global .b8 a[4] = {1, -1, 0x1ff};\n.global .f32 b[4] = {0f3F800000, 1.5, 2, -0.5};\n"
                 ".const .f64 c[3] = {0d3FF0000000000000, 1.5, 0f40000000};\n.global .u64 d = -2;\n"
                 ".global .s16 e = {5};\n.global .u32 f, g = 3, h;\n.global .b64 i = 0d3FF0000000000000;\n"
                 ".global .b32 j = 0f3F800000;\n");
    bytes_are(m, "a", 4, "\x01\xff\xff\x00");
    bytes_are(m, "b", 16, (float[]){1, 1.5f, 2, -0.5f});
    bytes_are(m, "c", 24, (double[]){1, 1.5, 2});
    bytes_are(m, "d", 8, (int64_t[]){-2});
    bytes_are(m, "e", 2, (int16_t[]){5});
    bytes_are(m, "g", 4, (int[]){3});
    bytes_are(m, "i", 8, (double[]){1});
    bytes_are(m, "j", 4, (float[]){1});
    assert_null(var_of(m, "f")->init);
    assert_null(var_of(m, "h")->init);
    ptx_module_free(m);
}

/* Each value is what ptxas 13.0 puts into .nv.global.init. */
TEST(expressions_agree_with_ptxas)
{
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"(1 << 4) | 3", 19},
        {"7 % 4", 3},
        {"!5", 0},
        {"6 > 5 ? 10 : 20", 10},
        {"-(2 + 3) * 4", (uint64_t)-20},
        {"0xFFFFFFFFU / 2", 0x7fffffff},
        {"(.u64)(-1) >> 33", 0x7fffffff},
        {"WARP_SZ", 32},
        {"1 || 0", 1},
        {"5/-2", (uint64_t)-2},
        {"-5 / 2", (uint64_t)-2},
        {"5%-3", 5},
        {"-5 % 3", 2},
        {"10/3*3", 9},
        {"~0 > 1", 1},
        {"(5 & -1) > -1", 1},
        {"(-4 | 0) / 2", (uint64_t)-2},
        {"-8 >> 1", (uint64_t)-4},
        {"-8 >> 70", UINT64_MAX},
        {"1 << 70", 64},
        {"1 << -1", (uint64_t)1 << 63},
        {"-1 >> 3U", UINT64_MAX},
        {"-1 > 0U", 1},
        {"(.s64)(~0) < 0", 1},
        {"5 - 7U < 0", 0},
        {"(1 ? -1 : 2U) > 0", 0},
        {"1 ? -1 : 2U", UINT64_MAX},
        {"0 - 5 % 3 / 2", UINT64_MAX},
        {"0b1011", 11},
        {"0154", 108},
        {"0XFf", 255},
        {"18446744073709551615", UINT64_MAX},
        {"9223372036854775808 > 0", 1},
        {"9223372036854775807 + 7U", (uint64_t)INT64_MAX + 7},
        {"2 + 3 * 4 - 1", 13},
        {"-7 / -1", 7},
        {"0xF0 ^ 0xFF", 15},
        {"3 <= 3", 1},
        {"-1 <= -2", 0},
        {"0xFFFFFFFFFFFFFFFFU >= 1", 1},
        {"0xFFFFFFFFFFFFFFFFU < 1", 0},
        {"4 == 5", 0},
        {"4 != 5", 1},
        {"1 && 0 || 1", 1},
        {"0 ? 7 : 0 ? 8 : 9", 9},
        {"1.5 <= 1.5", 1},
        {"1.5 >= 2.0", 0},
        {"0.5 == 0.5", 1},
        {"0.5 != 0.5", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, PTX_HEAD ".global .u64 x[1] = {%s};", cases[i].text);
        struct ptx_module *m = parse_ok(text);
        bytes_are(m, "x", 8, &cases[i].value);
        ptx_module_free(m);
    }
}

TEST(floating_expressions)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".global .f64 x[] = {1.5 + 2, 3.0 / 2.0 * 2, 1.0 < 2.0, -(0.5),\n"
                          "3., 1e3, 2.5E-2, 09.5, 0D8000000000000000, 0F7f800000};\n"
                          ".global .u64 y = 9223372036854775808 / -1;");
    bytes_are(m, "x", 80, (double[]){3.5, 3, 1, -0.5, 3, 1000, 0.025, 9.5, -0.0, INFINITY});
    ptx_module_free(m);
}

TEST(braces)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".global .u8 a[2][3] = {{1, 2}, {3}};\n.global .u8 b[2][3] = {1, 2, 3, 4};\n"
                          ".global .u8 c[] = {1, 2, 3};\n.global .u8 d[][2] = {{1}, {2}, {3, 4}};\n"
                          ".global .v4 .u8 e = {1, 2, 3, 4};\n.global .v2 .u8 f[2] = {{1}, {2, 3}};\n"
                          ".global .u8 g[4] = {};\n.global .u8 h[3] = {1,};\n");
    bytes_are(m, "a", 6, "\1\2\0\3\0");
    bytes_are(m, "b", 6, "\1\2\3\4\0");
    bytes_are(m, "c", 3, "\1\2\3");
    bytes_are(m, "d", 6, "\1\0\2\0\3\4");
    bytes_are(m, "e", 4, "\1\2\3\4");
    bytes_are(m, "f", 4, "\1\0\2\3");
    bytes_are(m, "g", 4, "\0\0\0");
    bytes_are(m, "h", 3, "\1\0");
    ptx_module_free(m);
}

TEST(addresses)
{
    struct ptx_module *m = parse_ok(PTX_HEAD ".func f();\n.global .u8 s[4];\n"
                                             ".global .u64 p[5] = {generic(s), generic(s)+8, s, s-4, f};\n"
                                             ".global .u64 self = self;\n.global .u32 low = s;\n");
    const struct ptx_var *p = var_of(m, "p"), *s = var_of(m, "s");
    const struct ptx_reloc expected[] = {
        {.offset = 0, .size = 8, .generic = true, .var = (struct ptx_var *)s},
        {.offset = 8, .size = 8, .generic = true, .addend = 8, .var = (struct ptx_var *)s},
        {.offset = 16, .size = 8, .var = (struct ptx_var *)s},
        {.offset = 24, .size = 8, .addend = -4, .var = (struct ptx_var *)s},
        {.offset = 32, .size = 8, .func = ptx_module_find_func(m, "f")},
    };
    assert_int_equal(p->reloc_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(p->relocs[i].offset, expected[i].offset);
        assert_int_equal(p->relocs[i].size, expected[i].size);
        assert_int_equal(p->relocs[i].shift, 0);
        assert_int_equal(p->relocs[i].generic, expected[i].generic);
        assert_true(p->relocs[i].addend == expected[i].addend);
        assert_ptr_equal(p->relocs[i].var, expected[i].var);
        assert_ptr_equal(p->relocs[i].func, expected[i].func);
    }
    assert_ptr_equal(var_of(m, "self")->relocs[0].var, var_of(m, "self"));
    assert_int_equal(var_of(m, "low")->relocs[0].size, 4);
    ptx_module_free(m);
}

/* How nvcc writes a pointer inside a packed struct. */
TEST(masked_bytes_become_one_address)
{
    struct ptx_module *m = parse_ok(
        PTX_HEAD
        ".func f();\n.global .u32 n;\n.global .align 1 .u8 r[20] = {1, 0XFF(generic(n)), 0xFF00(generic(n)), "
        "0xFF0000(generic(n)), 0xFF000000(generic(n)), 0xFF00000000(generic(n)), 0xFF0000000000(generic(n)), "
        "0xFF000000000000(generic(n)), 0xFF00000000000000(generic(n)), 0xFF(f), 0xFF00(f), 7};\n"
        ".global .u8 high = 0xFF00(n+4);");
    const struct ptx_var *r = var_of(m, "r");
    assert_int_equal(r->reloc_count, 2);
    assert_int_equal(r->relocs[0].offset, 1);
    assert_int_equal(r->relocs[0].size, 8);
    assert_int_equal(r->relocs[0].shift, 0);
    assert_true(r->relocs[0].generic);
    assert_int_equal(r->relocs[1].offset, 9);
    assert_int_equal(r->relocs[1].size, 2);
    assert_int_equal(r->init[0], 1);
    assert_int_equal(r->init[11], 7);
    assert_int_equal(var_of(m, "high")->relocs[0].shift, 8);
    assert_true(var_of(m, "high")->relocs[0].addend == 4);
    ptx_module_free(m);
}

TEST(mistakes)
{
    parse_fails(PTX_HEAD ".global .u8 a[2] = {1, 2, 3};", 4, 27, "more initializers");
    parse_fails(PTX_HEAD ".global .u8 a[2] = {{1}};", 4, 21, "no further dimension");
    parse_fails(PTX_HEAD ".global .u8 a[2] = {1 2};", 4, 23, "',' or '}'");
    parse_fails(PTX_HEAD ".global .u8 a[0];", 4, 16, "array bound");
    parse_fails(PTX_HEAD ".global .u8 a[-1];", 4, 17, "array bound");
    parse_fails(PTX_HEAD ".global .u8 a[1000000][1000000][1000000];", 4, 41, "2^40");
    parse_fails(PTX_HEAD ".global .u8 a[1000000000] = {1};", 4, 32, "initialized");
    parse_fails(PTX_HEAD ".global .u8 a = 1 / 0;", 4, 22, "division by zero");
    parse_fails(PTX_HEAD ".global .u8 a = 1.5 & 1;", 4, 24, "integer operator");
    parse_fails(PTX_HEAD ".global .u8 a = 0xF0(a);", 4, 22, "mask");
    parse_fails(PTX_HEAD ".global .pred a;", 4, 15, "expected one that has a size");
    parse_fails(PTX_HEAD ".global .f32 a = %r1;", 4, 18, "found '%r1'");
    parse_fails(PTX_HEAD ".global .u32 a = 0d0000000000000000;", 4, 36, "64 bits");
}

TEST(constants_that_are_none)
{
    parse_fails(PTX_HEAD ".const .u64 c = 1 % 0;\n", 4, 22, "division by zero");
    parse_fails(PTX_HEAD ".const .u64 c = ~1.5;\n", 4, 21, "found ~ before a floating-point constant");
    parse_fails(PTX_HEAD ".const .u64 c = (.s64) 1.5;\n", 4, 27,
                "floating-point constant behind an integer cast");
    parse_fails(PTX_HEAD ".const .f64 c = 1.5 & 2.0;\n", 4, 26,
                "integer operator between floating-point constants");
    parse_fails(PTX_HEAD ".const .f64 c = 1.5 << 1;\n", 4, 25,
                "integer operator between floating-point constants");
}

RUN_ALL
