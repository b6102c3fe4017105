/* Causes of wrong values in words: names, places, indices. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

/* ---- names --------------------------------------------------------------------------------------------- */

void cause_name_element(const struct call *call, int buffer, int64_t index, char *name, size_t size)
{
    if (buffer < 0) {
        const char *result = call->task->result_names[index];
        text_set(name, size, "%s", result ? result : "the returned value");
        return;
    }
    text_set(name, size, "%s[%lld]", call->run.buffer[buffer].name, (long long)index);
}

void cause_name_offset(const struct cause *c, uint32_t buffer, int64_t offset, char *text, size_t size)
{
    const struct lab_buffer *b = &c->call->run.buffer[buffer < LAB_MAX_BUFFERS ? buffer : 0];
    text_set(text, size, "%s[%lld]", b->name, (long long)(offset / (int64_t)lab_type_size(b->type)));
}

const struct protocol_launch *cause_launch(const struct cause *c, const struct protocol_thread *thread)
{
    return thread->launch >= 0 && thread->launch < PROTOCOL_MAX_LAUNCHES &&
                   thread->launch < (int)c->mailbox->launch_count
               ? &c->mailbox->launch[thread->launch]
               : NULL;
}

bool cause_is_flat(const uint32_t size[3])
{
    return size[1] == 1 && size[2] == 1;
}

static void say_position(char *text, size_t size, const char *what, const uint32_t at[3], bool flat)
{
    if (flat)
        text_append(text, size, "%s %u", what, at[0]);
    else
        text_append(text, size, "%s (%u,%u,%u)", what, at[0], at[1], at[2]);
}

/* "thread 5 of block 1", or with all coordinates. */
void cause_name_thread(const struct cause *c, const struct protocol_thread *thread, char *text, size_t size)
{
    const struct protocol_launch *launch = cause_launch(c, thread);
    text_set(text, size, "%s", "");
    say_position(text, size, "thread", thread->thread, launch && cause_is_flat(launch->block));
    say_position(text, size, " of block", thread->block, launch && cause_is_flat(launch->grid));
}

static void name_line(const struct protocol_place *place, char *text, size_t size)
{
    if (place->line > 0 && place->file[0])
        text_set(text, size, "%s:%d", text_file_name(place->file), place->line);
    else
        text_set(text, size, "an unknown line");
}

void cause_name_place(const struct cause *c, const struct protocol_place *place, char *text, size_t size)
{
    name_line(place, text, size);
    if (c->facts)
        fact_add_lines(c->facts, place);
    if (place->line <= 0 || place->call_line <= 0 || place->call_line == place->line)
        return;
    text_append(text, size, " (called at line %d", place->call_line);
    if (place->from_line > 0 && place->from_line != place->call_line)
        text_append(text, size, ", from line %d", place->from_line);
    text_append(text, size, ")");
}

/* The line at which the function begins that the line is in: the last one with text in its first column; 0: not known. */
static int function_of(const struct cause *c, int line)
{
    char text[512];
    int begin = 0;
    FILE *file = c->source ? fopen(c->source, "r") : NULL;
    for (int number = 1; file && number <= line && fgets(text, sizeof text, file); number++)
        if (strchr(" \t\n#/{}", text[0]) == NULL)
            begin = number;
    if (file)
        fclose(file);
    return begin;
}

void cause_name_launched(const struct cause *c, const struct protocol_launch *launch, char *text, size_t size)
{
    struct protocol_place place = launch->place;
    const int function = function_of(c, place.line);
    if (place.call_line > 0 && (function == 0 || function == function_of(c, place.call_line))) {
        place.call_line = function == 0 ? 0 : place.from_line;
        place.from_line = 0;
    }
    cause_name_place(c, &place, text, size);
}

const struct protocol_place *cause_place_of(const struct cause *c, uint16_t number)
{
    return &c->origin->place[number < PROTOCOL_MAX_PLACES ? number : PROTOCOL_MAX_PLACES - 1];
}

/* The first place that is given is that of the finding. */
void cause_set_place(struct cause *c, const struct protocol_place *place)
{
    if (c->place->line == 0)
        *c->place = *place;
}

/* "<<<3, 256>>>", or with all sizes. */
void cause_name_launch(const struct protocol_launch *launch, char *text, size_t size)
{
    text_set(text, size, "%s<<<", launch->kernel);
    if (cause_is_flat(launch->grid))
        text_append(text, size, "%u, ", launch->grid[0]);
    else
        text_append(text, size, "(%u,%u,%u), ", launch->grid[0], launch->grid[1], launch->grid[2]);
    if (cause_is_flat(launch->block))
        text_append(text, size, "%u>>>", launch->block[0]);
    else
        text_append(text, size, "(%u,%u,%u)>>>", launch->block[0], launch->block[1], launch->block[2]);
}

