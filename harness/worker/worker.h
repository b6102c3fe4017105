/*
 * The worker: the process that runs the student's code. It trusts the grader and nothing else; the
 * grader does not trust it. Plain C over the CUDA runtime API, the same for GPU and simulator.
 */
#ifndef HARNESS_WORKER_H
#define HARNESS_WORKER_H

#include <stdbool.h>

#include "harness/wire/protocol.h"

/* The buffers of one call: copies of the slots, in device memory or on the heap. */
struct worker_set {
    bool used;
    int count;
    struct protocol_buffer spec[LAB_MAX_BUFFERS];
    void *base[LAB_MAX_BUFFERS];     /* guard, data, guard */
    void *data[LAB_MAX_BUFFERS];     /* what the student's function gets; NULL for no bytes at all */
    void *pristine[LAB_MAX_BUFFERS]; /* INOUT buffers of timed sets: to start again from */
};

struct worker {
    char *arena;
    uint64_t arena_bytes;
    struct protocol_mailbox *mailbox;
    const struct protocol_request *request; /* being served */
    struct worker_set single;               /* PROTOCOL_RUN: of the last call */
    struct worker_set timed[PROTOCOL_MAX_SETS];
    int timed_count; /* sets 0 .. timed_count - 1 are in use */
    void *room;      /* for their exchange; NULL: none yet */
};

/*
 * worker/memory.c. Each gives a cudaError_t, 0 for success. worker_set_create fills a set from the slots: in the memory that
 * it has, if that is of the same sizes and no other is asked for, otherwise in new memory.
 */
int worker_set_create(struct worker *worker, struct worker_set *set, const struct protocol_request *request,
                      bool keep_pristine);
int worker_set_reset(struct worker_set *set); /* INOUT as at first, OUT poisoned */
/* The contents of the two, of the same sizes, change places; `room` of EXCHANGE_BYTES on the device is needed for it. */
#define EXCHANGE_BYTES ((size_t)16 << 20)
int worker_set_exchange(struct worker_set *one, struct worker_set *other, void *room);
/* Back into the slots: every buffer, or the outputs only. */
int worker_set_fetch(struct worker *worker, struct worker_set *set, bool everything, uint64_t draw);
void worker_set_destroy(struct worker_set *set);

/* worker/case.c */
const struct lab_binding *worker_binding(const char *task);
void worker_fill_call(struct lab_call *call, const struct worker_set *set, const int64_t *arg);
/* Calls the student's function, with the mailbox's mark that it is running. */
void worker_call(struct worker *worker, const struct lab_binding *binding, struct lab_call *call);
void worker_fail(struct protocol_reply *reply, enum protocol_status status, int error);
/* What went wrong in the call: a launch, or its execution. True if nothing. */
bool worker_settle(struct protocol_reply *reply);
void worker_run_case(struct worker *worker, struct protocol_reply *reply);

/* worker/heap.c: whether what is allocated from now on is the student's function's. */
void worker_heap_watch(bool watches);
/*
 * Whether the block of the student's function that holds the address has fewer bytes than are needed from there on: how
 * many, of how many, and where it was allocated. False as well if no such block is known.
 */
bool worker_heap_is_short(const void *address, size_t needed, size_t *left, size_t *bytes,
                          struct protocol_place *place);

/* worker/fault.c: from now on a crash leaves its place in the mailbox. */
void worker_catch_faults(struct protocol_mailbox *mailbox);

/* worker/model.c */
void worker_model(struct worker *worker, struct protocol_reply *reply);

/* worker/change.c: the call with a change of the kernels, in a copy of the process. */
void worker_try(struct worker *worker, struct protocol_reply *reply);

/* worker/timing.c */
void worker_prepare(struct worker *worker, struct protocol_reply *reply);
void worker_round(struct worker *worker, struct protocol_reply *reply);
void worker_fetch(struct worker *worker, struct protocol_reply *reply);
void worker_batch(struct worker *worker, struct protocol_reply *reply);
void worker_release(struct worker *worker);

#endif
