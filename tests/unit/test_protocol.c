/* Messages between grader and worker: what is accepted and what is not. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "harness/wire/process.h"
#include "harness/wire/protocol.h"

#define ARENA (1u << 22)

static struct protocol_request good_request(void)
{
    struct protocol_request request = {.buffer_count = 2};
    protocol_init_request(&request, PROTOCOL_RUN, 5);
    request.buffer[0].offset = protocol_first_slot();
    request.buffer[0].bytes = 1000;
    request.buffer[0].guard = 4096;
    request.buffer[1].offset = request.buffer[0].offset + protocol_slot_bytes(&request.buffer[0]);
    return request;
}

TEST(test_good_request)
{
    struct protocol_request request = good_request();
    assert_null(protocol_check_request(&request, ARENA));
    request.buffer[0].bytes = ARENA - request.buffer[0].offset - 2 * 4096;
    assert_null(protocol_check_request(&request, ARENA)); /* to the last byte */
}

TEST(test_bad_requests)
{
    struct protocol_request request;
#define REFUSED(change)                                                                                      \
    (request = good_request(), change, assert_non_null(protocol_check_request(&request, ARENA)))
    REFUSED(request.magic++);
    REFUSED(request.version++);
    REFUSED(request.kind = 0);
    REFUSED(request.kind = PROTOCOL_HELLO);
    REFUSED(request.buffer_count = LAB_MAX_BUFFERS + 1);
    REFUSED(request.set = PROTOCOL_MAX_SETS);
    REFUSED(memset(request.task, 'x', sizeof request.task));
    REFUSED(request.buffer[0].role = 3);
    REFUSED(request.buffer[0].offset = 0);
    REFUSED(request.buffer[0].offset = ARENA + 1);
    REFUSED(request.buffer[0].bytes = ARENA);
    REFUSED(request.buffer[0].bytes = UINT64_MAX);
    REFUSED(request.buffer[0].guard = UINT64_MAX / 2 + 1);
#undef REFUSED
}

TEST(test_replies)
{
    struct protocol_request request = good_request();
    struct protocol_reply good = {0}, reply;
    protocol_init_reply(&good, &request);
    assert_null(protocol_check_reply(&good, PROTOCOL_RUN, 5));
#define REFUSED(change) (reply = good, change, assert_non_null(protocol_check_reply(&reply, PROTOCOL_RUN, 5)))
    REFUSED(reply.magic = 0);
    REFUSED(reply.version = 99);
    REFUSED(reply.nonce = 4);
    REFUSED(reply.kind = PROTOCOL_ROUND);
    REFUSED(reply.status = 77);
    REFUSED(reply.milliseconds[3] = NAN);
    REFUSED(reply.milliseconds[3] = -1);
    REFUSED(reply.milliseconds[PROTOCOL_MAX_SETS - 1] = INFINITY);
#undef REFUSED
    protocol_init_reply(&reply, NULL);
    assert_int_equal(reply.kind, PROTOCOL_HELLO);
}

TEST(test_clean)
{
    char text[8] = {'a', '\033', '\n', '\t', 1, 0x7f, 'z', 'z'};
    protocol_clean(text, sizeof text);
    assert_string_equal(text, "a?\n\t??z");
    char more[64] = "\xc3\xa4 \xc2\x9b"
                    "2J \xe2\x80\xae"
                    "x \xe2\x81\xa9 \xd8\x9c \xe2\x80\xa8 \x9b \xe2\x82\xac";
    protocol_clean(more, sizeof more); /* C1, marks of direction, a line's end, a byte by itself */
    assert_string_equal(more, "\xc3\xa4 ??2J ???x ??? ?? ??? ? \xe2\x82\xac");
    struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
    assert_non_null(mailbox);
    strcpy(mailbox->fault_place.file, "a\npassed: 100");
    mailbox->sample_count = 3; /* of buffers that no request has named yet */
    mailbox->hazard_count = 7; /* none of which has a name */
    protocol_clean_mailbox(mailbox, NULL);
    assert_int_equal(mailbox->sample_count, 0);
    assert_int_equal(mailbox->hazard_count, 0);
    assert_string_equal(mailbox->fault_place.file, "a?passed: 100"); /* a name has one line */
    free(mailbox);
}

