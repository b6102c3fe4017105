/*
 * What is printed while the grading goes on: on a terminal, one line on standard output that says what is going on, where it
 * takes longer than half a second; and once, on standard error, a paragraph, in whose place the report comes.
 */
#pragma once

#include <stdbool.h>

void progress_enable(bool on);                /* only where standard output is a terminal */
void progress_begin(const char *format, ...); /* what is being done from now on */
void progress_tick(void);                     /* called now and then */
void progress_clear(void);                    /* before anything else is printed */
/*
 * A paragraph to be told at once; in the grading's first half second, at the end of that, unless the report comes before it
 * (progress_end): it says the same and more. Only on a terminal, where somebody waits. `grading_begun`: by process_clock.
 */
void progress_tell(const char *text, double grading_begun);
void progress_end(void); /* before the report */
