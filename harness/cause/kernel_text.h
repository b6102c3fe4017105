/* What the text of a kernel says: which loop a line is in, and whether anything there changes its condition. */
#ifndef HARNESS_GRADER_KERNEL_TEXT_H
#define HARNESS_GRADER_KERNEL_TEXT_H

#include "harness/result/grader.h"
#include "harness/source/source.h"

/*
 * "The loop begins at student.cu:38: while (half > 0). Nothing in it changes half." False: the line is in no loop of the
 * file. `file`: the name that the sentence uses.
 */
bool kernel_text_loop(const struct source *source, const char *file, int line, char *text, size_t size);

/*
 * A call whose value is all that it is for stands alone, and nothing takes the value: "the value of fma() is used nowhere:
 * ...", and its line. In functions that the task uses. False: there is none.
 */
bool kernel_text_unused(const struct source *source, const char *task, char *text, size_t size, int *line);

/* Adds the sentence about the loop to what the finding says, if it is an endless loop. */
void kernel_explain_loop(const struct grader *grader, struct grader_finding *finding);

#endif
