/* Asynchronous copies that are under way: between exec_async.c and exec_async_issue.c. */
#pragma once

#include "sim/machine/exec_memory.h"

/* cp.async.mbarrier.arrive of some lanes, that has not happened yet. */
struct async_arrival {
    const struct micro *op;
    uint32_t lanes;
    uint64_t serial; /* it waits for batches below */
    uint64_t address[WARP_LANES];
};

/* One cp.async of a warp. */
struct async_batch {
    const struct micro *op;
    uint64_t serial;
    uint32_t lanes;                /* whose copy has not been done yet */
    uint32_t group[WARP_LANES];    /* the lane's group that it belongs to */
    uint8_t read_size[WARP_LANES]; /* bytes to read; the rest becomes 0 */
    uint64_t offset[WARP_LANES];   /* in shared memory */
    uint64_t source[WARP_LANES];   /* in global memory */
    unsigned char *to[WARP_LANES];
    unsigned char *from[WARP_LANES];
};

struct async_copies {
    struct async_batch *batches; /* in the order of issue */
    int count, capacity;
    uint64_t next_serial;
    uint32_t open_group[WARP_LANES]; /* number of the group that the next copy joins */
    struct async_arrival *arrivals;  /* at mbarriers, when copies are done: in the order of issue */
    int arrival_count, arrival_capacity;
};

/* cp.async: exec_async_issue.c. */
enum step async_copy(struct warp *warp, const struct micro *op, uint32_t active);

/*
 * The lanes' bytes may be written from the issue on until the lanes wait. The hazard detector hears of both ends:
 * hazard_copy_issued, hazard_copy_done.
 */
typedef void (*async_tell_fn)(const struct block_view *block, unsigned warp, const struct access *copy);
void async_tell_hazards(struct warp *warp, const struct async_batch *batch, uint32_t lanes,
                        async_tell_fn tell);
