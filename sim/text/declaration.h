/* A variable that a line of source uses and an earlier line declares without a value, for reports: a guess from the text. */
#ifndef SIM_DECLARATION_H
#define SIM_DECLARATION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The line that declares it, and its name; 0: the file cannot be read, or none or several variables come into question.
 * Reads the file: for reports only.
 */
int declaration_without_value(const char *file, int line, char *name, size_t size);

/* Whether the file contains one of the words, of which the last is NULL; true if it cannot be read. */
bool source_contains(const char *file, const char *const *words);

#endif
