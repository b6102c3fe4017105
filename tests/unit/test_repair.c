/* repair/: which changes of a source file are found, and what the file with changed copies looks like. */
#include "test.h"
#include "harness/change/edit.h"
#include "harness/source/token.h"

static const char header[] = "#include \"common/real.h\"\nextern \"C\" {\n"
                             "void lab_scale(const real *d_x, real *d_y, int n);\n"
                             "double lab_sum(const real *d_x, int n);\nreal *lab_address(void);\n}\n";

/* A kernel around `body`, the function that launches it, and another one that has nothing to do with it. */
static char *program_of(const char *body)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "#include \"lab.h\"\n"
             "#define THREADS 256\n"
             "__global__ void scale(const real *d_x, real *d_y, int n)\n"
             "{\n"
             "%s\n"
             "}\n"
             "void lab_scale(const real *d_x, real *d_y, int n)\n"
             "{\n"
             "    scale<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_x, d_y, n);\n"
             "}\n"
             "double lab_sum(const real *d_x, int n)\n"
             "{\n"
             "    return n > 7 ? 1 : 0;\n"
             "}\n"
             "real *lab_address(void)\n"
             "{\n"
             "    return 0;\n"
             "}\n",
             body);
    return text;
}

static bool is_line_of_kernel(void *context, int line)
{
    (void)context;
    return line < 5 || line > 12; /* all but the body is given */
}

/* The text with the change made. */
static char *changed(const char *text, const struct repair_edit *edit)
{
    char *result = calloc(1, strlen(text) + 2 * REPAIR_TEXT + 1), *to = result;
    int from = 0;
    for (int i = 0; i < edit->parts; i++) {
        const struct repair_part *part = &edit->part[i];
        memcpy(to, text + from, (size_t)(part->at - from));
        to = stpcpy(to + part->at - from, part->with);
        from = part->at + part->length;
    }
    strcpy(to, text + from);
    return result;
}

/* The same tokens, whatever the blanks between them; empty statements and braces do not count. */
static bool is_same_code(const char *a, const char *b)
{
    struct tokens x, y;
    bool same = tokens_read(&x, a) && tokens_read(&y, b);
    int i = 0, k = 0;
    while (same) {
        while (token_in(&x, i, " ; { } "))
            i++;
        while (token_in(&y, k, " ; { } "))
            k++;
        if (i >= x.count || k >= y.count)
            break;
        char word[256];
        token_copy(&y, k, word, sizeof word);
        same = token_is(&x, i, word);
        i++, k++;
    }
    same = same && i >= x.count && k >= y.count;
    tokens_free(&x);
    tokens_free(&y);
    return same;
}

/* The number of the change of the kernel's body `wrong` that makes it `right`; -1: there is none. */
static int rank_of(const char *wrong, const char *right)
{
    char *text = strdup(program_of(wrong));
    const char *want = program_of(right);
    struct repair *repair = repair_open(text, header, "lab_scale");
    const struct repair_wish wish = {.is_given = is_line_of_kernel};
    assert_non_null(repair);
    const int count = repair_find(repair, &wish);
    int found = -1;
    for (int i = 0; i < count && found < 0; i++) {
        char *made = changed(text, repair_edit(repair, i));
        if (is_same_code(made, want))
            found = i;
        free(made);
    }
    repair_free(repair);
    free(text);
    return found;
}

#define INDEX "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"

struct pair {
    const char *wrong, *right;
};

