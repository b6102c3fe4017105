/*
 * What a lab's binding.c gives the worker: one row for each task, which calls the student's
 * function with the buffers that the worker has allocated and filled. Plain C against labNN.h.
 */
#pragma once

#include <stdint.h>

#define LAB_MAX_BUFFERS 6
#define LAB_MAX_ARGS    6
#define LAB_MAX_RESULTS 8

struct lab_call {
    void *buffer[LAB_MAX_BUFFERS];  /* device addresses; host addresses for host buffers */
    int64_t arg[LAB_MAX_ARGS];      /* the case's numbers; what they mean the task says */
    double result[LAB_MAX_RESULTS]; /* scalars that the function returned */
};

struct lab_binding {
    const char *task; /* equals lab_task.id */
    void (*run)(struct lab_call *call);
};

extern const struct lab_binding lab_bindings[];
extern const int lab_binding_count;
