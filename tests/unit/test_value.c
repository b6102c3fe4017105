/* Values of host expressions by the text: what decides a grid, and what must not be taken for known. */
#include "test.h"
#include "harness/source/value.h"

static const char student[] = "#define HALF (SIZE / 2) // of a block\n"
                              "constexpr int FOUR = 4;\n"
                              "static int counter = 3;\n"
                              "static int up(int a, int b) { return (a + b - 1) / b; }\n"
                              "static int loud(int a) { printf(\"x\"); return a; }\n"
                              "static void launch(const float *x, int count)\n"
                              "{\n"
                              "    const int blocks = up(count, SIZE);\n"
                              "    kernel<<<blocks, SIZE>>>(x, count);\n"
                              "}\n"
                              "void first(const float *x, int n, int rows)\n"
                              "{\n"
                              "    const int down = n / SIZE, other = 3;\n"
                              "    int most = (int)ceil(n / 256.0);\n"
                              "    int least = ceil(n / 256);\n"
                              "    float part = n;\n"
                              "    int grown = 1;\n"
                              "    grown += n;\n"
                              "    int set;\n"
                              "    scan(&set);\n"
                              "    dim3 grid(up(n, 256), 2);\n"
                              "    if (rows > 3)\n"
                              "        rows = 3;\n"
                              "    size_t bytes = n * sizeof(real);\n"
                              "    launch(x, n - 1);\n"
                              "}\n";
static const char header[] = "#define SIZE 128u /* threads */\n";
static const char *const names[] = {"n", "rows", NULL};
static const int64_t args[] = {300, 20, 0};

struct setup {
    struct source source;
    struct value_context context;
};

static void begin(struct setup *s)
{
    static const char binding[] = "static void run(struct lab_call *call) { first(0, 1, 2); }\n"
                                  "const struct lab_binding lab_bindings[] = {\n    {\"a\", run},\n};\n";
    assert_true(source_scan(&s->source, student, binding));
    s->context = (struct value_context){.source = &s->source,
                                        .macros = {student, header},
                                        .entry = source_entry(&s->source, "a"),
                                        .names = names,
                                        .args = args,
                                        .count = 3,
                                        .real_size = 4};
    assert_non_null(s->context.entry);
    assert_string_equal(s->context.entry->name, "first");
}

/* In the function that launches if `inner`, else in the one that is called. */
static bool value(struct setup *s, bool inner, const char *text, double *out)
{
    const char *launch;
    const struct source_function *f = inner ? source_launcher(&s->source, "a", &launch) : s->context.entry;
    return value_of(&s->context, f, text, text + strlen(text), out);
}

TEST(test_known)
{
    static const struct {
        const char *text;
        double value;
    } known[] = {
        {"n", 300},
        {"down", 2},
        {"most", 2},
        {"least", 1},
        {"grid", 2},
        {"bytes", 1200},
        {"HALF", 64},
        {"FOUR", 4},
        {"up(n, HALF)", 5},
        {"up(down, 2)", 1},
        {"n % 7", 6},
        {"-n + 2 * (3 - 1)", -296},
        {"n > 3 && down == 2", 1},
        {"!n || down != 2", 0},
        {"n ? 4 : 5", 4},
        {"1 << 4", 16},
        {"n >= 300", 1},
        {"n < 300", 0},
        {"std::min(n, 7)", 7},
        {"(n + 1.0) / 2", 150.5},
        {"(size_t)(7 / 2.0)", 3},
        {"n / 8 * 8 == n", 0},
        {"sizeof(double)", 8},
        {"0x10", 16},
    };
    struct setup s;
    double got;
    begin(&s);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!value(&s, false, known[i].text, &got) || got != known[i].value)
            fail_msg("%s is %g, expected %g", known[i].text, got, known[i].value);
    }
    assert_true(value(&s, true, "count", &got) && got == 299);
    assert_true(value(&s, true, "blocks", &got) && got == 3);
    source_free(&s.source);
}

TEST(test_unknown)
{
    static const char *const texts[] = {"rows",    "part",   "grown",   "set",   "other",       "counter",
                                        "loud(3)", "x",      "nothing", "n / 0", "n +",         "n = 3",
                                        "x[0]",    "grid.x", "",        "n n",   "up(rows, 2)", "(n"};
    struct setup s;
    double got;
    begin(&s);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (value(&s, false, texts[i], &got))
            fail_msg("%s is not known, but came out as %g", texts[i], got);
    source_free(&s.source);
}

TEST(test_definition)
{
    struct setup s;
    struct value_definition definition;
    begin(&s);
    assert_true(value_definition(&s.context, s.context.entry, "most", 4, &definition));
    assert_int_equal(definition.line, 14);
    assert_true(definition.is_integer);
    assert_true(value_definition(&s.context, s.context.entry, "part", 4, &definition));
    assert_false(definition.is_integer);
    assert_false(value_definition(&s.context, s.context.entry, "grown", 5, &definition));
    assert_false(value_definition(&s.context, s.context.entry, "n", 1, &definition));
    source_free(&s.source);
}

RUN_ALL
