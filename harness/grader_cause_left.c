/* What is left over: sums in shared memory that no turn of a loop takes up, elements behind the last block's part. */
#include <stdio.h>

#include "harness/grader_cause_internal.h"

#include "sim/origin/origin.h"

bool cause_say_left(struct cause *c)
{
    const struct protocol_absence *a = &c->origin->absence;
    char thread[128], end[128], at[256], load[256], guard[256];
    if (!a->lost_keeps || a->lost.line == 0 || a->left_load.line == 0 || a->left_guard.line == 0)
        return false;
    cause_name_thread(c, &a->lost_thread, thread, sizeof thread);
    cause_name_thread(c, &c->origin->store[0].thread, end, sizeof end);
    cause_name_place(&a->lost, at, sizeof at);
    cause_name_place(&a->left_load, load, sizeof load);
    cause_name_place(&a->left_guard, guard, sizeof guard);
    SAY(c, "What %s stores in shared memory at %s, which includes it, is never read. ", thread, at);
    if (a->left_runs > 0)
        SAY(c,
            "The loop that reads shared memory at %s ends before: after %u turn%s, %s leaves it at the condition at %s",
            load, a->left_runs, a->left_runs == 1 ? "" : "s", end, guard);
    else
        SAY(c, "%s never comes to the load of shared memory at %s: the condition at %s is not met", end, load,
            guard);
    cause_say_condition(c, &a->left_guard);
    SAY(c, ".\n");
    cause_set_place(c, &a->left_guard);
    return true;
}

void cause_say_no_block(struct cause *c, const char *verb)
{
    char name[320], at[256], last[80];
    const struct protocol_absence *a = &c->origin->absence;
    const struct protocol_launch *launch = cause_launch(c, &a->near);
    const long long each = a->distance / (int64_t)lab_type_size(c->call->run.buffer[a->buffer].type);
    if (!launch)
        return;
    cause_name_offset(c, a->buffer, a->near_offset, last, sizeof last);
    cause_name_launch(launch, name, sizeof name);
    cause_name_launched(c, launch, at, sizeof at);
    SAY(c,
        "Each of the %u blocks of %s%s%s %s %lld elements of %s, the last block those up to %s: there are too few blocks "
        "for the elements that follow.\n",
        a->count, name, launch->place.line > 0 ? ", launched at " : "", launch->place.line > 0 ? at : "",
        verb, each, c->call->run.buffer[a->buffer].name, last);
    if (launch->place.line > 0)
        cause_set_place(c, &launch->place);
}

void cause_say_way(struct cause *c, const char *element)
{
    const struct protocol_decision *d = &c->origin->decision;
    char thread[128], at[256];
    if (d->way.line == 0 || d->way_others == 0)
        return;
    cause_name_thread(c, &d->way_thread, thread, sizeof thread);
    cause_name_place(&d->way, at, sizeof at);
    SAY(c,
        "%s, which reads %s%s, goes another way at %s than all %u threads whose elements are rightly left out",
        thread, element, d->way_ends_block ? " and is the last thread of its block" : "", at, d->way_others);
    cause_say_condition(c, &d->way);
    SAY(c, ".\n");
    cause_set_place(c, &d->way);
}
