/* A variable that a line of source uses and an earlier line declares without a value, for reports: a guess from the text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A variable that a line uses, or that what it uses is made of. */
struct declaration {
    int line; /* that declares it without a value; 0: none or several variables come into question */
    char name[64];
    bool followed;  /* the line does not use it itself */
    bool never_set; /* no line of the function assigns to it or takes its address */
    bool is_array;
    char members[64]; /* "v.x, v.y": a structure of which only these get a value; else "" */
};

/*
 * `call_line`: in the same file, where the function is called that `line` stands in; 0: not known. Reads the file: for
 * reports only.
 */
struct declaration declaration_without_value(const char *file, int line, int call_line);

/* Whether the file contains one of the words, of which the last is NULL; true if it cannot be read. */
bool source_contains(const char *file, const char *const *words);
