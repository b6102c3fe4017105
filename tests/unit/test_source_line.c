/* From a return address to the line of the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/source_line.h"

static const void *caller;

__attribute__((noinline)) static int remember_caller(int line)
{
    caller = __builtin_return_address(0);
    return line;
}

static void test_line_of_a_call(void **state)
{
    volatile int line = 0;
    char text[64] = "", wanted[64];

    (void)state;
    if (system("addr2line --version >/dev/null 2>&1") != 0)
        skip();
    line = remember_caller(__LINE__);
    snprintf(wanted, sizeof(wanted), "test_source_line.c:%d", line);
    assert_true(source_line(caller, text, sizeof(text)));
    assert_string_equal(text, wanted);
}

static void test_no_code(void **state)
{
    char text[64];
    static int data;

    (void)state;
    assert_false(source_line(NULL, text, sizeof(text)));
    assert_false(source_line((const void *)(uintptr_t)64, text, sizeof(text)));
    assert_false(source_line(&data, text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_line_of_a_call), cmocka_unit_test(test_no_code)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
