/* Of what a value needs, or of an element that is not stored: what did not happen. */
#include "harness/worker/origin_internal.h"

void origin_put_absence(const struct question *q, uint32_t buffer, uint64_t offset, uint32_t size, bool store,
                        struct protocol_absence *to)
{
    const uint64_t base = q->mailbox->buffer_address[buffer];
    struct sim_origin_absence from;
    sim_origin_absent(q->sim, base, q->request->buffer[buffer].bytes, base + offset, size, store, &from);
    *to = (struct protocol_absence){
        .why = from.why,
        .buffer = buffer,
        .wanted = (int64_t)offset,
        .place = origin_place_put(&from.place),
        .near = origin_thread_put(&from.near),
        .near_offset = (int64_t)(from.near_address - base),
        .several = from.several,
    };
    if (from.guard.line > 0)
        to->guard = origin_place_put(&from.guard);
}

/* Whether the element is among what went in: memory comes first, by address. */
static bool goes_in(const struct sim_origin *origin, uint64_t address)
{
    int low = 0, high = origin->leaf_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const struct sim_origin_leaf *leaf = &origin->leaves[middle];
        if (leaf->kind == SIM_ORIGIN_MEMORY && leaf->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < origin->leaf_count && origin->leaves[low].kind == SIM_ORIGIN_MEMORY &&
           origin->leaves[low].address == address;
}

/* How far the element gets. */
static void put_lost(const struct question *q, uint64_t address, uint32_t size,
                     const struct sim_origin_thread *end, struct protocol_absence *to)
{
    struct sim_origin_lost lost;
    if (!sim_origin_lost(q->sim, address, size, end, &lost))
        return;
    to->lost = origin_place_put(&lost.place);
    to->lost_stores = lost.stores;
    to->lost_refused = lost.refused;
}

/* Of the first element that is needed and is not there. */
void origin_put_missing(const struct question *q, const struct protocol_element *element,
                        const struct sim_origin *origin, struct protocol_origin *to)
{
    for (uint32_t r = 0; r < element->need_count; r++) {
        const struct protocol_need *need = &element->need[r];
        if (need->buffer >= q->request->buffer_count || q->request->buffer[need->buffer].on_host)
            continue;
        for (int64_t k = 0; k < need->count; k++) {
            const uint64_t offset = (uint64_t)(need->first + k * need->stride);
            if (offset + need->size > q->request->buffer[need->buffer].bytes ||
                goes_in(origin, q->mailbox->buffer_address[need->buffer] + offset))
                continue;
            origin_put_absence(q, need->buffer, offset, need->size, false, &to->absence);
            if (to->absence.why == SIM_ORIGIN_DONE && origin->store_count > 0)
                put_lost(q, q->mailbox->buffer_address[need->buffer] + offset, need->size,
                         &origin->store[0].thread, &to->absence);
            return;
        }
    }
}
