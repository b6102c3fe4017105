/*
 * The hints of a lab, as they stand in its hints.txt:
 *
 *     # a comment
 *
 *     TODO 1:
 *     The first hint for TODO 1, on as many lines as it needs; they are joined with spaces.
 *
 *     The second one: an empty line separates them.
 *
 *     TODO 2:
 *     ...
 *
 * The TODOs stand in order, from 1, and each has a hint. A comment is a line that is "#" or starts with "# ".
 * Blanks at both ends of a line, a byte-order mark and "\r\n" at the ends of lines do not matter.
 */
#ifndef HARNESS_GRADER_HINT_H
#define HARNESS_GRADER_HINT_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/result/grader.h"
#include "harness/source/todo.h"

#define HINTS_PER_TODO 8

struct hints {
    int todo_count;
    struct {
        int line;  /* of "TODO n:", from 1 */
        int count; /* hints, >= 1 */
        char *hint[HINTS_PER_TODO];
    } todo[TODO_MAX]; /* todo[0] is TODO 1 */
};

/* False: `message` says what is wrong and where, as "name:line: ..."; there is nothing to free then. */
bool hints_read(struct hints *hints, FILE *file, const char *name, char message[512]);
void hints_free(struct hints *hints);

/*
 * A hint for what fails; for the first open TODO if nothing does, or if it is not known what does. NULL:
 * nothing was graded. Returns the exit status; GRADER_USAGE with a message if the hints cannot be read.
 */
struct failures;
int hint_print(const struct grader *grader, const struct failures *failures, FILE *out, char message[512]);

#endif
