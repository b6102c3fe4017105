/* What was handed in: found in a folder as people, Moodle, Canvas and Gradescope fill it. Each has a record, whatever it is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "class/value.h"

struct submission {
    char *entry;          /* its name in the folder, as it is */
    char *path;           /* its CUDA file; NULL: there is none */
    char *name, *id;      /* whose it is, cleaned; id: the system's number, or "" */
    char *key;            /* names its results: letters, digits and _ . - */
    char *refused;        /* why it cannot be graded; NULL: it can */
    bool folder;          /* headers beside the file belong to it */
    bool again;           /* an earlier one has the same name and id */
    time_t date;          /* of the file */
    uint64_t checksum;    /* of what is graded */
    struct value *result; /* of results/json/KEY.json; NULL: not graded yet */
};

struct submissions {
    struct submission *all;
    int count;
    char **ignored; /* entries that are no submissions */
    int ignored_count;
};

/* In the order of their names. `packed`: it was a .zip, which may hold one folder with all of them. False: it cannot be read, which is told. */
bool submissions_find(struct submissions *found, const char *folder, bool packed);

/*
 * What is graded, copied into the folder `to`, its main file as student.cu or by its own name where that is plain, which is told in
 * `name`; `to` NULL: only the checksum is taken. Sets `refused` if it is not what a compiler should see.
 */
bool submission_take(struct submission *submission, const char *to, char name[80]);
