/* Parts of --self-test. */
#pragma once

#include "harness/result/grader.h"

/*
 * Judges right outputs with NaN, an infinity, a denormal number or a zero in all elements or in one. False: wrong ones
 * passed, right ones failed, or what was said of them is not so.
 */
bool self_test_special(const struct lab_task *task, uint64_t seed);

/* Do the tolerances of this lab reject wrong answers? */
int self_test(FILE *out, uint64_t seed);
