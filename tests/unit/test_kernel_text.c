/* What a kernel's text says of loops that do not end, and of indices without a guard. */
#include "test.h"
#include "harness/cause/kernel_text.h"

const struct lab the_lab = {.name = "lab", .folder = "none"};

static const char loops[] = "__global__ void k(float *x)\n"
                            "{\n"
                            "    int half = 64;\n"
                            "    while (half > 0) {\n"
                            "        if (threadIdx.x < half)\n"
                            "            x[threadIdx.x] += x[threadIdx.x + half];\n"
                            "        __syncthreads();\n"
                            "    }\n"
                            "    for (int i = 0; i < 8; i++)\n"
                            "        x[i] = 0;\n"
                            "    while (atomicExch(x, 1) != 0)\n"
                            "        ;\n"
                            "    for (int k = 0; k < 8; half++) {\n"
                            "        x[k] = half;\n"
                            "    }\n"
                            "}\n";

static const char *loop_at(int line)
{
    static char text[512];
    struct source source;
    assert_true(source_scan(&source, loops, NULL));
    text[0] = 0;
    kernel_text_loop(&source, "k.cu", line, text, sizeof text);
    source_free(&source);
    return text;
}

TEST(a_loop_that_changes_nothing)
{
    assert_string_equal(loop_at(7),
                        "The loop begins at k.cu:4: while (half > 0). Nothing in it changes half.\n");
    assert_string_equal(loop_at(14),
                        "The loop begins at k.cu:13: for (int k = 0; k < 8; half++). Nothing in it "
                        "changes k.\n");
}

TEST(loops_that_change_what_they_test)
{
    assert_string_equal(loop_at(10), "The loop begins at k.cu:9: for (int i = 0; i < 8; i++).\n");
    assert_string_equal(loop_at(12), "The loop begins at k.cu:11: while (atomicExch(x, 1) != 0).\n");
    assert_string_equal(loop_at(3), "");
}

/* A call whose value nothing takes, as a statement of its own or as the body of a loop; not where it is a part of one. */
TEST(calls_whose_value_is_lost)
{
    static const struct {
        const char *statement;
        bool is_lost;
    } each[] = {
        {"fmaf(x[0], x[1], y);", true},
        {"for (int i = 0; i < 4; i++)\n    __shfl_down_sync(0xffffffffu, y, i);", true},
        {"if (y > 0) { max(y, x[0]); }", true},
        {"y = (float)max(y, x[0]);", false},
        {"y = fmaf(x[0], x[1],\n    fabsf(y));", false},
        {"atomicAdd(x, fmaf(y, y, y));", false},
        {"const float z = y; min_of(z);", false},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct source source;
        char program[512], text[512] = "";
        int line = 0;
        snprintf(program, sizeof program, "__global__ void k(float *x, float y)\n{\n%s\n}\n",
                 each[i].statement);
        assert_true(source_scan(&source, program, NULL));
        assert_int_equal(kernel_text_unused(&source, "task", text, sizeof text, &line), each[i].is_lost);
        assert_int_equal(line, each[i].is_lost ? (strchr(each[i].statement, '\n') ? 4 : 3) : 0);
        source_free(&source);
    }
}

RUN_ALL
