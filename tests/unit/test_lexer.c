/* Tokens of PTX. */
#include "test.h"
#include "sim/ptx/ptx_lex.h"

static struct ptx_lexer lexer_of(const char *text)
{
    struct ptx_lexer lexer;
    ptx_lexer_init(&lexer, text, strlen(text));
    return lexer;
}

static struct ptx_token first(const char *text)
{
    struct ptx_lexer lexer = lexer_of(text);
    return ptx_lexer_next(&lexer);
}

static void expect(struct ptx_lexer *lexer, enum ptx_token_kind kind, const char *text)
{
    struct ptx_token token = ptx_lexer_next(lexer);
    assert_int_equal(token.kind, kind);
    assert_int_equal(token.length, strlen(text));
    assert_memory_equal(token.start, text, token.length);
}

static void expect_int(const char *text, uint64_t value, bool is_unsigned)
{
    struct ptx_token token = first(text);
    assert_int_equal(token.kind, PTX_TOKEN_INT);
    assert_int_equal(token.length, strlen(text));
    assert_true(token.value == value);
    assert_int_equal(token.is_unsigned, is_unsigned);
}

static void expect_double(const char *text, double value)
{
    struct ptx_token token = first(text);
    double found;
    assert_int_equal(token.kind, PTX_TOKEN_F64);
    assert_int_equal(token.length, strlen(text));
    memcpy(&found, &token.value, sizeof found);
    assert_true(found == value);
}

static void expect_bad(const char *text, const char *words)
{
    struct ptx_lexer lexer = lexer_of(text);
    struct ptx_token token;
    do
        token = ptx_lexer_next(&lexer);
    while (token.kind != PTX_TOKEN_BAD && token.kind != PTX_TOKEN_END);
    assert_int_equal(token.kind, PTX_TOKEN_BAD);
    assert_non_null(strstr(token.problem, words));
    assert_int_equal(ptx_lexer_next(&lexer).kind, PTX_TOKEN_BAD); /* and so for ever */
}

TEST(an_instruction)
{
    struct ptx_lexer lexer = lexer_of("@!%p1 ld.global.v2.f32 {%f1, _}, [$str$1+-8];");
    const struct {
        enum ptx_token_kind kind;
        const char *text;
    } tokens[] = {
        {PTX_TOKEN_PUNCT, "@"},  {PTX_TOKEN_PUNCT, "!"},     {PTX_TOKEN_WORD, "%p1"},
        {PTX_TOKEN_WORD, "ld"},  {PTX_TOKEN_DOT, ".global"}, {PTX_TOKEN_DOT, ".v2"},
        {PTX_TOKEN_DOT, ".f32"}, {PTX_TOKEN_PUNCT, "{"},     {PTX_TOKEN_WORD, "%f1"},
        {PTX_TOKEN_PUNCT, ","},  {PTX_TOKEN_WORD, "_"},      {PTX_TOKEN_PUNCT, "}"},
        {PTX_TOKEN_PUNCT, ","},  {PTX_TOKEN_PUNCT, "["},     {PTX_TOKEN_WORD, "$str$1"},
        {PTX_TOKEN_PUNCT, "+"},  {PTX_TOKEN_PUNCT, "-"},     {PTX_TOKEN_INT, "8"},
        {PTX_TOKEN_PUNCT, "]"},  {PTX_TOKEN_PUNCT, ";"},     {PTX_TOKEN_END, ""},
        {PTX_TOKEN_END, ""},
    };
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        expect(&lexer, tokens[i].kind, tokens[i].text);
}

TEST(dotted_names)
{
    struct ptx_lexer lexer = lexer_of("tex.2d .shared::cta.mbarrier::complete_tx::bytes .L2::128B L1:.reg");
    expect(&lexer, PTX_TOKEN_WORD, "tex");
    expect(&lexer, PTX_TOKEN_DOT, ".2d");
    expect(&lexer, PTX_TOKEN_DOT, ".shared::cta");
    expect(&lexer, PTX_TOKEN_DOT, ".mbarrier::complete_tx::bytes");
    expect(&lexer, PTX_TOKEN_DOT, ".L2::128B");
    expect(&lexer, PTX_TOKEN_WORD, "L1");
    expect(&lexer, PTX_TOKEN_PUNCT, ":");
    expect(&lexer, PTX_TOKEN_DOT, ".reg");
}

