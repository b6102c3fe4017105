/*
 * What small change of the source would make a program right? Here are the changes, of code that only the device runs and of
 * what launches are given: one at a time, of operators, numbers, names, terms of an index, barriers; and a file in which the
 * program stands many times, each time with another change, so that one run of nvcc compiles all of them. Which of them are
 * right is found by running them (harness/change/sources.c).
 *
 * The idea is that of search-based program repair (Weimer, Nguyen, Le Goues, Forrest: Automatically Finding Patches
 * Using Genetic Programming, ICSE 2009; parts for a change are taken from the same file there as well), without the genetics:
 * a student's mistake is mostly one place.
 */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include <stdbool.h>
#include <stdio.h>

enum repair_kind {
    REPAIR_COMPARE,   /* <= for < */
    REPAIR_OPERATOR,  /* - for + */
    REPAIR_ASSIGN,    /* += for = */
    REPAIR_NUMBER,    /* 1 for 0 */
    REPAIR_BUILTIN,   /* threadIdx.y for threadIdx.x */
    REPAIR_NAME,      /* another variable */
    REPAIR_FUNCTION,  /* another function: atomicMin for atomicMax */
    REPAIR_WITHOUT,   /* without an operand */
    REPAIR_TERM,      /* with another term: i + 1 for i */
    REPAIR_BARRIER,   /* another barrier */
    REPAIR_START,     /* another value at the beginning */
    REPAIR_ARGUMENTS, /* two arguments exchanged */
    REPAIR_REMAINDER, /* what a remainder is taken of, with the divisor added */
    REPAIR_INDEX,     /* another index: k for n - 1 - k */
    REPAIR_STORE,     /* a 0 stored before a condition or a loop */
    REPAIR_KINDS
};

#define REPAIR_PARTS  2
#define REPAIR_CALLED 8
#define REPAIR_TEXT   160

/* Where something else is put into the text. */
struct repair_part {
    int at, length; /* bytes */
    char with[REPAIR_TEXT];
};

struct repair_edit {
    enum repair_kind kind;
    int line;      /* of what is changed, from 1 */
    int cost;      /* what is likely is cheap */
    int near;      /* which of the lines that a report names is the nearest one */
    bool is_array; /* another array is used */
    int depth; /* of a barrier that comes: the loops around it, and REPAIR_CALLED more in a function that is called */
    int parts; /* 1 or 2; they do not overlap, and the first one stands first */
    struct repair_part part[REPAIR_PARTS];
    char from[REPAIR_TEXT],
        to[REPAIR_TEXT]; /* for people: what stands there, what stands there then; from may be "" */
};

struct repair; /* a file that is to be changed */

/*
 * `text`: the student's file; `header`: the lab's header, whose functions the file defines; `entry`: the one that is
 * wrong. What it does not use stays as it is. NULL: the file is not understood, or no memory. Free with repair_free.
 */
struct repair *repair_open(const char *text, const char *header, const char *entry);
void repair_free(struct repair *repair);

/* Tokens of the functions that a copy holds: how long they take to compile goes with it. */
int repair_size(const struct repair *repair);

/* Does a copy hold this function of the header? One that it does not hold ends the program when it is called. */
bool repair_holds(const struct repair *repair, const char *function);

struct repair_wish {
    const int
        *near; /* lines that a report names, `named_count` of them, and others that have to do with them */
    int near_count, named_count;
    bool (*is_given)(void *context, int line); /* lines that are not to be changed; NULL: none */
    void *context;
};

/*
 * Finds the changes, what is likely first: near the lines that are named, and of kinds that are common. Returns how many
 * there are; -1: no memory.
 */
int repair_find(struct repair *repair, const struct repair_wish *wish);
const struct repair_edit *repair_edit(const struct repair *repair, int number);
/* Is it one of what only the device runs? Else of a launch, which is the host's. */
bool repair_is_of_device(const struct repair *repair, int number);

#define REPAIR_NONE (-1) /* the number of no change */

/*
 * Writes a file in CUDA C: what the program needs, once for each of the changes `number[0 .. count - 1]`, each in a
 * namespace of its own; and the functions of the header, which call those of number[k] where the variable
 * `int repair_choice` is k + 1. The lines of change k are, for the compiler, those of the file "k/NAME", k from 0.
 */
bool repair_write(const struct repair *repair, const int *number, int count, const char *name, FILE *file);

/* The k of the first error in a line that a compiler or the linker printed about such a file; -1: none. */
int repair_error_of(const char *line, const char *name);
/* … of a warning of the compiler, and what it says. */
int repair_warning_of(const char *line, const char *name, const char **text);

#endif
