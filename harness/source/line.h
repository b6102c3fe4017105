/* The text of the student's file, and a line of it. */
#pragma once

#define TRIAL_LINE 512 /* bytes of a line of the source */

/* The file's text; NULL: it cannot be read. Owned by the caller. */
char *trial_read_file(const char *path);
/* Line `number` without its comment. */
void trial_take_line(const char *text, int number, char line[TRIAL_LINE]);
