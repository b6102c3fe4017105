/* Which lines of a student's file are given: those of the skeleton outside of all TODOs. */
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "harness/lab/lab.h"
#include "harness/source/given.h"
#include "harness/source/uses.h"

static const struct lab_task task = {.id = "sum", .part = "a"};
const struct lab the_lab = {.name = "lab00", .folder = "lab00_test", .tasks = &task, .task_count = 1};

static void write_file(const char *root, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define LINES 100

TEST(test_lines)
{
    char root[] = "/tmp/given-XXXXXX", path[512];
    struct grader_build *build = calloc(1, sizeof *build);
    bool given[LINES];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/lab00_test", root);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(
        root, "lab00_test/skeleton.cu",
        "int i = number(); // of the thread\n// TODO 1: Store it.\n// end of TODO 1\nlaunch(n);\nadd(n);\n");
    write_file(
        root, "student.cu",
        "int i = number();\n// TODO 1: Store it.\nadd(n);\n// end of TODO 1\nlaunch(n + 1);\nadd(n); // twice\n");
    snprintf(build->folder, sizeof build->folder, "%s/build/lab00", root);
    snprintf(build->source_path, sizeof build->source_path, "%s/student.cu", root);
    trial_find_given(build, given, LINES);
    assert_true(given[1]);
    assert_false(given[3]); /* in the TODO */
    assert_false(given[5]); /* the student has changed it */
    assert_true(given[6]);
    write_file(root, "student.cu",
               "int i = number();\nadd(n);\n"); /* without TODOs: all may be the student's */
    trial_find_given(build, given, LINES);
    assert_false(given[1]);
    assert_false(given[99]);
    snprintf(path, sizeof path, "rm -r %s", root);
    assert_int_equal(system(path), 0);
    free(build);
}

/* Where what a line uses comes from; of a file that is not understood, nothing is said. */
TEST(test_uses)
{
    static const char text[] = "static __device__ void put(real *to, int at)\n" /* 1 */
                               "{\n"
                               "    to[at] = 1;\n"
                               "}\n"
                               "__global__ void kernel(const real *d_x, real *d_y, int n)\n" /* 5 */
                               "{\n"
                               "    int step = 2;\n"
                               "    int i = threadIdx.x * step;\n"
                               "    if (i < n) {\n"
                               "        d_y[i] = d_x[i];\n" /* 10 */
                               "        put(d_y, i);\n"
                               "    }\n"
                               "}\n";
    static const char device[] = "__device__ real total[4];\n"
                                 "__global__ void add(real *d_y)\n"
                                 "{\n"
                                 "    total[0] = 1;\n"
                                 "    d_y[0] = total[0];\n"
                                 "}\n";
    char said[1024];
    uses_say(device, 5, 0, said, sizeof said);
    assert_string_equal(said, "Line 5 uses `total`, from line 4.");
    uses_say(device, 4, 0, said, sizeof said);
    assert_string_equal(said, "");
    uses_say(text, 10, 0, said, sizeof said);
    assert_string_equal(
        said, "Line 10 uses `i`, which is threadIdx.x * step (line 8); `step`, which is 2 (line 7).");
    int lines[USES_MOST];
    assert_int_equal(uses_find(text, 10, lines), 1);
    assert_int_equal(lines[0], 8);
    uses_say(text, 3, 0, said, sizeof said);
    assert_string_equal(said,
                        "Line 3 uses `at`, which is i (line 11); `i`, which is threadIdx.x * step (line 8); "
                        "`step`, which is 2 (line 7).");
    uses_say(text, 2, 0, said, sizeof said);
    assert_string_equal(said, "");
    static const char set[] =
        "void add(const real *x, int n)\n{\n    real sum;\n    sum = 0;\n    sum = x[n];\n}\n";
    uses_say(set, 5, 0, said, sizeof said); /* which does not use sum */
    assert_string_equal(said, "");
    static const char product[] =
        "void f(int *d, int x)\n{\n    int r = x * 2, c = x * 3;\n    d[c] = r;\n}\n";
    uses_say(product, 4, 0, said, sizeof said); /* the * in front of c makes no pointer of it */
    assert_string_equal(said, "Line 4 uses `c`, which is x * 3 (line 3).");
    static const char either[] =
        "void f(int *d)\n{\n#ifdef A\n    int c = 1;\n#else\n    int c = 2;\n#endif\n    d[c] = 1;\n}\n";
    uses_say(either, 8, 0, said, sizeof said); /* which of the two is not known */
    assert_null(strstr(said, "which is"));
    uses_say("void f( {", 1, 0, said, sizeof said);
    assert_string_equal(said, "");
}

/* What a launch is given, in a file with a namespace; what a loop counts by; what a helper is called with. */
TEST(test_uses_of_launches_and_loops)
{
    static const char text[] = "namespace {\n"
                               "__device__ real sum(const real *x, int count)\n"
                               "{\n"
                               "    const int step = 2 * blockDim.x;\n"
                               "    for (int i = threadIdx.x; i < count; i += step)\n" /* 5 */
                               "        total += x[i];\n"
                               "}\n"
                               "}\n"
                               "__global__ void kernel(const real *x, int n)\n"
                               "{\n"
                               "    sum(x, n / 4);\n" /* 11 */
                               "}\n"
                               "void lab(const real *d_x, int n, int size)\n"
                               "{\n"
                               "    const int grid = n / size;\n" /* 15 */
                               "    size_t bytes = size * sizeof(char);\n"
                               "    kernel<<<grid, size, bytes + 4>>>(d_x, grid);\n"
                               "    kernel2<<<grid, size>>>(d_x, n);\n"
                               "}\n";
    char said[1024];
    uses_say(text, 6, 0, said, sizeof said);
    assert_string_equal(
        said, "Line 6 uses `count`, which is n / 4 (line 11); `step`, which is 2 * blockDim.x (line 4); "
              "`n`, which is grid (line 17); `grid`, which is n / size (line 15).");
    static const char entry[] = "void lab01_one(int *d, int n)\n{\n    d[n] = 1;\n}\n"
                                "void lab01_all(int *d, int n)\n{\n    lab01_one(d, 2 * n);\n}\n";
    uses_say(entry, 3, 0, said, sizeof said); /* the grader calls it as well */
    assert_string_equal(said, "");
    uses_say(entry, 3, 7, said, sizeof said);
    assert_string_equal(said, "Line 3 uses `n`, which is 2 * n (line 7).");
    uses_say_bytes(text, 17, said, sizeof said);
    assert_string_equal(said,
                        "Line 17 gives it bytes + 4 bytes of dynamic shared memory; `bytes`, which is size * "
                        "sizeof(char) (line 16).");
    uses_say_bytes(text, 18, said, sizeof said);
    assert_string_equal(said, "");
}

RUN_ALL
