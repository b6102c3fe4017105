/* One line on a terminal that says what is going on while it takes longer than half a second. */
#ifndef HARNESS_GRADER_PROGRESS_H
#define HARNESS_GRADER_PROGRESS_H

#include <stdbool.h>

void progress_enable(bool on);                /* only where standard output is a terminal */
void progress_begin(const char *format, ...); /* what is being done from now on */
void progress_tick(void);                     /* called now and then */
void progress_clear(void);                    /* before anything else is printed */

#endif
