/* The worker on the simulator: where the program launches. */
#include <stdio.h>

#include "harness/worker/backend.h"
#include "sim/device/sim.h"

_Static_assert(PROTOCOL_MAX_SEEN <= SIM_SEEN_LAUNCHES, "what is passed has been noted");

void backend_note_launches(void)
{
    sim_note_launches();
}

void backend_seen_launches(struct protocol_mailbox *mailbox)
{
    const struct sim_seen_launch *seen;
    const int count = sim_seen_launches(&seen);
    mailbox->seen_count = (uint32_t)(count < PROTOCOL_MAX_SEEN ? count : PROTOCOL_MAX_SEEN);
    for (uint32_t i = 0; i < mailbox->seen_count; i++) {
        snprintf(mailbox->seen[i].file, sizeof mailbox->seen[i].file, "%s", seen[i].file);
        mailbox->seen[i].line = seen[i].line;
    }
}
