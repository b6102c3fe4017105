/*
 * Numbers that comparisons treat in their own way: NaN, and zeros of both signs. Where exactly the cases with them
 * are wrong, that is the cause: a fact about the cases, and no guess.
 */
#pragma once

#include "harness/result/grader.h"

/* Of each task with wrong values: adds to the findings what its wrong cases have in common. */
void special_explain(struct grader *grader);