/* What students write, and what they meant. */
static const struct pair pairs[] = {
    {INDEX "if (i <= n) d_y[i] = d_x[i];", INDEX "if (i < n) d_y[i] = d_x[i];"},
    {INDEX "if (i < n) d_y[i] = d_x[i + 1];", INDEX "if (i < n) d_y[i] = d_x[i];"},
    {"const int i = threadIdx.x;\nif (i < n) d_y[i] = d_x[i];",
     "const int i = threadIdx.x + blockIdx.x * blockDim.x;\nif (i < n) d_y[i] = d_x[i];"},
    {"const int i = blockIdx.x * gridDim.x + threadIdx.x;\nif (i < n) d_y[i] = d_x[i];",
     INDEX "if (i < n) d_y[i] = d_x[i];"},
    {"const int i = blockIdx.x + blockDim.x + threadIdx.x;\nif (i < n) d_y[i] = d_x[i];",
     INDEX "if (i < n) d_y[i] = d_x[i];"},
    {"for (int i = 0; i < n; i++) { real v[4]; for (int j = 0; j < 4; j++) v[j] = d_x[i]; d_y[i] = v[0]; }",
     "for (int i = 0; i < n; i++) { real v[4]; for (int j = 0; j < 4; j++) v[j] = d_x[i + j]; d_y[i] = v[0]; }"},
    {"for (int k = 0; k < n; k++) d_y[k] = d_x[n - 1 - k];", "for (int k = 0; k < n; k++) d_y[k] = d_x[k];"},
    {"for (int k = 0; k < n; k++) d_y[k] = d_x[k];", "for (int k = 0; k < n; k++) d_y[k] = d_x[n - 1 - k];"},
    {"for (int k = 0; k < n; k++) d_y[k] = d_x[n - 1];",
     "for (int k = 0; k < n; k++) d_y[k] = d_x[n - 1 - k];"},
    {"real sum; for (int i = 0; i < n; i++) sum += d_x[i]; d_y[0] = sum;",
     "real sum = 0; for (int i = 0; i < n; i++) sum += d_x[i]; d_y[0] = sum;"},
    {"real sum = 0; for (int i = 0; i < n; i++) sum = d_x[i]; d_y[0] = sum;",
     "real sum = 0; for (int i = 0; i < n; i++) sum += d_x[i]; d_y[0] = sum;"},
    {"__shared__ real s_x[256]; s_x[threadIdx.x] = d_x[threadIdx.x]; d_y[threadIdx.x] = s_x[255 - threadIdx.x];",
     "__shared__ real s_x[256]; s_x[threadIdx.x] = d_x[threadIdx.x]; __syncthreads(); d_y[threadIdx.x] = s_x[255 - "
     "threadIdx.x];"},
    {INDEX "if (i < n) d_y[i] = max(d_x[i], d_x[0]);", INDEX "if (i < n) d_y[i] = min(d_x[i], d_x[0]);"},
    {INDEX "for (int k = i; k < n; k += gridDim.x) d_y[i] = d_x[k];",
     INDEX "for (int k = i; k < n; k += gridDim.x) d_y[k] = d_x[k];"},
    {INDEX "if (i < n || i > 3) d_y[i] = d_x[i];", INDEX "if (i < n && i > 3) d_y[i] = d_x[i];"},
    {INDEX "if (i < n) d_y[(i - 3) % n] = d_x[i];", INDEX "if (i < n) d_y[(i - 3 + n) % n] = d_x[i];"},
    {"real sum = 0, lost = 0; for (int i = 0; i < n; i++) { real part = d_x[i] - lost; real next = sum + part; "
     "lost = (next - sum) - d_x[i]; sum = next; } d_y[0] = sum;",
     "real sum = 0, lost = 0; for (int i = 0; i < n; i++) { real part = d_x[i] - lost; real next = sum + part; "
     "lost = (next - sum) - part; sum = next; } d_y[0] = sum;"},
    {"const int i = blockIdx.x + threadIdx.x;\nif (i < n) d_y[i] = d_x[i];",
     INDEX "if (i < n) d_y[i] = d_x[i];"},
    {INDEX "if (i < n) d_y[0] += d_x[i];", INDEX "if (i < n) atomicAdd(&d_y[0], d_x[i]);"},
    {"for (int half = blockDim.x; half > 0; half /= 2) d_y[half] = 1;",
     "for (int half = (blockDim.x) / 2; half > 0; half /= 2) d_y[half] = 1;"},
    {"const int x = threadIdx.x, y = threadIdx.y; if (x < n) d_y[x * n + y] = 1;",
     "const int x = threadIdx.x, y = threadIdx.y; if (x < n) d_y[y * n + x] = 1;"},
    {"real most = 0; for (int i = 0; i < n; i++) most = max(most, d_x[i]); d_y[0] = most;",
     "real most = -INFINITY; for (int i = 0; i < n; i++) most = max(most, d_x[i]); d_y[0] = most;"},
    {INDEX "__shared__ real s_x[256]; if (i < n) { s_x[threadIdx.x] = d_x[i]; } d_y[i] = s_x[0];",
     INDEX "__shared__ real s_x[256]; s_x[threadIdx.x] = 0; if (i < n) { s_x[threadIdx.x] = d_x[i]; } "
           "d_y[i] = s_x[0];"},
    {"real sum = d_x[7]; d_y[1] = sum; for (int i = 0; i < n; i++) sum += d_x[i]; d_y[0] = sum;",
     "real sum = d_x[7]; d_y[1] = sum; sum = 0; for (int i = 0; i < n; i++) sum += d_x[i]; d_y[0] = sum;"},
    {"const real *x = d_x + n; for (int i = 0; i < n; i++) d_y[i] = *x--;",
     "const real *x = d_x + n; for (int i = 0; i < n; i++) d_y[i] = *--x;"},
    {"const int r = blockIdx.x, c = threadIdx.x; if (c < n + 4) d_y[r * n + c] = 1;",
     "const int r = blockIdx.x, c = threadIdx.x; if (c < n + 4) d_y[r * (n + 4) + c] = 1;"},
};

