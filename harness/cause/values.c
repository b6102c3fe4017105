/* The right elements went in, and the value is wrong: conversions, numbers in the code, what an earlier call left. */
#include "harness/cause/internal.h"
#include "harness/lab/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/origin/origin.h"

/* ---- undefined ----------------------------------------------------------------------------------------- */

bool cause_tell_torn(struct cause *c)
{
    char read[256], first[256], second[256];
    const struct protocol_origin *o = c->origin;
    if (!o->torn)
        return false;
    cause_name_place(c, &o->torn_read, read, sizeof read);
    cause_name_place(c, &o->torn_store[0], first, sizeof first);
    cause_name_place(c, &o->torn_store[1], second, sizeof second);
    SAY(c,
        "Two arrays overlap: an element that %s reads, and that %s depends on, was stored at %s, and then partly "
        "overwritten at %s. Both arrays use the same addresses.\n",
        read, c->name, first, second);
    cause_set_place(c, &o->torn_store[1]);
    c->rank = CAUSE_TORN;
    return true;
}

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
        "%s depends on %s%s, read at %s, which this call has not set: it is still 0, its initial value, or holds what an earlier call left there.\n",
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

bool cause_tell_steps(struct cause *c)
{
    char at[256] = "", stored[256];
    if (c->origin->step_count == 0)
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

/* ---- numbers in the code --------------------------------------------------------------------------------- */

double cause_number(const struct protocol_source *s)
{
    float single;
    double number;
    if (s->size == 4) {
        memcpy(&single, &s->bits, sizeof single);
        return single;
    }
    if (s->size == 8) {
        memcpy(&number, &s->bits, sizeof number);
        return number;
    }
    return (double)(int64_t)s->bits;
}

/* A number of the code, as the bits of an integer, that a thread stores as the output's first value. */
static bool is_stored_number(const struct cause *c, const struct protocol_source *s, double *number)
{
    float single;
    if (s->kind != SIM_ORIGIN_IMMEDIATE || s->size != 0 || c->buffer < 0 ||
        c->call->run.buffer[c->buffer].type != LAB_REAL)
        return false;
    for (uint64_t i = 0; i < c->origin->store_count && i < PROTOCOL_MAX_STORES; i++) {
        const struct protocol_store *store = &c->origin->store[i];
        if (store->is_atomic || !store->has_value || store->bits != s->bits ||
            store->place.line != cause_place_of(c, s->place)->line)
            continue;
        memcpy(&single, &s->bits, sizeof single);
        memcpy(number, &s->bits, sizeof *number);
        *number = sizeof(real) == sizeof single ? (double)single : *number;
        return isfinite(*number);
    }
    return false;
}

/* Of the largest of many: a number in the code that took part, as if it were an element. */
bool cause_tell_stand_in(struct cause *c)
{
    char at[256];
    FOR_SOURCES(s, c)
    {
        double number = cause_number(s);
        const bool stored = is_stored_number(c, s, &number);
        if ((s->kind != SIM_ORIGIN_IMMEDIATE && s->kind != SIM_ORIGIN_HOST) || !s->times ||
            (s->kind == SIM_ORIGIN_IMMEDIATE && !stored && (!isfinite(number) || s->size == 0)))
            continue;
        cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
        if (s->kind == SIM_ORIGIN_HOST)
            SAY(c, "The value that the host puts into %s at %s takes part in the maximum", s->name, at);
        else
            SAY(c, "The number %g at %s takes part in the maximum", number, at);
        SAY(c,
            ", as if it were an element: what stands in for a missing element, or what a maximum begins with, must not be larger than any element: use -infinity.\n");
        cause_set_place(c, cause_place_of(c, s->place));
        c->rank = CAUSE_INSTEAD;
        return true;
    }
    return false;
}

/* Of a label or a key, which is no number that a sum is made of. */
static bool tell_factor(struct cause *c, const struct protocol_source *s)
{
    char name[80];
    if (c->call->run.buffer[s->buffer].type == LAB_REAL || !(s->ways & SIM_ORIGIN_FACTOR))
        return false;
    cause_name_offset(c, (uint32_t)s->buffer, s->offset, name, sizeof name);
    SAY(c,
        "A factor of what is added is computed from %s: the elements of %s should only decide what is added, and are not "
        "multiplied by it. What is compared gives 0 or 1, a difference any number.\n",
        name, c->call->run.buffer[s->buffer].name);
    c->rank = CAUSE_DIFFERENCE;
    return true;
}

/* Elements that are subtracted where the others are added. */
bool cause_tell_signs(struct cause *c)
{
    char name[80], at[256];
    bool minus = false;
    FOR_SOURCES(s, c)
    {
        if (!minus && s->buffer >= 0 && s->times && tell_factor(c, s))
            return true;
        if (s->buffer < 0 || !s->times || !(s->ways & SIM_ORIGIN_MINUS) || (s->ways & SIM_ORIGIN_PLUS) ||
            minus)
            continue;
        minus = true;
        cause_name_offset(c, (uint32_t)s->buffer, s->offset, name, sizeof name);
        const struct protocol_place *place = cause_place_of(c, s->minus_place);
        cause_name_place(c, place, at, sizeof at);
        SAY(c, "%s%s subtracted%s%s, but should be added.\n", name, s->count > 1 ? " and others are" : " is",
            place->line > 0 ? " at " : "", place->line > 0 ? at : "");
        cause_set_place(c, place);
        c->rank = CAUSE_DIFFERENCE;
    }
    return minus;
}

/* A value that is no sum: numbers beside its inputs belong to its functions, and signs tell nothing. */
static bool is_no_sum(const struct cause *c)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const lab_needs_fn needs = c->call->task->needs;
    return needs && needs(&c->call->run, c->buffer, c->index, need) > 0 && need[0].any_times;
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
            "All the inputs of %s go into it; what is computed from them is wrong. The result is stored at %s by %s.\n",
            c->name, at, thread);
        return;
    }
    SAY(c,
        "All the inputs of %s are right, and each is used once; what is computed from them is wrong. The result is stored at %s by %s.\n",
        c->name, at, thread);
    cause_tell_signs(c);
    cause_tell_numbers(c);
    cause_tell_sum_of_numbers(c);
    cause_keep_path(c);
    cause_set_place(c, &c->origin->store[0].place);
}

