/* One element from memory into a register. */
#pragma once

#include "sim/machine/exec_lanes.h"
#include "sim/machine/exec_memory.h"

static inline u64 extend(u64 value, int bytes, bool is_signed)
{
    int unused = 64 - 8 * bytes;
    if (unused <= 0)
        return value;
    return is_signed ? (u64)((s64)(value << unused) >> unused) : value;
}

/* One element from memory into a register, extended to the register's width. */
static inline void load_element(const struct memory_detail *detail, int i, unsigned char *d,
                                const unsigned char *host)
{
    int bytes = detail->element_size, register_bytes = detail->register_size[i];
    if (bytes == 16) {
        memcpy(d, host, 16);
        return;
    }
    u64 value = 0;
    memcpy(&value, host, (size_t)bytes);
    value = extend(value, bytes, detail->sign_extend);
    memcpy(d, &value, (size_t)register_bytes);
}
