/* A floating-point output that was stored by an atomic operation on integers. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"

#include <math.h>
#include <string.h>

/* The type of numbers in memory, as C names it. */
static const char *type_name(void)
{
    return sizeof(real) == sizeof(float) ? "floats" : "doubles";
}

/* Whether the instruction, such as "atom.global.max.s32", has this part between its dots. */
static bool has_part(const char *instruction, const char *part)
{
    const size_t length = strlen(part);
    for (const char *at = instruction; (at = strchr(at, '.')) != NULL; at++)
        if (strncmp(at + 1, part, length) == 0 && (at[1 + length] == '.' || at[1 + length] == 0))
            return true;
    return false;
}

static bool is_signed(const char *instruction)
{
    return has_part(instruction, "s32") || has_part(instruction, "s64");
}

static bool is_integer(const char *instruction)
{
    return is_signed(instruction) || has_part(instruction, "u32") || has_part(instruction, "u64");
}

/* Among numbers that are not negative the bits have the order of the numbers. */
static bool order_differs(const struct cause *c)
{
    return signbit(c->want) || signbit(c->got) || isnan(c->want) || isnan(c->got);
}

static void say_order(struct cause *c, const char *name, const char *at, bool with_sign)
{
    const char *buffer = c->call->run.buffer[c->buffer].name;
    SAY(c,
        "%s at %s compares the bits as %s integers, but %s holds %s: as integers, negative numbers are in reverse order%s.\n",
        name, at, with_sign ? "signed" : "unsigned", buffer, type_name(),
        with_sign ? "" : " and larger than all positive ones");
}

/* The last store was an atomic operation on integers. */
static bool tell_atomic(struct cause *c, const struct protocol_store *store)
{
    static const struct {
        const char *part, *name;
    } others[] = {{"add", "atomicAdd"}, {"inc", "atomicInc"}, {"dec", "atomicDec"}};
    const bool largest = has_part(store->instruction, "max"), least = has_part(store->instruction, "min");
    char at[256];
    cause_name_place(c, &store->place, at, sizeof at);
    if (!store->is_atomic || !is_integer(store->instruction))
        return false;
    if ((largest || least) && !order_differs(c))
        return false;
    if (largest || least) {
        say_order(c, largest ? "atomicMax" : "atomicMin", at, is_signed(store->instruction));
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_part(store->instruction, others[i].part)) {
            SAY(c,
                "%s at %s adds integers, but %s holds %s: it adds to the bits of a number, which does not add to the number.\n",
                others[i].name, at, c->call->run.buffer[c->buffer].name, type_name());
            return true;
        }
    return false;
}

bool cause_tell_type(struct cause *c)
{
    const struct protocol_store *store = &c->origin->store[0];
    if (c->buffer < 0 || c->call->run.buffer[c->buffer].type != LAB_REAL || c->origin->store_count == 0 ||
        !tell_atomic(c, store))
        return false;
    cause_set_place(c, &store->place);
    c->rank = CAUSE_UNDEFINED;
    return true;
}
