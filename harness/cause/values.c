/* The right elements went in, and the value is wrong: conversions, numbers in the code, what an earlier call left. */
#include "harness/cause/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/origin/origin.h"

/* ---- undefined ----------------------------------------------------------------------------------------- */

bool cause_tell_undefined(struct cause *c)
{
    char place[256], thread[128];
    FOR_SOURCES(s, c)
    {
        if (!s->times || (s->kind != SIM_ORIGIN_UNWRITTEN && s->kind != SIM_ORIGIN_REGISTER))
            continue;
        c->rank = CAUSE_UNDEFINED;
        cause_name_thread(c, &s->thread, thread, sizeof thread);
        if (s->kind == SIM_ORIGIN_REGISTER) {
            fact_add(c->facts, FACT_NO_VALUE, FACT_SEEN, &c->origin->store[0].place);
            SAY(c,
                "%s depends on a variable of %s that was never set: give it a value where it is declared.\n",
                c->name, thread);
            cause_set_place(c, &c->origin->store[0].place);
            return true;
        }
        cause_name_place(c, cause_place_of(c, s->place), place, sizeof place);
        SAY(c, "%s depends on memory that was never written: %s reads it at %s.\n", c->name, thread, place);
        cause_set_place(c, cause_place_of(c, s->place));
        return true;
    }
    return false;
}

/* ---- what an earlier call left --------------------------------------------------------------------------- */

static void say_state(struct cause *c, const struct protocol_source *s)
{
    char at[256];
    cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
    SAY(c,
        "%s depends on %s%s, read at %s, which this call had not set by then: it is still 0, its initial value, or holds what an earlier call left there.\n",
        c->name, s->kind == SIM_ORIGIN_CONSTANT ? "constant memory, " : "the variable ",
        s->name[0] ? s->name : "without a name", at);
    cause_set_place(c, cause_place_of(c, s->place));
    c->rank = CAUSE_STATE;
}

bool cause_tell_state(struct cause *c, bool all_right)
{
    const struct protocol_source *constant = NULL;
    if ((all_right || c->origin->unset.is_constant) && cause_tell_unset(c))
        return true;
    FOR_SOURCES(s, c)
    {
        if (s->kind == SIM_ORIGIN_CONSTANT && s->times)
            constant = s;
        if (all_right && s->times && s->kind == SIM_ORIGIN_MEMORY && s->buffer < 0 && s->name[0]) {
            say_state(c, s);
            return true;
        }
    }
    /* Other constants may be meant to hold what they always held; of an input that is copied there, they are not. */
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const lab_needs_fn needs = c->call->task->needs;
    const int rows = needs ? needs(&c->call->run, c->buffer, c->index, need) : 0;
    if (!constant || rows < 2)
        return false;
    say_state(c, constant);
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

bool cause_tell_nan(struct cause *c)
{
    static const char *const made[] = {"infinity is subtracted from infinity", "0 is multiplied by infinity",
                                       "0 is divided by 0", "infinity is divided by infinity"};
    char at[256];
    for (uint32_t i = c->origin->step_count; i-- > 0 && isnan(c->got);) {
        const int note = c->origin->step[i].note;
        const struct protocol_place *place = &c->origin->step[i].place;
        if (note < SIM_ORIGIN_NAN_SUM || note > SIM_ORIGIN_NAN_QUOTIENT || place->line == 0)
            continue;
        cause_name_place(c, place, at, sizeof at);
        SAY(c, "%s is NaN because at %s, on its way there, %s.\n", c->name, at,
            made[note - SIM_ORIGIN_NAN_SUM]);
        cause_set_place(c, place);
        c->rank = CAUSE_INSTEAD;
        return true;
    }
    return false;
}

bool cause_tell_steps(struct cause *c)
{
    char at[256] = "", stored[256];
    if (c->origin->step_count == 0 || c->origin->step[0].note > SIM_ORIGIN_TO_HALF)
        return false;
    const bool known = c->origin->step[0].place.line > 0;
    if (known) {
        text_set(at, sizeof at, " at ");
        cause_name_place(c, &c->origin->step[0].place, at + 4, sizeof at - 4);
    }
    switch (c->origin->step[0].note) {
    case SIM_ORIGIN_TO_INTEGER:
        SAY(c, "On its way to %s, the value is converted to an integer%s.\n", c->name, at);
        break;
    case SIM_ORIGIN_TO_FLOAT:
        SAY(c, "On its way to %s, the value loses digits%s: a double is converted to float.\n", c->name, at);
        break;
    default:
        SAY(c, "On its way to %s, the value loses digits%s: it is converted to half precision.\n", c->name,
            at);
    }
    if (c->buffer >= 0 && c->origin->store_count > 0) {
        cause_name_place(c, &c->origin->store[0].place, stored, sizeof stored);
        SAY(c, "%s is stored at %s.\n", c->name, stored);
    }
    cause_set_place(c, known ? &c->origin->step[0].place : &c->origin->store[0].place);
    c->rank = CAUSE_STEP;
    return true;
}

/* A value that is no sum of elements of one array, but of products, say. */
static bool is_no_sum(const struct cause *c)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const lab_needs_fn needs = c->call->task->needs;
    const int rows = needs ? needs(&c->call->run, c->buffer, c->index, need) : 0;
    return rows > 1 || (rows > 0 && (need[0].any_times || need[0].counted));
}

void cause_tell_arithmetic(struct cause *c)
{
    char at[256], thread[128];
    cause_name_place(c, &c->origin->store[0].place, at, sizeof at);
    cause_name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    if (cause_tell_overwritten(c))
        return;
    c->rank = CAUSE_ARITHMETIC;
    if (is_no_sum(c)) {
        cause_set_place(c, &c->origin->store[0].place);
        SAY(c,
            "All the inputs of %s go into it; what is computed from them is wrong, or which one is combined with which. The result is stored at %s by %s",
            c->name, at, thread);
        cause_say_computed(c);
        SAY(c, ".\n");
        cause_keep_path(c);
        return;
    }
    SAY(c,
        "All the inputs of %s are right, and each is used once; what is computed from them is wrong. The result is stored at %s by %s",
        c->name, at, thread);
    cause_say_computed(c);
    SAY(c, ".\n");
    cause_keep_path(c);
    cause_set_place(c, &c->origin->store[0].place);
}

void cause_tell_facts(struct cause *c)
{
    char at[256], thread[128];
    if (cause_tell_unset(c))
        return;
    cause_name_place(c, &c->origin->store[0].place, at, sizeof at);
    cause_name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    c->rank = CAUSE_FACTS;
    SAY(c, "%s is stored at %s by %s", c->name, at, thread);
    if (c->origin->store_count > 1)
        SAY(c, ", the last of %llu stores", (unsigned long long)c->origin->store_count);
    SAY(c, ".\n");
    cause_set_place(c, &c->origin->store[0].place);
    cause_tell_arrival(c);
}
