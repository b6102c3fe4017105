/* The command line. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
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
        "  --only TASK|CASE        a task (a, reduce) or several (a,sum), the cases of this name, or whose names hold the text;\n"
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
        "environment has REPAIRS=first, the report says it at once; with REPAIRS=none it is not looked for.\n"
        "\n"
        "Exit status: 0 passed, 1 failed, 2 the lab could not be graded, 3 inconclusive: the GPU is\n"
        "busy or throttled, so that a speed could not be judged; nothing failed.\n",
        out);
}

/* What an option takes. */
enum kind { FLAG, COMMAND, TEXT, WORD, NUMBER, SECONDS };

#define IN(name) .field = offsetof(struct grader_options, name)

/* `field`: where it goes. */
static const struct row {
    const char *name;
    enum kind kind;
    size_t field;
    enum grader_command command;    /* COMMAND */
    const char *expected;           /* of the value, in words */
    const char *words[4];           /* WORD: one of these, … */
    int first;                      /* … of which the first one is this number */
    unsigned long long least, most; /* NUMBER */
} rows[] = {
    {"backend", WORD, IN(backend), .expected = "auto, gpu or sim", .words = {"auto", "sim", "gpu"},
     .first = -1},
    {"device", TEXT, IN(device)},
    {"devices", COMMAND, .command = COMMAND_DEVICES},
    {"launches", COMMAND, .command = COMMAND_LAUNCHES}, /* for ./grader --occupancy */
    {"roofline", FLAG, IN(roofline)},
    {"only", TEXT, IN(only)},
    {"size", NUMBER, IN(size), .expected = "a whole number from 0 to 2147483647", .most = INT32_MAX},
    {"seed", NUMBER, IN(seed), .expected = "a whole number, 0 or more", .most = UINT64_MAX},
    {"hint", NUMBER, IN(hint), .command = COMMAND_HINT, .expected = "the number of a TODO", .least = 1,
     .most = 99},
    {"explain", COMMAND, .command = COMMAND_EXPLAIN},
    {"list", COMMAND, .command = COMMAND_LIST},
    {"json", TEXT, IN(json)},
    {"html", TEXT, IN(html)},
    {"sarif", TEXT, IN(sarif)},
    {"format", WORD, IN(gcc), .expected = "report or gcc", .words = {"report", "gcc"}},
    {"all", FLAG, IN(all)},
    {"verbose", FLAG, IN(verbose)},
    {"recalibrate", FLAG, IN(recalibrate)},
    {"timeout", SECONDS, IN(timeout), .expected = "seconds, more than 0"},
    {"sandbox", WORD, IN(sandbox), .expected = "auto, required or off", .words = {"auto", "required", "off"}},
    {"self-test", COMMAND, .command = COMMAND_SELF_TEST},
    {"no-color", FLAG, IN(no_color)},
    {"help", COMMAND, .command = COMMAND_HELP},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool take_word(const struct row *row, const char *text, int *value)
{
    for (int i = 0; row->words[i]; i++)
        if (strcmp(text, row->words[i]) == 0) {
            *value = row->first + i;
            return true;
        }
    return false;
}

static bool take_number(const struct row *row, const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == 0 && text[0] != '-' && *value >= row->least &&
           *value <= row->most;
}

static bool take_seconds(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && *value > 0 && *value < 1e6;
}

/* False: the value is none that is expected. */
static bool take(struct grader_options *options, const struct row *row, const char *text)
{
    void *field = (char *)options + row->field;
    if (row->command)
        options->command = row->command;
    switch (row->kind) {
    case FLAG: *(bool *)field = true; return true;
    case COMMAND: return true;
    case TEXT: *(const char **)field = text; return true;
    case WORD: return take_word(row, text, field);
    case SECONDS: return take_seconds(text, field);
    default:
        options->seed_given |= field == (void *)&options->seed;
        return !text || take_number(row, text, field);
    }
}

static void list_options(struct option list[ROWS + 1])
{
    memset(list, 0, (ROWS + 1) * sizeof *list);
    for (int i = 0; i < ROWS; i++) {
        list[i].name = rows[i].name;
        list[i].val = 1 + i;
        list[i].has_arg = rows[i].kind < TEXT                         ? no_argument
                          : rows[i].command && rows[i].kind == NUMBER ? optional_argument
                                                                      : required_argument;
    }
}

bool options_parse(struct grader_options *options, int argc, char **argv, char message[256])
{
    memset(options, 0, sizeof *options);
    options->backend = -1;
    options->size = -1;
    optind = 0; /* starts again, also in tests */
    opterr = 0;
    struct option list[ROWS + 1];
    int which;
    list_options(list);
    while ((which = getopt_long(argc, argv, "+:", list, NULL)) != -1) {
        const char *given = argv[optind - 1];
        const struct row *row = which <= ROWS ? &rows[which - 1] : NULL; /* else ':' or '?' */
        if (which == ':')
            text_set(message, 256, "%s needs a value", given);
        else if (which == '?')
            text_set(message, 256, "%s is not an option of the grader, or takes no value", given);
        else if (optarg && !optarg[0])
            text_set(message, 256, "--%s needs a value that is not empty", row->name);
        else if (take(options, row, optarg))
            continue;
        else
            text_set(message, 256, "--%s%c%s: expected %s", row->name, row->command ? '=' : ' ', optarg,
                     row->expected);
        return false;
    }
    if (optind < argc) {
        text_set(message, 256, "what is \"%s\"? A lab is named labNN, everything else begins with --",
                 argv[optind]);
        return false;
    }
    return true;
}
