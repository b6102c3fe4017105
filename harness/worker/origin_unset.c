/* Variables of the device that a value depends on and that this call has not set: what the host did instead. */
#include "harness/worker/origin_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/device/sim.h"

#define COPIES_MOST 256 /* of the host that are looked at */

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Whether another of the things that went into the value lies there. */
static bool goes_in(const struct sim_origin *origin, sim_addr address, size_t size)
{
    for (int i = 0; i < origin->leaf_count; i++)
        if ((origin->leaves[i].kind <= SIM_ORIGIN_CONSTANT || origin->leaves[i].kind == SIM_ORIGIN_HOST) &&
            overlap(origin->leaves[i].address, (uint64_t)origin->leaves[i].size, address, size))
            return true;
    return false;
}

static void put_place(struct protocol_place *to, const struct sim_origin_copy *copy)
{
    if (to->line == 0)
        *to = origin_place_put(&copy->place);
}

/* The variable is one, and the copy may be about another. */
static void put_copy(const struct question *q, const struct sim_origin *origin, const struct sim_variable *v,
                     const struct sim_origin_copy *copy, struct protocol_unset *to)
{
    struct sim_variable other;
    if (copy->to && overlap(copy->to, copy->size, v->address, v->size)) {
        if (to->part.line == 0) {
            to->part_first = copy->to - v->address;
            to->part_bytes = copy->size;
        }
        put_place(&to->part, copy);
    } else if (!copy->to && overlap(copy->from, copy->size, v->address, v->size)) {
        put_place(&to->fetched, copy);
    } else if (copy->to && to->other.line == 0 && sim_variable_at(q->sim, copy->to, &other) &&
               !goes_in(origin, copy->to, copy->size)) {
        put_place(&to->other, copy);
        snprintf(to->other_name, sizeof to->other_name, "%s", other.name);
    }
}

static void put_copies(const struct question *q, const struct sim_origin *origin,
                       const struct sim_variable *v, int launch, struct protocol_unset *to)
{
    struct sim_origin_copy copy;
    for (int i = 0; i < COPIES_MOST && sim_origin_host_copy(q->sim, i, &copy); i++) {
        if (copy.launches <= launch)
            put_copy(q, origin, v, &copy, to);
        else if (copy.to && overlap(copy.to, copy.size, v->address + to->offset, to->bytes))
            put_place(&to->late, &copy);
    }
}

static bool is_zero(struct sim *sim, sim_addr address, size_t size)
{
    const unsigned char *bytes = sim_mem_host(sim, address, size);
    for (size_t i = 0; bytes && i < size; i++)
        if (bytes[i] != 0)
            return false;
    return bytes != NULL;
}

void origin_put_unset(const struct question *q, const struct sim_origin *origin, struct protocol_origin *to)
{
    for (int i = 0; i < origin->leaf_count; i++) {
        const struct sim_origin_leaf *leaf = &origin->leaves[i];
        struct sim_variable v;
        if ((leaf->kind != SIM_ORIGIN_MEMORY && leaf->kind != SIM_ORIGIN_CONSTANT) || !leaf->times ||
            !sim_variable_at(q->sim, leaf->address, &v) || v.has_value)
            continue;
        struct protocol_unset *unset = &to->unset;
        snprintf(unset->name, sizeof unset->name, "%s", v.name);
        unset->offset = leaf->address - v.address;
        unset->bytes = (uint64_t)leaf->size;
        unset->size = v.size;
        unset->is_constant = v.is_constant;
        unset->is_zero = is_zero(q->sim, leaf->address, (size_t)leaf->size);
        unset->read = origin_place_put(&leaf->place);
        put_copies(q, origin, &v, leaf->thread.launch, unset);
        return;
    }
}
