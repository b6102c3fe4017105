/* What can be tried of a launch. */
#include <string.h>

#include "harness/change/change_internal.h"
#include "sim/device/launch_change.h"
#include "sim/ptx/ptx.h"

#define THREADS_MOST  1024
#define SHARED_PLENTY 32768 /* bytes of dynamic shared memory */

/* What is tried now. */
struct finding {
    struct trial_launches *to;
    const struct call *call;
    const struct protocol_mailbox *mailbox;
    const struct protocol_seen *seen;
    int number; /* of the launch */
};

/* What is wrong most often comes first, of all launches: the lower the earlier. */
static int rank_of(const struct protocol_launch_change *change)
{
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_BLOCKS_MORE:
    case SIM_LAUNCH_GRID_AXES:
    case SIM_LAUNCH_EXCHANGE:
    case SIM_LAUNCH_ARGUMENT_BEFORE:
    case SIM_LAUNCH_AFTER_NEXT: return 0;
    case SIM_LAUNCH_ARGUMENT_BLOCKS:
    case SIM_LAUNCH_ARGUMENT:
    case SIM_LAUNCH_ARGUMENT_NUMBER:
    case SIM_LAUNCH_ARGUMENT_MORE: return 1;
    case SIM_LAUNCH_THREADS: return change->number == 128 || change->number == 256 ? 0 : 2;
    case SIM_LAUNCH_BLOCKS_TIMES:
    case SIM_LAUNCH_BLOCKS_PART: return change->number == 2 ? 1 : change->number == 4 ? 2 : 3;
    default: return 2;
    }
}

static void offer(const struct finding *f, struct protocol_launch_change change)
{
    struct trial_launches *to = f->to;
    int at = to->count;
    if (to->count == TRIAL_LAUNCHES_MOST)
        return;
    change.line = f->seen->place.line;
    for (; at > 0 && rank_of(&to->change[at - 1]) > rank_of(&change); at--)
        to->change[at] = to->change[at - 1];
    to->change[at] = change;
    to->count++;
}

static void offer_plain(const struct finding *f, enum sim_launch_change_kind kind, int at, int from,
                        int64_t number)
{
    offer(f, (struct protocol_launch_change){
                 .kind = kind, .at = at, .from = from, .number = number, .buffer = -1, .argument = -1});
}

/* ---- grid and block ------------------------------------------------------------------------------------ */

static void offer_blocks(const struct finding *f)
{
    const uint32_t *grid = f->seen->grid;
    if (grid[0] != grid[1])
        offer_plain(f, SIM_LAUNCH_GRID_AXES, 0, 0, 0);
    for (int axis = 0; axis < 2; axis++) {
        if (axis == 1 && grid[1] == 1 && f->seen->block[1] == 1)
            continue;
        offer_plain(f, SIM_LAUNCH_BLOCKS_MORE, axis, 0, 1);
        for (int times = 2; times <= 32; times *= 2)
            offer_plain(f, SIM_LAUNCH_BLOCKS_TIMES, axis, 0, times);
        for (int part = 2; part <= 32 && grid[axis] > 1; part *= 2)
            offer_plain(f, SIM_LAUNCH_BLOCKS_PART, axis, 0, part);
        if (grid[axis] > 1)
            offer_plain(f, SIM_LAUNCH_BLOCKS, axis, 0, 1);
    }
}

static void offer_threads(const struct finding *f)
{
    const uint32_t *block = f->seen->block;
    const uint32_t all = block[0] * block[1] * block[2];
    if (block[0] != block[1] && block[1] > 1)
        offer_plain(f, SIM_LAUNCH_BLOCK_AXES, 0, 0, 0);
    if (block[1] > 1)
        offer_plain(f, SIM_LAUNCH_BLOCK_FLAT, 0, 0, 0);
    if (block[1] == 1 && block[0] * block[0] <= THREADS_MOST && block[0] > 1)
        offer_plain(f, SIM_LAUNCH_BLOCK_SQUARE, 0, 0, 0);
    for (int threads = 32; threads <= THREADS_MOST && block[1] == 1; threads *= 2)
        if ((uint32_t)threads != all)
            offer_plain(f, SIM_LAUNCH_THREADS, 0, 0, threads);
}

static void offer_shared(const struct finding *f)
{
    if (f->seen->dynamic_shared < SHARED_PLENTY)
        offer_plain(f, SIM_LAUNCH_SHARED, 0, 0, SHARED_PLENTY);
}

/* ---- arguments ----------------------------------------------------------------------------------------- */

static int argument_count(const struct finding *f)
{
    return (int)f->seen->argument_count;
}

static bool is_integer(const struct finding *f, int i)
{
    return f->seen->argument[i].size == 4 && f->seen->argument[i].type != PTX_F32;
}