TEST(test_what_was_meant_is_among_the_first)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const int rank = rank_of(pairs[i].wrong, pairs[i].right);
        if (rank < 0 || rank > 150)
            print_error("pair %zu: %s: change number %d\n", i, pairs[i].wrong, rank);
        assert_in_range(rank, 0, 150);
    }
}

/* Changes that can be right by nothing but luck, or say nothing. */
TEST(test_what_cannot_be_meant_is_not_tried)
{
    /* what is set for one index is changed where it is set */
    assert_int_equal(rank_of("const int at = n - blockIdx.x; d_y[at] = 1;",
                             "const int at = n - blockIdx.x; d_y[at - 1] = 1;"),
                     -1);
    assert_in_range(rank_of("const int at = n - blockIdx.x; d_y[at] = 1;",
                            "const int at = n - blockIdx.x - 1; d_y[at] = 1;"),
                    0, 150);
    /* it would be read before it has a value */
    assert_int_equal(rank_of("int k = 5; d_y[k] = 1;", "int k = 5 + k; d_y[k] = 1;"), -1);
    assert_int_equal(rank_of("int k = 5; d_y[k] = 1;", "int k = k; d_y[k] = 1;"), -1);
    /* less than all inputs, by chance */
    assert_int_equal(rank_of("real m = 0; d_y[0] = m;", "real m = -1; d_y[0] = m;"), -1);
    /* the program has one dimension */
    assert_int_equal(rank_of(INDEX "d_y[i] = 1;", INDEX "d_y[i + threadIdx.y] = 1;"), -1);
    assert_int_equal(rank_of("d_y[threadIdx.x] = 1;", "d_y[threadIdx.y] = 1;"), -1);
    assert_int_equal(
        rank_of("int old = atomicAdd((int *)d_y, 1);", "int old = atomicAdd((int *)d_y, 1) + 1;"), -1);
    /* a size that is 1, where the function has no such index */
    assert_int_equal(rank_of("if (n < 0) d_y[1] = gridDim.y; d_y[0] = d_x[0] / blockDim.x;",
                             "if (n < 0) d_y[1] = gridDim.y; d_y[0] = d_x[0] / blockDim.y;"),
                     -1);
    /* what stands beside it already */
    assert_int_equal(rank_of(INDEX "d_y[min(i, n)] = 1;", INDEX "d_y[min(n, n)] = 1;"), -1);
}

/* What a function's parameter is called, its caller mostly has under the same name. */
TEST(test_an_argument_named_as_the_parameter_comes_first)
{
    static const char text[] =
        "#include \"lab.h\"\n"
        "__device__ int twice(int *d, int n)\n{\n    return 2 * d[n];\n}\n"
        "__global__ void scale(int *d, int n)\n{\n    const int room = n + 7;\n    d[0] = twice(d, room);\n}\n"
        "void lab_scale(const real *d_x, real *d_y, int n)\n{\n    scale<<<1, 32>>>((int *)d_y, n);\n}\n";
    struct repair *repair = repair_open(text, header, "lab_scale");
    const struct repair_wish wish = {0};
    assert_non_null(repair);
    assert_true(repair_find(repair, &wish) > 0);
    const struct repair_edit *edit = repair_edit(repair, 0);
    assert_string_equal(edit->from, "room");
    assert_string_equal(edit->to, "n");
    assert_int_equal(edit->line, 9);
    repair_free(repair);
}

