/* What this GPU can do: its roofs. */
#pragma once

#include "harness/result/grader.h"

/*
 * Fills grader->roof: from the file in which an earlier grading put it, if that is of this
 * device and of the last day, or by calibrate. The copy is measured in any case.
 */
void roof_begin(struct grader *grader); /* starts calibrate, and does not wait for it */
void roof_measure(struct grader *grader);
/* The copy again: false, and roof->busy says why, if the GPU is busy or throttled now. */
bool roof_still_holds(struct grader *grader);
/* Reads and checks calibrate's figures. False: roof->why_not names the key that cannot be true. */
bool roof_parse(struct grader_roof *roof, const char *text);
/* The longest of the parts and, if `operations`, of the operations; of speed->bytes and speed->flops. */
struct grader_part roof_longest(const struct grader_roof *roof, const struct lab_speed *ask,
                                const struct lab_parts *parts, const int64_t *arg, bool operations);
