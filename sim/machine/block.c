/* Blocks: life, start, slices. */
#include "sim/hazard/watch.h"
#include "sim/core/faults.h"
#include "sim/machine/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/machine/block_report.h"
#include "sim/machine/cluster.h"
#include "sim/machine/conditions.h"
#include "sim/machine/exec.h"
#include "sim/model/counter.h"
#include "sim/model/trace.h"
#include "sim/origin/origin_log.h"

/* ---- life ---------------------------------------------------------------------------------------------- */

static void *map_pages(size_t size)
{
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static size_t local_bytes(const struct launch *launch)
{
    return launch->local_size * launch->warp_count * WARP_LANES;
}

static bool allocate_block(struct block *block)
{
    const struct launch *launch = block->launch;
    struct block_view *view = &block->view;
    block->warps = calloc(launch->warp_count, sizeof *block->warps);
    block->order = calloc(launch->warp_count, sizeof *block->order);
    block->block_rows = aligned_alloc(64, (launch->code->block_row_bytes + 64) / 64 * 64);
    view->shared = aligned_alloc(64, (launch->shared_size + 64) / 64 * 64);
    view->local = local_bytes(launch) ? map_pages(local_bytes(launch)) : NULL;
    return block->warps && block->order && block->block_rows && view->shared &&
           (view->local || !local_bytes(launch));
}

struct block *block_create(const struct launch *launch, struct op_count *counts, struct counter_set *set,
                           char message[1024])
{
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->launch = launch;
    block->counts = counts;
    block->message = message;
    struct block_view *view = &block->view;
    view->sim = launch->sim;
    view->kernel = launch->kernel;
    view->grid_dim = launch->grid;
    view->block_dim = launch->block;
    view->thread_count = launch->thread_count;
    view->shared_size = launch->shared_size;
    view->shared_static = launch->kernel->info.shared_static;
    view->local_size = launch->local_size;
    view->param = launch->params;
    view->param_size = launch->param_size;
    view->counters = set;
    view->add_conditions = conditions_add;
    view->loaded = launch->hazards && !launch->origin && launch->code->undefined ? &block->loaded : NULL;
    bool good = allocate_block(block);
    for (unsigned i = 0; good && i < launch->warp_count; i++)
        good = warp_create(&block->warps[i], block, i);
    if (good)
        return block;
    block_destroy(block);
    return NULL;
}

void block_destroy(struct block *block)
{
    if (!block)
        return;
    for (unsigned i = 0; block->warps && i < block->launch->warp_count; i++)
        warp_destroy(&block->warps[i]);
    if (block->view.local)
        munmap(block->view.local, local_bytes(block->launch));
    free(block->view.shared);
    free(block->block_rows);
    free(block->order);
    free(block->warps);
    free(block);
}

/* ---- start --------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void shuffle_warps(struct block *block)
{
    unsigned count = block->launch->warp_count;
    for (unsigned i = count - 1; i > 0; i--) {
        unsigned k = (unsigned)(next_random(&block->random) % (i + 1));
        unsigned kept = block->order[i];
        block->order[i] = block->order[k];
        block->order[k] = kept;
    }
}

static struct sim_dim3 block_coordinates(const struct sim_dim3 *grid, uint64_t number)
{
    return (struct sim_dim3){(unsigned)(number % grid->x), (unsigned)(number / grid->x % grid->y),
                             (unsigned)(number / grid->x / grid->y)};
}

static void fill_row(unsigned char *rows, uint32_t ref, uint32_t value)
{
    uint32_t *row = (uint32_t *)(void *)(rows + (ref & ~ROW_BASE_MASK));
    for (int lane = 0; lane < WARP_LANES; lane++)
        row[lane] = value;
}

static void fill_thread_row(struct warp *warp, const struct sim_dim3 *dim, uint32_t ref, enum special special)
{
    uint32_t *row = (uint32_t *)(void *)(warp->warp_rows + (ref & ~ROW_BASE_MASK));
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        unsigned t = warp->index * WARP_LANES + lane;
        row[lane] = special == SPECIAL_TID_X   ? t % dim->x
                    : special == SPECIAL_TID_Y ? t / dim->x % dim->y
                    : special == SPECIAL_TID_Z ? t / dim->x / dim->y
                                               : warp->index;
    }
}

static void fill_special_rows(struct block *block)
{
    const struct launch *launch = block->launch;
    const struct sim_dim3 *index = &block->view.block_index, *c = &launch->cluster;
    for (int i = 0; i < launch->code->special_count; i++) {
        const struct special_row *s = &launch->code->specials[i];
        switch (s->special) {
        case SPECIAL_CTAID_X: fill_row(block->block_rows, s->ref, index->x); break;
        case SPECIAL_CTAID_Y: fill_row(block->block_rows, s->ref, index->y); break;
        case SPECIAL_CTAID_Z: fill_row(block->block_rows, s->ref, index->z); break;
        case SPECIAL_CLUSTERID_X: fill_row(block->block_rows, s->ref, index->x / c->x); break;
        case SPECIAL_CLUSTERID_Y: fill_row(block->block_rows, s->ref, index->y / c->y); break;
        case SPECIAL_CLUSTERID_Z: fill_row(block->block_rows, s->ref, index->z / c->z); break;
        case SPECIAL_CLUSTER_CTAID_X: fill_row(block->block_rows, s->ref, index->x % c->x); break;
        case SPECIAL_CLUSTER_CTAID_Y: fill_row(block->block_rows, s->ref, index->y % c->y); break;
        case SPECIAL_CLUSTER_CTAID_Z: fill_row(block->block_rows, s->ref, index->z % c->z); break;
        case SPECIAL_CLUSTER_CTARANK: fill_row(block->block_rows, s->ref, block->cluster_rank); break;
        case SPECIAL_SMID:
            fill_row(block->block_rows, s->ref,
                     (uint32_t)(block->view.block_number % (uint64_t)launch->sim->config.profile->sm_count));
            break;
        case SPECIAL_TID_X:
        case SPECIAL_TID_Y:
        case SPECIAL_TID_Z:
        case SPECIAL_WARPID:
            for (unsigned w = 0; w < launch->warp_count; w++)
                fill_thread_row(&block->warps[w], &launch->block, s->ref, s->special);
            break;
        default: break; /* the same for the whole launch: in its rows already */
        }
    }
}

