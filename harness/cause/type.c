/* A floating-point output that was stored as an integer: by an atomic operation on integers, or by a plain store. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
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

/* Bytes of a number, by the instruction's type: 4 of "atom.global.cas.b32"; 0: not known, or several numbers. */
static int bytes_of(const char *instruction)
{
    const char *dot = strrchr(instruction, '.');
    int bits = 0;
    if (!dot || !strchr("bsuf", dot[1]) || has_part(instruction, "v2") || has_part(instruction, "v4"))
        return 0;
    for (const char *s = dot + 2; *s; s++) {
        if (*s < '0' || *s > '9')
            return 0;
        bits = 10 * bits + *s - '0';
    }
    return bits / 8;
}

/* The last store to the element has fewer bytes than it, and no other place stores the other bytes by themselves. */
static bool tell_width(struct cause *c, const struct protocol_store *store)
{
    const int size = (int)lab_type_size(c->call->run.buffer[c->buffer].type),
              bytes = bytes_of(store->instruction);
    char at[256];
    for (uint64_t i = 0; i < c->origin->store_count && i < PROTOCOL_MAX_STORES; i++)
        if (bytes_of(c->origin->store[i].instruction) != size &&
            memcmp(&c->origin->store[i].place, &store->place, sizeof store->place) != 0)
            return false;
    if (bytes <= 0 || bytes >= size)
        return false;
    cause_name_place(c, &store->place, at, sizeof at);
    SAY(c,
        "%s at %s writes %d bytes, but %s holds numbers of %d bytes (%s): the other %d of %s stay as they were. The pointer's "
        "type there is too small: it must be one of %d bits.\n",
        store->is_atomic ? "The atomic operation" : "The store", at, bytes,
        c->call->run.buffer[c->buffer].name, size, type_name(), size - bytes, c->name, 8 * size);
    return true;
}

/* The number as an integer of the same size has it. */
static int64_t bits_as_integer(double number)
{
    const real x = (real)number;
    int32_t four;
    int64_t eight;
    if (sizeof x == sizeof four) {
        memcpy(&four, &x, sizeof four);
        return four;
    }
    memcpy(&eight, &x, sizeof eight);
    return eight;
}

/* The bits are those of the integer next to the expected number, and far from any number that belongs there. */
static bool tell_plain(struct cause *c, const struct protocol_store *store)
{
    const double least = sizeof(real) == sizeof(float) ? (double)FLT_MIN : DBL_MIN;
    const int64_t integer = bits_as_integer(c->got);
    char at[256];
    const bool is_tiny = fabs(c->got) < least && c->got != 0,
               is_small_negative = isnan(c->got) && integer < 0 && integer > -(1 << 22);
    if (store->is_atomic || !(is_tiny || is_small_negative) || fabs((double)integer - c->want) > 1)
        return false;
    cause_name_place(c, &store->place, at, sizeof at);
    SAY(c,
        "The store at %s writes the integer %lld, but %s holds %s: read as one of these, its bits are %.6g. A pointer to "
        "integers points to %s there.\n",
        at, (long long)integer, c->call->run.buffer[c->buffer].name, type_name(), c->got, type_name());
    return true;
}

bool cause_tell_type(struct cause *c)
{
    const struct protocol_store *store = &c->origin->store[0];
    if (c->buffer < 0 || c->call->run.buffer[c->buffer].type != LAB_REAL || c->origin->store_count == 0 ||
        (!tell_width(c, store) && !tell_atomic(c, store) && !tell_plain(c, store)))
        return false;
    cause_set_place(c, &store->place);
    c->rank = CAUSE_UNDEFINED;
    return true;
}
