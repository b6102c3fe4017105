/* By the text of the student's file: where the variables that a line names get their values. */
#pragma once

#include <stddef.h>

/*
 * "Line 40 uses `partner`, which is 2 * offset - tid (line 39); `before`, from lines 226 and 229.": of an index there, or of
 * what a launch is given, where something of that is known; else of all that the line reads. `call_line`: where its
 * function was called, 0: not known. "" if nothing of this is known, or the text is not understood.
 */
void uses_say(const char *text, int line, int call_line, char *said, size_t size);
/* Of a launch: "Line 89 gives it a + b bytes of dynamic shared memory; `b`, which is 2 * n (line 88)."; "": it is given none. */
void uses_say_bytes(const char *text, int line, char *said, size_t size);

#define USES_MOST 8

/* The lines that it says set what the line uses; how many. */
int uses_find(const char *text, int line, int lines[USES_MOST]);
