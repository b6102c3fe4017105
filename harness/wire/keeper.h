/*
 * A process beside the grader that ends the workers' groups, and removes what they have written, when the grader has ended,
 * however it did: with `kill -9`, too.
 * A worker ends with the grader by itself, but not what it has forked, which cannot leave its group.
 */
#ifndef HARNESS_KEEPER_H
#define HARNESS_KEEPER_H

#include <sys/types.h>

/* After sandbox_begin, whose folder it removes, and before there are threads. Where no process can be started, there is none. */
void keeper_start(void);
void keeper_stop(void);

/* The group begins; it has ended, and its number may be another's now. */
void keeper_add(pid_t group);
void keeper_remove(pid_t group);

#endif
