/*
 * Values of expressions in the host's part of the student's file, by its text and the arguments of the call: enough
 * for what computes a grid, (n + SIZE - 1) / SIZE, and for the conditions in front of a launch. What is not known for
 * sure is not known: a variable that is changed, a name from elsewhere, a call of anything but a function that only
 * returns.
 */
#pragma once

#include "harness/source/source.h"

#include <stdint.h>

/* What a call of a task is known by. The pointers are the caller's. */
struct value_context {
    const struct source *source;
    const char *macros[2];               /* texts with lines of #define; NULL: none */
    const struct source_function *entry; /* the function that is called with the arguments */
    const char *const *names;            /* of the arguments, `count` of them, some may be NULL */
    const int64_t *args;
    int count;
    int real_size; /* bytes of a real */
};

/* Where a variable gets its value: the expression, up to its end, and the line it stands in. */
struct value_definition {
    const char *begin, *end;
    int line;
    bool is_integer; /* its type has no fractions */
};

/* The value of the expression, which stands in function `f`. False: not known. */
bool value_of(const struct value_context *context, const struct source_function *f, const char *begin,
              const char *end, double *value);

/*
 * Where the function's variable gets its value, if that is one place, its declaration, and nothing changes it. Of
 * dim3 grid(x, y) it is x. `name`: a word of `length` characters.
 */
bool value_definition(const struct value_context *context, const struct source_function *f, const char *name,
                      size_t length, struct value_definition *out);

/* The line of a place in the student's file, from 1. */
int value_line(const struct value_context *context, const char *at);
