/*
 * What the text of a kernel says about an access or a loop that went wrong: which loop a line is in and whether anything
 * there changes its condition; which variables of an index no condition tests.
 */
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
 * "student.cu:87: the index here uses row, and no condition before it tests row." False: the line has no index, or all that a
 * thread's number goes into is tested; `half`: or none of it is.
 * `array`: the one that is indexed wrongly; indexes of others on the line do not count.
 */
bool kernel_text_guard(const struct source *source, const char *file, int line, const char *array, bool half,
                       char *text, size_t size);

/*
 * A call whose value is all that it is for stands alone, and nothing takes the value: "the value of fma() is used nowhere:
 * ...", and its line. In functions that the task uses. False: there is none.
 */
bool kernel_text_unused(const struct source *source, const char *task, char *text, size_t size, int *line);

/* Add these sentences to what the finding says, if it is an endless loop; an access out of bounds, or a race of stores. */
void kernel_explain_loop(const struct grader *grader, struct grader_finding *finding);
void kernel_explain_guard(const struct grader *grader, struct grader_finding *finding);

#endif
