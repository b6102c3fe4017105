/* One call of the student's function as the grader prepares it: inputs, slots, and what came back. */
#pragma once

#include "harness/lab/lab.h"
#include "harness/wire/arena.h"
#include "harness/wire/protocol.h"

struct call {
    const struct lab_task *task;
    struct lab_run
        run;       /* buffer[].data is the grader's own memory; inputs may be those of other calls, too */
    bool left;     /* inputs_done was called */
    uint64_t draw; /* of long outputs only some pieces are judged, which this random number chooses; 0: all */
    struct protocol_buffer spec[LAB_MAX_BUFFERS];
    /* What is wrong around or in the buffers that must stay as they were; filled by call_take. */
    struct call_damage {
        int64_t bytes_before, bytes_after;     /* changed in the guards */
        int64_t nearest_before, nearest_after; /* distance in bytes from the buffer's edge */
        int64_t inputs_changed;                /* elements */
        int64_t first_input;                   /* index of the first of them */
    } damage[LAB_MAX_BUFFERS];
};

/*
 * Shapes and fills the inputs of (task, arg, seed); what outputs hold is not defined. `guarded`: device buffers
 * get guard zones too (host buffers always do). False, with a message, if the lab's shape refuses
 * the arguments (a negative count) or memory is short. Free with call_free in both cases.
 */
bool call_make(struct call *call, const struct lab_task *task, const int64_t *arg, uint64_t seed,
               bool guarded, char message[256]);
void call_free(struct call *call);

/*
 * Gives back the memory of the outputs, which another call takes then, and takes some again. False: no memory; what
 * there is stays. Their contents are not kept.
 */
void call_drop_outputs(struct call *call);
bool call_have_outputs(struct call *call);

/* Bytes that the call's slots take in an arena, the mailbox included. */
uint64_t call_arena_bytes(const struct call *call);

/* Puts outputs behind everything else in the arena, so that there is room for those of another call as well. */
void call_move_outputs(struct call *call);

/* Shape only: lays out the slots without any data. For sizing the arena. */
bool call_shape(struct call *call, const struct lab_task *task, const int64_t *arg, bool guarded);

/* Writes guards and inputs into the arena, and the buffers into the request. */
void call_place(const struct call *call, const struct arena *arena, struct protocol_request *request);
/*
 * The same, but in device memory the worker has the inputs that the seed `seen` gives, so that its host code sees none of those that
 * the device apart has; parameters, which have one size in all cases, are the same. False: no memory; the worker has the same.
 */
bool call_place_unseen(struct call *call, uint64_t seen, const struct arena *arena,
                       struct protocol_request *request);

/*
 * Takes `outputs` and scalars into the grader's own memory, and looks at guards and at read-only inputs; unless
 * `everything` has been fetched, at the guards of outputs only.
 */
void call_take(struct call *call, const struct arena *arena, const struct protocol_reply *reply,
               bool everything, bool outputs);

/*
 * For a task with sum_of and an output of `count` elements: the sums before its granules 0, 1, ... up to the end of the
 * last one, in memory to be freed. They are computed in several threads. NULL: the task has no such sums, or no memory.
 */
double *call_sums_before(const struct call *call, int64_t count);

/* The reference of one OUT buffer or (-1) of the scalars; free both arrays. False: no memory. */
bool call_expect(const struct call *call, int buffer, struct lab_expect *expect);
void call_expect_free(struct lab_expect *expect);