/* How many of the first twenty changes are in line 7. */
static int count_of_line_7(const struct repair_wish *wish)
{
    const char *text = program_of(INDEX "if (i <= n)\n d_y[i] = d_x[i];");
    struct repair *repair = repair_open(text, header, "lab_scale");
    int count = 0;
    assert_true(repair_find(repair, wish) > 20);
    for (int i = 0; i < 20; i++)
        count += repair_edit(repair, i)->line == 7;
    repair_free(repair);
    return count;
}

TEST(test_lines_that_are_named_come_first)
{
    const int near[] = {7};
    const struct repair_wish none = {0}, named = {.near = near, .near_count = 1, .named_count = 1};
    assert_true(count_of_line_7(&none) < count_of_line_7(&named));
}

/* Fewer threads, or more of them, come to what a condition lets through: no term is added to what it compares. */
TEST(test_compared_values_get_no_term)
{
    const struct repair_wish none = {0};
    struct repair *repair =
        repair_open(program_of(INDEX "if (i < n)\n d_y[i] = d_x[i];"), header, "lab_scale");
    const int count = repair_find(repair, &none);
    for (int i = 0; i < count; i++)
        if (repair_edit(repair, i)->line == 6)
            assert_null(strpbrk(repair_edit(repair, i)->to, "+-*"));
    repair_free(repair);
}

TEST(test_given_lines_and_what_is_not_used_stay)
{
    const char *text = program_of(INDEX "if (i <= n)\n d_y[i] = d_x[i];");
    struct repair *repair = repair_open(text, header, "lab_scale");
    const struct repair_wish wish = {.is_given = is_line_of_kernel}, all = {0};
    int count = repair_find(repair, &wish);
    assert_true(count > 0);
    for (int i = 0; i < count; i++)
        assert_false(is_line_of_kernel(NULL, repair_edit(repair, i)->line));
    count = repair_find(repair, &all);
    for (int i = 0; i < count; i++)
        assert_true(repair_edit(repair, i)->line < 13); /* lab_sum is not used by lab_scale */
    repair_free(repair);
}

TEST(test_no_change_is_there_twice)
{
    const char *text = program_of(INDEX "if (i <= n)\n d_y[i] = d_x[i];");
    struct repair *repair = repair_open(text, header, "lab_scale");
    const struct repair_wish wish = {0};
    const int count = repair_find(repair, &wish);
    for (int i = 0; i < count; i++) {
        char *one = changed(text, repair_edit(repair, i));
        assert_string_not_equal(one, text);
        for (int k = 0; k < i; k++) {
            char *other = changed(text, repair_edit(repair, k));
            const struct repair_part *a = &repair_edit(repair, i)->part[0],
                                     *b = &repair_edit(repair, k)->part[0];
            assert_true(a->at != b->at || a->length != b->length || strcmp(one, other) != 0);
            free(other);
        }
        free(one);
    }
    repair_free(repair);
}

/* How many changes are there of this file, near the line that says HERE? -1: the file is left alone. */
static int changes_near(const char *text, bool only_here)
{
    struct repair *repair = repair_open(text, header, "lab_scale");
    const struct repair_wish wish = {0};
    int here = 1, near = 0;
    for (const char *at = text; at < strstr(text, "HERE"); at++)
        here += *at == '\n';
    const int count = repair ? repair_find(repair, &wish) : -1;
    for (int i = 0; i < count; i++)
        near += !only_here || repair_edit(repair, i)->line == here;
    repair_free(repair);
    return count < 0 ? -1 : near;
}

#define KERNEL "__global__ void scale(real *d_y, int n)\n{\n    if (n > 3) d_y[0] = n + 1;\n}\n"
#define LAUNCH "void lab_scale(const real *d_x, real *d_y, int n)\n{\n    scale<<<1, 32>>>(d_y, n);\n"

