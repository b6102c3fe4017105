/* Cases run once more in the simulator, recorded, for the pictures of --html. */
#pragma once

#include "harness/html/html.h"

/* [the_lab.task_count], NULL for a task that has no case to record. NULL: no memory. Free with traces_free. */
struct html_case **traces_take(struct grader *grader);
void traces_free(struct html_case **traces);
