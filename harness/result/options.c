/* The command line. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/result/grader.h"

void options_help(FILE *out)
{
    fputs(
        "usage: ./grader [labNN...] [options]\n"
        "\n"
        "Grades what `make labNN` built last, or builds the labs that are named first and grades them.\n"
        "\n"
        "  --backend auto|gpu|sim  where to run; auto (the default) takes a GPU if there is one\n"
        "  --device NAME           which GPU the simulator models: h100 (the default), h200, a100, b200, v100, t4,\n"
        "                          rtx3060, rtx3090, rtx4060laptop, rtx4090 or rtx5090\n"
        "  --devices               a table: modeled times of the tasks on all these GPUs, or on --device's\n"
        "  --occupancy             the tasks' kernels: registers, shared memory, block size; which of them limits how\n"
        "                          many blocks an SM holds, on this machine's GPU or --device's; makes the lab first\n"
        "  --roofline              a plot of the timed tasks under the roof: FLOP per byte and GFLOP/s\n"
        "  --only TASK|CASE        one task (a, reduce), the cases of this name, or whose names contain the text;\n"
        "                          'reduce: one element': the cases of one task\n"
        "  --size N                one more case of each task, with N elements\n"
        "  --seed N                repeat a run: its inputs depend on the seed only\n"
        "  --hint[=N]              the next hint for what fails, or for TODO N\n"
        "  --explain               the first failure at length: what was stored where, from which values; a drawing\n"
        "  --list                  the lab's tasks and cases\n"
        "  --json FILE             write everything that was found to FILE\n"
        "  --html FILE             write the report as a page, with pictures of what your kernels did, to FILE\n"
        "  --open                  the same, into build/, shown in the system's browser\n"
        "  --compare OLD.cu        what differs from an older file: points, times, counters; --html: both pages\n"
        "  --sarif FILE            write what is wrong, and where, for code hosts: SARIF 2.1.0\n"
        "  --format report|gcc     gcc: what is wrong as FILE:LINE:1: error: ..., for editors, instead of the report\n"
        "  --all                   every case, even if a task already has wrong cases and they take long\n"
        "  --verbose               every case, all hazards, what your program printed, where the time went\n"
        "  --recalibrate           measure this GPU's roofs again, even if the last ones are less than a day old\n"
        "  --timeout SECONDS       how long one case may take (10)\n"
        "  --sandbox auto|required|off  your program runs confined as far as this kernel can (auto); required: else\n"
        "                          it is not run, and the exit status is 3\n"
        "  --self-test             prove that the lab's tolerances reject wrong answers\n"
        "  --no-color              no colors (also if NO_COLOR is set, or if this is not a terminal)\n"
        "  --help                  this text\n"
        "\n"
        "The report does not say which change makes a program right; --explain and the second hint do. Where the\n"
        "environment has REPAIRS=first, the report says it at once.\n"
        "\n"
        "Exit status: 0 passed, 1 failed, 2 the lab could not be graded, 3 inconclusive: the GPU is\n"
        "busy or throttled, so that a speed could not be judged; nothing failed.\n",
        out);
}

enum {
    OPTION_BACKEND = 1,
    OPTION_DEVICE,
    OPTION_DEVICES,
    OPTION_LAUNCHES,
    OPTION_ROOFLINE,
    OPTION_ONLY,
    OPTION_SIZE,
    OPTION_SEED,
    OPTION_HINT,
    OPTION_EXPLAIN,
    OPTION_LIST,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_SARIF,
    OPTION_FORMAT,
    OPTION_ALL,
    OPTION_VERBOSE,
    OPTION_RECALIBRATE,
    OPTION_TIMEOUT,
    OPTION_SANDBOX,
    OPTION_SELF_TEST,
    OPTION_NO_COLOR,
    OPTION_HELP
};

static const struct option long_options[] = {
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"devices", no_argument, NULL, OPTION_DEVICES},
    {"launches", no_argument, NULL, OPTION_LAUNCHES}, /* for ./grader --occupancy */
    {"roofline", no_argument, NULL, OPTION_ROOFLINE},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"hint", optional_argument, NULL, OPTION_HINT},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"list", no_argument, NULL, OPTION_LIST},
    {"json", required_argument, NULL, OPTION_JSON},
    {"html", required_argument, NULL, OPTION_HTML},
    {"sarif", required_argument, NULL, OPTION_SARIF},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"all", no_argument, NULL, OPTION_ALL},
    {"verbose", no_argument, NULL, OPTION_VERBOSE},
    {"recalibrate", no_argument, NULL, OPTION_RECALIBRATE},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"sandbox", required_argument, NULL, OPTION_SANDBOX},
    {"self-test", no_argument, NULL, OPTION_SELF_TEST},
    {"no-color", no_argument, NULL, OPTION_NO_COLOR},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

