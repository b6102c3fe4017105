/* Frames of called functions, and the registers in which they lie. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/block.h"
#include "sim/core/detail.h"
#include "sim/machine/warp.h"

/* ---- registers and frames ------------------------------------------------------------------------------ */

static bool grow_rows(struct warp *warp, int k, size_t bytes)
{
    if (bytes <= warp->rows_capacity[k])
        return true;
    size_t capacity = warp->rows_capacity[k] ? 2 * bytes : bytes;
    unsigned char *rows = aligned_alloc(64, (capacity + 63) / 64 * 64);
    if (!rows)
        return false;
    memset(rows, 0, capacity);
    if (warp->rows[k])
        memcpy(rows, warp->rows[k], warp->rows_capacity[k]);
    free(warp->rows[k]);
    warp->rows[k] = rows;
    warp->rows_capacity[k] = capacity;
    return true;
}

static bool grow_predicates(struct warp *warp, size_t count)
{
    if (count <= warp->predicate_capacity)
        return true;
    size_t capacity = warp->predicate_capacity ? 2 * count : count;
    uint32_t *predicates = realloc(warp->predicates, capacity * sizeof *predicates);
    if (!predicates)
        return false;
    memset(predicates + warp->predicate_capacity, 0,
           (capacity - warp->predicate_capacity) * sizeof *predicates);
    warp->predicates = predicates;
    warp->predicate_capacity = capacity;
    return true;
}

bool frame_reserve(struct warp *warp, const struct frame *frame)
{
    for (int k = 0; k < REGISTER_CLASSES; k++)
        if (!grow_rows(warp, k, frame->rows[k] + frame->layout->row_bytes[k]))
            return false;
    return grow_predicates(warp, frame->predicates + (size_t)frame->layout->predicate_count);
}

void frame_use(struct warp *warp, const struct frame *frame)
{
    for (int k = 0; k < REGISTER_CLASSES; k++)
        warp->base[k] = warp->rows[k] + frame->rows[k];
    warp->preds = warp->predicates + frame->predicates;
    warp->preds[PREDICATE_TRUE] = ~0u;
    warp->local = frame->local;
}

void frame_release(struct frame *frame)
{
    while (frame->parent && --frame->references == 0) {
        struct frame *parent = frame->parent;
        free(frame);
        frame = parent;
    }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

bool warp_stack_holds(const struct warp *warp, size_t bytes)
{
    const struct launch *launch = warp->block->launch;
    return !launch->stack_is_tight || bytes <= launch->stack_limit;
}

size_t warp_stack_taken(const struct warp *warp, unsigned lane)
{
    return warp->groups[warp->running].frame->stack_bytes + warp->stack_used[lane];
}

bool warp_call(struct warp *warp, uint32_t lanes, const struct function_layout *callee,
               const struct call_detail *call)
{
    struct frame *caller = warp->groups[warp->running].frame;
    struct frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return false;
    *frame = (struct frame){.parent = caller,
                            .depth = caller->depth + 1,
                            .return_pc = warp->pc,
                            .call = call,
                            .layout = callee,
                            .predicates = caller->predicates + (size_t)caller->layout->predicate_count,
                            .local = caller->local + caller->layout->local_size,
                            .stack_bytes = caller->stack_bytes + callee->call_bytes};
    for (int k = 0; k < REGISTER_CLASSES; k++)
        frame->rows[k] = caller->rows[k] + caller->layout->row_bytes[k];
    memcpy(frame->stack_used, warp->stack_used, sizeof frame->stack_used);
    if (!frame_reserve(warp, frame)) {
        free(frame);
        return false;
    }
    warp->mask &= ~lanes;
    caller->references++;
    warp_add_group(warp, lanes, callee->entry, frame);
    frame_use(warp, caller); /* the rows may have moved */
    return true;
}

void warp_return(struct warp *warp, uint32_t lanes)
{
    struct frame *frame = warp->groups[warp->running].frame;
    warp->mask &= ~lanes;
    for (int lane = 0; warp->block->launch->code->has_alloca && lane < WARP_LANES; lane++)
        if (lanes >> lane & 1)
            warp->stack_used[lane] = frame->stack_used[lane];
    warp_add_group(warp, lanes, frame->return_pc, frame->parent);
}
