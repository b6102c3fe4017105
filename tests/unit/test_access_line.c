/* Accesses on lines that make none get the line below that does. */
#include <unistd.h>

#include "test.h"
#include "ptx_fixture.h"
#include "sim/text/access_line.h"

static const char source[] = "{\n"                                                 /* 1 */
                             "    const int half = blockDim.x / 2;\n"              /* 2 */
                             "    const real *mine = d_x + half;\n"                /* 3 */
                             "    if (i < n) {\n"                                  /* 4 */
                             "        d_y[i] = sum;\n"                             /* 5 */
                             "    }\n"                                             /* 6 */
                             "    if (table > n) {\n"                              /* 7 */
                             "        d_y[i] = d_x[i];\n"                          /* 8 */
                             "    } else if (holds(d_x))\n"                        /* 9 */
                             "        d_y[i] = d_x[i];\n"                          /* 10 */
                             "    for (int k = 0; k < n; k++) /* all of them */\n" /* 11 */
                             "        if (k * 2 < n) {\n"                          /* 12 */
                             "#pragma unroll\n"                                    /* 13 */
                             "\n"                                                  /* 14 */
                             "            s_x[k] += d_x[k];\n"                     /* 15 */
                             "    if (*first > 0) {\n"                             /* 16 */
                             "        d_y[i] = 1;\n"                               /* 17 */
                             "    if (d_x[i] > 0) {\n"                             /* 18 */
                             "        d_y[i] = 1;\n"                               /* 19 */
                             "    while (i < n) {\n"                               /* 20 */
                             "        i = 2 * i;\n"                                /* 21 */
                             "        d_y[i] = 1;\n"                               /* 22 */
                             "    int &least = d_y[n];\n"                          /* 23 */
                             "    if (least < n)\n"                                /* 24 */
                             "        d_y[i] = d_x[i];\n"                          /* 25 */
                             "    if (i < n)\n"                                    /* 26 */
                             "        d_y[i] = 4;\n"                               /* 27 */
                             "}\n"                                                 /* 28 */
                             "void other()\n{\n    if (a)\n}\n{\n d_y[i] = 1;\n}\n" /* 29 to 35 */;

TEST(lines)
{
    static const struct row {
        const char *instruction;
        int line, expected;
    } rows[] = {
        {"st.global.f32", 4, 5},                              /* the statement under the condition */
        {"st.global.f32", 5, 5},   {"ld.global.f32", 4, 4},   /* which loads nothing */
        {"ld.global.f32", 2, 8},                              /* both branches begin with this load */
        {"st.global.f32", 2, 2},                              /* a declaration may be one in memory */
        {"ld.global.f32", 3, 3},                              /* a pointer, perhaps followed */
        {"ld.global.f32", 7, 7},                              /* table is a variable of the device */
        {"st.global.f32", 9, 9},                              /* whatever is called may store */
        {"st.shared.f32", 11, 15},                            /* through another condition */
        {"ld.global.f32", 12, 15}, {"ld.global.f32", 16, 16}, /* the condition loads */
        {"ld.global.f32", 18, 18}, {"st.global.f32", 20, 20}, /* another statement comes first */
        {"ld.global.f32", 24, 24},                            /* a reference */
        {"ld.global.f32", 26, 26}, {"st.global.f32", 31, 31}, /* not in the next function */
        {"st.local.f32", 4, 4},    {"st.global.f32", 36, 36}, /* behind the end */
    };
    char path[] = "/tmp/access_line_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, source, sizeof source - 1), (ssize_t)sizeof source - 1);
    close(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        const bool store = rows[i].instruction[0] == 's';
        snprintf(text, sizeof text,
                 PTX_HEAD
                 ".file 1 \"%s\"\n.global .b32 table;\n.entry k() {\n.reg .f32 %%f1;\n.reg .b64 %%rd1;\n"
                 ".loc 1 %d 1\n%s %s;\nret;\n}\n",
                 path, rows[i].line, rows[i].instruction, store ? "[%rd1], %f1" : "%f1, [%rd1]");
        struct ptx_module *module = parse_ok(text);
        access_lines_correct(module);
        const struct ptx_instr *instr = &kernel_of(module)->instrs[0];
        if (instr->site.line != rows[i].expected || instr->loc.line != rows[i].expected)
            fail_msg("%s at line %d: %d instead of %d", rows[i].instruction, rows[i].line, instr->site.line,
                     rows[i].expected);
        ptx_module_free(module);
    }
    unlink(path);
    struct ptx_module *module = parse_body_ok(
        ".file 1 \"/no/such.cu\"\n.loc 1 2 1\nmov.u32 %r2, 0;\n.loc 1 0 0\nld.global.u32 %r1, [%rd1];\n"
        "ld.global.u32 %r3, [%rd1];\n.loc 1 9 1\nadd.s32 %r2, %r1, 1;\n");
    access_lines_correct(module);
    assert_int_equal(kernel_of(module)->instrs[1].site.line, 9); /* where it is used */
    assert_int_equal(kernel_of(module)->instrs[2].site.line, 2); /* nowhere */
    ptx_module_free(module);
    module = parse_body_ok(".file 1 \"/no/such.cu\"\n.loc 1 4 1\nst.global.f32 [%rd1], %f1;");
    access_lines_correct(module);
    ptx_module_free(module);
}

RUN_ALL
