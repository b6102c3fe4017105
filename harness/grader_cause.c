#include "harness/grader_cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

/* ---- never stored -------------------------------------------------------------------------------------- */

static uint64_t threads_of(const struct protocol_launch *launch)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++)
        count *= (uint64_t)launch->grid[axis] * launch->block[axis];
    return count;
}

/* Another element is stored by several blocks or threads, with an index that does not tell them apart. */
static bool tell_shared_index(struct cause *c)
{
    const struct protocol_origin *o = c->other;
    char at[256], first[128], second[128];
    for (uint64_t i = 0; o->known && i < o->store_count && i < PROTOCOL_MAX_STORES; i++) {
        const struct protocol_store *store = &o->store[i];
        const char *missing = cause_lacking(c, store->index_uses, &store->thread);
        if (!missing || store->is_atomic)
            continue;
        const struct protocol_store *last = &o->store[i > 0 ? 0 : 1];
        cause_name_place(&store->place, at, sizeof at);
        cause_name_thread(c, &store->thread, first, sizeof first);
        SAY(c, "The index with which %s stores does not depend on %s", at, missing);
        if (o->store_count > 1) {
            cause_name_thread(c, &last->thread, second, sizeof second);
            SAY(c, ": %s and %s store the same element", first, second);
        }
        SAY(c, ".\n");
        cause_set_place(c, &store->place);
        return true;
    }
    return false;
}

/* Whether the element before is stored by the thread of its number: each thread has an element. */
static bool has_thread_per_element(const struct cause *c, const struct protocol_launch *launch)
{
    if (!c->other->known || c->other->store_count == 0 || !cause_is_flat(launch->grid) ||
        !cause_is_flat(launch->block))
        return false;
    const struct protocol_thread *thread = &c->other->store[0].thread;
    return c->index > 0 && (int64_t)thread->block[0] * launch->block[0] + thread->thread[0] == c->index - 1;
}

static bool tell_never_stored(struct cause *c)
{
    char launch[320], at[256], owner[96] = "";
    if (c->origin->store_count > 0)
        return false;
    if (c->mailbox->launch_count == 0) {
        SAY(c, "No kernel was launched, and nothing else stores %s. (A grid of 0 blocks launches nothing.)\n",
            c->name);
        return true;
    }
    const struct protocol_launch *first = &c->mailbox->launch[0];
    const bool alone = c->mailbox->launch_count == 1;
    const int64_t count = c->call->run.buffer[c->buffer].count, threads = (int64_t)threads_of(first);
    cause_name_launch(first, launch, sizeof launch);
    if (first->place.line > 0) {
        cause_name_place(&first->place, at, sizeof at);
        text_append(launch, sizeof launch, " at %s", at);
    }
    if (c->call->task->owner)
        c->call->task->owner(&c->call->run, c->buffer, c->index, owner, sizeof owner);
    SAY(c, "No thread stores %s%s%s%s.\n", c->name, owner[0] ? " (" : "", owner, owner[0] ? ")" : "");
    if (tell_shared_index(c))
        return true;
    if (alone && c->index >= threads && has_thread_per_element(c, first))
        SAY(c, "%s has %lld threads for %lld elements: is the number of blocks rounded up?\n", launch,
            (long long)threads, (long long)count);
    else if (alone)
        SAY(c,
            "%s was all that was launched: no thread of it takes this element, by its index or by a condition.\n",
            launch);
    else
        SAY(c, "%u kernels were launched, %s first.\n", c->mailbox->launch_count, launch);
    if (c->other->known && c->other->store_count > 0) {
        cause_name_place(&c->other->store[0].place, at, sizeof at);
        SAY(c, "The element beside it is stored at %s.\n", at);
        cause_set_place(c, &c->other->store[0].place);
    }
    return true;
}

/* ---- undefined ----------------------------------------------------------------------------------------- */

static bool tell_undefined(struct cause *c)
{
    char place[256], thread[128];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        if (s->kind != SIM_ORIGIN_UNWRITTEN && s->kind != SIM_ORIGIN_REGISTER)
            continue;
        cause_name_thread(c, &s->thread, thread, sizeof thread);
        if (s->kind == SIM_ORIGIN_REGISTER) {
            SAY(c,
                "Into %s goes a variable of %s that was never set: give it a value where it is declared.\n",
                c->name, thread);
            cause_set_place(c, &c->origin->store[0].place);
            return true;
        }
        cause_name_place(&s->place, place, sizeof place);
        SAY(c, "Into %s goes memory that nothing has written: %s reads it at %s.\n", c->name, thread, place);
        cause_set_place(c, &s->place);
        return true;
    }
    return false;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static bool tell_steps(struct cause *c)
{
    char at[256];
    if (c->origin->step_count == 0)
        return false;
    cause_name_place(&c->origin->step[0].place, at, sizeof at);
    switch (c->origin->step[0].note) {
    case SIM_ORIGIN_TO_INTEGER:
        SAY(c, "On the way to %s the number is turned into an integer at %s.\n", c->name, at);
        break;
    case SIM_ORIGIN_TO_FLOAT:
        SAY(c, "On the way to %s the number loses digits at %s: a double becomes a float.\n", c->name, at);
        break;
    case SIM_ORIGIN_TO_HALF:
        SAY(c, "On the way to %s the number loses digits at %s: it becomes a number in half precision.\n",
            c->name, at);
        break;
    default: SAY(c, "On the way to %s integers are divided at %s: what is left over is lost.\n", c->name, at);
    }
    cause_set_place(c, &c->origin->step[0].place);
    return true;
}

