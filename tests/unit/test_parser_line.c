/* .file and .loc: source lines, and those of inlined code. */
#include "test.h"
#include "ptx_fixture.h"

TEST(locations)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".file 1 \"a \\\"b\\\" \\303\\251.cu\"\n.entry k() {\nmembar.gl;\n"
                          ".loc 1 9 5\nbar.sync 0;\n"
                          ".loc 2 77 3, function_name $L__info_string0+4, inlined_at 1 10 2\n"
                          "bar.sync 1;\n.loc 7 1 1\nret;\n}\n.file 2 \"/inc.h\", 1234, 99\n");
    const struct ptx_func *k = kernel_of(m);
    assert_int_equal(m->file_count, 3);
    assert_null(m->files[0]);
    assert_string_equal(m->files[1], "a \"b\" é.cu");
    assert_string_equal(m->files[2], "/inc.h");
    const struct ptx_loc expected[] = {{0, 0}, {1, 9}, {2, 77}, {0, 0}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(k->instrs[i].loc.file, expected[i].file);
        assert_int_equal(k->instrs[i].loc.line, expected[i].line);
    }
    ptx_module_free(m);
}

/* As nvcc writes shfl inlined into a device function of the same file, and that into the kernel. */
TEST(inlined_lines_lead_to_the_own_file)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".file 1 \"/lab.cu\"\n.file 2 \"/include/shfl.h\"\n"
                          ".file 3 \"/include/deeper.h\"\n.entry k() {\n"
                          ".loc 1 5 0\nbar.sync 0;\n"
                          ".loc 1 9 2\nbar.sync 1;\n"
                          ".loc 1 3 4, function_name F, inlined_at 1 9 2\nbar.sync 2;\n"
                          ".loc 2 40 1, function_name G, inlined_at 1 3 4\nbar.sync 3;\n"
                          ".loc 3 50 1, function_name H, inlined_at 2 40 1\nbar.sync 4;\n"
                          ".loc 1 0 0\nbar.sync 5;\n"
                          ".loc 2 40 1, function_name G, inlined_at 1 77 7\nbar.sync 6;\n"
                          ".loc 3 51 1, function_name H, inlined_at 2 40 1\nbar.sync 7;\n"
                          ".loc 1 2 6, function_name E, inlined_at 1 3 4\nbar.sync 8;\n"
                          ".loc 1 1 8, function_name D, inlined_at 1 2 6\nbar.sync 9;\nret;\n}\n"
                          ".entry other() { bar.sync 0; }");
    const struct ptx_loc inner[] = {{1, 5},  {1, 9},  {1, 3},  {2, 40}, {3, 50},
                                    {3, 50}, {2, 40}, {3, 51}, {1, 2},  {1, 1}};
    const int shown[] = {5, 9, 3, 3, 3, 3, 77, 77, 2, 1}, called[] = {0, 0, 9, 9, 9, 9, 0, 0, 3, 2},
              from[] = {0, 0, 0, 0, 0, 0, 0, 0, 9, 9};
    const struct ptx_func *k = kernel_of(m);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(k->instrs[i].loc.file, inner[i].file);
        assert_int_equal(k->instrs[i].loc.line, inner[i].line);
        assert_int_equal(k->instrs[i].site.file, 1);
        assert_int_equal(k->instrs[i].site.line, shown[i]);
        assert_int_equal(k->instrs[i].call.line, called[i]);
        assert_int_equal(k->instrs[i].from.line, from[i]);
        assert_int_equal(k->instrs[i].no_line, i == 5);
    }
    assert_int_equal(ptx_module_find_func(m, "other")->instrs[0].site.file, 0);
    ptx_module_free(m);
}

RUN_ALL