void cause_say_computed(struct cause *c)
{
    char at[256], made[256];
    const struct protocol_origin *o = c->origin;
    cause_name_place(c, &o->store[0].place, at, sizeof at);
    cause_name_place(c, &o->computed, made, sizeof made);
    if (o->computed.line > 0 && !o->store[0].is_atomic && strcmp(made, at) != 0)
        SAY(c, "; what is stored is computed at %s", made);
}

void cause_keep_path(const struct cause *c)
{
    for (uint32_t i = 0; c->facts && i < c->origin->path_count; i++)
        fact_add_lines(c->facts, &c->origin->path[i]);
}

/* ---- indices ------------------------------------------------------------------------------------------- */

/*
 * What an index should depend on and does not: the launch has more than one of it, and this thread is not at 0, so that
 * it makes a difference here. NULL: nothing of the kind.
 */
static const char *lacking(const struct cause *c, uint32_t uses, const struct protocol_thread *thread)
{
    static const struct {
        uint32_t use;
        bool of_block;
        int axis;
        const char *name;
    } parts[] = {
        {SIM_ORIGIN_CTAID_X, true, 0, "blockIdx.x"}, {SIM_ORIGIN_TID_X, false, 0, "threadIdx.x"},
        {SIM_ORIGIN_CTAID_Y, true, 1, "blockIdx.y"}, {SIM_ORIGIN_TID_Y, false, 1, "threadIdx.y"},
        {SIM_ORIGIN_CTAID_Z, true, 2, "blockIdx.z"}, {SIM_ORIGIN_TID_Z, false, 2, "threadIdx.z"},
    };
    if (!cause_launch(c, thread) || (uses & (SIM_ORIGIN_INDIRECT | SIM_ORIGIN_OTHER)))
        return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t *at = parts[i].of_block ? thread->block : thread->thread;
        if (!(uses & parts[i].use) && at[parts[i].axis] != 0)
            return parts[i].name;
    }
    return NULL;
}

static bool uses_anything(uint32_t uses)
{
    return (uses & (SIM_ORIGIN_TID_X | SIM_ORIGIN_TID_Y | SIM_ORIGIN_TID_Z | SIM_ORIGIN_CTAID_X |
                    SIM_ORIGIN_CTAID_Y | SIM_ORIGIN_CTAID_Z | SIM_ORIGIN_LANE)) != 0;
}

/* Of an index that leads to the wrong element: why, if that is known. */
bool cause_tell_index(struct cause *c, const struct protocol_place *place, uint32_t uses,
                      const struct protocol_thread *thread, bool store)
{
    char at[256];
    const char *missing = lacking(c, uses, thread);
    const struct protocol_launch *launch = cause_launch(c, thread);
    const bool flat = launch && cause_is_flat(launch->grid) && cause_is_flat(launch->block);
    if (!missing || !uses_anything(uses)) /* that of a tap, or of one value for all, need not */
        return false;
    if (!flat && !store) /* a row's index need not depend on the column */
        return false;
    cause_name_place(c, place, at, sizeof at);
    SAY(c, "The index of the %s at %s does not depend on %s.\n", store ? "store" : "read", at, missing);
    cause_set_place(c, place);
    return true;
}

void cause_tell_arrival(struct cause *c)
{
    if (c->origin->store_count == 0 || c->buffer < 0 ||
        !(c->origin->store[0].index_uses & SIM_ORIGIN_ARRIVAL))
        return;
    SAY(c, "Its index depends on what an atomic operation returned: on which threads come there first.\n");
    c->rank = CAUSE_INSTEAD;
}

/* Two kernels stored the element: the second one replaced what the first one had stored, or computed with it. */
bool cause_tell_overwritten(struct cause *c)
{
    char at[256], there[256], launched[256], launched_there[256];
    const struct protocol_store *store = c->origin->store;
    if (c->buffer < 0 || c->origin->store_count < 2 || store[0].is_atomic ||
        store[0].thread.launch == store[1].thread.launch)
        return false;
    const struct protocol_launch *last = cause_launch(c, &store[0].thread),
                                 *first = cause_launch(c, &store[1].thread);
    if (!last || !first || last->place.line == 0 || first->place.line == 0 ||
        last->place.line == first->place.line) /* the task calls the function more than once */
        return false;
    cause_name_place(c, &store[1].place, at, sizeof at);
    cause_name_place(c, &store[0].place, there, sizeof there);
    cause_name_launched(c, first, launched, sizeof launched);
    cause_name_launched(c, last, launched_there, sizeof launched_there);
    SAY(c, "Two kernels store it: first at %s in %s, launched at %s; then at %s in %s, launched at %s", at,
        first->kernel, launched, there, last->kernel, launched_there);
    SAY(c, "%s.\n",
        store[1].goes_in ? ", which computes with what the first one stored"
                         : ", a second launch that overwrites what the first one stored");
    cause_keep_path(c);
    c->rank = CAUSE_DOUBLED;
    return true;
}
