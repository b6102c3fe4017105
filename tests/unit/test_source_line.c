/* From a return address to the line of the call. */
#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "sim/text/allocation_name.h"
#include "sim/text/line_memory.h"
#include "sim/text/source_line.h"

static const void *caller;

__attribute__((noinline)) static int remember_caller(int line)
{
    caller = __builtin_return_address(0);
    return line;
}

/* As glibc's memcpy with _FORTIFY_SOURCE. */
# 29 "/usr/include/x86_64-linux-gnu/bits/string_fortified.h"
__attribute__((always_inline)) static inline void in_a_header(void)
{
    remember_caller(0);
}
# 200 "tests/unit/programs/ChainedScanDecoupledLookbackDispatcher.cuh"
static void in_a_file_with_a_long_name(void)
{
    remember_caller(0);
}
# 34 "tests/unit/test_source_line.c"

TEST(test_line_of_a_call)
{
    volatile int line = 0;
    char text[64] = "", wanted[64];

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    line = remember_caller(__LINE__);
    snprintf(wanted, sizeof(wanted), "test_source_line.c:%d", line);
    assert_true(source_line(caller, text, sizeof(text)));
    assert_string_equal(text, wanted);
}

/* A function of a system header that the compiler has put into its caller: the line is the caller's. */
TEST(test_inlined_from_a_header)
{
    char text[64] = "", wanted[64];

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    const int line = __LINE__ + 1;
    in_a_header();
    snprintf(wanted, sizeof(wanted), "test_source_line.c:%d", line);
    assert_true(source_line(caller, text, sizeof(text)));
    assert_string_equal(text, wanted);
}

/* Processor seconds of this process and of its children that have ended. */
static double processor_seconds(void)
{
    double sum = 0;
    struct rusage use;

    for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
        getrusage(who, &use);
        sum += (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    }
    return sum;
}

/* One process answers all questions: 2000 of them take fewer processor seconds than 2000 processes could. */
TEST(test_many_questions)
{
    char text[64];

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    remember_caller(0);
    assert_true(source_line(caller, text, sizeof(text)));
    const double begin = processor_seconds();
    for (int i = 0; i < 2000; i++)
        assert_true(source_line(caller, text, sizeof(text)));
    assert_true(processor_seconds() - begin < 3);
}

/* It holds no file of the program: whoever reads from a pipe hears of its end. */
TEST(test_no_file_is_held)
{
    int ends[2];
    char text[64], byte;

    assert_int_equal(pipe(ends), 0);
    for (int file = ends[1] + 1; file < 64; file++)
        close(file); /* also of the process that may answer already: a new one inherits the pipe */
    remember_caller(0);
    source_line(caller, text, sizeof(text));
    close(ends[1]);
    struct pollfd reader = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&reader, 1, 5000), 1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* The process that answers is no child of the program, whose wait() would not end. */
TEST(test_no_child_is_left)
{
    char text[64];

    remember_caller(0);
    source_line(caller, text, sizeof(text));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* A copy of the program asks while its parent does, and a program may close every file that it knows nothing of. */
TEST(test_copies_and_closed_files)
{
    char text[64];
    int status = -1;

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    remember_caller(0);
    assert_true(source_line(caller, text, sizeof(text)));
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 200; i++)
            if (!source_line(caller, text, sizeof(text)))
                _exit(1);
        _exit(0);
    }
    for (int i = 0; i < 200; i++)
        assert_true(source_line(caller, text, sizeof(text)));
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    for (int file = 3; file < 64; file++)
        close(file);
    assert_true(source_line(caller, text, sizeof(text)));
}

/* What one process has looked up, the next one is told without a process of its own: not even addr2line must be found. */
TEST(test_answers_are_shared)
{
    const size_t bytes = 65536;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char text[64], wanted[64];
    int status = -1;

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    assert_ptr_not_equal(memory, MAP_FAILED);
    line_memory_use(memory, bytes);
    volatile int line = remember_caller(__LINE__);
    snprintf(wanted, sizeof(wanted), "test_source_line.c:%d", line);
    for (int turn = 0; turn < 2; turn++) {
        const pid_t child = fork();
        if (child == 0) {
            if (turn == 1)
                setenv("PATH", "/nowhere", 1);
            _exit(!source_line(caller, text, sizeof(text)) || strcmp(text, wanted) != 0);
        }
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    line_memory_use(NULL, 0);
    munmap(memory, bytes);
}

/* Memory that is full, or that another process has spoiled, costs no answer and does no harm. */
TEST(test_shared_memory_is_not_trusted)
{
    static char memory[4 * 512];
    char text[64], number[32];

    line_memory_use(memory, sizeof(memory));
    assert_false(line_memory_find("file", 1, text, sizeof(text)));
    for (uintptr_t i = 1; i <= 8; i++) {
        snprintf(number, sizeof(number), "line %lu", (unsigned long)i);
        line_memory_keep("file", i, number);
    }
    assert_true(line_memory_find("file", 4, text, sizeof(text)));
    assert_string_equal(text, "line 4");
    assert_false(line_memory_find("file", 5, text, sizeof(text)));
    assert_false(line_memory_find("another", 4, text, sizeof(text)));
    assert_false(line_memory_find("file", 4, text, 6));
    for (size_t i = 0; i < sizeof(memory); i++)
        if (i % 512 >= 8)
            memory[i] = 'x';
    assert_false(line_memory_find("file", 4, text, sizeof(text)));
    line_memory_use(NULL, 0);
}

TEST(test_no_code)
{
    char text[64];
    static int data;

    assert_false(source_line(NULL, text, sizeof(text)));
    assert_false(source_line((const void *)(uintptr_t)64, text, sizeof(text)));
    assert_false(source_line(&data, text, sizeof(text)));
}

TEST(test_names_of_allocations)
{
    struct sim_allocation named = {.size = 4, .name = "d_x", .serial = 1}, unnamed = {.size = 4, .serial = 3};
    struct sim_allocation placed = {.size = 4, .serial = 3};
    char text[64], wanted[64];
    volatile int line;
    struct known_places *places = known_places_create();

    allocation_name(places, &named, text, sizeof(text));
    assert_string_equal(text, "d_x");
    allocation_name(places, &unnamed, text, sizeof(text));
    assert_string_equal(text, "the unnamed allocation number 3");
    if (system("addr2line --version >/dev/null 2>&1") != 0) {
        known_places_destroy(places);
        skip();
    }
    line = remember_caller(__LINE__);
    placed.caller = caller;
    snprintf(wanted, sizeof(wanted), "the allocation of test_source_line.c:%d", line);
    for (int i = 0; i < 2; i++) { /* looked up, then remembered */
        allocation_name(places, &placed, text, sizeof(text));
        assert_string_equal(text, wanted);
    }
    in_a_file_with_a_long_name();
    placed.caller = caller;
    allocation_name(places, &placed, text, sizeof(text));
    assert_string_equal(text, "the allocation of ...ScanDecoupledLookbackDispatcher.cuh:202");
    known_places_destroy(places);
}

RUN_ALL
