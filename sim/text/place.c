#include "sim/text/place.h"

#include <stdio.h>

#define WARP_LANES 32

const char *place_file(const struct sim_kernel *kernel, struct ptx_loc loc)
{
    if (loc.file <= 0 || loc.file >= kernel->file_count || loc.line <= 0 || !kernel->files[loc.file])
        return "";
    return kernel->files[loc.file];
}

struct sim_dim3 place_coordinates(uint64_t number, const struct sim_dim3 *dim)
{
    unsigned x = dim->x ? dim->x : 1, y = dim->y ? dim->y : 1;
    return (struct sim_dim3){(unsigned)(number % x), (unsigned)(number / x % y), (unsigned)(number / x / y)};
}

static struct sim_dim3 thread_index(const struct block_view *block, unsigned warp, int lane)
{
    return place_coordinates(warp * WARP_LANES + (unsigned)lane, &block->block_dim);
}

void place_thread_name(const struct block_view *block, unsigned warp, int lane, char *text, size_t size)
{
    struct sim_dim3 t = thread_index(block, warp, lane), b = block->block_index;
    snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", t.x, t.y, t.z, b.x, b.y, b.z);
}

struct sim_hazard_place place_of_lane(const struct block_view *block, unsigned warp, int lane,
                                      struct ptx_loc loc, const struct access *access)
{
    struct sim_hazard_place place = {
        .file = place_file(block->kernel, loc),
        .line = loc.line,
        .block = block->block_index,
        .thread = thread_index(block, warp, lane),
    };
    if (access) {
        place.is_write = access->kind != ACCESS_LOAD;
        place.is_atomic = access->kind == ACCESS_ATOMIC;
    }
    return place;
}
