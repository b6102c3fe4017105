/*
 * Which functions of the student's file a task uses, by the text alone: enough to tell whether a TODO that is still
 * open belongs to what fails. Comments, strings and lines of the preprocessor are passed over; a struct counts as a
 * function of its name. Two functions of one name are taken for one.
 */
#pragma once

#include "harness/source/token.h"

#define SOURCE_FUNCTIONS 256

struct source_function {
    char name[64];
    int first, last; /* lines, from 1 */
    bool of_student; /* in the student's file; else in binding.c */
    int open, close; /* tokens: its brackets */
};

/* Texts and tokens are owned. */
struct source {
    char *student, *binding; /* NULL: it cannot be read, or is not understood */
    struct tokens of_student, of_binding;
    struct source_function function[SOURCE_FUNCTIONS]; /* those behind the last one are not known */
    int count;
};

/* Reads the student's file and the lab's binding.c. Free with source_free. */
void source_read(struct source *source, const char *student_path, const char *binding_path);
/* As source_read, of texts that are in memory and become the source's; each may be NULL. */
void source_take(struct source *source, char *student, char *binding);
void source_free(struct source *source);

/*
 * Does the task's function, or one that it uses, contain line `line` of the student's file? Yes if the task's function
 * is not found.
 */
bool source_uses_line(const struct source *source, const char *task_id, int line);

/* The function of the student's file that the task calls; NULL: it is not found. */
const struct source_function *source_entry(const struct source *source, const char *task_id);
/* Are its brackets empty? */
bool source_is_empty(const struct source_function *function);
/* Does a function of the student's file that the task uses name it? */
bool source_uses_name(const struct source *source, const char *task_id, const char *name);
