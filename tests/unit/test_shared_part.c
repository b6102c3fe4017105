/* What a line of source calls a place in shared memory. */
#include <unistd.h>

#include "test.h"
#include "sim/text/shared_part.h"

/* Line 1 on; s_buffer is the array. */
static const char kernel[] = "{\n"                                                           /* 1 */
                             "    extern __shared__ unsigned char s_buffer[];\n"             /* 2 */
                             "    unsigned char *s_label = s_buffer;\n"                      /* 3 */
                             "    real *s_x = (real *)(s_buffer + offset_of(blockDim.x));\n" /* 4 */
                             "    real *s_own = (real *)s_buffer + 32 * warp;\n"             /* 5 */
                             "    const int tid = threadIdx.x, unused = 0;\n"                /* 6 */
                             "    const int me = threadIdx.x;\n"                             /* 7 */
                             "    const int warp = me / 32;\n"                               /* 8 */
                             "    if (me > 0) s_label[me + 1] = d_label[i];\n"               /* 9 */
                             "    s_x[me] = s_label[0] == s_label[1] ? 0 : d_x[i];\n"        /* 10 */
                             "    s_own[me] = 1;\n"                                          /* 11 */
                             "    real *s_now = s_x;\n"                                      /* 12 */
                             "    s_now[me] = 1;\n"                                          /* 13 */
                             "    s_now = s_now + 1;\n"                                      /* 14 */
                             "    s_x[me] = s_x[me] + *s_label;\n"                           /* 15 */
                             "    for (int k = 0; k < 2; k++) {\n"                           /* 16 */
                             "        real *s_turn = s_x + 32 * k;\n"                        /* 17 */
                             "        s_turn[me] = 0;\n"                                     /* 18 */
                             "    }\n"                                                       /* 19 */
                             "    s_x[me * 2] += s_x[3];\n"                                  /* 20 */
                             "    s_buffer[7] = 0;\n"                                        /* 21 */
                             "    /* the tile:\n"                                            /* 22 */
                             "       2 * 32 = s_buffer's width */\n" /* 23: declares nothing */
                             "    for (int j = threadIdx.x; j < n; j += blockDim.x)\n" /* 24 */
                             "        s_x[j] = 0;\n"                                   /* 25 */
                             "    float2 *s_pair = (float2 *)(s_buffer + 64);\n"       /* 26 */
                             "    s_pair[me] = pair;\n"                                /* 27 */
                             "    s_pair[me].x = 1;\n"                                 /* 28 */
                             "    const unsigned short *s_key = keys(s_buffer);\n"     /* 29 */
                             "    use(s_key[me]);\n"                                   /* 30 */
                             "}\n";

static const struct row {
    int line;
    bool is_write;
    const char *expression; /* NULL: not known */
    int carved;
    bool is_first, has_index;
    int64_t index;
} rows[] = {
    {9, true, "s_label[me + 1]", 3, true, true, 6},
    {10, true, "s_x[me]", 4, false, true, 5},
    {10, false, "an element of s_label", 3, true, false, 0}, /* one of two */
    {11, true, NULL, 0, false, false, 0},                    /* depends on the thread */
    {13, true, NULL, 0, false, false, 0},                    /* moves */
    {15, true, "s_x[me]", 4, false, true, 5},
    {15, false, NULL, 0, false, false, 0}, /* two parts */
    {18, true, NULL, 0, false, false, 0},  /* another one in each turn */
    {20, true, "s_x[me * 2]", 4, false, false, 0},
    {21, true, "s_buffer[7]", 0, true, true, 7},
    {27, true, "s_pair[me]", 26, false, false, 0}, /* the access may be to a member */
    {28, true, "s_pair[me]", 26, false, false, 0},
    {30, false, "s_key[me]", 29, false, true, 5},
    {25, true, "s_x[j]", 4, false, false, 0}, /* only at first the thread's number */
};

TEST(test_rows)
{
    char path[] = "/tmp/test_shared_part_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, kernel, strlen(kernel)), strlen(kernel));
    close(fd);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct shared_part part = {.line = -1};
        const bool found = shared_part_at(path, row->line, "s_buffer", row->is_write, 5, &part);
        const bool right = found && row->expression && strcmp(part.expression, row->expression) == 0 &&
                           part.line == row->carved && part.is_first == row->is_first &&
                           part.has_index == row->has_index && (!part.has_index || part.index == row->index);
        if (found != (row->expression != NULL) || (found && !right))
            fail_msg("line %d: %s, carved at %d, first %d, index %d %lld", row->line,
                     found ? part.expression : "nothing", part.line, part.is_first, part.has_index,
                     (long long)part.index);
    }
    unlink(path);
}

/* Bytes, or structs, in every declaration; not an int among them, not what is only used. */
TEST(test_bytes)
{
    static const char text[] = "extern __shared__ __align__(8) unsigned char s_all[];\n"
                               "    __shared__ uint8_t s_all [64], s_more[64];\n"
                               "    __shared__ char s_two[32];\n"
                               "    __shared__ real s_two[32];\n"
                               "    __shared__ int s_char[32];\n"
                               "    s_used[0] = 1;\n"
                               "struct __align__(16) tiles {\n"
                               "    __shared__ __align__(16) tiles pair[2];\n"
                               "    __shared__ patch<8, 4> now;\n"
                               "    // __shared__ char s_said[32];\n";
    static const char *const bytes[] = {"s_all", "s_more", "pair", "now"}, *const others[] = {
                                                                               "s_two", "s_char", "s_used",
                                                                               "s_said", ""};
    char path[] = "/tmp/test_shared_part_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        assert_true(shared_array_of_bytes(path, bytes[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(shared_array_of_bytes(path, others[i]));
    unlink(path);
}

TEST(test_array_of_rows)
{
    static const char text[] = "    __shared__ real s_x[32], tile[TILE][TILE + 1];\n"
                               "    real local[4][4];\n";
    char path[] = "/tmp/test_shared_part_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_true(shared_array_of_rows(path, "tile"));
    assert_false(shared_array_of_rows(path, "s_x"));
    assert_false(shared_array_of_rows(path, "local"));
    unlink(path);
}

TEST(test_no_file)
{
    struct shared_part part;
    assert_false(shared_array_of_bytes("/no/such/file", "s_buffer"));
    assert_false(shared_part_at("/no/such/file", 3, "s_buffer", true, 0, &part));
}

RUN_ALL
