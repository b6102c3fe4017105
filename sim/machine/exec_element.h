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

/* 4, 8 or 16 bytes: of a known number the compiler makes a move. */
static inline void copy_element(unsigned char *to, const unsigned char *from, int bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, (size_t)bytes);
}

/* One element from memory into a register, extended to the register's width. */
static inline void load_element(const struct memory_detail *detail, int i, unsigned char *d,
                                const unsigned char *host)
{
    int bytes = detail->element_size, register_bytes = detail->register_size[i];
    if (bytes >= 4 && bytes == register_bytes) {
        copy_element(d, host, bytes);
        return;
    }
    u64 value = 0;
    memcpy(&value, host, (size_t)bytes);
    value = extend(value, bytes, detail->sign_extend);
    memcpy(d, &value, (size_t)register_bytes);
}
