/* A variable of the device that the value depends on, and that this call has not set. */
#include "harness/cause/internal.h"

#include <string.h>

#include "harness/source/variable.h"

/* What the declaration gives a value, were it 0, is meant to hold it. */
static bool is_declared_with_value(const struct cause *c, const char *name)
{
    char line[512];
    bool constant;
    struct protocol_place place = {.line = state_find_variable(c->source, name, &constant)};
    text_set(place.file, sizeof place.file, "%s", c->source);
    return cause_read_line(c, &place, line) && strchr(line, '=');
}

/* "device_scale", "element 3 of c_h": it may have rows */
static void name_variable(const struct protocol_unset *u, char *text, size_t size)
{
    if (u->size > u->bytes)
        text_set(text, size, "element %llu of %s", (unsigned long long)(u->offset / u->bytes), u->name);
    else
        text_set(text, size, "%s", u->name);
}

bool cause_tell_unset(struct cause *c)
{
    char name[96], at[256];
    const struct protocol_unset *u = &c->origin->unset;
    if (u->size == 0 || is_declared_with_value(c, u->name))
        return false;
    name_variable(u, name, sizeof name);
    cause_name_place(c, &u->read, at, sizeof at);
    SAY(c, "%s depends on %s, %s, read at %s, which this call had not set by then: it %s.", c->name,
        u->is_constant ? "constant memory" : "a variable of the device", name, at,
        u->is_zero ? "still holds 0, its initial value" : "holds what an earlier call left there");
    SAY(c, u->is_constant ? " Fill it with cudaMemcpyToSymbol before it is read.\n" : "\n");
    cause_set_place(c, &u->read);
    c->rank = CAUSE_STATE;
    return true;
}
