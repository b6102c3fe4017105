/* Shared by grader_value*.c only: places in the student's text, without comments and strings. */
#pragma once

#include "harness/source/value.h"

#define VALUE_PARTS_MOST 8 /* parameters of a function */

bool value_in_word(char c);
const char *value_skip_blanks(const char *s, const char *end);
size_t value_word_length(const char *s, const char *end);
bool value_is_word(const char *s, size_t length, const char *word);
/* `words` ends with NULL. */
bool value_is_one_of(const char *s, size_t length, const char *const *words);
/* The next place between `s` and `end` where the word stands by itself; NULL: there is none. */
const char *value_find_word(const char *s, const char *end, const char *word, size_t length);
/* The end of the part that begins at `s`: a comma, semicolon or closing bracket at its own level, or `end`. */
const char *value_end_of_part(const char *s, const char *end);

/* Is the name that stands at `at` changed there, by something else than =: += ++ -- or by its address? */
bool value_is_changed_at(const char *at, size_t length, const char *begin, const char *end);
/* Does a type stand in front of it? */
bool value_is_declared_at(const char *at, const char *begin);

/* The number of the function's parameter with this name; -1: there is none. */
int value_find_parameter(const struct source *source, const struct source_function *f, const char *name,
                         size_t length);
/*
 * The only place in the student's functions where `f` is called: its parenthesis, and the function; NULL: none, or
 * several.
 */
const char *value_only_call(const struct source *source, const struct source_function *f,
                            const struct source_function **caller);

/* What follows #define NAME in the text. False: there is no such line. */
bool value_find_macro(const char *text, const char *name, size_t length, const char **begin,
                      const char **end);
/* What follows = in const int NAME = value; or enum { NAME = value }; outside of functions. */
bool value_find_constant(const struct source *source, const char *name, size_t length, const char **begin,
                         const char **end);