TEST(integers)
{
    expect_int("0", 0, false);
    expect_int("42", 42, false);
    expect_int("0x7fFF", 0x7fff, false);
    expect_int("0XFF", 255, false);
    expect_int("0b1011", 11, false);
    expect_int("0154", 108, false);
    expect_int("7U", 7, true);
    expect_int("9223372036854775807", INT64_MAX, false);
    expect_int("9223372036854775808", (uint64_t)1 << 63, true);
    expect_int("0xFFFFFFFFFFFFFFFF", UINT64_MAX, true);
    expect_int("18446744073709551615", UINT64_MAX, true);
}

TEST(floats)
{
    struct ptx_token token = first("0f3F800000");
    assert_int_equal(token.kind, PTX_TOKEN_F32);
    assert_true(token.value == 0x3f800000);
    token = first("0F7fc00000");
    assert_int_equal(token.kind, PTX_TOKEN_F32);
    assert_true(token.value == 0x7fc00000);
    expect_double("0d3FF8000000000000", 1.5);
    expect_double("0D8000000000000000", -0.0);
    expect_double("1.25", 1.25);
    expect_double("3.", 3);
    expect_double("1e3", 1000);
    expect_double("2.5E-2", 0.025);
    expect_double("09.5", 9.5);
}

TEST(operators_of_two_characters)
{
    struct ptx_lexer lexer = lexer_of("<< >> <= >= == != && || | < %");
    const int values[] = {PTX_OP_SHL, PTX_OP_SHR, PTX_OP_LE, PTX_OP_GE, PTX_OP_EQ, PTX_OP_NE,
                          PTX_OP_AND, PTX_OP_OR,  '|',       '<',       '%'};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct ptx_token token = ptx_lexer_next(&lexer);
        assert_int_equal(token.kind, PTX_TOKEN_PUNCT);
        assert_int_equal(token.value, values[i]);
    }
}

TEST(places)
{
    struct ptx_lexer lexer = lexer_of("a // b\n/* c\n c */ d\r\n\t\"e\\\"f\" g");
    struct ptx_token token = ptx_lexer_next(&lexer);
    assert_int_equal(token.line, 1);
    assert_int_equal(token.column, 1);
    token = ptx_lexer_next(&lexer);
    assert_int_equal(token.line, 3);
    assert_int_equal(token.column, 7);
    token = ptx_lexer_next(&lexer);
    assert_int_equal(token.kind, PTX_TOKEN_STRING);
    assert_int_equal(token.length, 6);
    assert_int_equal(token.line, 4);
    assert_int_equal(token.column, 2);
    assert_int_equal(ptx_lexer_next(&lexer).column, 9);
}

TEST(mistakes)
{
    expect_bad("18446744073709551616", "64 bits");
    expect_bad("0x1FFFFFFFFFFFFFFFF", "64 bits");
    expect_bad("0x", "without digits");
    expect_bad("0b2", "without digits");
    expect_bad("08", "inside a number");
    expect_bad("12abc", "inside a number");
    expect_bad("0f3F80000", "8 hexadecimal");
    expect_bad("0f3F8000000", "too many");
    expect_bad("0d3FF", "16");
    expect_bad("1.5x", "inside a number");
    expect_bad("a \"b\nc\"", "closing quote");
    expect_bad("\"b\\", "closing quote");
    expect_bad("a /* b", "never closed");
    expect_bad("a . b", "without a name");
    expect_bad("a \x80 b", "does not know");
    expect_bad("`", "does not know");
    expect_bad("1111111111111111111111111111111111111111111111111111111111111111.0", "63 characters");
}

TEST(zero_bytes)
{
    struct ptx_lexer lexer;
    ptx_lexer_init(&lexer, "a\0\0\0", 4);
    expect(&lexer, PTX_TOKEN_WORD, "a");
    assert_int_equal(ptx_lexer_next(&lexer).kind, PTX_TOKEN_END);
    assert_int_equal(ptx_lexer_next(&lexer).kind, PTX_TOKEN_END);
    ptx_lexer_init(&lexer, "a\0b", 3);
    expect(&lexer, PTX_TOKEN_WORD, "a");
    assert_int_equal(ptx_lexer_next(&lexer).kind, PTX_TOKEN_BAD);
    ptx_lexer_init(&lexer, "", 0);
    assert_int_equal(ptx_lexer_next(&lexer).kind, PTX_TOKEN_END);
}

RUN_ALL
