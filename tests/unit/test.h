/*
 * What every test with cmocka includes. TEST(name) { ... } is a test of its file, which ends with RUN_ALL: they run in the order
 * in which they stand there. A test may leave its `state` alone.
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
#define TEST(name)                                                                                           \
    static void name(void **state);                                                                          \
    __attribute__((constructor(1000 + __COUNTER__))) static void list_##name(void)                           \
    {                                                                                                        \
        assert_true(listed_count < sizeof listed / sizeof *listed);                                          \
        listed[listed_count++] = (struct CMUnitTest)cmocka_unit_test(name);                                  \
    }                                                                                                        \
    static void name(void **state)

#define RUN_ALL                                                                                              \
    int main(void)                                                                                           \
    {                                                                                                        \
        return _cmocka_run_group_tests("tests", listed, listed_count, NULL, NULL);                           \
    }
