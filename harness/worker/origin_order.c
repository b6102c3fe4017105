/* Launches in the wrong order: a kernel reads a variable that only a later one stores. */
#include <stdio.h>
#include <string.h>

#include "harness/worker/origin_internal.h"
#include "sim/device/sim.h"

#define BYTES_MOST  64 /* of the value asked for */
#define LEAVES_MOST 4  /* variables that are looked at */

/* The value that was asked about. False: there is none. */
static bool find_value(struct sim *sim, const struct protocol_request *request,
                       const struct protocol_mailbox *mailbox, struct sim_origin *origin)
{
    const struct protocol_element *element = &request->origin[0];
    struct sim_origin_back back = {.size = element->size};
    if (element->buffer != PROTOCOL_COPIED_BACK)
        back.address = mailbox->buffer_address[element->buffer] + element->offset;
    else if (!sim_origin_copied_back(sim, &back))
        return false;
    if (back.size == 0 || back.size > BYTES_MOST)
        return false;
    return element->buffer == PROTOCOL_COPIED_BACK ? sim_origin_find_copied(sim, &back, origin)
                                                   : sim_origin_find(sim, back.address, back.size, origin);
}

/* The launch that stores there first, if it comes after launch `reader`; -1: none does. */
static int stored_after(struct sim *sim, const struct sim_origin_leaf *leaf, int reader)
{
    struct sim_origin origin;
    int launch = -1;
    if (!sim_origin_find(sim, leaf->address, (size_t)leaf->size, &origin))
        return -1;
    if (origin.store_count > 0 && origin.store_count <= SIM_ORIGIN_STORES)
        launch = origin.store[origin.store_count - 1].thread.launch;
    sim_origin_free(&origin);
    return launch > reader ? launch : -1;
}

static void tell(struct sim *sim, const struct sim_origin_leaf *leaf, int later,
                 struct protocol_mailbox *mailbox)
{
    struct protocol_remark *to = &mailbox->remark[mailbox->remark_count];
    struct sim_origin_launch first, second;
    sim_origin_launches(sim, leaf->thread.launch, &first);
    if (first.place.line == 0)
        return;
    to->kind = SIM_REMARK_ORDER;
    to->place.line = first.place.line;
    snprintf(to->place.file, sizeof to->place.file, "%s", first.place.file);
    const int length =
        snprintf(to->text, sizeof to->text, "%s, launched here, reads %s before ", first.kernel, leaf->name);
    sim_origin_launches(sim, later, &second);
    if (length > 0 && (size_t)length < sizeof to->text)
        snprintf(
            to->text + length, sizeof to->text - (size_t)length,
            "anything has stored it: the kernel that stores it, %s, is launched later, at line %d. The two launches are in "
            "the wrong order.",
            second.kernel, second.place.line);
    mailbox->remark_count++;
}

void origin_collect_order(struct sim *sim, const struct protocol_request *request,
                          struct protocol_mailbox *mailbox)
{
    struct sim_origin_launch launch;
    struct sim_origin origin;
    int looked_at = 0;
    if (request->origin_count == 0 || sim_origin_launches(sim, -1, &launch) < 2 ||
        mailbox->remark_count >= PROTOCOL_MAX_REMARKS || !find_value(sim, request, mailbox, &origin))
        return;
    for (int i = 0; i < origin.leaf_count && looked_at < LEAVES_MOST; i++) {
        const struct sim_origin_leaf *leaf = &origin.leaves[i];
        if (leaf->kind != SIM_ORIGIN_MEMORY || !leaf->name || !leaf->name[0] || !leaf->times ||
            origin_buffer_at(request, mailbox, leaf->address) >= 0)
            continue;
        looked_at++;
        const int later = stored_after(sim, leaf, leaf->thread.launch);
        if (later >= 0) {
            tell(sim, leaf, later, mailbox);
            break;
        }
    }
    sim_origin_free(&origin);
}
