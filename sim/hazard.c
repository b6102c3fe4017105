/*
 * Hazard reports: collected, folded when the same pair of lines does the same again, and worded for
 * people. Who finds them: memory_check.c (addresses), hazard_shared.c and hazard_global.c (races),
 * hazard_written.c (uninitialised reads), the interpreter (barriers, masks, deadlock).
 */
#include "hazard.h"

#include <stdlib.h>
#include <string.h>

const char *sim_hazard_class_name(enum sim_hazard_class c)
{
    static const char *const names[] = {
        [SIM_HAZARD_OUT_OF_BOUNDS] = "access out of bounds",
        [SIM_HAZARD_USE_AFTER_FREE] = "use after free",
        [SIM_HAZARD_MISALIGNED] = "misaligned access",
        [SIM_HAZARD_UNINITIALISED] = "read of uninitialised memory",
        [SIM_HAZARD_RACE_SHARED] = "race in shared memory",
        [SIM_HAZARD_RACE_GLOBAL] = "race in global memory",
        [SIM_HAZARD_BARRIER] = "barrier misuse",
        [SIM_HAZARD_WARP_MASK] = "wrong warp mask",
        [SIM_HAZARD_DEADLOCK] = "deadlock",
        [SIM_HAZARD_READ_ONLY] = "write to read-only memory",
    };
    return (size_t)c < sizeof names / sizeof *names ? names[c] : "hazard";
}

struct hazards *hazards_create(struct sim *sim)
{
    (void)sim;
    return calloc(1, sizeof(struct hazards));
}

void hazards_destroy(struct hazards *hazards)
{
    if (!hazards)
        return;
    free(hazards);
}

/* ---- reports -------------------------------------------------------------------------------------- */

static bool same_place(const struct sim_hazard_place *a, const struct sim_hazard_place *b)
{
    return a->line == b->line && strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

static bool same_report(const struct sim_hazard *a, const struct sim_hazard *b)
{
    if (a->class != b->class)
        return false;
    if (a->here.line == 0 && b->here.line == 0) /* compiled without line numbers */
        return a->there.line == b->there.line && strcmp(a->object, b->object) == 0;
    return (same_place(&a->here, &b->here) && same_place(&a->there, &b->there)) ||
           (same_place(&a->here, &b->there) && same_place(&a->there, &b->here));
}

void hazard_file(struct sim *sim, const struct sim_hazard *hazard)
{
    struct hazards *h = sim->hazards;
    for (int i = 0; i < h->report_count; i++) {
        if (same_report(&h->reports[i], hazard)) {
            h->reports[i].count += hazard->count ? hazard->count : 1;
            return;
        }
    }
    if (h->report_count == HAZARD_REPORTS)
        return;
    struct sim_hazard *kept = &h->reports[h->report_count++];
    *kept = *hazard;
    if (kept->count == 0)
        kept->count = 1;
    if (!kept->here.file)
        kept->here.file = "";
    if (!kept->there.file)
        kept->there.file = "";
}

int sim_hazards(struct sim *sim, const struct sim_hazard **out)
{
    *out = sim->hazards->reports;
    return sim->hazards->report_count;
}

void sim_hazards_reset(struct sim *sim)
{
    sim->hazards->report_count = 0;
}

/* ---- places -------------------------------------------------------------------------------------------- */

const char *hazard_file_name(const struct block_view *block, struct ptx_loc loc)
{
    return kernel_file(block->kernel, loc);
}

static struct sim_dim3 thread_index(const struct block_view *block, unsigned thread)
{
    unsigned x = block->block_dim.x ? block->block_dim.x : 1, y = block->block_dim.y ? block->block_dim.y : 1;
    return (struct sim_dim3){thread % x, thread / x % y, thread / x / y};
}

void hazard_thread_name(const struct block_view *block, unsigned warp, int lane, char *text, size_t size)
{
    struct sim_dim3 t = thread_index(block, warp * 32 + (unsigned)lane), b = block->block_index;
    snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", t.x, t.y, t.z, b.x, b.y, b.z);
}

struct sim_hazard_place hazard_place(const struct block_view *block, unsigned warp, int lane,
                                     struct ptx_loc loc, const struct access *access)
{
    struct sim_hazard_place place = {
        .file = hazard_file_name(block, loc),
        .line = loc.line,
        .block = block->block_index,
        .thread = thread_index(block, warp * 32 + (unsigned)lane),
    };
    if (access) {
        place.is_write = access->kind != ACCESS_LOAD;
        place.is_atomic = access->kind == ACCESS_ATOMIC;
    }
    return place;
}

/* ---- to come ------------------------------------------------------------------------------------------- */

void hazard_forget_allocation(struct allocation *allocation)
{
    (void)allocation;
}

void hazard_launch_begin(struct sim *sim, const struct sim_launch *launch)
{
    (void)sim;
    (void)launch;
}

void hazard_launch_end(struct sim *sim)
{
    (void)sim;
}

void hazard_block_begin(struct block_view *block)
{
    block->shadow = NULL;
}

void hazard_block_end(struct block_view *block)
{
    block->shadow = NULL;
}

void hazard_access(const struct block_view *block, unsigned warp, const struct access *access,
                   unsigned char *const host[32])
{
    (void)block;
    (void)warp;
    (void)access;
    (void)host;
}

void hazard_block_barrier(const struct block_view *block, const uint32_t *lanes_by_warp)
{
    (void)block;
    (void)lanes_by_warp;
}

void hazard_warp_sync(const struct block_view *block, unsigned warp, uint32_t lanes)
{
    (void)block;
    (void)warp;
    (void)lanes;
}

void hazard_fence(const struct block_view *block, unsigned warp, uint32_t lanes, int scope)
{
    (void)block;
    (void)warp;
    (void)lanes;
    (void)scope;
}

void hazard_grid_barrier(struct sim *sim)
{
    (void)sim;
}
