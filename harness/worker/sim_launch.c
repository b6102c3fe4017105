/* The worker on the simulator: launches as they stand in the program, and changed ones. */
#include <stdio.h>

#include "harness/worker/backend.h"
#include "sim/device/sim.h"

static void put_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

_Static_assert(PROTOCOL_MAX_SEEN <= SIM_SEEN_LAUNCHES, "what is passed has been noted");

void backend_change_launches(const struct protocol_request *request)
{
    const struct protocol_launch_change *from = &request->launch_change;
    struct sim_launch_change change = {.kind = (enum sim_launch_change_kind)from->kind,
                                       .line = from->line,
                                       .at = from->at,
                                       .number = from->number};
    put_text(change.file, sizeof change.file, request->change_in);
    sim_change_launches(&change);
}

static void put_seen(const struct sim_seen_launch *from, struct protocol_seen *to)
{
    put_text(to->place.file, sizeof to->place.file, from->file);
    to->place.line = from->line;
    to->grid[0] = from->grid.x, to->grid[1] = from->grid.y, to->grid[2] = from->grid.z;
    to->block[0] = from->block.x, to->block[1] = from->block.y, to->block[2] = from->block.z;
    to->dynamic_shared = from->dynamic_shared;
}

void backend_seen_launches(struct protocol_mailbox *mailbox)
{
    const struct sim_seen_launch *seen;
    const int count = sim_seen_launches(&seen);
    mailbox->seen_count = (uint32_t)(count < PROTOCOL_MAX_SEEN ? count : PROTOCOL_MAX_SEEN);
    for (uint32_t i = 0; i < mailbox->seen_count; i++)
        put_seen(&seen[i], &mailbox->seen[i]);
}
