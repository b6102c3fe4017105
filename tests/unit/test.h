/*
 * What every test with cmocka includes. TEST(name) { ... } is a test of its file, which ends with RUN_ALL, or a main with
 * RUN_WITH: they run in the order in which they stand there. A test may leave its `state` alone.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

__attribute__((unused)) static struct CMUnitTest listed[64];
__attribute__((unused)) static size_t listed_count;

/* Functions with a smaller number run first. */
#define TEST_WITH(name, setup, teardown)                                                                     \
    static void name(void **state);                                                                          \
    __attribute__((constructor(1000 + __COUNTER__))) static void list_##name(void)                           \
    {                                                                                                        \
        assert_true(listed_count < sizeof listed / sizeof *listed);                                          \
        listed[listed_count++] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(name, setup, teardown);  \
    }                                                                                                        \
    static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define RUN_WITH(setup, teardown) _cmocka_run_group_tests("tests", listed, listed_count, setup, teardown)
#define RUN_ALL                                                                                              \
    int main(void)                                                                                           \
    {                                                                                                        \
        return RUN_WITH(NULL, NULL);                                                                         \
    }
