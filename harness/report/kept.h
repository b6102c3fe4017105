/*
 * What is kept from one grading to the next, for `make progress` and for what a report says of the last run: the file that
 * GRADER_KEEPS names, if ./grader has set it. A line per lab, number type, device and task, its fields separated by tabs:
 *
 *     lab real task passed cases points maximum ms best_ms best_day day device part best_part needed
 *
 * ms: of the speed, 0 if none is known; best_ms: of the runs in which the task was right; days as 2026-11-27; part: of
 * the roof, as in the report; needed: for the points, 0: no threshold. Older files lack the last three.
 */
#ifndef HARNESS_REPORT_KEPT_H
#define HARNESS_REPORT_KEPT_H

#include "harness/result/grader.h"

struct kept {
    char key[320]; /* lab, real, task, with tabs between; and the device behind the figures */
    char device[160];
    int passed, cases, points, maximum;
    double ms, best_ms, part, best_part, needed;
    char best_day[16], day[16];
    int place; /* in the file */
};

#define KEPT_MOST 1024 /* lines of other labs, number types and devices */

/* What is kept so far; 0: nothing. The caller frees `list`. */
int kept_read(struct kept **list);
/*
 * Says what has changed since the last run of the lab's skeleton, in a line or two, and keeps this one. Nothing where another
 * file or only some cases were graded. What cannot be written is not kept, and that is all: the folder may be read-only.
 */
void kept_update(const struct grader *grader, FILE *out);

#endif
