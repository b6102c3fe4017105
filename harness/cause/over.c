/* A number that was still needed, and over which another launch has stored. */
#include "harness/cause/internal.h"

/* "student.cu:88, by thread 0 of block 1 of add_sums, launched at student.cu:93" */
static void name_access(const struct cause *c, const struct protocol_place *place,
                        const struct protocol_thread *thread, char *text, size_t size)
{
    char at[256], by[128], launched[256] = "";
    const struct protocol_launch *launch = cause_launch(c, thread);
    cause_name_place(c, place, at, sizeof at);
    cause_name_thread(c, thread, by, sizeof by);
    if (launch && launch->place.line > 0)
        cause_name_launched(c, launch, launched, sizeof launched);
    text_set(text, size, "%s, by %s of %s%s%s", at, by, launch ? launch->kernel : "the kernel",
             launched[0] ? ", launched at " : "", launched);
}

/* The call of the function that launches what stores over it, as a recursion; or the store. */
static void set_place(struct cause *c, const struct protocol_over *o)
{
    const struct protocol_launch *launch = cause_launch(c, &o->second);
    struct protocol_place place = o->over;
    if (launch && launch->place.call_line > 0) {
        place = launch->place;
        place.line = place.call_line;
        place.call_line = place.from_line = 0;
    }
    cause_set_place(c, &place);
}

bool cause_tell_over(struct cause *c)
{
    const struct protocol_over *o = &c->origin->over;
    char stored[700], over[700], read[256], array[96] = "a number in global memory";
    if (!o->known || o->over.line <= 0 || o->read.line <= 0)
        return false;
    if (o->name[0])
        text_set(array, sizeof array, "%s[%lld]", o->name, (long long)o->index);
    cause_name_place(c, &o->read, read, sizeof read);
    name_access(c, &o->stored, &o->storer, stored, sizeof stored);
    name_access(c, &o->over, &o->second, over, sizeof over);
    SAY(c, "%s is overwritten while it is still needed. %.6g is stored there at %s.\n", array, o->before,
        stored);
    SAY(c,
        "Before anything reads that, something else is stored to the same place at %s; %s then reads %.6g.\n",
        over, read, o->now);
    SAY(c, "With the number from before, %s would be right: use other memory for one of the two.\n", c->name);
    set_place(c, o);
    c->rank = CAUSE_INSTEAD;
    return true;
}
