/*
 * Text that nobody meant as PTX: it may be refused or not, but never crash, hang, recurse without
 * end or take the machine. A real text is cut at every byte and has its bytes flipped; then come
 * texts that are built to hurt. Worth most with sanitizers. What a fuzzer found is in tests/fuzz/corpus.
 */
#include <time.h>

#include "test.h"
#include "ptx_fixture.h"
#include "tests/fuzz/ptx_survival.h"

#define SAMPLE "tests/unit/samples/everything.ptx"

static char *sample;
static size_t sample_length;

static int read_sample(void **state)
{
    FILE *file = fopen(SAMPLE, "rb");
    if (!file) {
        fprintf(stderr, "cannot open " SAMPLE ": run the tests from the repository's root\n");
        return -1;
    }
    sample = malloc(1 << 20);
    sample_length = fread(sample, 1, 1 << 20, file);
    fclose(file);
    return 0;
}

static int free_sample(void **state)
{
    free(sample);
    return 0;
}

/* Whether the text parses; whatever it is, it goes as far as it can, the decoder included. */
static bool survives(const char *text, size_t length)
{
    struct survival survival = ptx_survive(text, length);
    assert_string_equal(survival.broken, "");
    return survival.parsed;
}

TEST(the_sample_parses)
{
    struct ptx_error error;
    struct ptx_module *module = ptx_parse(sample, sample_length, &error);
    if (!module)
        fail_msg(SAMPLE ":%d:%d: %s", error.line, error.column, error.message);
    assert_int_equal(ptx_module_find_func(module, "kernel")->table_count, 1);
    ptx_module_free(module);
}

TEST(cut_at_every_byte)
{
    for (size_t length = 0; length < sample_length; length++)
        survives(sample, length);
}

static uint64_t random_state = 12345;

static size_t draw(size_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % below;
}

TEST(flipped_bytes)
{
    int accepted = 0;
    char *text = malloc(sample_length);
    for (int round = 0; round < 2000; round++) {
        memcpy(text, sample, sample_length);
        for (size_t flips = 1 + draw(4); flips > 0; flips--)
            text[draw(sample_length)] = (char)draw(256);
        accepted += survives(text, sample_length);
    }
    assert_true(accepted > 0); /* a flip in a comment */
    free(text);
}

/* Punctuation and digits in place of bytes: deeper into the grammar than random bytes. */
TEST(exchanged_characters)
{
    static const char alphabet[] = "{}[]()<>,;:=+-*/%|!@._0123456789xfdrp\"\n ";
    char *text = malloc(sample_length);
    for (int round = 0; round < 2000; round++) {
        memcpy(text, sample, sample_length);
        for (size_t changes = 1 + draw(3); changes > 0; changes--)
            text[draw(sample_length)] = alphabet[draw(sizeof alphabet - 1)];
        survives(text, sample_length);
    }
    free(text);
}

/* A stretch of the text moved somewhere else. */
TEST(moved_pieces)
{
    char *text = malloc(2 * sample_length);
    for (int round = 0; round < 2000; round++) {
        size_t from = draw(sample_length),
               size = draw(sample_length - from < 200 ? sample_length - from + 1 : 200);
        size_t to = draw(sample_length);
        memcpy(text, sample, to);
        memcpy(text + to, sample + from, size);
        memcpy(text + to + size, sample + to, sample_length - to);
        survives(text, sample_length + size);
    }
    free(text);
}

/* ---- texts that are built to hurt ---------------------------------------------------------------------- */

/* `before`, then `piece` so often that it fills about 1 MB, then `after`. */
static bool survives_many(const char *before, const char *piece, const char *after)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1024);
    size_t length = 0, step = strlen(piece);
    length += (size_t)sprintf(text, "%s", before);
    for (; length + step < SIZE; length += step)
        memcpy(text + length, piece, step);
    length += (size_t)sprintf(text + length, "%s", after);
    clock_t start = clock();
    bool accepted = survives(text, length);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 20)
        fail_msg("%.1f s for 1 MB of '%s'", seconds, piece);
    free(text);
    return accepted;
}

#define BODY PTX_HEAD ".entry k() { .reg .pred p; .reg .b32 %r<9>; "

