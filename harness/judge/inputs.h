/*
 * Inputs of calls, as filled. Large ones are shared by all calls that have the same, and kept for the next
 * ones while there is room. From any thread.
 */
#pragma once

#include "harness/judge/call.h"

/* Sets the data of the call's IN and INOUT buffers, which must not be changed. False, with a message: no memory. */
bool inputs_get(struct call *call, char message[256]);
void inputs_done(struct call *call); /* the call needs them no longer */
/* What is kept and is not for tasks like this one: its memory is used again. */
void inputs_retire(const struct lab_task *task);
void inputs_forget(void); /* frees what was kept */

/* How many bytes of inputs may be kept: an eighth of this machine's memory. */
uint64_t inputs_room(void);