/* A change of any of these could let go what a guard holds back. The kernel is changed in all of them. */
TEST(test_code_of_the_host_stays)
{
    static const char *const texts[] = {
        KERNEL LAUNCH "    if (n < 0) unlink(\"x\"); // HERE\n}\n",
        KERNEL LAUNCH "    for (; 0;) system(\"x\"); // HERE\n}\n",
        KERNEL LAUNCH "    n < 0 && fork(); // HERE\n}\n",
        KERNEL LAUNCH "    auto f = [=] { return n < 0 ? unlink(\"x\") : 0; }; f(); // HERE\n}\n",
        KERNEL LAUNCH "    static int once = n < 0 && fork(); // HERE\n}\n",
        "#define GUARDED(n) ((n) < 0 && fork()) // HERE\n" KERNEL LAUNCH "    GUARDED(n);\n}\n",
        "#define LEVEL 3 // HERE\n" KERNEL LAUNCH "    if (LEVEL < 1) fork();\n}\n",
        "const int level = 3; // HERE\n" KERNEL LAUNCH "    if (level < 1) fork();\n}\n",
        "static int once = 0 && fork(); // HERE\n" KERNEL LAUNCH "    (void)once;\n}\n",
        "struct maker { maker() { if (0) fork(); } }; // HERE\n" KERNEL LAUNCH "    maker m;\n}\n",
        "__host__ __device__ bool is_on(int n) { return n < 0; } // HERE\n" KERNEL LAUNCH
        "    if (is_on(n)) fork();\n}\n",
        "#define BOTH __host__ __device__\n#define SHARED BOTH\n__device__ SHARED bool is_on(int n) { return n < 0; } "
        "// HERE\n" KERNEL LAUNCH "    if (is_on(n)) fork();\n}\n",
        "__device__ constexpr int off(int n) { return n < 0; } // HERE\n" KERNEL LAUNCH
        "    if (off(n)) fork();\n}\n",
        /* nvcc takes the first declaration for the host's, and the second for both */
        "bool is_on(int n);\n__device__ bool is_on(int n) { return n < 0; } // HERE\n" KERNEL LAUNCH
        "    fork();\n}\n",
        "#ifdef NEVER\n__device__\n#endif\nbool is_on(int n) { return n < 0; } // HERE\n" KERNEL LAUNCH
        "    if (is_on(n)) fork();\n}\n",
        "// \\\n__device__\nbool is_on(int n) { return n < 0; } // HERE\n" KERNEL LAUNCH
        "    if (is_on(n)) fork();\n}\n",
        KERNEL "void lab_scale(const real *d_x, real *d_y, int n)\n{\n"
               "    scale<<<1, 32>>>(d_y,\n n < 0 ? fork() : 1); // HERE\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const int here = changes_near(texts[i], true), all = changes_near(texts[i], false);
        if (here != 0 || all <= 0)
            print_error("%s: %d changes of the host, of %d\n", texts[i], here, all);
        assert_int_equal(here, 0);
        assert_true(all > 0);
    }
}

TEST(test_numbers_of_launches_change_if_nothing_is_called_there)
{
#define LAUNCHES(numbers)                                                                                    \
    KERNEL "void lab_scale(const real *d_x, real *d_y, int n)\n{\n    scale<<<" numbers                      \
           ">>> // HERE\n(d_y, n);\n}\n"
#define PASSES(arguments)                                                                                    \
    KERNEL "void lab_scale(const real *d_x, real *d_y, int n)\n{\n    scale<<<1, 32>>>\n(" arguments         \
           "); // HERE\n}\n"
    static const char *const plain[] = {LAUNCHES("n, 32"),
                                        LAUNCHES("(n + 31) / 32, 32"),
                                        LAUNCHES("dim3(n / 2, (unsigned)(n - 1)), dim3(32, 8)"),
                                        LAUNCHES("1, 32, n"),
                                        "#define COUNT (4 * 8)\n" LAUNCHES("COUNT, n"),
                                        PASSES("d_y, n - 1")};
    static const char *const others[] = {
        LAUNCHES("blocks_of(n), 32"),
        LAUNCHES("n < 0 && fork(), 32"),
        LAUNCHES("n < 0 ? 1 : 2, 32"),
        LAUNCHES("d[n - 1], n"),
        PASSES("d_y, n++"),
        PASSES("d_y, blocks_of(n)"),
        PASSES("d_y, n < 0 ? fork() : n"),
        LAUNCHES("n++, 32"),
        LAUNCHES("(blocks_of)(n), 32"),
        LAUNCHES("dim3{n - 1}, n"),
        LAUNCHES("n -= 1, 32"),
        LAUNCHES("[=] { return n - 1; }(), n"),
        "#define COUNT fork()\n#define BLOCKS (COUNT)\n" LAUNCHES("BLOCKS, n")};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_true(changes_near(plain[i], true) > 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (changes_near(others[i], true) != 0)
            print_error("%s\n", others[i]);
        assert_int_equal(changes_near(others[i], true), 0);
    }
}

