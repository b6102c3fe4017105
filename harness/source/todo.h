/*
 * The TODO regions of a student's file:
 *
 *     // TODO 1: what to do, in a sentence or two,
 *     // perhaps on several lines.
 *     // end of TODO 1
 *
 * A region is open while it holds nothing but comments and blank lines.
 */
#pragma once

#include <stdbool.h>

#define TODO_MAX 32

struct todo {
    int number;
    int line; /* of "TODO n:", from 1 */
    int last; /* line of "end of TODO n"; 0: there is none */
    bool open;
    char text[512]; /* what to do, on one line */
};

/* Regions in the order of the text; at most TODO_MAX. -1: the file cannot be read. */
int todo_scan(const char *path, struct todo todo[TODO_MAX]);

/* The open region with the smallest number, or NULL. */
const struct todo *todo_first_open(const struct todo *todo, int count);
