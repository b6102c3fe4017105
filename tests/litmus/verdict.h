/*
 * What the memory model says of a litmus test: every outcome that some execution has, and every pair of operations
 * that races in one.
 *
 * All candidates are tried: each way through the conditions, each write for each read, each coherence order and
 * fence.sc order. Apart from that the interleavings of the threads are run one by one, as a machine without any
 * reordering would: each must be among the executions that the model allows.
 */
#pragma once

#include "tests/litmus/execution.h"

enum { OUTCOMES_MAX = 256, OP_IDS = THREADS_MAX * OPS_MAX };

struct race_set {
    uint32_t with[OP_IDS]; /* [operation]: the op_bits of those that it races with */
};

struct verdict {
    int count;
    struct outcome outcome[OUTCOMES_MAX];
    bool interleaved[OUTCOMES_MAX]; /* some interleaving ends so */
    struct race_set races;          /* in any execution that is allowed */
    struct race_set interleaved_races;
    long candidates, executions, interleavings;
};

/* Fills in *verdict. A message on stderr and exit status 2 if the test is too large. */
void verdict_find(const struct litmus_test *test, struct verdict *verdict);

/* Number of the outcome, -1 if the model forbids it. */
int verdict_outcome(const struct verdict *verdict, const struct outcome *outcome);
bool verdict_is_racy(const struct race_set *races);
/* The locations that the operations of the races access, as a set. */
uint32_t race_locations(const struct litmus_test *test, const struct race_set *races);

/* ---- between enumerate.c and interleave.c ------------------------------------------------------------------- */

/* Notes an execution that is allowed. */
void verdict_add(struct verdict *verdict, const struct execution *x, bool interleaved);
/* Adds all interleavings; false: the model forbids one, which is a mistake in the model. */
bool interleave(const struct litmus_test *test, struct verdict *verdict);