/* Numbers in the code that go into the value beside the elements, other than 0. */
static void tell_numbers(struct cause *c)
{
    char at[256];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        double number = (double)(int64_t)s->bits;
        if (s->kind != SIM_ORIGIN_IMMEDIATE || s->bits == 0)
            continue;
        if (s->size == 4) {
            float single;
            memcpy(&single, &s->bits, sizeof single);
            number = single;
        } else if (s->size == 8) {
            memcpy(&number, &s->bits, sizeof number);
        }
        cause_name_place(&s->place, at, sizeof at);
        SAY(c, "The number %g at %s goes into it%s", number, at, s->times > 1 ? "" : ".\n");
        if (s->times > 1)
            SAY(c, " %u times.\n", s->times);
    }
}

static void tell_arithmetic(struct cause *c)
{
    char at[256], thread[128];
    if (c->buffer < 0) {
        cause_name_place(&c->origin->copied, at, sizeof at);
        SAY(c,
            "What is copied back at %s is made of all the elements, each once: what the host makes of it is wrong, "
            "or not all of it is used.\n",
            at);
        cause_set_place(c, &c->origin->copied);
        return;
    }
    cause_name_place(&c->origin->store[0].place, at, sizeof at);
    cause_name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    if (cause_tell_overwritten(c))
        return;
    SAY(c,
        "%s is made of the elements that belong to it; what is computed from them is wrong. It is stored at %s by %s.\n",
        c->name, at, thread);
    cause_say_path(c);
    tell_numbers(c);
    cause_set_place(c, &c->origin->store[0].place);
}

/* Nothing is known of what it should be made of: the facts. */
static void tell_facts(struct cause *c)
{
    char at[256], thread[128];
    cause_name_place(&c->origin->store[0].place, at, sizeof at);
    cause_name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    SAY(c, "%s is stored at %s by %s", c->name, at, thread);
    if (c->origin->store_count > 1)
        SAY(c, ", the last of %llu times", (unsigned long long)c->origin->store_count);
    SAY(c, ".\n");
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++)
        if (c->origin->source[i].kind == SIM_ORIGIN_CONSTANT) {
            cause_name_place(&c->origin->source[i].place, at, sizeof at);
            SAY(c, "Constant memory goes into it, read at %s: does it hold what it should?\n", at);
            break;
        }
    cause_set_place(c, &c->origin->store[0].place);
}

/* A value that the host returned: what it copied back last. */
static bool tell_returned(struct cause *c)
{
    if (!c->call->task->needs)
        return false;
    if (!c->origin->known && c->origin->copied.line == 0) {
        SAY(c, "Nothing is copied back from the device.\n");
        return true;
    }
    if (!c->origin->known)
        return false;
    if (tell_undefined(c))
        return true;
    const int elements = cause_tell_elements(c);
    if (elements == 1 || tell_steps(c))
        return true;
    if (elements == 0)
        tell_arithmetic(c);
    return elements == 0;
}

int64_t cause_other_element(const struct call *call, int buffer, int64_t index)
{
    return index > 0 ? index - 1 : call->run.buffer[buffer].count - 1;
}

bool cause_of_value(const struct call *call, int buffer, int64_t index,
                    const struct protocol_mailbox *mailbox, char *text, size_t size,
                    struct protocol_place *place)
{
    struct cause c = {.call = call,
                      .mailbox = mailbox,
                      .origin = &mailbox->origin[0],
                      .other = &mailbox->origin[1],
                      .buffer = buffer,
                      .index = index,
                      .text = text,
                      .size = size,
                      .place = place};
    *place = (struct protocol_place){0};
    text_set(text, size, "%s", "");
    if (!c.origin->known && buffer >= 0)
        return false;
    cause_name_element(call, buffer, index, c.name, sizeof c.name);
    if (buffer < 0)
        return tell_returned(&c);
    if (tell_never_stored(&c) || tell_undefined(&c))
        return true;
    const int elements = cause_tell_elements(&c);
    if (elements == 1 || tell_steps(&c))
        return true;
    if (elements == 0)
        tell_arithmetic(&c);
    else
        tell_facts(&c);
    return true;
}
