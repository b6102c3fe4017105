/* Cases run once more in the simulator, recorded, for the pictures of --html. */
#ifndef HARNESS_GRADE_TRACE_H
#define HARNESS_GRADE_TRACE_H

#include "harness/html/html.h"

/* [the_lab.task_count], NULL for a task that has no case to record. NULL: no memory. Free with traces_free. */
struct html_case **traces_take(struct grader *grader);
void traces_free(struct html_case **traces);

#endif
