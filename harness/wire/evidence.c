#include "harness/wire/evidence.h"

#include <string.h>

#define TAKE(field) memcpy(&mailbox->field, &device->field, sizeof mailbox->field)

static void take_hazards(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device)
{
    if (mailbox->hazard_count > 0)
        return;
    TAKE(hazard_count);
    TAKE(hazard);
}

static void take_counters(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device)
{
    TAKE(counters);
    TAKE(line_count);
    TAKE(line);
    TAKE(two_steps);
    TAKE(second_step);
    TAKE(float_sum);
    TAKE(grid_blocks);
    TAKE(blocks_per_sm);
    TAKE(sm_count);
}

static void take_times(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device)
{
    TAKE(model_seconds);
    TAKE(model_bytes);
    TAKE(model_error);
    TAKE(unlike_error);
    TAKE(rough_share);
    TAKE(sampled_blocks);
    TAKE(stored_share);
    TAKE(read_sum);
    TAKE(read_largest);
    TAKE(read_largest_at);
    TAKE(read_at);
    TAKE(limiter);
}

static void take_explanation(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device)
{
    TAKE(waste);
    TAKE(arithmetic);
    TAKE(alone);
    TAKE(habits);
    TAKE(sm);
    TAKE(idle);
    TAKE(busy);
    TAKE(shape_count);
    TAKE(shape);
    TAKE(sample_count);
    TAKE(sample);
}

void evidence_take(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device, uint32_t kind)
{
    take_hazards(mailbox, device);
    take_counters(mailbox, device);
    take_times(mailbox, device);
    if (kind == PROTOCOL_MODEL)
        take_explanation(mailbox, device);
}
