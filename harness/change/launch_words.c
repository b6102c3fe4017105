/* What a change of a launch that makes it right says about the launch. */
#include "harness/change/change_internal.h"
#include "sim/device/launch_change.h"

#define WHAT(...) text_append(words->what, sizeof words->what, __VA_ARGS__)
#define HOW(...)  text_append(words->how, sizeof words->how, __VA_ARGS__)

static const struct protocol_seen *seen_at(const struct trial_launches *launches, int line)
{
    int number = 0;
    while (number + 1 < launches->seen_count && launches->seen[number].place.line != line)
        number++;
    return &launches->seen[number];
}

void trial_launch_words(const struct trial *t, const struct protocol_launch_change *change,
                        struct trial_words *words)
{
    const struct protocol_seen *seen = seen_at(&t->launches, change->line);
    const uint32_t *block = seen->block, blocks = seen->grid[change->at], number = (uint32_t)change->number;
    const char *along = seen->grid[1] > 1 ? change->at == 0 ? " in x" : " in y" : "";
    *words = (struct trial_words){.line = change->line};
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_BLOCKS:
        WHAT("another number of blocks");
        HOW("with %u times as many blocks%s, %u instead of %u", number, along, blocks * number, blocks);
        break;
    case SIM_LAUNCH_BLOCKS_MORE:
        WHAT("another number of blocks");
        HOW("with one more block%s", along);
        break;
    case SIM_LAUNCH_BLOCK_FLAT:
        WHAT("a block of one dimension");
        HOW("with %u threads in x instead of %u x %u", block[0] * block[1], block[0], block[1]);
        break;
    case SIM_LAUNCH_SHARED:
        WHAT("more dynamic shared memory, of which the launch gives %llu bytes",
             (unsigned long long)seen->dynamic_shared);
        HOW("with more than enough dynamic shared memory, %u bytes instead of %llu", number,
            (unsigned long long)seen->dynamic_shared);
        break;
    default:
        WHAT("another number of threads per block");
        HOW("with %u threads per block instead of %u", number, block[0]);
    }
}