static uint32_t lanes_of_warp(const struct launch *launch, unsigned warp)
{
    unsigned left = launch->thread_count - warp * WARP_LANES;
    return left >= WARP_LANES ? ~0u : (1u << left) - 1;
}

#define MANY_BYTES ((size_t)1 << 20)

/* What is undefined is 0, and nothing that an earlier block has left: the order of blocks must not show. */
static void clear_leftovers(struct block *block)
{
    const struct launch *launch = block->launch;
    size_t local = local_bytes(launch);
    if (local > MANY_BYTES) /* mostly stacks of which little is used: the pages become zeros again */
        madvise(block->view.local, local, MADV_DONTNEED);
    else if (local)
        memset(block->view.local, 0, local);
    for (unsigned i = 0; i < launch->warp_count; i++)
        warp_clear(&block->warps[i]);
}

void block_start(struct block *block, uint64_t number, uint64_t place)
{
    const struct launch *launch = block->launch;
    if (block->used)
        clear_leftovers(block);
    block->used = true;
    block->ended = false;
    block->view.block_number = number;
    block->view.block_index = block_coordinates(&launch->grid, number);
    block->view.faults = launch->faults;
    block->live_warps = launch->warp_count;
    block->some_exited = false;
    block->skipped_reported = false;
    block->last_barrier = NULL;
    block->barrier_count = 0;
    block->executed = 0;
    block->changes = 0;
    block->slept = 0;
    block->turns_given = 0;
    block->looked_away = 0;
    block->pace = (unsigned)(place + launch->seed / 2);
    block->copying = 0;
    block->loads = 0;
    block->acts = false;
    block->status = SIM_OK;
    block->random = launch->seed ^ (number * UINT64_C(0xd1342543de82ef95));
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->view.shared, 0xA5, launch->shared_size);
    fill_special_rows(block);
    block->trace = trace_block_begin(launch->trace, number);
    for (unsigned i = 0; i < launch->warp_count; i++) {
        block->warps[i].counts = block->trace ? block->trace->warps[i].counts : block->counts;
        warp_start(&block->warps[i], lanes_of_warp(launch, i));
        block->order[i] = i;
        if (launch->origin)
            block->warps[i].origin_number = origin_warp(launch->origin, number, i);
    }
    if (launch->hazards)
        hazard_block_begin(&block->view);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

