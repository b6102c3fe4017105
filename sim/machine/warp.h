/*
 * A warp: up to 32 lanes that run one instruction stream each, in groups that share a program counter.
 *
 * Lanes that run together form a group. A branch whose lanes disagree splits the group. Of the groups that
 * can run, the one in the deepest call, and there the one with the lowest pc, runs until it meets another,
 * waits or ends: the code's layout makes that the reconvergence at post-dominators. A group that spins (many
 * compare-and-swaps or volatile loads) or runs very long gives way, so that a lock between lanes of one
 * warp makes progress, as since Volta.
 */
#pragma once

#include "sim/core/code.h"
#include "sim/core/undefined.h"

struct block;

/* Each lane alone, and those that a handler adds before empty ones are removed. */
#define WARP_GROUPS (2 * WARP_LANES + 8)

/* One activation of a function, shared by the groups whose lanes came through the same call. */
struct frame {
    struct frame *parent; /* NULL for the kernel */
    int references;
    int depth;
    int return_pc;
    const struct call_detail *call;
    const struct function_layout *layout;
    size_t rows[REGISTER_CLASSES]; /* where its registers begin */
    size_t predicates;
    size_t local;                    /* where its local bytes begin in each thread's window */
    size_t stack_bytes;              /* that calls down to this one take, see function_layout.call_bytes */
    uint32_t stack_used[WARP_LANES]; /* by alloca, when it was entered */
};

enum group_state {
    GROUP_READY,
    GROUP_WARP_WAIT,  /* at a collective, for lanes that its mask names; pc is the collective itself */
    GROUP_BLOCK_WAIT, /* at a block's barrier; pc is the operation behind it */
};

struct group {
    uint32_t lanes;
    int pc;
    struct frame *frame;
    enum group_state state;
    const struct micro *wait; /* what it waits at */
    uint32_t value;           /* BLOCK_WAIT: lanes whose predicate is true (bar.red); WARP_WAIT: its mask */
    unsigned barrier;         /* BLOCK_WAIT: its number … */
    unsigned expected;        /* … and thread count, 0 for the whole block */
    int spins;                /* looks at what could be a lock, since it last met another group */
    bool yielded;             /* had its turn, others first */
};

enum warp_state {
    WARP_READY,    /* could go on: its slice is used up */
    WARP_SPINNING, /* could go on, but waits for other threads by looking again and again */
    WARP_WAITING,  /* every lane waits */
    WARP_DONE,     /* every lane has ended */
    WARP_FAULT,    /* block->status says why */
};

struct warp {
    /* What the loop and the handlers use all the time. */
    unsigned char *base[ROW_BASES];
    uint32_t *preds;
    uint32_t carry; /* of add.cc and its kin, a bit a lane */
    uint32_t full;  /* lanes that live; handlers may write any value to the others */
    uint32_t mask;  /* lanes of the running group */
    int pc, stop;   /* stop: where another group waits */
    int64_t budget;
    const struct micro *ops;
    struct op_count *counts;
    struct block *block;
    size_t local;    /* of the running frame */
    bool watched;    /* hazards, counters or the recording want to know of every access */
    int64_t turn;    /* the budget at which this turn began */
    int spins;       /* of the running group, see struct group */
    int slice_spins; /* of all groups in this slice */
    uint64_t looked_at,
        seen; /* where a loop that waits has looked last, and what it found; 0: nowhere, since a fence */
    uint32_t cluster_arrived; /* lanes, at the barrier of the cluster, … */
    uint32_t cluster_passed;  /* … and those that have not waited there since it was complete */
    unsigned held;            /* rounds of the block in which the warp does not run: warp_give_way() */
    unsigned index;
    uint32_t origin_number;            /* in the recording, if there is one */
    const struct micro *const *met_at; /* a collective of lanes at several places: where each is; else NULL */
    uint32_t forced; /* lanes whose next collective does not wait: the warp would be stuck */

    struct group groups[WARP_GROUPS];
    int group_count, running;
    enum warp_state state;
    struct frame root;

