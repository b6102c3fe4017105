/* Calls in a kernel's text whose value nothing takes. */
#include "test.h"
#include "harness/cause/kernel_text.h"
#include "harness/lab/lab.h"

const struct lab the_lab = {.name = "lab", .folder = "none"};

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
        source_take(&source, strdup(program), NULL);
        assert_int_equal(kernel_text_unused(&source, "task", text, sizeof text, &line), each[i].is_lost);
        assert_int_equal(line, each[i].is_lost ? (strchr(each[i].statement, '\n') ? 4 : 3) : 0);
        source_free(&source);
    }
}

RUN_ALL
