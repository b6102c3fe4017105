/* What a build or a grading has said, without our folders' names and control characters. Free the texts. */
#pragma once

#include "class/run.h"

#define SAID_REPORT (4u << 20) /* bytes */
#define SAID_JSON   (64u << 20)

/* The file `name` in a submission's `folder`; JSON stays JSON, of a report the first `most` bytes. NULL: it cannot be read. */
char *said_by(const struct run *run, int submission, const char *folder, const char *name, size_t most);
char *said_by_build(const struct run *run, int submission, const char *folder);
char *said_first_line(const char *text);
