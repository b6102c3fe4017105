/* Kernels with a label, "racy" or "right", for the tables of recall and precision (table.c). */
#pragma once

struct labelled_kernel {
    const char *name;
    const char *group;         /* a row of the table */
    int racy;                  /* 0: without a race */
    int faulty;                /* it goes out of bounds: reports of that are no false alarms */
    void (*launch)(int input); /* fresh memory, one launch on this input, and a wait for its end */
};

/* A growing table, ended by a kernel without a name. */
#define LABELLED_MAX 1024
