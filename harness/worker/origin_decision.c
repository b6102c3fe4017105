/* Which condition decides what becomes of an element that goes into a value, and should not, or does not get into it. */
#include "harness/worker/origin_internal.h"

static bool is_in_row(const struct protocol_need *need, int64_t offset)
{
    const int64_t from = offset - need->first;
    if (need->stride == 0)
        return from == 0;
    return from % need->stride == 0 && from / need->stride >= 0 && from / need->stride < need->count;
}

/* Whether the element belongs to the value; true as well if nothing is known of its buffer. */
static bool belongs(const struct protocol_element *element, int buffer, int64_t offset)
{
    bool known = false;
    if (element->needs_more)
        return true;
    for (uint32_t r = 0; r < element->need_count; r++) {
        if (element->need[r].buffer != (uint32_t)buffer)
            continue;
        known = true;
        if (is_in_row(&element->need[r], offset))
            return true;
    }
    return !known;
}

/* The first element that goes into the value and does not belong to it; NULL: there is none. */
static const struct sim_origin_leaf *
find_extra(const struct question *q, const struct protocol_element *element, const struct sim_origin *origin)
{
    for (int i = 0; i < origin->leaf_count; i++) {
        const struct sim_origin_leaf *leaf = &origin->leaves[i];
        const int buffer = leaf->kind == SIM_ORIGIN_MEMORY && leaf->times
                               ? origin_buffer_at(q->request, q->mailbox, leaf->address)
                               : -1;
        if (buffer >= 0 &&
            !belongs(element, buffer, (int64_t)(leaf->address - q->mailbox->buffer_address[buffer])))
            return leaf;
    }
    return NULL;
}

static void put_decider(const struct question *q, const struct sim_origin_leaf *from,
                        struct protocol_decider *to)
{
    to->buffer = origin_buffer_at(q->request, q->mailbox, from->address);
    to->offset = to->buffer < 0 ? 0 : (int64_t)(from->address - q->mailbox->buffer_address[to->buffer]);
    to->index_uses = from->index_uses;
    to->place = origin_place_put(&from->place);
    to->index_place = origin_place_put(&from->index_place);
    to->thread = origin_thread_put(&from->thread);
}

struct value {
    const struct question *q;
    const struct protocol_element *element;
    const struct sim_origin *origin;
};

/* Whether the element neither belongs to the value nor goes in. */
static bool is_left_out(const void *context, uint64_t address)
{
    const struct value *value = context;
    const int buffer = origin_buffer_at(value->q->request, value->q->mailbox, address);
    if (buffer < 0 ||
        belongs(value->element, buffer, (int64_t)(address - value->q->mailbox->buffer_address[buffer])))
        return false;
    return !origin_leaf_at(value->origin, address);
}

/* Where the thread that reads the element goes another way than those whose elements are left out. */
static void put_way(const struct value *value, int buffer, uint64_t address, struct protocol_decision *to)
{
    const struct question *q = value->q;
    struct sim_origin_way way;
    if (!sim_origin_way(q->sim, address, q->mailbox->buffer_address[buffer], q->request->buffer[buffer].bytes,
                        is_left_out, value, &way))
        return;
    to->way = origin_place_put(&way.place);
    to->way_thread = origin_thread_put(&way.thread);
    to->way_others = way.others;
    to->way_ends_block = way.ends_block;
}

/* Of the element at `offset` in the buffer, which the thread reads. */
static void put_condition(const struct question *q, int buffer, uint64_t offset,
                          const struct sim_origin_thread *reader, struct protocol_decision *to)
{
    struct sim_origin_decision from;
    if (!sim_origin_decided(q->sim, reader, q->mailbox->buffer_address[buffer] + offset, &from))
        return;
    to->place = origin_place_put(&from.place);
    to->thread = origin_thread_put(reader);
    to->buffer = (uint32_t)buffer;
    to->offset = (int64_t)offset;
    for (int i = 0; i < from.leaf_count && i < SIM_ORIGIN_DECIDERS; i++)
        put_decider(q, &from.leaf[i], &to->by[to->count++]);
}

void origin_put_decision(const struct question *q, const struct protocol_element *element,
                         const struct sim_origin *origin, struct protocol_origin *to)
{
    const struct sim_origin_leaf *extra = find_extra(q, element, origin);
    const struct protocol_absence *missing = &to->absence;
    if (extra) {
        const int buffer = origin_buffer_at(q->request, q->mailbox, extra->address);
        put_condition(q, buffer, extra->address - q->mailbox->buffer_address[buffer], &extra->thread,
                      &to->decision);
        if (to->decision.place.line == 0)
            put_way(&(struct value){q, element, origin}, buffer, extra->address, &to->decision);
    } else if (missing->why == SIM_ORIGIN_DONE) {
        const uint32_t *block = missing->near.block, *at = missing->near.thread;
        const struct sim_origin_thread reader = {.launch = missing->near.launch,
                                                 .block = {block[0], block[1], block[2]},
                                                 .thread = {at[0], at[1], at[2]}};
        put_condition(q, (int)missing->buffer, (uint64_t)missing->wanted, &reader, &to->decision);
    }
}
