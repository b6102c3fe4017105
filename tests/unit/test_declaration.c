/* The variable without a value that a line of source uses, or that what it uses is made of. */
#include <unistd.h>

#include "test.h"
#include "sim/text/declaration.h"

/* What `line` uses, where `call` is the line of the call that it stands in. */
static const struct row {
    const char *text;
    int line, call, declared;
    const char *name;
    bool followed, never_set;
    const char *members;
} rows[] = {
    {"{\n float sum;\n sum += x[i];\n}\n", 3, 0, 2, "sum", false, false, ""},
    {"{\n float sum;\n y[i] = sum;\n}\n", 3, 0, 2, "sum", false, true, ""},
    {"{\n float zero;\n const float v = i < n ? x[i] : zero;\n sum += v;\n}\n", 4, 0, 2, "zero", true, true,
     ""},
    {"{\n return v.x;\n}\n{\n float4 zero;\n const float4 v = i < n ?\n  x[i] : zero;\n sum += f(v);\n}\n", 2,
     8, 5, "zero", true, true, ""},
    {"{\n float4 v;\n v.x = 1;\n v.y = 2;\n y[i] = f(v);\n}\n", 5, 0, 2, "v", false, false, ""},
    {"{\n float4 w;\n w.x = 1;\n w.y = 2;\n const float4 v = w;\n y[i] = v.x + v.z;\n}\n", 6, 0, 2, "w", true,
     false, "w.x, w.y"},
    {"{\n float a;\n if (i)\n  a = 1;\n const float v = a;\n y[i] = v;\n}\n", 6, 0, 2, "a", true, false, ""},
    {"{\n float a[4];\n float &b = a[0];\n b = 1;\n const float v = a[1];\n y[i] = v;\n}\n", 6, 0, 2, "a",
     true, false, ""},
    {"{\n float a, b;\n const float v = a + b;\n y[i] = v;\n}\n", 4, 0, 0, "", false, false, ""},
    {"{\n float v;\n}\n{\n const float v = 1;\n y[i] = w;\n}\n", 6, 0, 0, "", false, false, ""},
    {"void f()\n{\n float sum[4];\n}\nvoid g(float *ring, float *sum)\n{\n sum[j] += ring[j - 1];\n}\n"
     "void h(float *sum)\n{\n float ring[4];\n g(ring, sum);\n}\n",
     7, 12, 11, "ring", true, false, ""},
    {"{\n fragment<a, N, N> sum;\n store(s, sum, N);\n}\n", 3, 0, 2, "sum", false, false, ""},
    {"{\n bool less = a > N;\n store(s, N);\n}\n", 3, 0, 0, "", false, false, ""},
    {"", 3, 4, 0, "", false, false, ""},
};

static struct declaration declaration_in(const struct row *row)
{
    char path[] = "/tmp/test_declaration_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, row->text, strlen(row->text)), strlen(row->text));
    close(fd);
    const struct declaration d = declaration_without_value(path, row->line, row->call);
    unlink(path);
    return d;
}

TEST(test_rows)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct declaration d = declaration_in(row);
        if (d.line != row->declared ||
            (d.line && (strcmp(d.name, row->name) != 0 || d.followed != row->followed ||
                        d.never_set != row->never_set || strcmp(d.members, row->members) != 0)))
            fail_msg("row %zu: %s, line %d, followed %d, never set %d, members %s", i, d.name, d.line,
                     d.followed, d.never_set, d.members);
    }
}

TEST(test_array)
{
    static const struct row array = {
        "{\n float ring[4];\n f(ring);\n y[i] = ring[j];\n}\n", 4, 0, 2, "", false, false, ""};
    static const struct row one = {"{\n float sum;\n sum += x[i];\n}\n", 3, 0, 2, "", false, false, ""};
    assert_int_equal(declaration_in(&array).line, 2);
    assert_true(declaration_in(&array).is_array);
    assert_false(declaration_in(&one).is_array);
}

TEST(test_no_file)
{
    assert_int_equal(declaration_without_value("/no/such/file", 3, 0).line, 0);
}

RUN_ALL
