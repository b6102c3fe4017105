/* The parts of the report: shared by report/report.c and report/figures.c. */
#ifndef HARNESS_GRADER_REPORT_H
#define HARNESS_GRADER_REPORT_H

#include "harness/result/grader.h"

struct report {
    const struct grader *grader;
    FILE *out;
    bool color;
};

/* Escape sequences, or nothing where there are no colors. */
#define BOLD(r)   ((r)->color ? "\033[1m" : "")
#define GREEN(r)  ((r)->color ? "\033[32m" : "")
#define RED(r)    ((r)->color ? "\033[31m" : "")
#define YELLOW(r) ((r)->color ? "\033[33m" : "")
#define PLAIN(r)  ((r)->color ? "\033[0m" : "")

/* What failed: the one cause that comes first, and in a line each what is wrong with other tasks. */
struct failures;
void report_failures(const struct report *report, const struct failures *failures);

/* What to do next, in a line that begins with "Next: "; "": nothing. */
void report_next(const struct grader *grader, const struct failures *failures, char *text, size_t size);

/* What a right program does besides: it prints, it keeps memory, it stores things twice, it spends time for nothing. */
void report_notes(const struct report *report, const struct failures *failures);

/* Speed against threshold and roof; memory traffic. Nothing where nothing was measured. */
void report_speeds(const struct report *report);
void report_counters(const struct report *report);

/*
 * report/roofline.c: the tasks that were timed under this machine's roof, as a plot of characters (Williams et al.,
 * CACM 52, 2009).
 */
void report_roofline(const struct report *report);

bool report_print(const struct grader *grader, FILE *out, bool color); /* false: no memory */
bool report_json(const struct grader *grader, const char *path, char message[512]);

#endif