/* A trace that a worker made up: pictures are drawn of it without a look outside of it. */
TEST(test_clean_trace)
{
    struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
    assert_non_null(mailbox);
    memset(mailbox->trace, 0xff, sizeof mailbox->trace);
    protocol_clean_mailbox(mailbox, NULL);
    for (int i = 0; i < PROTOCOL_MAX_TRACES; i++) {
        const struct protocol_trace *trace = &mailbox->trace[i];
        assert_true(trace->count <= PROTOCOL_MAX_TRACED);
        assert_non_null(memchr(trace->file, 0, sizeof trace->file));
        assert_int_equal(trace->step[0].lanes.size, 0);
        assert_int_equal(trace->step[0].lanes.cost, 0);
        assert_true(trace->step[0].line >= 0);
        assert_true(trace->step[trace->count - 1].what <= PROTOCOL_SHUFFLE);
    }
    free(mailbox);
}

/* The same of an SM: no number of spans or blocks, and no height, that pictures cannot have. */
TEST(test_clean_sm)
{
    struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
    assert_non_null(mailbox);
    memset(&mailbox->sm, 0xff, sizeof mailbox->sm); /* numbers of -1, and no numbers */
    protocol_clean_mailbox(mailbox, NULL);
    assert_int_equal(mailbox->sm.blocks, 0);
    assert_int_equal(mailbox->sm.spans, 0);
    assert_true(mailbox->sm.bytes[5] == 0 && mailbox->sm.doing[SIM_SM_BARRIER][95] == 0);
    mailbox->sm = (struct sim_sm){.room = {{4, 64, 16}, {4096, 65536, 16}, {1024, 233472, 228}, {1, 32, 32}},
                                  .blocks = 16,
                                  .threads = 128,
                                  .spans = 5,
                                  .seconds = 1e-6};
    protocol_clean_mailbox(mailbox, NULL);
    assert_int_equal(mailbox->sm.blocks, 16);
    assert_int_equal(mailbox->sm.spans, 5);
    mailbox->sm.room[SIM_SM_REGISTERS].fits = 15; /* fewer than are said to fit */
    protocol_clean_mailbox(mailbox, NULL);
    assert_int_equal(mailbox->sm.blocks, 0);
    free(mailbox);
}

TEST(test_pipes)
{
    int fd[2];
    char sent[300], got[300];
    assert_int_equal(pipe(fd), 0);
    memset(sent, 'x', sizeof sent);
    assert_true(protocol_write(fd[1], sent, sizeof sent));
    assert_true(protocol_read(fd[0], got, 200));
    close(fd[1]);
    assert_false(protocol_read(fd[0], got, 200)); /* half a message, then the end */
    close(fd[0]);
}

static pid_t spin_on_the_first_processor(void)
{
    cpu_set_t all, first;
    const pid_t child = fork();
    if (child > 0)
        return child;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&first);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (volatile unsigned turn = 0;; turn++)
        ;
}

/* Two processes on one processor: each waits about half of the time. One that sleeps waits for no processor. */
TEST(test_queued)
{
    const pid_t a = spin_on_the_first_processor(), b = spin_on_the_first_processor();
    double waited = 0;
    for (int i = 0; i < 100 && waited < 0.05; i++) {
        usleep(20000);
        waited = process_queued(a) + process_queued(b);
    }
    kill(a, SIGSTOP);
    waitpid(a, NULL, WUNTRACED);
    const double stopped = process_queued(a);
    usleep(50000);
    assert_true(process_queued(a) - stopped < 0.001);
    kill(a, SIGKILL), kill(b, SIGKILL);
    waitpid(a, NULL, 0), waitpid(b, NULL, 0);
    assert_true(waited >= 0.05);
    assert_true(process_queued(a) == 0); /* there is none */
}

TEST(test_values)
{
    char value[16];
    const char *text = "name=Some GPU\ncopy_gbs=3002.5\nempty=\nlast=1";
    assert_true(process_value(text, "name", value, sizeof value));
    assert_string_equal(value, "Some GPU");
    assert_true(process_value(text, "empty", value, sizeof value));
    assert_string_equal(value, "");
    assert_true(process_value(text, "last", value, sizeof value));
    assert_string_equal(value, "1");
    assert_false(process_value(text, "copy", value, sizeof value));
    assert_false(process_value("", "copy", value, sizeof value));
}

RUN_ALL
