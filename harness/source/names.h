/* Names in the student's file of what a kernel uses. */
#ifndef HARNESS_NAMES_H
#define HARNESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/wire/protocol.h"

#define TRIAL_LINE 512 /* bytes of a line of the source */

/* The file's text; NULL: it cannot be read. Owned by the caller. */
char *trial_read_file(const char *path);
/* Line `number` without its comment. */
void trial_take_line(const char *text, int number, char line[TRIAL_LINE]);
/* Does the text stand there, and not as a part of a longer name or number? */
bool trial_stands_in(const char *line, const char *text);
/*
 * The array that the line stores to, or else the only one that it loads from: s_x for s_x[i] = d_x[i]. False: it shows none, or
 * more than one.
 */
bool trial_array_name(const char *line, bool stored, char name[64]);
/* "threadIdx.x" for "%tid.x"; NULL: it is no built-in variable. */
const char *trial_builtin_name(const char *special);
/* The name of a kernel's parameter number `number`; false: it is not found. */
bool trial_parameter_name(const char *text, const char *kernel, int number, char *name, size_t size);
/* Variable 0 or 1 of the change, as it is called in the source `file`; false: not known. */
bool trial_variable_name(const char *file, const struct protocol_change *change, int which, char name[64]);
/* The line of the kernel's first launch; 0: there is none. */
int trial_launch_line(const char *file, const char *kernel);

#endif
