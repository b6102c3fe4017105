/* Variables of the student's file that keep their values from one call to the next. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The line of a CUDA file on which the variable of the device `name` is declared, and whether it is constant; 0: it
 * is not found.
 */
int state_find_variable(const char *path, const char *name, bool *constant);
/* The line of the first variable that is static inside of a function, and its name; 0: there is none. */
int state_find_static(const char *path, char *name, size_t size);
