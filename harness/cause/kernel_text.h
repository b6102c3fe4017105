/* What the text of a kernel says: of a call whose value nothing takes. */
#ifndef HARNESS_GRADER_KERNEL_TEXT_H
#define HARNESS_GRADER_KERNEL_TEXT_H

#include <stddef.h>

#include "harness/source/source.h"

/*
 * A call whose value is all that it is for stands alone, and nothing takes the value: "the value of fma() is used nowhere:
 * ...", and its line. In functions that the task uses. False: there is none.
 */
bool kernel_text_unused(const struct source *source, const char *task, char *text, size_t size, int *line);

#endif
