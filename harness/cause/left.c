/* What is left over: sums in shared memory that no turn of a loop takes up, elements behind the last block's part. */
#include <stdio.h>
#include <string.h>

#include "harness/cause/internal.h"
#include "harness/judge/compare.h"

#include "sim/origin/origin.h"

/* Whether the thread is the last one of its block, and there are several blocks. */
static bool ends_block(const struct cause *c, const struct protocol_thread *thread)
{
    const struct protocol_launch *launch = cause_launch(c, thread);
    bool last = launch && launch->grid[0] * launch->grid[1] * launch->grid[2] > 1;
    for (int axis = 0; axis < 3; axis++)
        last = last && thread->thread[axis] == launch->block[axis] - 1;
    return last;
}

/* Something else is stored in its place. */
static bool say_buried(struct cause *c)
{
    const struct protocol_absence *a = &c->origin->absence;
    char thread[128], other[128], at[256], there[256];
    if (a->buried.line == 0 || a->lost.line == 0)
        return false;
    cause_name_thread(c, &a->lost_thread, thread, sizeof thread);
    cause_name_thread(c, &a->buried_by, other, sizeof other);
    cause_name_place(c, &a->lost, at, sizeof at);
    cause_name_place(c, &a->buried, there, sizeof there);
    SAY(c,
        "What %s stores in shared memory at %s, which includes it, is read by no other thread: it is overwritten at %s, by %s%s%s.\n",
        thread, at, there, strcmp(thread, other) == 0 ? "the same thread" : other,
        ends_block(c, &a->buried_by) ? ", the last thread of its block" : "",
        at[0] && strcmp(at, there) == 0 ? ", when that line runs again" : "");
    cause_set_place(c, &a->buried);
    return true;
}

bool cause_say_left(struct cause *c)
{
    if (say_buried(c))
        return true;
    const struct protocol_absence *a = &c->origin->absence;
    char thread[128], end[128], at[256], load[256], guard[256];
    if (!a->lost_keeps || a->lost.line == 0)
        return false;
    cause_name_thread(c, &a->lost_thread, thread, sizeof thread);
    cause_name_thread(c, &c->origin->store[0].thread, end, sizeof end);
    cause_name_place(c, &a->lost, at, sizeof at);
    cause_name_place(c, &a->left_load, load, sizeof load);
    cause_name_place(c, &a->left_guard, guard, sizeof guard);
    SAY(c, "What %s stores in shared memory at %s, which includes it, is read by no other thread.\n", thread,
        at);
    cause_set_place(c, a->left_guard.line > 0 ? &a->left_guard : &a->lost);
    if (a->left_load.line == 0 || a->left_guard.line == 0)
        return true;
    if (a->left_runs > 0)
        SAY(c, "The loop in which %s reads shared memory at %s, %u time%s, ends at the condition at %s", end,
            load, a->left_runs, a->left_runs == 1 ? "" : "s", guard);
    else
        SAY(c, "%s never comes to the load of shared memory at %s: the condition at %s leads past it", end,
            load, guard);
    cause_say_condition(c, &a->left_guard);
    SAY(c, ".\n");
    return true;
}

void cause_say_no_block(struct cause *c, const char *verb)
{
    char name[320], at[256], last[80];
    const struct protocol_absence *a = &c->origin->absence;
    const struct protocol_launch *launch = cause_launch(c, &a->near);
    const struct lab_buffer *buffer = &c->call->run.buffer[a->buffer];
    const int64_t size = (int64_t)lab_type_size(buffer->type), each = a->distance / size,
                  left = buffer->count - a->wanted / size;
    if (!launch || each <= 0)
        return;
    cause_name_offset(c, a->buffer, a->near_offset, last, sizeof last);
    cause_name_launch(launch, name, sizeof name);
    cause_name_launched(c, launch, at, sizeof at);
    SAY(c, "%s", name);
    if (launch->place.line > 0)
        SAY(c, ", launched at %s,", at);
    cause_name_place(c, &a->place, at, sizeof at);
    SAY(c, " has %u blocks, and each %s %lld elements of %s at %s, the last one those up to %s: ", a->count,
        verb, (long long)each, buffer->name, at, last);
    if (left <= each) /* the number of blocks is rounded down */
        fact_add(c->facts, FACT_FEW_BLOCKS, FACT_SEEN, &launch->place);
    if (left <= each)
        SAY(c, "no block %s the elements that follow.\n", verb);
    else
        SAY(c, "%lld more blocks would be needed for the elements that follow.\n",
            (long long)((left + each - 1) / each));
    if (launch->place.line > 0)
        cause_set_place(c, &launch->place);
}
