/*
 * Which files are alike: winnowed fingerprints (Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document
 * fingerprinting") of their tokens, in which names and numbers are all one, so that renaming hides nothing. What the skeleton holds does
 * not count, nor what more than a third of a class of ten or more has: that the lab suggests it.
 */
#pragma once

#include "class/run.h"

struct pair {
    int a, b;           /* submissions */
    int shared;         /* fingerprints */
    double percent;     /* of those of the one that has fewer */
    bool identical;     /* the same bytes */
    int line_a, line_b; /* of the first shared one */
};

/* Pairs from settings.similar_percent on, the most alike first; free it. */
struct pair *similar_find(const struct run *run, const char *skeleton, int *count);

/* A sentence on what the list is, and what it is not. */
extern const char similar_meaning[];
