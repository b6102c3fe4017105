/* From a return address to the line of the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/text/allocation_name.h"
#include "sim/text/source_line.h"

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

static void test_names_of_allocations(void **state)
{
    struct sim_allocation named = {.size = 4, .name = "d_x", .serial = 1}, unnamed = {.size = 4, .serial = 3};
    struct sim_allocation placed = {.size = 4, .serial = 3};
    char text[64], wanted[64];
    volatile int line;
    struct known_places *places = known_places_create();

    (void)state;
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
    known_places_destroy(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_of_a_call),
        cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_names_of_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
