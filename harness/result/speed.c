#include "harness/result/speed.h"

#include <string.h>

double speed_seconds(const struct grader_speed *speed)
{
    return speed->wall_counts ? speed->wall : speed->time.median;
}

/* The worker's numbers: only if they can be true. */
void speed_take_waves(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    if (mailbox->grid_blocks == 0 || mailbox->blocks_per_sm == 0 || mailbox->blocks_per_sm > 1024 ||
        mailbox->sm_count == 0 || mailbox->sm_count > 65536)
        return;
    speed->waves.blocks = (double)mailbox->grid_blocks;
    speed->waves.blocks_per_sm = (int)mailbox->blocks_per_sm;
    speed->waves.wave = (double)mailbox->blocks_per_sm * mailbox->sm_count;
}

void speed_take_sm(struct grader_speed *speed, const struct protocol_mailbox *mailbox)
{
    speed->sm = mailbox->sm;
    memcpy(speed->kernel, mailbox->habits.kernel, sizeof speed->kernel);
}
