/* The parts of the report: shared by report/report.c and report/figures.c. */
#ifndef HARNESS_GRADER_REPORT_H
#define HARNESS_GRADER_REPORT_H

#include "harness/result/grader.h"

struct report {
    const struct grader *grader;
    FILE *out;
    bool color;
    bool explains;   /* all that is known of what is not right, without --verbose */
    int id_width;    /* of the tasks' column */
    int title_width; /* what is left for a task's title */
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

/* Adds drawings to what is told of the first failure, or of figures. */
typedef void (*report_draw_fn)(void *context, const struct failures *failures, FILE *out);

/* `draw`: of --explain, which says all that the report says, and more; else NULL. False: no memory. */
bool report_print(const struct grader *grader, FILE *out, bool color, report_draw_fn draw, void *context);
bool report_gcc(const struct grader *grader, FILE *out); /* --format=gcc; false: no memory */
/* Written as a whole. False: the message says why not. */
bool report_sarif(const struct grader *grader, const char *path, char message[512]);
bool report_json(const struct grader *grader, const char *path, char message[512]);

#endif
