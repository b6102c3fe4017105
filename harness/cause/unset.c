/* A variable of the device that the value depends on, and that this call has not set: what the host did instead. */
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

static bool is_of_student(const struct cause *c, const struct protocol_place *place)
{
    return place->line > 0 && strcmp(text_file_name(place->file), text_file_name(c->source)) == 0;
}

/* "device_scale", "element 3 of c_h": it may have rows */
static void name_variable(const struct protocol_unset *u, char *text, size_t size)
{
    if (u->size > u->bytes)
        text_set(text, size, "element %llu of %s", (unsigned long long)(u->offset / u->bytes), u->name);
    else
        text_set(text, size, "%s", u->name);
}

static void say_part(struct cause *c, const struct protocol_unset *u, const char *at)
{
    SAY(c, " %s fills only ", at);
    if (u->part_first == 0)
        SAY(c, "the first %llu", (unsigned long long)u->part_bytes);
    else
        SAY(c, "bytes %llu to %llu", (unsigned long long)u->part_first,
            (unsigned long long)(u->part_first + u->part_bytes - 1));
    SAY(c,
        " of its %llu bytes, and this element begins at byte %llu: sizes and offsets of copies count bytes.\n",
        (unsigned long long)u->size, (unsigned long long)u->offset);
}

/* What the host did instead, with the line where it did so. */
static void say_instead(struct cause *c, const struct protocol_unset *u)
{
    char at[256];
    if (is_of_student(c, &u->late)) {
        cause_name_place(c, &u->late, at, sizeof at);
        SAY(c, " It is filled too late, at %s: fill it before the kernel is launched.\n", at);
        cause_set_place(c, &u->late);
    } else if (is_of_student(c, &u->part)) {
        cause_name_place(c, &u->part, at, sizeof at);
        say_part(c, u, at);
        cause_set_place(c, &u->part);
    } else if (is_of_student(c, &u->fetched)) {
        cause_name_place(c, &u->fetched, at, sizeof at);
        SAY(c,
            " %s copies it the other way, from the device to the host: cudaMemcpyToSymbol fills a variable, "
            "cudaMemcpyFromSymbol reads it.\n",
            at);
        cause_set_place(c, &u->fetched);
    } else if (is_of_student(c, &u->other)) {
        cause_name_place(c, &u->other, at, sizeof at);
        SAY(c, " %s fills %s, on which this value does not depend.\n", at, u->other_name);
    } else {
        if (u->is_constant)
            SAY(c,
                " Fill it with cudaMemcpyToSymbol before it is read: that copy is missing, or comes too late.\n");
        else
            SAY(c,
                " Fill it in a kernel, or with cudaMemcpyToSymbol, before it is read; or read less, if more is read "
                "than this call fills.\n");
    }
}

bool cause_tell_unset(struct cause *c)
{
    char name[96], at[256];
    const struct protocol_unset *u = &c->origin->unset;
    if (u->size == 0 || is_declared_with_value(c, u->name))
        return false;
    name_variable(u, name, sizeof name);
    cause_name_place(c, &u->read, at, sizeof at);
    SAY(c, "%s depends on %s, %s, read at %s, which this call has not set: it %s.", c->name,
        u->is_constant ? "constant memory" : "a variable of the device", name, at,
        u->is_zero ? "still holds 0, its initial value" : "holds what an earlier call left there");
    say_instead(c, u);
    cause_set_place(c, &u->read);
    c->rank = CAUSE_STATE;
    return true;
}
