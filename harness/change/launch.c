/* What can be tried of a launch. */
#include <string.h>

#include "harness/change/change_internal.h"
#include "sim/device/launch_change.h"

#define THREADS_MOST  1024
#define SHARED_PLENTY 32768 /* bytes of dynamic shared memory */

/* What is tried now: of a launch. */
struct finding {
    struct trial_launches *to;
    const struct protocol_seen *seen;
};

static void offer(const struct finding *f, enum sim_launch_change_kind kind, int at, int64_t number)
{
    if (f->to->count < TRIAL_LAUNCHES_MOST)
        f->to->change[f->to->count++] = (struct protocol_launch_change){
            .kind = kind, .line = f->seen->place.line, .at = at, .number = number};
}

static void offer_blocks(const struct finding *f)
{
    for (int axis = 0; axis < (f->seen->grid[1] == 1 && f->seen->block[1] == 1 ? 1 : 2); axis++) {
        offer(f, SIM_LAUNCH_BLOCKS_MORE, axis, 1); /* before those that are more than enough, where one is */
        for (int times = 2; times <= 32; times *= 2)
            offer(f, SIM_LAUNCH_BLOCKS, axis, times);
    }
}

static void offer_threads(const struct finding *f)
{
    const uint32_t *block = f->seen->block;
    if (block[1] > 1)
        offer(f, SIM_LAUNCH_BLOCK_FLAT, 0, 0);
    for (int threads = 32; threads <= THREADS_MOST && block[1] == 1; threads *= 2)
        if ((uint32_t)threads != block[0] * block[2])
            offer(f, SIM_LAUNCH_THREADS, 0, threads);
}

static void offer_shared(const struct finding *f)
{
    if (f->seen->dynamic_shared < SHARED_PLENTY)
        offer(f, SIM_LAUNCH_SHARED, 0, SHARED_PLENTY);
}

static bool is_in_file(const struct protocol_seen *seen, const char *file)
{
    return seen->place.line > 0 && strcmp(text_file_name(seen->place.file), file) == 0;
}

/* The first launch of its line. */
static bool is_first(const struct trial_launches *launches, int number)
{
    for (int i = 0; i < number; i++)
        if (launches->seen[i].place.line == launches->seen[number].place.line)
            return false;
    return true;
}

void trial_find_launches(const struct trial *t, bool races, struct trial_launches *launches)
{
    static void (*const offers[])(const struct finding *) = {offer_threads, offer_blocks, offer_shared};
    const struct protocol_mailbox *mailbox = &t->exchange.mailbox;
    const char *file = text_file_name(t->grader->build.source);
    memset(launches, 0, sizeof *launches);
    memcpy(launches->seen, mailbox->seen, sizeof launches->seen);
    launches->seen_count = (int)mailbox->seen_count;
    for (size_t k = 0; k < sizeof offers / sizeof *offers; k++)
        for (int i = 0; i < launches->seen_count; i++) {
            const struct finding f = {launches, &launches->seen[i]};
            const bool shape = offers[k] != offer_shared;
            if (is_in_file(f.seen, file) && !trial_has_given(t, f.seen->place.line) &&
                is_first(launches, i) && !(races && shape))
                offers[k](&f);
        }
}