TEST(deep_nesting)
{
    assert_false(survives_many(BODY, "{", "ret; }"));
    assert_false(survives_many(BODY "mov.b32 %r1, ", "(", "1"));
    assert_false(survives_many(BODY "mov.b32 %r1, ", "-", "1; ret; }"));
    assert_false(survives_many(BODY "mov.b32 %r1, ", "1?", "1; ret; }"));
    assert_false(survives_many(BODY "mov.b32 %r1, ", "1?1:", "1; ret; }"));
    assert_false(survives_many(PTX_HEAD ".global .u8 a[2] = ", "{", "1;"));
    assert_false(survives_many(PTX_HEAD ".global .u8 a", "[2]", ";"));
    assert_false(survives_many(PTX_HEAD ".section .debug_info ", "{", ""));
    assert_false(survives_many(BODY "call (", "(", ");"));
    assert_false(survives_many(BODY "ld.v4 ", "{", "};"));
    assert_false(survives_many(BODY "ld ", "[", "];"));
}

TEST(many_of_everything_long)
{
    assert_true(survives_many(BODY, "{ L: bra L; }", "ret; }"));
    assert_true(survives_many(BODY, "{ .reg .b32 x; mov x, %r1; }", "ret; }"));
    assert_true(survives_many(BODY "bra L;", "{ bra L; }", "L: ret; }"));
    assert_true(survives_many(BODY "mov.b32 %r1, 1", "+1", "; ret; }"));
    assert_true(survives_many(BODY "mov.b32 %r1, 1", "|1*2", "; ret; }"));
    assert_true(survives_many(BODY "t: .branchtargets L", ", L", "; L: brx.idx %r1, t; }"));
    assert_true(survives_many(BODY "ld {_", ", _", "}, 1; }"));
    assert_true(survives_many(BODY "a", ".b", "; }"));
    assert_true(survives_many(BODY, "@p ret;", "}"));
    assert_true(survives_many(PTX_HEAD, ".global .u8 x;\n", "") == false);
    assert_true(survives_many(PTX_HEAD ".global .u8 x[] = {1", ",1", "};"));
    assert_true(survives_many(PTX_HEAD, "// comment\n", ""));
    assert_true(survives_many(PTX_HEAD, ";", ""));
    assert_true(survives_many(PTX_HEAD ".entry k(.param .u8 a0", ") ;.entry k(.param .u8 a0", ") { }"));
    assert_false(survives_many(PTX_HEAD ".global .u32 ", "a", "%;"));
}

/* A long row of functions without variables, each of which calls the one before it, once or twice; or any of
 * them. */
TEST(many_calls)
{
    enum { FUNCTIONS = 3000 };
    for (int calls = 0; calls <= 2; calls++) {
        char *text = malloc(FUNCTIONS * 100), *at = text;
        at += sprintf(at, PTX_HEAD ".func f0() { ret; }\n");
        for (int i = 1; i < FUNCTIONS; i++) {
            at += sprintf(at, ".func f%d() {%s", i,
                          calls ? "" : ".reg .b64 %r; P: .callprototype ()_(); call %r, (), P;");
            for (int k = 0; k < calls; k++)
                at += sprintf(at, "call f%d;", i - 1);
            at += sprintf(at, "}\n");
        }
        sprintf(at, ".entry k() { call f%d; }\n", FUNCTIONS - 1);
        bool accepted = survives(text, strlen(text));
        free(text);
        assert_true(accepted);
    }
}

TEST(huge_numbers)
{
    assert_false(survives(PTX_HEAD ".entry k() { .reg .b32 %r<2000000000>; }", 85));
    static const char *const texts[] = {
        BODY ".reg .b32 %x<4194303>, %y<4194303>; ret; }",
        PTX_HEAD ".file 2000000000 \"x\"",
        PTX_HEAD ".global .u8 x[1099511627776] = {1};",
        PTX_HEAD ".global .u64 x[1099511627776];",
        PTX_HEAD ".global .v4 .u64 x[4294967296][4294967296];",
        PTX_HEAD ".global .align 18446744073709551615 .u8 x;",
        PTX_HEAD ".entry k() .maxntid 99999999999 { }",
        BODY ".loc 1 99999999999 1\n ret; }",
        PTX_HEAD ".global .u8 x[200000000] = {1}; .global .u8 y[200000000] = {1};",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(survives(texts[i], strlen(texts[i])));
    const char *large = PTX_HEAD ".global .u8 x[1099511627776]; .global .u8 y[200000000] = {1};";
    assert_true(survives(large, strlen(large)));
}

/* 1 MB of what nvcc writes for straight code: well under a second without sanitizers. */
TEST(a_megabyte_is_quick)
{
    clock_t start = clock();
    assert_true(survives_many(BODY, "\tmad.lo.s32 \t%r1, %r2, -17, %r4;\n\t.loc\t1 9 5\n", "ret; }"));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("1 MB in %.3f s\n", seconds);
    assert_true(seconds < 5);
}

int main(void)
{
    return RUN_WITH(read_sample, free_sample);
}