    /* Registers: one stack a class, grown by calls. */
    unsigned char *rows[REGISTER_CLASSES];
    size_t rows_capacity[REGISTER_CLASSES];
    uint32_t *predicates;
    size_t predicate_capacity;
    unsigned char *warp_rows;
    uint32_t stack_used[WARP_LANES];   /* bytes that alloca took from the end of each thread's local window */
    struct undefined_lanes *undefined; /* registers that may be undefined are followed; NULL: they are not */
    struct undefined_value undefined_stored; /* … by the store that runs; count 0: nothing undefined */
    bool begins_following;                   /* from this operation on: another loop has to run the warp */
    struct async_copies *async;              /* exec_async.c: copies under way, NULL if there never was one */
};

/* Allocates the registers that the kernel needs; the context can be started any number of times. */
bool warp_create(struct warp *warp, struct block *block, unsigned index);
void warp_destroy(struct warp *warp);
/* Sets to 0 what could be read before it is written. */
void warp_clear(struct warp *warp);
/* Puts all `lanes` at the kernel's entry. */
void warp_start(struct warp *warp, uint32_t lanes);
/* Runs at most `slice` operations. */
enum warp_state warp_run(struct warp *warp, int64_t slice);

/* ---- between warp.c, warp_turns.c and warp_frame.c ------------------------------------------------------ */

static inline struct group *warp_running(struct warp *warp)
{
    return &warp->groups[warp->running];
}
void warp_remove_empty_groups(struct warp *warp);
/* Groups that can run and have met become one. */
void warp_merge_groups(struct warp *warp);

/* A group of its own for lanes that belong to no other. */
struct group *warp_add_group(struct warp *warp, uint32_t lanes, int pc, struct frame *frame);
/* Makes room for the frame's registers; what other frames hold stays. */
bool frame_reserve(struct warp *warp, const struct frame *frame);
/* Lets the handlers see the frame's registers. */
void frame_use(struct warp *warp, const struct frame *frame);
/* One group less has the frame. */
void frame_release(struct frame *frame);

/* ---- for handlers -------------------------------------------------------------------------------------- */

/* Takes `lanes` out of the running group and lets them go on at `pc` as a group of their own. */
void warp_split(struct warp *warp, uint32_t lanes, int pc);
/* … as soon as no other group of the warp can go on. */
void warp_split_later(struct warp *warp, uint32_t lanes, int pc);
/* The lanes end. */
enum step warp_exit(struct warp *warp, uint32_t lanes);
/* Another look at something that might be a lock: after many of them others get their turn. */
enum step warp_spin(struct warp *warp);
/*
 * Other warps and blocks get their turn, unless they have had very many: what the group has stored may be waited for. The
 * warps that are slow in this order of things stay away for several rounds the first few times.
 */
enum step warp_give_way(struct warp *warp);
/* Whether it does so between two operations that should be one: only the first few times, and only if hazards are looked for. */
bool warp_may_stop_between(const struct warp *warp);
/* A slow warp has found something new: it stays away for several rounds, the first few times. Else `step`. */
enum step warp_look_away(struct warp *warp, enum step step);
/* Whether a thread's stack has `bytes` for calls and alloca. */
bool warp_stack_holds(const struct warp *warp, size_t bytes);
/* Bytes of it that the lane has taken by calls and alloca. */
size_t warp_stack_taken(const struct warp *warp, unsigned lane);
/* The running group's `lanes` enter a function, for which the stack has room; false: the host has no memory. */
bool warp_call(struct warp *warp, uint32_t lanes, const struct function_layout *callee,
               const struct call_detail *call);
/* The lanes return from the running frame. */
void warp_return(struct warp *warp, uint32_t lanes);
/*
 * A collective of `lanes` whose masks stand in `masks` (a row): those that can go on, together with lanes
 * that waited for them; the others wait. 0: none can. If the answer is not `lanes`, the groups have changed:
 * run the operation for the answer, then return STEP_SCHEDULE.
 */
uint32_t warp_gather(struct warp *warp, const struct micro *op, uint32_t lanes, const uint32_t *masks);
/* The lanes wait at a barrier of the block. */
void warp_wait_block(struct warp *warp, const struct micro *op, uint32_t lanes, unsigned barrier,
                     unsigned expected, uint32_t value);
/* The block's barrier is complete: groups that wait at it go on. */
void warp_release(struct warp *warp, unsigned barrier);
/* Source place of an operation. */
struct ptx_loc warp_loc(const struct warp *warp, const struct micro *op);
/*
 * The same of one that the running group executes, if one runs: in a function of a library's header, or of no known file, the place
 * of the call.
 */
struct ptx_loc warp_running_loc(const struct warp *warp, const struct micro *op);
