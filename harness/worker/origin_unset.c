/* Variables of the device that a value depends on and that this call has not set. */
#include "harness/worker/origin_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/device/sim.h"

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
        return;
    }
}
