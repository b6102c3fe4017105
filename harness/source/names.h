/* Names in the student's file of what a kernel uses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "harness/wire/protocol.h"

#define TRIAL_LINE 512 /* bytes of a line of the source */

/* The file's text; NULL: it cannot be read. Owned by the caller. */
char *trial_read_file(const char *path);
/* Line `number` without its comment. */
void trial_take_line(const char *text, int number, char line[TRIAL_LINE]);
/* The name of a kernel's parameter number `number`; false: it is not found. */
bool trial_parameter_name(const char *text, const char *kernel, int number, char *name, size_t size);
