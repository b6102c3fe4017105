/* Which functions a task uses, by the text; "1 elements". */
#include "test.h"
#include "harness/base/text.h"
#include "harness/source/source.h"

static const char binding[] =
    "static void run_a(struct lab_call *call)\n{\n    first(call->buffer[0]);\n}\n"
    "static void run_b(struct lab_call *call) { second(); }\n"
    "const struct lab_binding lab_bindings[] = {\n    {\"a\", run_a},\n    {\"b\",\n run_b},\n};\n";

static const char student[] = "#define not_called() hidden()\n"                                /* 1 */
                              "namespace {\n"                                                  /* 2 */
                              "template <int N> __device__ int helper(int x)\n"                /* 3 */
                              "{\n    return x; // hidden()\n}\n"                              /* 4 to 6 */
                              "}\n"                                                            /* 7 */
                              "struct Adder {\n    int add() { return helper<3>(1); }\n};\n"   /* 8 to 10 */
                              "__global__ void __launch_bounds__(256) kernel(int n)\n"         /* 11 */
                              "{\n    Adder a;\n    printf(\"} hidden()\\\"\");\n}\n"          /* 12 to 15 */
                              "extern \"C\" {\n"                                               /* 16 */
                              "void first(int *x)\n{\n    kernel<<<1, 2>>>(3);\n}\n"           /* 17 to 20 */
                              "}\n"                                                            /* 21 */
                              "void hidden() { }\n"                                            /* 22 */
                              "void second() { for (int i = 0; i < 3; i++) { hidden(); } }\n"; /* 23 */

TEST(test_uses)
{
    struct source source;
    source_take(&source, strdup(student), strdup(binding));
    const int of_first[] = {4, 9, 13, 18}, of_second[] = {22, 23};
    for (size_t i = 0; i < sizeof of_first / sizeof *of_first; i++) {
        assert_true(source_uses_line(&source, "a", of_first[i]));
        assert_false(source_uses_line(&source, "b", of_first[i]));
    }
    for (size_t i = 0; i < sizeof of_second / sizeof *of_second; i++) {
        assert_false(source_uses_line(&source, "a", of_second[i]));
        assert_true(source_uses_line(&source, "b", of_second[i]));
    }
    assert_true(source_uses_line(&source, "unknown", 22));
    source_free(&source);
}

/* What has a name in both files is another function in each. */
TEST(test_same_name)
{
    static const char own[] = "static void multiply() { }\nvoid lab_tensor() {\n}\n";
    static const char of_lab[] = "static void multiply(void *f) { f(); }\n"
                                 "static void run(struct lab_call *call) { multiply(lab_tensor); }\n"
                                 "const struct lab_binding lab_bindings[] = {\n    {\"tensor\", run},\n};\n";
    struct source source;
    source_take(&source, strdup(own), strdup(of_lab));
    const struct source_function *entry = source_entry(&source, "tensor");
    assert_non_null(entry);
    assert_string_equal(entry->name, "lab_tensor");
    source_free(&source);
}

TEST(test_odd_texts)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "void first(",
                                        "void first() {",
                                        "/* void",
                                        "\"unclosed",
                                        "'\\",
                                        "#define \\",
                                        "}}}} void first() { } )",
                                        "struct {",
                                        "int x = {1};",
                                        "a(b(c{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct source source;
        source_take(&source, strdup(texts[i]), strdup(binding));
        source_uses_line(&source, "a", 1);
        source_free(&source);
        source_take(&source, strdup(texts[i]), NULL);
        assert_true(source_uses_line(&source, "a", 1));
        source_free(&source);
    }
}

static void check_singular(const char *before, const char *after)
{
    char text[256];
    text_set(text, sizeof text, "%s", before);
    text_singular(text);
    assert_string_equal(text, after);
}

TEST(test_singular)
{
    check_singular("1 elements", "1 element");
    check_singular("has 1 elements (1 bytes in all), 2 elements",
                   "has 1 element (1 byte in all), 2 elements");
    check_singular("21 elements, 0.1 bytes, -1 bytes, a<1 blocks",
                   "21 elements, 0.1 bytes, -1 bytes, a<1 blocks");
    check_singular("block 1 stores, thread 1 copies", "block 1 stores, thread 1 copies");
    check_singular("1 elementary, 1 is, 1 ", "1 elementary, 1 is, 1 ");
    check_singular("1 copies\n1 launches", "1 copy\n1 launch");
    check_singular("", "");
}

RUN_ALL
