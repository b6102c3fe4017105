/* What is said on a GPU of elements that were never written: how the kernel was launched. */
#include "test.h"
#include "harness/cause/launch.h"

static const struct lab_task task = {.id = "copy", .arg_names = {"n"}};
const struct lab the_lab = {.name = "lab", .folder = "none", .tasks = &task, .task_count = 1};

/* Of 1000 elements of which the last ones are missing. */
static void explain(uint32_t launches, uint32_t blocks, uint32_t threads, enum pattern pattern,
                    struct grader_finding *finding)
{
    static struct grader grader;
    static struct protocol_mailbox mailbox;
    static struct call call;
    memset(&mailbox, 0, sizeof mailbox);
    memset(finding, 0, sizeof *finding);
    call.task = &task;
    call.run.buffer[0] = (struct lab_buffer){.name = "d_y", .role = LAB_OUT, .type = LAB_REAL, .count = 1000};
    call.run.buffer_count = 1;
    mailbox.launch_count = launches;
    mailbox.launch[0] =
        (struct protocol_launch){.kernel = "", .grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    finding->reason = REASON_VALUES;
    finding->pattern = pattern;
    launch_explain_sizes(&grader, &call, &mailbox, finding);
}

TEST(test_sizes)
{
    struct grader_finding finding;
    explain(1, 3, 256, PATTERN_TAIL, &finding);
    assert_non_null(strstr(finding.cause, "3 blocks of 256 threads, 768 in all, but d_y has 1000 elements"));
    explain(1, 1, 256, PATTERN_FIRST_BLOCK, &finding);
    assert_non_null(strstr(finding.cause, "256 in all"));
    explain(1, 4, 256, PATTERN_TAIL, &finding);
    assert_string_equal(finding.cause, "");
    explain(2, 1, 256, PATTERN_TAIL, &finding);
    assert_string_equal(finding.cause, "");
    explain(1, 1, 256, PATTERN_SHIFTED, &finding);
    assert_string_equal(finding.cause, "");
    explain(0, 0, 0, PATTERN_UNWRITTEN, &finding);
    assert_non_null(strstr(finding.cause, "No kernel was launched"));
    explain(0, 0, 0, PATTERN_TAIL, &finding);
    assert_string_equal(finding.cause, "");
}

RUN_ALL