/* All of `text` as a whole number from `least` on; false otherwise. */
static bool whole_number(const char *text, unsigned long long least, unsigned long long most,
                         unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == 0 && text[0] != '-' && *value >= least && *value <= most;
}

static bool parse_backend(struct grader_options *options, const char *text, char message[256])
{
    static const char *const names[] = {"auto", "sim", "gpu"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            options->backend = i - 1;
            return true;
        }
    text_set(message, 256, "--backend %s: expected auto, gpu or sim", text);
    return false;
}

static bool parse_sandbox(struct grader_options *options, const char *text, char message[256])
{
    static const char *const names[] = {"auto", "required", "off"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            options->sandbox = i;
            return true;
        }
    text_set(message, 256, "--sandbox %s: expected auto, required or off", text);
    return false;
}

static bool parse_format(struct grader_options *options, const char *text, char message[256])
{
    options->gcc = strcmp(text, "gcc") == 0;
    if (options->gcc || strcmp(text, "report") == 0)
        return true;
    text_set(message, 256, "--format %s: expected report or gcc", text);
    return false;
}

static bool parse_number(struct grader_options *options, int which, const char *text, char message[256])
{
    unsigned long long value;
    if (which == OPTION_SEED && whole_number(text, 0, ~0ull, &value)) {
        options->seed = value;
        options->seed_given = true;
    } else if (which == OPTION_SIZE && whole_number(text, 0, INT32_MAX, &value)) {
        options->size = (int64_t)value;
    } else if (which == OPTION_HINT && whole_number(text, 1, 99, &value)) {
        options->hint = (int)value;
    } else {
        static const char *const what[] = {[OPTION_SEED] = "--seed %s: expected a whole number, 0 or more",
                                           [OPTION_SIZE] =
                                               "--size %s: expected a whole number from 0 to 2147483647",
                                           [OPTION_HINT] = "--hint=%s: expected the number of a TODO"};
        snprintf(message, 256, what[which], text);
        return false;
    }
    return true;
}

static bool parse_timeout(struct grader_options *options, const char *text, char message[256])
{
    char *end;
    options->timeout = strtod(text, &end);
    if (end != text && *end == 0 && options->timeout > 0 && options->timeout < 1e6)
        return true;
    text_set(message, 256, "--timeout %s: expected seconds, more than 0", text);
    return false;
}

static bool take(struct grader_options *options, int which, const char *value, char message[256])
{
    switch (which) {
    case OPTION_BACKEND: return parse_backend(options, value, message);
    case OPTION_DEVICE: options->device = value; return true;
    case OPTION_ONLY: options->only = value; return true;
    case OPTION_JSON: options->json = value; return true;
    case OPTION_HTML: options->html = value; return true;
    case OPTION_SARIF: options->sarif = value; return true;
    case OPTION_FORMAT: return parse_format(options, value, message);
    case OPTION_SEED:
    case OPTION_SIZE: return parse_number(options, which, value, message);
    case OPTION_HINT:
        options->command = COMMAND_HINT;
        return !value || parse_number(options, which, value, message);
    case OPTION_SANDBOX: return parse_sandbox(options, value, message);
    case OPTION_TIMEOUT: return parse_timeout(options, value, message);
    case OPTION_DEVICES: options->command = COMMAND_DEVICES; return true;
    case OPTION_LAUNCHES: options->command = COMMAND_LAUNCHES; return true;
    case OPTION_EXPLAIN: options->command = COMMAND_EXPLAIN; return true;
    case OPTION_LIST: options->command = COMMAND_LIST; return true;
    case OPTION_SELF_TEST: options->command = COMMAND_SELF_TEST; return true;
    case OPTION_HELP: options->command = COMMAND_HELP; return true;
    case OPTION_ALL: options->all = true; return true;
    case OPTION_ROOFLINE: options->roofline = true; return true;
    case OPTION_VERBOSE: options->verbose = true; return true;
    case OPTION_RECALIBRATE: options->recalibrate = true; return true;
    default: options->no_color = true; return true;
    }
}

bool options_parse(struct grader_options *options, int argc, char **argv, char message[256])
{
    memset(options, 0, sizeof *options);
    options->backend = -1;
    options->size = -1;
    optind = 0; /* starts again, also in tests */
    opterr = 0;
    int which, index = 0;
    while ((which = getopt_long(argc, argv, "+:", long_options, &index)) != -1) {
        const char *given = argv[optind - 1];
        if (which == ':')
            text_set(message, 256, "%s needs a value", given);
        else if (which != '?' && optarg && !optarg[0])
            text_set(message, 256, "--%s needs a value that is not empty", long_options[index].name);
        else if (which == '?')
            text_set(message, 256, "%s is not an option of the grader, or takes no value", given);
        else if (take(options, which, optarg, message))
            continue;
        return false;
    }
    if (optind < argc) {
        text_set(message, 256, "what is \"%s\"? A lab is named labNN, everything else begins with --",
                 argv[optind]);
        return false;
    }
    return true;
}