void block_fault(struct block *block, enum sim_status status, const char *format, ...)
{
    if (block->status != SIM_OK)
        return;
    block->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(block->message, 1024, format, arguments);
    va_end(arguments);
}

bool block_survives(struct block *block, enum sim_status status, const char *message)
{
    struct fault_log *faults = block->view.faults;
    if (!faults || block->view.tracker) {
        block_fault(block, status, "%s", message);
        return false;
    }
    if (faults->status == SIM_OK) {
        faults->status = status;
        snprintf(faults->message, sizeof faults->message, "%s", message);
    }
    return true;
}

/* ---- slices -------------------------------------------------------------------------------------------- */

/* What one round over the warps came to. */
struct round {
    bool progress; /* a warp ran and did more than look at a lock */
    bool runnable;
};

static bool run_warp(struct block *block, struct warp *warp, int64_t slice, struct round *round)
{
    switch (warp_run(warp, slice)) {
    case WARP_DONE: block_note_done(block); break;
    case WARP_WAITING: block_note_waiting(block, warp); break;
    case WARP_SPINNING: round->runnable = true; return true;
    case WARP_READY: round->runnable = true; break;
    case WARP_FAULT: return false;
    }
    round->progress = true;
    return true;
}

static bool run_round(struct block *block, int64_t slice, struct round *round)
{
    *round = (struct round){false, false};
    block->holds = false;
    if (block->launch->seed)
        shuffle_warps(block);
    for (unsigned i = 0; i < block->launch->warp_count; i++) {
        struct warp *warp = &block->warps[block->order[i]];
        if (warp->state != WARP_READY && warp->state != WARP_SPINNING)
            continue;
        if (warp->held > 0) {
            warp->held--;
            block->holds = true;
            round->runnable = true;
            continue;
        }
        if (!run_warp(block, warp, slice, round))
            return false;
    }
    for (unsigned i = 0; i < block->launch->warp_count; i++)
        round->runnable |= block->warps[i].state == WARP_READY;
    return true;
}

static void end_hazards(struct block *block)
{
    block_end_barriers(block, hazard_block_deeds(&block->view));
    hazard_block_end(&block->view);
}

/* What the block is counted as, with its first operation. */
static void count_idle(const struct block *block)
{
    const struct sim_dim3 grid = block->launch->grid;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    struct sim_counters idle = {
        .idle_blocks = 1, .idle_loading_blocks = block->loads > 0, .idle_loads = block->loads};
    idle.idle_of_eighth[block->view.block_number * 8 / blocks] = 1;
    if (!block->acts)
        counter_add(block->view.counters, 0, &idle);
}

enum block_state block_run(struct block *block, int64_t slice)
{
    struct round round;
    int64_t warp_slice = slice / block->launch->warp_count + 1;
    uint64_t limit = block->executed + (uint64_t)slice;
    do {
        if (!run_round(block, warp_slice, &round))
            return BLOCK_FAULT;
        if (block->live_warps == 0) {
            if (block->launch->hazards)
                end_hazards(block);
            if (block->launch->counters)
                count_idle(block);
            if (block->launch->trace)
                trace_note_end(block->launch->trace, block->view.block_number, block->executed, block->acts);
            if (block->trace)
                trace_block_end(block->trace, block->counts, block->acts);
            return BLOCK_DONE;
        }
        if (!round.runnable && cluster_is_awaited(block))
            return BLOCK_SPINNING;
        if (!round.runnable) {
            block_report_deadlock(block);
            return BLOCK_FAULT;
        }
        if (!round.progress)
            return BLOCK_SPINNING;
    } while (block->executed < limit);
    return BLOCK_READY;
}
