/*
 * One candidate execution of a litmus test, and the axioms that say whether PTX allows it.
 *
 * Source: PTX ISA 9.0, chapter 8, "Memory Consistency Model"; the functions of execution.c are in its order and carry
 * its names. events.c makes the events and finds their values. Where the text leaves a choice:
 *
 *   - "Sequential Consistency Per Location" asks for no cycle of program order between overlapping operations and
 *     morally strong communication, edge by edge, as in Lustig, Sahasrabuddhe, Giroux: "A Formal Analysis of the
 *     NVIDIA PTX Memory Consistency Model", ASPLOS 2019, section 4.
 *   - Coherence order is the smallest order that the text asks for: morally strong pairs, causality, transitivity.
 *     Any larger one forbids more.
 *   - "Fence-SC order cannot contradict causality order": taken for base causality order, since causality
 *     order proper relates memory operations only.
 *   - An atomic operation is a read and a write behind it, as in that paper: where a weak write lies between
 *     them, the text, which speaks of one operation, forbids more.
 *   - An operation depends on those whose registers it uses, and on the condition in front of it. Behind "until",
 *     all of the thread depends on the load.
 *
 * Fence-SC and Sequential Consistency Per Location are checked because the text has them; since program order and
 * Fence-SC order are parts of base causality order, no test here would end otherwise without them.
 *
 * Not modeled: proxies, partly overlapping operations, clusters, the host.
 */
#pragma once

#include "tests/litmus/litmus.h"
#include "tests/litmus/relation.h"

struct event {
    int thread; /* -1: the write that initializes the location */
    int op;     /* number in the thread */
    const struct op *code;
    int location; /* -1: none */
    bool is_read, is_write;
    int phase; /* of a barrier: how often the thread has used it before */
    int value; /* read or written */
};

static inline bool event_is_atomic(const struct event *e)
{
    return e->code && (e->code->kind == OP_ATOM || e->code->kind == OP_RED);
}

/* What a candidate is chosen by: who reads from whom, and two orders. */
struct execution {
    const struct litmus_test *test;
    int count;
    struct event event[EVENTS_MAX];
    int rf[EVENTS_MAX];        /* the write that a read reads from */
    struct relation coherence; /* between morally strong writes of several threads, one way or the other */
    struct relation fence_sc;  /* between morally strong fence.sc of several threads, likewise */
    struct relation program;   /* follows from the test … */
    struct relation dependency;
    struct relation base_causality, causality; /* … and these are found by execution_is_allowed */
};

/* Which operations with a condition are done, and which compare-and-swaps swap: a bit for each of the test's
 * operations, see op_bit. */
struct path {
    uint32_t left_out, fails;
};
static inline uint32_t op_bit(int thread, int op)
{
    return UINT32_C(1) << (thread * OPS_MAX + op);
}

/* Whether r and w are the two halves of an atomic operation. */
static inline bool execution_is_update(const struct execution *x, int r, int w)
{
    return x->event[r].is_read && x->event[w].is_write && event_is_atomic(&x->event[r]) &&
           x->event[r].code == x->event[w].code;
}

/* The events of the test when this path is taken; rf and the two orders are still empty. */
void execution_begin(struct execution *x, const struct litmus_test *test, const struct path *path);
/* Two events whose order in `coherence` or `fence_sc` must be chosen. */
bool execution_needs_coherence(const struct execution *x, int a, int b);
bool execution_needs_fence_order(const struct execution *x, int a, int b);

/* Computes the values that are read and written. False: they come out of thin air, or do not fit the path. */
bool execution_values(struct execution *x, const struct path *path);
/* Whether all axioms hold; base_causality and causality are found on the way. */
bool execution_is_allowed(struct execution *x);

/* After execution_is_allowed: whether two events are in a data race (PTX ISA, "Conflict and Data-races"). */
bool execution_races(const struct execution *x, int a, int b);
/* Registers and last values. Where several writes may be the last one, `choice` picks among the combinations:
 * false if there are not so many. */
bool execution_outcome(const struct execution *x, int choice, struct outcome *outcome);
