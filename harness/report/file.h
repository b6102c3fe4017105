/* Files that a report is written to besides: --json, --sarif, --html. */
#ifndef HARNESS_REPORT_FILE_H
#define HARNESS_REPORT_FILE_H

#include "harness/report/failure.h"

/* Can the file be written? So that this is known before it takes time to grade; the message says why not. */
bool file_possible(const char *option, const char *path, char message[512]);

/* Writes it as a whole: a reader never sees half of it. False: `message` says why not. */
typedef void (*file_write_fn)(const struct grader *grader, const struct failures *failures, void *context,
                              FILE *out);
bool file_write(const struct grader *grader, const char *option, const char *path, file_write_fn write,
                void *context, char message[512]);

#endif