static int32_t integer(const struct finding *f, int i)
{
    int32_t value;
    memcpy(&value, &f->seen->argument[i].value, sizeof value);
    return value;
}

static bool are_alike(const struct finding *f, int i, int j)
{
    return f->seen->argument[i].size == f->seen->argument[j].size &&
           f->seen->argument[i].type == f->seen->argument[j].type &&
           f->seen->argument[i].is_pointer == f->seen->argument[j].is_pointer &&
           f->seen->argument[i].size <= sizeof f->seen->argument[i].value &&
           f->seen->argument[i].value != f->seen->argument[j].value;
}

static void offer_exchanges(const struct finding *f)
{
    for (int i = 0; i < argument_count(f); i++)
        for (int j = i + 1; j < argument_count(f); j++)
            if (are_alike(f, i, j))
                offer_plain(f, SIM_LAUNCH_EXCHANGE, i, j, 0);
    for (int i = 0; i < argument_count(f); i++)
        for (int j = 0; j < argument_count(f); j++)
            if (are_alike(f, i, j))
                offer_plain(f, SIM_LAUNCH_ARGUMENT, i, j, 0);
}

/* Numbers that a launch may mean: those of the call, of blocks, of threads. */
static void offer_numbers(const struct finding *f, int i)
{
    const int32_t value = integer(f, i);
    const uint32_t *grid = f->seen->grid, *block = f->seen->block;
    for (int k = 0; k < LAB_MAX_ARGS; k++) {
        if (!f->call->task->arg_names[k] || f->call->run.arg[k] == value)
            continue;
        offer(f, (struct protocol_launch_change){
                     .kind = SIM_LAUNCH_ARGUMENT_NUMBER, .at = i, .buffer = -1, .argument = k});
    }
    if ((int64_t)grid[0] * grid[1] * grid[2] != value)
        offer_plain(f, SIM_LAUNCH_ARGUMENT_BLOCKS, i, 0, 0);
    if (f->number > 0)
        offer_plain(f, SIM_LAUNCH_ARGUMENT_BEFORE, i, 0, 0);
    if ((int64_t)block[0] * block[1] * block[2] != value)
        offer_plain(f, SIM_LAUNCH_ARGUMENT_THREADS, i, 0, 0);
    offer_plain(f, SIM_LAUNCH_ARGUMENT_MORE, i, 0, 1);
    offer_plain(f, SIM_LAUNCH_ARGUMENT_MORE, i, 0, -1);
}

/* Arrays of the call that a pointer may mean. */
static void offer_arrays(const struct finding *f, int i)
{
    for (int b = 0; b < f->call->run.buffer_count; b++)
        if (!f->call->run.buffer[b].on_host && f->mailbox->buffer_address[b] != 0 &&
            f->mailbox->buffer_address[b] != f->seen->argument[i].value)
            offer(f, (struct protocol_launch_change){
                         .kind = SIM_LAUNCH_ARGUMENT_NUMBER, .at = i, .buffer = b, .argument = -1});
}

static void offer_arguments(const struct finding *f)
{
    offer_exchanges(f);
    for (int i = 0; i < argument_count(f); i++) {
        if (is_integer(f, i))
            offer_numbers(f, i);
        if (f->seen->argument[i].is_pointer)
            offer_arrays(f, i);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void offer_order(const struct finding *f)
{
    if (f->to->seen_count < 2)
        return;
    if (f->number + 1 < f->to->seen_count)
        offer_plain(f, SIM_LAUNCH_AFTER_NEXT, 0, 0, 0);
    offer_plain(f, SIM_LAUNCH_NONE, 0, 0, 0);
}

static bool is_in_file(const struct protocol_seen *seen, const char *file)
{
    const char *slash = strrchr(seen->place.file, '/');
    return seen->place.line > 0 && strcmp(slash ? slash + 1 : seen->place.file, file) == 0;
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
    static void (*const offers[])(const struct finding *) = {offer_order, offer_blocks, offer_threads,
                                                             offer_shared, offer_arguments};
    const struct protocol_mailbox *mailbox = &t->exchange.mailbox;
    const char *slash = strrchr(t->grader->build.source, '/'),
               *file = slash ? slash + 1 : t->grader->build.source;
    memset(launches, 0, sizeof *launches);
    memcpy(launches->seen, mailbox->seen, sizeof launches->seen);
    launches->seen_count = (int)mailbox->seen_count;
    for (size_t k = 0; k < sizeof offers / sizeof *offers; k++)
        for (int i = 0; i < launches->seen_count; i++) {
            const struct finding f = {launches, &t->cases[0].call, mailbox, &launches->seen[i], i};
            const bool shape = offers[k] == offer_blocks || offers[k] == offer_threads;
            if (is_in_file(f.seen, file) && !trial_has_given(t, f.seen->place.line) &&
                is_first(launches, i) && !(races && shape))
                offers[k](&f);
        }
}
