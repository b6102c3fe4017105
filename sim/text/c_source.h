/*
 * The text of a source file in C, line by line, as far as reports look at it. Functions end with a brace in the first
 * column.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define C_LINE_SIZE   512
#define C_NAME_LENGTH 64

/* Without its comments of one line. */
struct c_source {
    char (*text)[C_LINE_SIZE]; /* free() it; line 1 is text[0] */
    int count;
};

/* From 1, the last one included. */
struct c_lines {
    int first, last;
};

/* count 0: it cannot be read. */
struct c_source c_source_read(const char *path);
struct c_lines c_function_around(const struct c_source *source, int line);

bool c_is_name(char c); /* a character of a name */
/* Of the name that begins here; 0: none does. */
size_t c_name_length(const char *text);
const char *c_skip_blanks(const char *text);
/* Behind what is in brackets of that kind, if it begins here, and blanks. */
const char *c_skip_brackets(const char *text, char open, char close);
/* The next place, from `from` on, of the name as a word of its own and not as a member; NULL: none. */
const char *c_find_word(const char *text, const char *from, const char *name);
/* Behind a name: is something stored in it? "= ", "+= ", "++", "[i] = "; not "==". */
bool c_is_assigned(const char *after);
