/* A number that was stored over although it was still needed, in the protocol's terms. */
#include "harness/worker/origin_internal.h"

#include <stdio.h>

void origin_put_over(const struct question *q, const struct protocol_element *element,
                     struct protocol_over *to)
{
    struct sim_origin_over from;
    if (element->buffer == PROTOCOL_COPIED_BACK || element->want == element->got)
        return;
    const sim_addr address = q->mailbox->buffer_address[element->buffer] + element->offset;
    if (!sim_origin_stored_over(q->sim, address, element->size, element->want, element->got, &from))
        return;
    *to = (struct protocol_over){.known = 1,
                                 .steps = (uint32_t)from.steps,
                                 .index = from.index,
                                 .before = from.before,
                                 .now = from.now,
                                 .read = origin_place_put(&from.read),
                                 .stored = origin_place_put(&from.stored),
                                 .over = origin_place_put(&from.over),
                                 .reader = origin_thread_put(&from.reader),
                                 .storer = origin_thread_put(&from.storer),
                                 .second = origin_thread_put(&from.second)};
    snprintf(to->name, sizeof to->name, "%s", from.name);
}