static char *written(struct repair *repair, const int *number, int count)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_true(repair_write(repair, number, count, "student.cu", file));
    fclose(file);
    return text;
}

TEST(test_the_file_holds_each_copy_and_chooses_between_them)
{
    const char *source = program_of(INDEX "if (i <= n)\n d_y[i] = d_x[i];");
    struct repair *repair = repair_open(source, header, "lab_scale");
    const struct repair_wish wish = {.is_given = is_line_of_kernel};
    const int number[] = {0, 1};
    assert_true(repair_find(repair, &wish) > 1);
    char *text = written(repair, number, 2);
    assert_non_null(strstr(text, "namespace change_0 {"));
    assert_non_null(strstr(text, "namespace change_1 {"));
    assert_null(strstr(text, "namespace change_2 {"));
    assert_non_null(strstr(text, "#line 3 \"1/student.cu\""));
    assert_non_null(strstr(text, "case 2: return change_1::lab_scale(d_x, d_y, n);"));
    assert_null(strstr(text, "change_0::lab_sum")); /* it is not used: a call of it ends the program */
    assert_non_null(strstr(text, "extern \"C\" double lab_sum(const real *d_x, int n)"));
    free(text);
    repair_free(repair);
}

TEST(test_copies_share_constant_memory)
{
    static const char source[] = "__constant__ real c_h[LAB_TAPS], c_scale;\n"
                                 "__global__ void scale(real *d_y)\n{\n    d_y[0] = c_h[1] + 1;\n}\n"
                                 "void lab_scale(const real *d_x, real *d_y, int n)\n"
                                 "{\n    scale<<<1, 1>>>(d_y);\n}\n";
    struct repair *repair = repair_open(source, header, "lab_scale");
    const struct repair_wish wish = {0};
    const int number[] = {0, 1, 2};
    assert_true(repair_find(repair, &wish) > 2);
    char *text = written(repair, number, 3), *first = strstr(text, "__constant__ real");
    assert_non_null(first);
    assert_null(strstr(first + 1, "__constant__ real"));
    first = strstr(text, "using change_0::c_h;");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "using change_0::c_h;"));
    assert_non_null(strstr(text, "using change_0::c_scale;"));
    assert_null(strstr(text, "using change_0::LAB_TAPS;"));
    free(text);
    repair_free(repair);
}

TEST(test_what_launches_a_kernel_with_the_same_variable_is_copied_too)
{
    static const char source[] =
        "__device__ real kept;\n"
        "void lab_scale(const real *d_x, real *d_y, int n)\n"
        "{\n    cudaMemcpyToSymbol(kept, d_x, n * sizeof(real));\n}\n"
        "__global__ void apply(void)\n{\n    kept = kept + 1;\n}\n"
        "double lab_sum(const real *d_x, int n)\n{\n    apply<<<1, 1>>>();\n    return 0;\n}\n"
        "real *lab_address(void)\n{\n    return 0;\n}\n";
    struct repair *repair = repair_open(source, header, "lab_scale");
    const struct repair_wish wish = {0};
    const int number[] = {0, 1};
    assert_true(repair_find(repair, &wish) > 2);
    char *text = written(repair, number, 2);
    assert_non_null(strstr(text, "return change_1::lab_sum("));
    assert_null(strstr(text, "return change_1::lab_address("));
    free(text);
    repair_free(repair);
}

