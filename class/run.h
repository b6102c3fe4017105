/* One ./grade: what it was asked for, and the folders it works in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "class/settings.h"
#include "class/submission.h"

struct run {
    const char *root; /* the repository, absolute */
    const char
        *build; /* the folder of builds; as the other folders, seen from root, where this process works */
    const char *lab, *real, *backend, *again;
    char *results; /* absolute */
    char *work;    /* build/class/RUN: copies and temporary files of this run; removed when it ends */
    char *name;    /* RUN */
    int jobs;
    uint64_t seed;
    bool seed_by_name;
    struct settings settings;
    struct submissions submissions;
};

/* The seed of one submission. */
uint64_t run_seed(const struct run *run, const struct submission *submission);

/* A folder of this run's own, locked as long as this process lives; what killed runs have left behind goes. */
bool run_folder_begin(struct run *run);
void run_folder_end(struct run *run);
/* Where make builds submission `i`, and its copy of the source. Free them. */
char *run_built(const struct run *run, int i);
char *run_built_source(const struct run *run, int i);

/*
 * Grades what has no result yet, several at a time. `skeleton` is the lab's, which compiles. False: interrupted, or a result could not
 * be written; what was graded until then is in the results.
 */
bool queue_run(struct run *run, const char *skeleton);
