/* How a wrong value and the right one are related. */
#include "test.h"
#include "harness/cause/internal.h"

static const struct lab_task task = {.id = "twice", .arg_names = {"n"}};
const struct lab the_lab = {.name = "lab", .folder = "none", .tasks = &task, .task_count = 1};

/* Of d_x[1], which is `x`, and that many other elements. */
static const char *relation(double x, double want, double got, int others)
{
    static char text[512];
    static struct call call;
    static struct protocol_mailbox mailbox;
    static real input[8];
    static const int64_t args[LAB_MAX_ARGS] = {777};
    struct protocol_origin *origin = &mailbox.origin[0];
    memset(&call, 0, sizeof call);
    memset(&mailbox, 0, sizeof mailbox);
    input[1] = (real)x;
    call.task = &task;
    call.run.arg = args;
    call.run.buffer_count = 1;
    call.run.buffer[0] =
        (struct lab_buffer){.name = "d_x", .role = LAB_IN, .type = LAB_REAL, .count = 8, .data = input};
    mailbox.launch_count = 1;
    mailbox.launch[0] = (struct protocol_launch){.grid = {7, 1, 1}, .block = {64, 2, 1}};
    origin->source_count = 1;
    origin->source[0] = (struct protocol_source){
        .buffer = 0, .offset = sizeof(real), .count = 1 + (uint64_t)others, .times = 1, .size = sizeof(real)};
    struct cause c = {.call = &call,
                      .mailbox = &mailbox,
                      .origin = origin,
                      .want = want,
                      .got = got,
                      .text = text,
                      .size = sizeof text};
    text[0] = 0;
    cause_tell_relation(&c);
    return text;
}

TEST(of_one_element)
{
    assert_string_equal(relation(0.75, 1.5, 0.5625, 0),
                        "What is stored is the square of d_x[1]: the element is multiplied by itself.\n");
    assert_string_equal(relation(0.75, 1.5, 0.75, 0), "What is stored is d_x[1] itself, 0.75.\n");
    assert_string_equal(relation(0.75, 1.5, -0.75, 0), "What is stored is d_x[1] with the opposite sign.\n");
}

TEST(of_many_elements)
{
    assert_string_equal(
        relation(1, -480, -3.75, 6),
        "The value is the right one divided by 128; 128 is the number of threads per block.\n");
    assert_string_equal(relation(1, 3, 21, 6),
                        "The value is 7 times what it should be; 7 is the number of blocks.\n");
    assert_string_equal(relation(1, 777, 1, 6), "The value is the right one divided by 777; 777 is n.\n");
    assert_string_equal(relation(1, 3, 6, 6), "The value is 2 times what it should be.\n");
    assert_string_equal(relation(1, 3, -3, 6), "The value is right but for its sign.\n");
}

TEST(of_nothing)
{
    assert_string_equal(relation(0.75, 1.5, 0.8, 0), "");
    assert_string_equal(relation(1, 3, 4, 6), "");
    assert_string_equal(relation(1, 3, 0, 6), "");
}

RUN_ALL
