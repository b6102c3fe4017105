/* Values of host expressions by the text: what decides a grid, and what must not be taken for known. */
#include "test.h"
#include "harness/source/value.h"

static const char student[] = "#define HALF (SIZE / 2) // of a block\n"
                              "constexpr int FOUR = 4;\n"
                              "static int counter = 3;\n"
                              "static int up(int a, int b) { return (a + b - 1) / b; }\n"
                              "static void launch(const float *x, int count)\n"
                              "{\n"
                              "    const int blocks = (count + SIZE - 1) / SIZE;\n"
                              "    kernel<<<blocks, SIZE>>>(x, count);\n"
                              "}\n"
                              "void first(const float *x, int n, int rows)\n"
                              "{\n"
                              "    const int down = n / SIZE, other = up(n, 2);\n"
                              "    float part = n;\n"
                              "    int grown = 1;\n"
                              "    grown += n;\n"
                              "    int set;\n"
                              "    scan(&set);\n"
                              "    dim3 grid((n + 255) / 256, 2);\n"
                              "    if (rows > 3)\n"
                              "        rows = 3;\n"
                              "    launch(x, n - 1);\n"
                              "    int probe = @;\n"
                              "}\n";
static const char header[] = "#define SIZE 128u /* threads */\n"
                             "#define BOTH(a) a\n";
static const char *const names[] = {"n", "rows", NULL};
static const int64_t args[] = {300, 20, 0};

/* The value of an expression at the end of first(); of `blocks`, that in launch(). False: not known, or no program. */
static bool value(const char *text, int64_t *out)
{
    char program_text[2048];
    struct program p;
    bool known = false;
    const char *at = strchr(student, '@');
    snprintf(program_text, sizeof program_text, "%.*s%s%s", (int)(at - student), student, text, at + 1);
    if (program_read(&p, program_text, header)) {
        const struct tokens *t = &p.tokens;
        struct value_context c = {.program = &p, .names = names, .args = args, .count = 3};
        int probe = 0, last;
        for (int i = 0; i < p.item_count; i++)
            if (p.item[i].name >= 0 && token_is(t, p.item[i].name, "first"))
                c.entry = &p.item[i];
        while (!token_is(t, probe, strcmp(text, "blocks") == 0 ? "<<<" : "probe"))
            probe++;
        probe += token_is(t, probe, "<<<") ? 1 : 2;
        for (last = probe; !token_in(t, last, strcmp(text, "blocks") == 0 ? " , " : " ; ");)
            last++;
        known = value_of(&c, probe, last - 1, out);
    }
    program_free(&p);
    return known;
}

TEST(test_known)
{
    static const struct {
        const char *text;
        int64_t value;
    } known[] = {
        {"n", 300},
        {"down", 2},
        {"grid", 2},
        {"HALF", 64},
        {"FOUR", 4},
        {"n % 7", 6},
        {"n + 2 * (3 - 1)", 304},
        {"n > 3 && down == 2", 1},
        {"!n || down != 2", 0},
        {"n ? 4 : 5", 4},
        {"n >= 300", 1},
        {"n < 300", 0},
        {"(size_t)(n / 7)", 42},
        {"n / 8 * 8 == n", 0},
        {"0x10", 16},
        {"blocks", 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int64_t got = -1;
        if (!value(known[i].text, &got) || got != known[i].value)
            fail_msg("%s is %lld, expected %lld", known[i].text, (long long)got, (long long)known[i].value);
    }
}

TEST(test_unknown)
{
    static const char *const texts[] = {
        "rows",  "part", "grown",  "set", "other", "counter", "up(3, 2)", "x",       "n / 0",       "n +",
        "n = 3", "x[0]", "grid.x", "n n", "-n",    "1 - n",   "n / 2.0",  "BOTH(1)", "n * 10000000"};
    int64_t got;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (value(texts[i], &got))
            fail_msg("%s is not known, but came out as %lld", texts[i], (long long)got);
}

RUN_ALL
