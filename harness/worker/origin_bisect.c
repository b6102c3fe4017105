/* At which step a sum of products went wrong, in the protocol's terms. */
#include "harness/worker/origin_internal.h"
#include "sim/origin/origin_bisect.h"

#include <stdio.h>

/* The two rows, as factors; false: they are none, or not all in memory of the device. */
static bool factors_of(const struct question *q, const struct protocol_need *need,
                       struct sim_origin_factors *to)
{
    if (need[0].buffer == need[1].buffer || need[0].count != need[1].count || need[0].size != need[1].size)
        return false;
    to->count = need[0].count;
    for (int k = 0; k < 2; k++) {
        if (need[k].buffer >= q->request->buffer_count || q->request->buffer[need[k].buffer].on_host)
            return false;
        to->array[k] = q->mailbox->buffer_address[need[k].buffer];
        to->bytes[k] = q->request->buffer[need[k].buffer].bytes;
        to->first[k] = to->array[k] + (uint64_t)need[k].first;
        to->stride[k] = need[k].stride;
    }
    return true;
}

static struct protocol_element_at element_at(const struct question *q, sim_addr address)
{
    struct protocol_element_at at = {.buffer =
                                         address ? origin_buffer_at(q->request, q->mailbox, address) : -1};
    if (at.buffer >= 0)
        at.offset = (int64_t)(address - q->mailbox->buffer_address[at.buffer]);
    return at;
}

/* Both rows of all products have the same two arrays, and no other element belongs to the value. */
static int rows_of(const struct question *q, const struct protocol_element *element,
                   struct sim_origin_factors *factors)
{
    int count = 0;
    for (uint32_t r = 0; r < element->need_count; r += 2) {
        struct sim_origin_factors *to = &factors[count++];
        if (r + 1 == element->need_count || !element->need[r].with_next ||
            !factors_of(q, &element->need[r], to) || to->array[0] != factors[0].array[0] ||
            to->array[1] != factors[0].array[1])
            return 0;
    }
    return element->needs_more ? 0 : count;
}

void origin_put_bisect(const struct question *q, const struct protocol_element *element,
                       struct protocol_bisect *to)
{
    struct sim_origin_factors factors[PROTOCOL_MAX_NEEDS / 2 + 1];
    struct sim_origin_bisect from;
    const int count = rows_of(q, element, factors);
    const sim_addr address = q->mailbox->buffer_address[element->buffer] + element->offset;
    const struct protocol_need *need = &element->need[0];
    const bool is_copy = element->need_count == 1 && need->count == 1 && !need->with_next &&
                         need->buffer < q->request->buffer_count && !q->request->buffer[need->buffer].on_host;
    if (is_copy ? !sim_origin_misread(q->sim, address, element->size,
                                      q->mailbox->buffer_address[need->buffer] + (uint64_t)need->first, &from)
                : count == 0 || !sim_origin_bisect(q->sim, address, element->size, factors, count, &from))
        return;
    *to = (struct protocol_bisect){
        .what = from.what,
        .count = from.count,
        .right = element_at(q, from.right),
        .got = element_at(q, from.got),
        .wanted = element_at(q, from.wanted),
        .elsewhere = element_at(q, from.there_address),
        .at = origin_place_put(&from.at),
        .stored = origin_place_put(&from.stored),
        .put = origin_place_put(&from.put),
        .read = origin_place_put(&from.read),
        .replaced = origin_place_put(&from.replaced),
        .loaded = origin_place_put(&from.loaded),
        .by = origin_thread_put(&from.by),
        .last = origin_thread_put(&from.last),
        .putter = origin_thread_put(&from.putter),
        .reader = origin_thread_put(&from.reader),
        .replacer = origin_thread_put(&from.replacer),
        .loader = origin_thread_put(&from.loader),
        .index_uses = from.index_uses,
        .put_uses = from.put_uses,
        .index_known = from.index_known,
        .put_known = from.put_known,
        .anew = from.anew,
    };
    to->got.outside = to->got.buffer < 0 && from.outside;
    snprintf(to->here, sizeof to->here, "%.47s", from.here);
    snprintf(to->there, sizeof to->there, "%.47s", from.there);
}
