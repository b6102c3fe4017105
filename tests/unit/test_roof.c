/* What a machine can do, from calibrate's figures; which figures are refused; the longest part of some work. */
#include "test.h"
#include "harness/result/grader.h"
#include "harness/speed/limit.h"
#include "harness/speed/roof.h"

const struct lab the_lab;

/* Of an H200, as tests/gpu/run prints them. */
static const char *const h200 =
    "name=NVIDIA H200\nl2_bytes=62914560\ncopy_gbs=4256\ncopy_steady_gbs=4200\nread_gbs=4554\nwrite_gbs=4615\ncopy_word_gbs=2670\n"
    "copy_dword_gbs=3823\nfp32_gflops=65000\nfp64_gflops=33000\nblock_ns_32=0.604\nblock_ns_64=0.604\n"
    "block_ns_128=0.604\nblock_ns_256=0.604\nblock_ns_512=0.604\nblock_ns_1024=0.808\natomic_int_ns=0.736\n"
    "atomic_float_ns=1.76\natomic_double_ns=1.76\nlaunch_us=3.3\n";

/* h200 with `key` as given, or left out where value is NULL. */
static struct grader_roof changed(const char *key, const char *value)
{
    struct grader_roof roof = {0};
    char text[1024] = "", line[128];
    const char *from = h200;
    while (sscanf(from, "%127[^\n]", line) == 1) {
        from += strlen(line) + 1;
        if (strncmp(line, key, strlen(key)) != 0 || line[strlen(key)] != '=')
            text_append(text, sizeof text, "%s\n", line);
        else if (value)
            text_append(text, sizeof text, "%s=%s\n", key, value);
    }
    const bool known = roof_parse(&roof, text);
    assert_int_equal(known, roof.known);
    return roof;
}

static void expect_refused(const char *key, const char *value)
{
    const struct grader_roof roof = changed(key, value);
    assert_false(roof.known);
    assert_non_null(strstr(roof.why_not, key));
}

TEST(test_figures_are_read)
{
    const struct grader_roof roof = changed("", NULL);
    assert_true(roof.known);
    assert_string_equal(roof.name, "NVIDIA H200");
    assert_float_equal(roof.block_ns[5], 0.808, 1e-9);
    assert_float_equal(roof.copy_dword_gbs, 3823, 1e-9);
}

TEST(test_what_cannot_be_true_is_refused_by_name)
{
    static const char *const bad[] = {NULL, "", "0", "-1", "nan", "inf", "1e30", "12 apples", "many"};
    static const char *const keys[] = {"copy_gbs", "read_gbs", "block_ns_1024", "atomic_float_ns",
                                       "launch_us"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            expect_refused(keys[k], bad[i]);
    expect_refused("read_gbs", "3400");        /* below 0.8 of the copy */
    expect_refused("copy_steady_gbs", "3000"); /* measured on a GPU that something else used */
    expect_refused("copy_word_gbs", "4500");   /* faster than 16 bytes per thread */
    expect_refused("copy_dword_gbs", "2000");  /* slower than half as many bytes per thread */
    expect_refused("fp64_gflops", "90000");
    expect_refused("block_ns_1024", "0.1");
}

static double bytes(const int64_t *arg)
{
    return 8.0 * (double)arg[0];
}
static double flops(const int64_t *arg)
{
    return 2000.0 * (double)arg[0];
}
static double blocks(const int64_t *arg)
{
    return (double)arg[0] / 128;
}

static void expect_part(const struct lab_parts *parts, bool operations, double milliseconds, const char *what)
{
    static const struct lab_speed ask = {.bytes = bytes, .flops = flops};
    const int64_t arg[LAB_MAX_ARGS] = {1 << 26};
    const struct grader_roof roof = changed("", NULL);
    const struct grader_part part = roof_longest(&roof, &ask, parts, arg, operations);
    assert_float_equal(part.seconds * 1e3, milliseconds, 1e-3 * milliseconds);
    assert_non_null(strstr(part.what, what));
}

TEST(test_the_longest_part_counts)
{
    expect_part(&(struct lab_parts){.bandwidth = LAB_COPY}, false, 0.12615, "copy");
    expect_part(&(struct lab_parts){.bandwidth = LAB_READ}, false, 0.11789, "reading");
    expect_part(&(struct lab_parts){.bandwidth = LAB_WORD}, false, 0.20108, "one word per thread");
    expect_part(&(struct lab_parts){.bandwidth = LAB_COPY}, true, 2.06489, "multiply-adds");
    expect_part(&(struct lab_parts){.blocks = blocks, .threads = 128}, false, 0.31667, "blocks");
    expect_part(&(struct lab_parts){.blocks = blocks, .threads = 1024}, false, 0.42363, "blocks");
    expect_part(&(struct lab_parts){.blocks = blocks, .threads = 513}, false, 0.42363, "blocks");
    expect_part(&(struct lab_parts){.atomics = blocks}, false, 0.92275, "atomics");
    expect_part(&(struct lab_parts){.launches = 1000}, false, 3.3, "launches");
}

TEST(test_a_time_that_no_kernel_can_reach)
{
    struct grader_speed speed = {.verdict = SPEED_ENOUGH};
    speed.time.count = 20;
    speed.time.median = 0.96e-3; /* 104 % of 1 ms: measurements err that much */
    speed_refuse_impossible(&speed, 1e-3);
    assert_int_equal(speed.verdict, SPEED_ENOUGH);
    speed.time.median = 0.95e-3;
    speed_refuse_impossible(&speed, 1e-3);
    assert_int_equal(speed.verdict, SPEED_IMPOSSIBLE);
    assert_non_null(strstr(speed.note, "the work was not done"));
}

static double product_flops(const int64_t *arg)
{
    return 2.0 * (double)arg[0] * (double)arg[0] * (double)arg[0];
}

/* An H200's L2 holds 62.9 MB, copies 4256 GB/s and computes 65000 GFLOP/s: 122 flop per byte take 8 times as long. */
TEST(test_sets_that_exceed_l2_unless_arithmetic_takes_far_longer)
{
    const struct grader_roof roof = changed("", NULL);
    const struct lab_speed copy = {.fraction = 0.5}, product = {.fraction = 0.5, .flops = product_flops};
    const struct lab_task copied = {.speed = &copy}, multiplied = {.speed = &product};
    const int64_t large[LAB_MAX_ARGS] = {2048}, small[LAB_MAX_ARGS] = {256};
    assert_int_equal(speed_sets(&roof, &copied, large, 5e7), 6);
    assert_int_equal(speed_sets(&roof, &copied, large, 1e8), 4);
    assert_int_equal(speed_sets(&roof, &copied, large, 1e9), 2);
    assert_int_equal(speed_sets(&roof, &copied, large, 1), 32);
    assert_int_equal(speed_sets(&roof, &copied, large, 0), 2);
    assert_int_equal(speed_sets(&roof, &multiplied, large, 5e7), 2);     /* 343 flop per byte */
    assert_int_equal(speed_sets(&roof, &multiplied, small, 786432), 32); /* 43 */
}

RUN_ALL
