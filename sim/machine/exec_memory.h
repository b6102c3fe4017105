/* Between the handlers that touch memory: addresses of a warp's lanes, checked and watched. */
#pragma once

#include "sim/machine/exec.h"

/* One warp-wide access on its way: what the lanes ask for, and where the bytes are. */
struct lane_access {
    uint64_t address[WARP_LANES] __attribute__((aligned(64)));
    unsigned char *host[WARP_LANES] __attribute__((aligned(64)));
    struct access access;
    bool elsewhere; /* some lanes reach shared memory of other blocks of their cluster */
    uint32_t
        bad; /* lanes that must not touch their bytes, where the launch goes on: host[] leads to others */
};

/* address[lane] = base + offset. Idle lanes get an address too, which is not used. */
static inline void exec_fill_addresses(const struct warp *warp, const struct memory_detail *detail,
                                       uint64_t address[WARP_LANES])
{
    const uint64_t offset = (uint64_t)detail->offset + (detail->frame_relative ? warp->local : 0);
    if (!detail->has_base) {
        for (int i = 0; i < WARP_LANES; i++)
            address[i] = offset;
    } else if (detail->address_64) {
        const row_u64 *base = row(warp, detail->base);
        for (int i = 0; i < WARP_LANES; i++)
            address[i] = base[i] + offset;
    } else {
        const row_u32 *base = row(warp, detail->base);
        for (int i = 0; i < WARP_LANES; i++)
            address[i] = (uint32_t)(base[i] + (uint32_t)offset);
    }
}

/*
 * Whether the bytes of a full warp lie side by side on the host, from host[0] on. In local memory each lane has a
 * window of its own, however the addresses follow one another.
 */
static inline bool exec_is_one_row(const struct lane_access *lanes)
{
    return lanes->access.lanes == ~0u && lanes->access.shape == SHAPE_CONTIGUOUS &&
           lanes->access.space != PTX_LOCAL;
}

/* The state space that a generic address lies in; *offset: the address inside that space. */
enum ptx_space generic_space(uint64_t address, uint64_t *offset);

/*
 * Resolves generic addresses by lane groups of one space, checks, reports to the watchers. address[] is
 * filled in already; afterwards host[] is. false: a fault, the block's status says which. Where the launch goes on
 * after faults, lanes->bad says which lanes had one, and host[] leads them to poison.
 */
bool exec_resolve(struct warp *warp, const struct micro *op, uint32_t lanes, enum access_kind kind,
                  const struct memory_detail *detail, struct lane_access *out);
/* The same for one side of a copy between memories; `partner`: the lanes' addresses on the other side. */
bool exec_resolve_copy(struct warp *warp, const struct micro *op, uint32_t lanes, enum access_kind kind,
                       const struct memory_detail *detail, const uint64_t *partner, struct lane_access *out);

/*
 * A full warp's plain access to the `bytes` of global memory from address `first` on, neighbor by neighbor, checked and
 * shown to the watchers: where the bytes are. NULL: something about it is special, and exec_resolve knows what.
 */
unsigned char *exec_row(struct warp *warp, const struct micro *op, bool is_store, uint64_t first,
                        uint64_t bytes);
/*
 * A full warp's load of words of shared memory, neighbors from offset `first` on or `is_one` word: whether all watchers
 * know what they need. False: exec_watch_shared tells them.
 */
bool exec_load_is_known(struct warp *warp, const struct micro *op, uint32_t first, bool is_one);
/* Tells the watchers of a full warp's access to shared memory at good offsets; the shape of each group is
 * known. */
void exec_watch_shared(struct warp *warp, const struct micro *op, enum access_kind kind,
                       const uint64_t offsets[WARP_LANES], enum access_shape shape,
                       const unsigned char group_shape[ACCESS_GROUPS]);
