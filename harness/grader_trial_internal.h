/* Between grader_trial.c, which tries, and grader_trial_text.c, which has the words. */
#ifndef HARNESS_GRADER_TRIAL_INTERNAL_H
#define HARNESS_GRADER_TRIAL_INTERNAL_H

#include "harness/grader_trial.h"

/*
 * "student.cu:246: the condition is the wrong way round: with its opposite, ...": one line. `wrong`: cases that the change makes
 * right, of `failing`.
 */
void trial_sentence(const struct grader_build *build, const struct protocol_change *change, int wrong,
                    int failing, char *text, size_t size);

#endif
