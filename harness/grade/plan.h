/* Which cases of which tasks, with which inputs. */
#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include <stdio.h>

#include "harness/result/grader.h"

/* False: --only or --size fits nothing (message). */
bool plan_make(struct grader *grader, char message[512]);
void plan_free(struct grader *grader);
void plan_list(FILE *out);

#endif
