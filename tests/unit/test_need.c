/*
 * Running out of memory: said with what was asked for, then SIGABRT. A child asks for more than any machine
 * has; the sanitizer's allocator is told to return NULL then, as malloc does.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "sim/core/need.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* What a child that runs `run` says on stderr; it must end by SIGABRT. */
static void expect_abort(void (*run)(void), const char *expected)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    char said[16384];
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)n;
    said[length] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    if (!strstr(said, expected))
        fail_msg("expected \"%s\", found \"%s\"", expected, said);
}

#define TOO_MANY ((size_t)1 << 58)

static void ask_too_much(void)
{
    sim_need(TOO_MANY, 8, "the micro-operations of a kernel");
}

static void ask_beyond_size_t(void)
{
    sim_need(SIZE_MAX / 2, 3, "numbers that wrap around");
}

static void grow_too_much(void)
{
    int *numbers = sim_need(4, sizeof *numbers, "four numbers");
    numbers = sim_need_resized(numbers, TOO_MANY, sizeof *numbers, "a list that grows");
    free(numbers);
}

static void grow_beyond_size_t(void)
{
    free(sim_need_resized(NULL, SIZE_MAX / 2, 4, "a list that wraps around"));
}

TEST(says_what_was_asked_for)
{
    expect_abort(
        ask_too_much,
        "simulator: out of memory: 2305843009213693952 bytes for the micro-operations of a kernel\n");
    expect_abort(grow_too_much,
                 "simulator: out of memory: 1152921504606846976 bytes for a list that grows\n");
}

TEST(a_size_that_wraps_around_is_too_large)
{
    expect_abort(ask_beyond_size_t,
                 "simulator: out of memory: 18446744073709551615 bytes for numbers that wrap around\n");
    expect_abort(grow_beyond_size_t,
                 "simulator: out of memory: 18446744073709551615 bytes for a list that wraps around\n");
}

TEST(memory_is_zero_and_keeps_what_it_held)
{
    int *numbers = sim_need(3, sizeof *numbers, "three numbers");
    assert_int_equal(numbers[0] | numbers[1] | numbers[2], 0);
    numbers[2] = 7;
    numbers = sim_need_resized(numbers, 1000, sizeof *numbers, "a thousand numbers");
    assert_int_equal(numbers[2], 7);
    free(numbers);
    free(sim_need(0, 8, "nothing"));
    free(sim_need_resized(NULL, 0, 8, "nothing"));
}

RUN_ALL
