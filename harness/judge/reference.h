/*
 * References that took long, kept for other calls with the same inputs until the grading ends: those of tasks with
 * lab_task.keeps_reference, and in any task a few elements that are made of very many. From any thread.
 */
#pragma once

#include "harness/judge/call.h"

/* Then it is computed as a whole and not in pieces. */
bool reference_is_worth_keeping(const struct call *call, int buffer);

/* The reference of an output, which may be one that was kept. False: no memory. To be given back by reference_done. */
bool reference_get(const struct call *call, int buffer, struct lab_expect *expect);
void reference_done(const struct call *call, int buffer, struct lab_expect *expect);

/* Frees what was kept. */
void reference_forget(void);
