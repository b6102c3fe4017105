/*
 * What differs between a worker that owns a GPU and one that owns the simulator. All else goes
 * through the CUDA runtime API, which both have. A worker links exactly one of worker/gpu.c, worker/sim.c.
 */
#ifndef HARNESS_BACKEND_H
#define HARNESS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/wire/protocol.h"

/*
 * Opens the device and writes its name. False: none; `text` then says why. `model` is the key of the device that
 * the simulator is to model; a GPU is what it is.
 */
bool backend_open(const char *model, char *text, size_t size);

/* Memory in which this worker and others keep the source lines that they have looked up. */
void backend_share_lines(void *memory, size_t bytes);

/* Copies of `bytes` bytes to or from this memory are about to begin: makes them faster if it can. */
void backend_share(void *memory, size_t memory_bytes, size_t bytes);

/* From now on all that is done with the device goes to `fd` as well, for a device in another process; 0: no longer. */
void backend_record(int fd);

/* The student's function is about to be called with the buffers of this set. */
struct worker_set;
void backend_buffers(const struct protocol_request *request, const struct worker_set *set);

/* Gives device memory a name for messages. */
void backend_name(void *device, const char *name);

/* Fills device memory with a byte, so that reading it before writing is still a mistake. */
void backend_poison(void *device, int byte, size_t size);

/* Fills `size` bytes of device memory with the pattern, again and again. False: that failed. */
bool backend_repeat(void *device, size_t size, const void *pattern, size_t period);

/*
 * Before the student's function: forget old hazards and counts, and obey the request's wishes; what the mailbox says
 * of before.
 */
void backend_begin(const struct protocol_request *request, struct protocol_mailbox *mailbox);

/* After it, or when it ended the process: hazards, counters and modeled time into the mailbox. */
void backend_collect(const struct protocol_request *request, struct protocol_mailbox *mailbox);

/* After timed calls that went well: how the last launch fills the device, into the mailbox. */
void backend_launch(struct protocol_mailbox *mailbox);

/* The program's device code is the PTX in this file: the source compiled in another way, or changed copies of it, of which … */
bool backend_take_program(const char *path);
/* … the kernels and variables of this one, from 1, are the program's; to be called when it is loaded. */
void backend_take_copy(uint32_t copy);
/* Loads the program, before a copy of the process is made. */
void backend_load(void);
/* From now on launches are noted. */
void backend_note_launches(void);
/* The launches noted since then, into the mailbox. */
void backend_seen_launches(struct protocol_mailbox *mailbox);

/* Is this address device memory that host code cannot touch? Called from a signal handler; `may_ask`: the program's own code
   failed, so that the runtime can be called. */
bool backend_is_device(const void *address, bool may_ask);

/*
 * In the handler of SIGSEGV, first: true if the backend watches that memory and has noted the access; the handler
 * returns.
 */
bool backend_watches(const void *siginfo, void *context);

#endif
