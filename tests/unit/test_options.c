/* The command line: what is taken, what is refused and with which words. */
#include "test.h"
#include "harness/result/grader.h"
#include "sim/model/model.h"

static struct grader_options options;
static char message[256];

static bool parse(const char *arguments)
{
    static char copy[256];
    char *argv[20] = {"grader"};
    int argc = 1;
    strcpy(copy, arguments);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    message[0] = 0;
    return options_parse(&options, argc, argv, message);
}

TEST(test_defaults)
{
    assert_true(parse(""));
    assert_int_equal(options.command, COMMAND_GRADE);
    assert_int_equal(options.backend, -1);
    assert_false(options.seed_given);
    assert_int_equal(options.size, -1);
    assert_null(options.only);
    assert_null(options.json);
    assert_null(options.html);
}

TEST(test_all)
{
    assert_true(parse(
        "--backend gpu --seed 0x10 --size 0 --only reduce --json f --html p --verbose --no-color --timeout 1.5"));
    assert_int_equal(options.backend, BACKEND_GPU);
    assert_true(options.seed_given);
    assert_int_equal(options.seed, 16);
    assert_int_equal(options.size, 0);
    assert_string_equal(options.only, "reduce");
    assert_string_equal(options.json, "f");
    assert_string_equal(options.html, "p");
    assert_true(options.verbose && options.no_color);
    assert_true(options.timeout == 1.5);
    assert_true(parse("--format=gcc --sarif s") && options.gcc && strcmp(options.sarif, "s") == 0);
    assert_true(parse("--format report") && !options.gcc);
    assert_false(parse("--format xml"));
    assert_non_null(strstr(message, "expected report or gcc"));
    assert_true(parse("--device a100") && strcmp(options.device, "a100") == 0);
    assert_true(parse("--backend=sim --seed=18446744073709551615"));
    assert_int_equal(options.backend, BACKEND_SIM);
    assert_true(options.seed == UINT64_MAX);
    assert_true(parse("--backend auto"));
    assert_int_equal(options.backend, -1);
}

TEST(test_commands)
{
    assert_true(parse("--hint") && options.command == COMMAND_HINT && options.hint == 0);
    assert_true(parse("--hint=3") && options.command == COMMAND_HINT && options.hint == 3);
    assert_true(parse("--devices") && options.command == COMMAND_DEVICES);
    assert_true(parse("--launches") && options.command == COMMAND_LAUNCHES);
    assert_true(parse("--list") && options.command == COMMAND_LIST);
    assert_true(parse("--help") && options.command == COMMAND_HELP);
    assert_true(parse("--self-test") && options.command == COMMAND_SELF_TEST);
}

TEST(test_help_names_all_devices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    options_help(out);
    fclose(out);
    for (int i = 0; sim_profile_at(i) != NULL; i++)
        if (!strstr(text, sim_profile_at(i)->key))
            fail_msg("--help does not name %s", sim_profile_at(i)->key);
    free(text);
}

TEST(test_refused)
{
    static const char *const bad[][2] = {
        {"--backend", "needs a value"},
        {"--backend tpu", "expected auto, gpu or sim"},
        {"--seed -1", "--seed -1"},
        {"--seed 1x", "whole number"},
        {"--seed 99999999999999999999", "whole number"},
        {"--size 1e6", "--size 1e6"},
        {"--size 2147483648", "--size"},
        {"--timeout 0", "seconds"},
        {"--timeout nan", "seconds"},
        {"--hint=0", "number of a TODO"},
        {"--verbose=yes", "takes no value"},
        {"--nonsense", "--nonsense"},
        {"-v", "-v"},
        {"lab03", "lab03"},
        {"--verbose lab03", "lab03"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(parse(bad[i][0]));
        if (!strstr(message, bad[i][1]))
            fail_msg("\"%s\" gives \"%s\", which lacks \"%s\"", bad[i][0], message, bad[i][1]);
    }
}

RUN_ALL
