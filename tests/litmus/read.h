/* Between the files that read the descriptions of litmus tests: words, names, and what is wrong with them. */
#pragma once

#include "tests/litmus/litmus.h"

struct reader {
    const char *file;
    int line;
    struct litmus_test *test; /* NULL before the first one */
};

/* ---- read_op.c --------------------------------------------------------------------------------------------- */

/* Says what is wrong in this line, and ends the program. */
__attribute__((format(printf, 2, 3), noreturn)) void read_fail(const struct reader *r, const char *format,
                                                               ...);
/* Splits at any of the separators; how many parts there are: `most` + 1 if there are more than `most`. */
int read_split(char *text, const char *separators, char **part, int most);
bool read_is_number(const char *word);
/* -1: there is none. */
int read_find_name(char names[][8], int count, const char *name);
int read_location(const struct reader *r, const char *word);
/* "[if a = 1] OPCODE OPERANDS [until 1]": the next operation of the thread. */
void read_op(const struct reader *r, struct litmus_thread *thread, char *text);
