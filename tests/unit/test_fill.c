/* cudaMemset with another byte than 0. */

#include <unistd.h>

#include "harness/cause/cause.h"
#include "test.h"

static const struct lab_task task = {.id = "sum"};
const struct lab the_lab = {.name = "lab", .folder = "none", .tasks = &task, .task_count = 1};

/* What is said of a value in a buffer of this type, if the source fills with this text as its byte. */
static int line_of(enum lab_type type, const char *byte, double want, double got)
{
    static struct call call;
    static struct grader_finding finding;
    char path[] = "/tmp/test_fill.XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, "void f(real *d_y)\n{\n    CHECK(cudaMemset(d_y, %s, sizeof(real)));\n}\n", byte);
    fclose(file);
    memset(&call, 0, sizeof call);
    memset(&finding, 0, sizeof finding);
    call.task = &task;
    call.run.buffer_count = 1;
    call.run.buffer[0] = (struct lab_buffer){.name = "d_y", .role = LAB_OUT, .type = type, .count = 1};
    finding.reason = REASON_VALUES;
    finding.want[0] = want;
    finding.got[0] = got;
    cause_of_fill(&call, path, &finding);
    assert_int_equal(finding.line > 0, strstr(finding.cause, "fills bytes, not elements") != NULL);
    unlink(path);
    return finding.line;
}

static double all_bytes(int byte)
{
    real number;
    memset(&number, byte, sizeof number);
    return (double)number;
}

TEST(elements_of_bytes)
{
    assert_int_equal(line_of(LAB_REAL, "1", 0, all_bytes(1)), 3);
    assert_int_equal(line_of(LAB_UINT32, "1", 5, 5 + 0x01010101), 3);
    assert_int_equal(line_of(LAB_UINT32, "0x7f", 0, 0x7f7f7f7f), 3);
}

TEST(other_values)
{
    assert_int_equal(line_of(LAB_REAL, "0", 0, all_bytes(1)), 0);
    assert_int_equal(line_of(LAB_REAL, "1", 0, 1), 0);
    assert_int_equal(line_of(LAB_REAL, "byte", 0, all_bytes(1)), 0);
    assert_int_equal(line_of(LAB_UINT8, "1", 0, 1), 0);
}

RUN_ALL
