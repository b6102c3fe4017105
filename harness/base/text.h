/* Texts of a fixed size: what does not fit is cut, never written past the end. And how texts are printed. */
#pragma once

#include <stddef.h>
#include <stdio.h>

void text_set(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "1 elements" becomes "1 element", in place, for all that messages count: they need not care. */
void text_singular(char *text);

/* The file's name without its folders, in the path itself. */
const char *text_file_name(const char *path);

/* Takes every occurrence of `part` out. */
void text_remove(char *text, const char *part);

/*
 * How wide texts are: the terminal's columns; where there is none, the environment's COLUMNS, or 80; at most 100, which can
 * be read at a glance.
 */
int text_width(FILE *out);

/*
 * A text of several lines, broken between words where it is too wide, never inside a command that is to be repeated; at most
 * `most` lines of it, 0: all. Returns how many lines were printed.
 */
int text_print(FILE *out, int indent, const char *text, int most);