TEST(test_what_is_not_understood_is_left_alone)
{
    static const char *const texts[] = {
        "void f( {",                                  /* brackets that do not match */
        "namespace mine {\nvoid lab_scale() {}\n}\n", /* a namespace */
        "extern \"C\" {\nvoid lab_scale() {}\n}\n",   /* the same, of C */
        "void another() {}\n",                        /* the function is not there */
        "",
        /* The host's code would not be the same in a second copy, or in one that is compiled as C++14. */
        ("#ifndef ON\n#define ON\n#define GUARD(n) ((n) < 0)\n#else\n#define GUARD(n) 1\n#endif\n"
         "void lab_scale(int n) { if (GUARD(n)) fork(); }\n"),
        "void lab_scale(int n) { if (guard(n)) fork(); }\n#define guard(n) 1\n",
        "void lab_scale(int n) { if (guard(n)) fork();\n#define guard(n) 1\n}\n",
        "void lab_scale(int n)\n{\n#if __cplusplus < 201703L\n    fork();\n#endif\n}\n",
        "void lab_scale(int n) { if (__COUNTER__ > 0) fork(); }\n",
        "#define guard(n) 1\n#undef guard\nvoid lab_scale(int n) { guard(n); }\n",
        "void lab_scale(int n) { const char *s = R\"(\"; __device__ void f() { \" )\"; }\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(repair_open(texts[i], header, "lab_scale"));
}

TEST(test_errors_of_the_compiler_belong_to_a_copy)
{
    assert_int_equal(repair_error_of("17/student.cu(38): error: identifier \"x\" is undefined", "student.cu"),
                     17);
    assert_int_equal(repair_error_of("0/student.cu:38:7: error: expected ;", "student.cu"), 0);
    assert_int_equal(repair_error_of("17/student.cu(38): warning #177-D: never used", "student.cu"), -1);
    assert_int_equal(
        repair_error_of(
            "/usr/bin/ld: /tmp/grader/worker-0.o: in function `change_36::lab01_finish(float const*, int)':",
            "student.cu"),
        36);
    assert_int_equal(
        repair_error_of("/usr/bin/ld: /tmp/worker-0.o: in function `lab01_finish':", "student.cu"), -1);
    assert_int_equal(repair_error_of("choice(3): error: no such function", "student.cu"), -1);
    assert_int_equal(repair_error_of("/usr/include/student.cu(3): error: no", "student.cu"), -1);
    const char *text;
    assert_int_equal(repair_warning_of("17/student.cu(38): warning #549-D: used", "student.cu", &text), 17);
    assert_string_equal(text, "warning #549-D: used");
    assert_int_equal(repair_warning_of("17/student.cu(38): error: expected ;", "student.cu", &text), -1);
}

/* Which barriers would be met in each turn of a loop. */
TEST(test_barriers_know_their_loop)
{
    const struct repair_wish wish = {.is_given = is_line_of_kernel};
    struct repair *repair = repair_open(program_of("__shared__ real s_x[256];\n"
                                                   "s_x[threadIdx.x] = d_x[threadIdx.x];\n"
                                                   "for (int k = 0; k < n; k++) {\n"
                                                   "d_y[k] = s_x[k];\n"
                                                   "}\n"),
                                        header, "lab_scale");
    const int count = repair_find(repair, &wish);
    int outside = 0, inside = 0;
    for (int i = 0; i < count; i++) {
        const struct repair_edit *edit = repair_edit(repair, i);
        if (edit->kind != REPAIR_BARRIER)
            continue;
        assert_int_equal(edit->depth, edit->line == 8 || edit->line == 9);
        inside += edit->depth;
        outside += !edit->depth;
    }
    assert_true(inside > 0 && outside > 0);
    repair_free(repair);
}

/* Those of the kernel (lines 3 to 6) are compiled without the host's part, those of the launch (line 9) with it. */
TEST(test_changes_of_the_device_and_of_a_launch)
{
    const struct repair_wish wish = {.near_count = 0};
    struct repair *repair = repair_open(program_of("d_y[blockIdx.x] = d_x[n - 1];"), header, "lab_scale");
    const int count = repair_find(repair, &wish);
    int of_launch = 0;
    for (int i = 0; i < count; i++) {
        assert_int_equal(repair_is_of_device(repair, i), repair_edit(repair, i)->line <= 6);
        of_launch += !repair_is_of_device(repair, i);
    }
    assert_true(of_launch > 0 && of_launch < count);
    repair_free(repair);
}

RUN_ALL
