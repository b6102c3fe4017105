/*
 * What is kept from one grading to the next, for `make progress` and for what a report says of the last run: the file that
 * GRADER_KEEPS names, if ./grader has set it. A line per lab, number type, device and task, its fields separated by tabs:
 *
 *     lab real task passed cases points maximum ms best_ms best_day day device
 *
 * ms: of the speed, 0 if none is known; best_ms: of the runs in which the task was right; days as 2026-11-27.
 */
#ifndef HARNESS_REPORT_KEPT_H
#define HARNESS_REPORT_KEPT_H

#include "harness/result/grader.h"

/*
 * Says what has changed since the last run of the lab's skeleton, in a line or two, and keeps this one. Nothing where another
 * file or only some cases were graded. What cannot be written is not kept, and that is all: the folder may be read-only.
 */
void kept_update(const struct grader *grader, FILE *out);

#endif