/* "threadIdx.x and blockDim.x": of SIM_ORIGIN_TID_X and so on. */
static void name_uses(uint32_t uses, char *text, size_t size)
{
    static const struct {
        uint32_t use;
        const char *name;
    } names[] = {
        {SIM_ORIGIN_TID_X, "threadIdx.x"},  {SIM_ORIGIN_TID_Y, "threadIdx.y"},
        {SIM_ORIGIN_TID_Z, "threadIdx.z"},  {SIM_ORIGIN_CTAID_X, "blockIdx.x"},
        {SIM_ORIGIN_CTAID_Y, "blockIdx.y"}, {SIM_ORIGIN_CTAID_Z, "blockIdx.z"},
        {SIM_ORIGIN_NTID_X, "blockDim.x"},  {SIM_ORIGIN_NTID_Y, "blockDim.y"},
        {SIM_ORIGIN_NTID_Z, "blockDim.z"},  {SIM_ORIGIN_NCTAID, "gridDim"},
        {SIM_ORIGIN_LANE, "the lane"},
    };
    int left = 0, told = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        left += (uses & names[i].use) != 0;
    text_set(text, size, "%s", "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uses & names[i].use)
            text_append(text, size, "%s%s", told++ == 0 ? "" : told == left ? " and " : ", ", names[i].name);
}

/* Of a value that no memory goes into: which numbers of the thread and the block it is computed from. */
static void tell_position(struct cause *c)
{
    char names[160];
    uint32_t uses = 0;
    bool others = false;
    FOR_SOURCES(s, c)
    {
        if (s->times && s->kind == SIM_ORIGIN_SPECIAL)
            uses |= (uint32_t)s->offset;
        else if (s->times && s->kind != SIM_ORIGIN_IMMEDIATE && s->kind != SIM_ORIGIN_PARAMETER)
            others = true;
    }
    if (others || !uses || (uses & SIM_ORIGIN_OTHER))
        return;
    const char *missing = cause_lacking(c, uses, &c->origin->store[0].thread);
    name_uses(uses, names, sizeof names);
    SAY(c, "The value stored there is computed from %s", names);
    if (missing)
        SAY(c, ", and does not depend on %s", missing);
    SAY(c, ".\n");
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
    tell_position(c);
    cause_tell_numbers(c);
    FOR_SOURCES(s, c)
    if (s->kind == SIM_ORIGIN_CONSTANT) {
        cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
        SAY(c, "It depends on constant memory, %s, read at %s, which this call has not set.\n", s->name, at);
        break;
    }
    cause_set_place(c, &c->origin->store[0].place);
    cause_tell_arrival(c);
}
