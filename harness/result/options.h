/* What the grader is asked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of the grader. */
enum { GRADER_PASSED = 0, GRADER_FAILED = 1, GRADER_USAGE = 2, GRADER_INCONCLUSIVE = 3 };

enum grader_backend { BACKEND_SIM, BACKEND_GPU };

enum grader_command {
    COMMAND_GRADE,
    COMMAND_LIST,
    COMMAND_HINT,
    COMMAND_EXPLAIN,
    COMMAND_HELP,
    COMMAND_SELF_TEST,
    COMMAND_DEVICES,
    COMMAND_LAUNCHES
};

struct grader_options {
    enum grader_command command;
    int backend; /* enum grader_backend, or -1: auto */
    bool seed_given;
    uint64_t seed;
    int64_t size;       /* --size, or -1 */
    const char *only;   /* --only, or NULL */
    const char *device; /* --device, or NULL: for the simulator */
    const char *json;   /* --json, or NULL */
    const char *html;   /* --html, or NULL */
    const char *sarif;  /* --sarif, or NULL */
    int gcc;            /* --format=gcc: places and sentences as a compiler prints them, no report */
    uint64_t hint;      /* --hint=N, or 0: the first open TODO's */
    int sandbox;        /* enum sandbox_mode */
    bool all;           /* every case, also where wrong ones take long */
    bool verbose, no_color, recalibrate, roofline;
    double timeout; /* seconds a case may take; 0: the default */
};

/* False: `message` says what is wrong with the command line. */
bool options_parse(struct grader_options *options, int argc, char **argv, char message[256]);
void options_help(FILE *out);
