/* Which cases of which tasks, with which inputs. */
#pragma once

#include <stdio.h>

#include "harness/result/grader.h"

/* False: --only or --size fits nothing (message). */
bool plan_make(struct grader *grader, char message[512]);
void plan_free(struct grader *grader);
void plan_list(FILE *out);
