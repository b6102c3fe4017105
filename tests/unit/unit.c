/*
 * All unit tests in one program: `unit test_api` runs those of test_api.c. mk/tests.mk compiles that file with its main
 * called test_api_main and its the_lab, if it has one, test_api_lab. UNIT_TESTS is X(test_access_line) X(test_api) ...
 * Where $SUITE is "short", tests whose names end in _long are left out. Exit: that of the tests, or 2.
 */
#include "test.h"

#define the_lab the_lab_is_constant_there
#include "harness/lab/lab.h"
#undef the_lab

#define X(name)                                                                                              \
    int name##_main(void);                                                                                   \
    extern const struct lab name##_lab __attribute__((weak));
UNIT_TESTS
#undef X

/* What harness/ takes for the lab: that of the test. */
struct lab the_lab;

static const struct {
    const char *name;
    int (*main)(void);
    const struct lab *lab;
} tests[] = {
#define X(name) {#name, name##_main, &name##_lab},
    UNIT_TESTS
#undef X
};

int main(int argc, char **argv)
{
    const char *suite = getenv("SUITE");

    if (suite && strcmp(suite, "short") == 0)
        cmocka_set_skip_filter("*_long");
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            if (tests[i].lab)
                the_lab = *tests[i].lab;
            return tests[i].main();
        }
    }
    fprintf(stderr, "unit TEST: TEST is the name of a file of tests/unit/, as in test_api\n");
    return 2;
}
