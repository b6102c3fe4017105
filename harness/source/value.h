/*
 * Values of whole numbers in the host's part of the student's file, by its text and the arguments of the call: enough for what
 * computes a grid, (n + SIZE - 1) / SIZE, and for the conditions in front of a launch. What is not known for sure is not
 * known: a variable that is changed, what a function returns, fractions, what is below 0 or does not fit into an int.
 */
#pragma once

#include <stdint.h>

#include "harness/source/program.h"

/* What a call of a task is known by. The pointers are the caller's. */
struct value_context {
    const struct program *program;
    const struct item *entry; /* the function that is called with the arguments */
    const char *const *names; /* of the arguments, `count` of them, some may be NULL */
    const int64_t *args;
    int count;
};

/* The value of the expression from token `first` to `last`. False: not known. */
bool value_of(const struct value_context *context, int first, int last, int64_t *value);

/*
 * The expression from which the variable (NULL: none) gets its value, if that is one place, its declaration, and
 * nothing changes it; a whole number, or a dim3, of which it is x. False: there is none.
 */
bool value_definition(const struct program *program, const struct variable *v, int *first, int *last);
/* … what the only call of its function hands over, of a parameter that is a whole number and that nothing changes. */
bool value_argument(const struct program *program, const struct variable *v, int *first, int *last);
