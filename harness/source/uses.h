/* By the text of the student's file: where the variables that a line names get their values. */
#pragma once

#include <stddef.h>

/*
 * "Line 233 uses `before`, from lines 226 and 229; `row`, a parameter of add, which is called at line 246. The condition
 * at line 232 leads to line 233." "" if nothing of this is known, or the text is not understood.
 */
void uses_say(const char *text, int line, char *said, size_t size);

#define USES_MOST 8

/* The lines that it says set what the line uses; how many. */
int uses_find(const char *text, int line, int lines[USES_MOST]);
