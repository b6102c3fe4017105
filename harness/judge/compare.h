/*
 * Comparing what came back with what was expected, and recognizing the shape of an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/lab/lab.h"
#include "harness/result/finding.h"

#define COMPARE_SHOWN 5 /* first mismatches that are kept */

/* One array as it came back, beside the reference. Nothing here is owned. */
struct compare_view {
    enum lab_type type;
    bool doubles; /* got is an array of double whatever `type` says: scalar results */
    const void *got;
    const double *want;
    const double *tolerance;
    int64_t count;
    const double *previous; /* the reference of the call before this one, or NULL */
    const int64_t *arg;     /* [LAB_MAX_ARGS] the case's numbers, or NULL: for rows and columns */
};

struct compare_result {
    int64_t wrong;       /* elements out of tolerance, NaN included, and written ones of LAB_UNTOUCHED */
    int64_t unwritten;   /* of them, those that still hold the poison */
    int64_t nan;         /* of them, those that are NaN and not poison */
    int64_t first, last; /* index of the first and the last wrong one */
    int64_t shown[COMPARE_SHOWN];
    int shown_count;
    double worst;        /* largest |got - want| among the wrong ones that are finite */
    int64_t worst_index; /* -1: none is finite */
};

size_t lab_type_size(enum lab_type type);

/* The byte that fills an output before the call: every real made of it is a NaN that no
   computation gives; integers become 0xa5a5a5a5. */
int compare_poison(enum lab_type type);

/* Element `index` as a double; exact for every type. */
double compare_got(const struct compare_view *view, int64_t index);
bool compare_is_poison(const struct compare_view *view, int64_t index);

/* Is |got - want| <= tolerance, false for NaN? Equal infinities are equal. */
bool compare_close(double got, double want, double tolerance);

/* Is element `index` as it should be? */
bool compare_right(const struct compare_view *view, int64_t index);

/* Compares everything; true if nothing is wrong, which is all that it says. */
bool compare_agrees(const struct compare_view *view);

/* Compares everything; true if nothing is wrong. */
bool compare_run(const struct compare_view *view, struct compare_result *result);

/* "tail-missing": for the JSON report and for tests. */
const char *pattern_key(enum pattern pattern);

/* Names the shape of a failed comparison. */
enum pattern pattern_find(const struct compare_view *view, const struct compare_result *result,
                          char words[PATTERN_WORDS]);
