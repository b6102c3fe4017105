/* The detector from launch to launch: it is made, launches and blocks begin and end. */
#include "sim/hazard/hazard.h"
#include "sim/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

struct hazards *hazards_create_for(struct sim *sim, unsigned index)
{
    struct hazards *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->sim = sim;
    h->index = index;
    h->next_stamp = h->launch_first = STAMPS_PER_CHUNK;
    h->pc_of_site = calloc(SITE_LIMIT, sizeof *h->pc_of_site);
    h->size_of_site = calloc(SITE_LIMIT, sizeof *h->size_of_site);
    if (!h->pc_of_site || !h->size_of_site) {
        free(h->pc_of_site);
        free(h->size_of_site);
        free(h);
        return NULL;
    }
    return h;
}

struct hazards *hazards_create(struct sim *sim)
{
    return hazards_create_for(sim, 0);
}

static void shadow_destroy(struct block_shadow *s)
{
    acquire_destroy(s);
    order_destroy(s);
    undefined_forget(s);
    held_forget(s);
    readers_destroy(s->readers);
    planes_destroy(&s->shared);
    free(s->shared_written);
    free(s->local_written);
    arrays_destroy(s);
    free(s);
}

static void destroy_list(struct block_shadow *list)
{
    while (list) {
        struct block_shadow *next = list->next;
        shadow_destroy(list);
        list = next;
    }
}

void hazards_destroy(struct hazards *hazards)
{
    if (!hazards)
        return;
    release_launch_end(hazards);
    destroy_list(hazards->live);
    destroy_list(hazards->idle);
    for (int i = 0; i < hazards->name_count; i++)
        free(hazards->names[i]);
    free(hazards->names);
    free(hazards->site_of_pc);
    free(hazards->pc_of_site);
    free(hazards->size_of_site);
    free(hazards->chunk_owner);
    free(hazards);
}

/* ---- instructions in few bits -------------------------------------------------------------------------- */

uint32_t hazard_new_site(struct hazards *h, int pc)
{
    if (pc < 0 || pc >= h->site_of_pc_count)
        return SITE_UNKNOWN;
    if (h->site_of_pc[pc] == 0 && h->site_count + 1 < SITE_LIMIT) {
        h->site_of_pc[pc] = (uint16_t)++h->site_count;
        h->pc_of_site[h->site_count] = pc;
    }
    return h->site_of_pc[pc];
}

struct ptx_loc hazard_site_loc(const struct hazards *h, uint32_t site)
{
    if (site == SITE_UNKNOWN || !h->kernel)
        return (struct ptx_loc){0, 0};
    return h->kernel->locs[h->pc_of_site[site]];
}

/* ---- launches and blocks ------------------------------------------------------------------------------- */

void hazard_launch_begin(struct sim *sim, const struct sim_launch *launch)
{
    struct hazards *h = sim->hazards;
    h->kernel = launch->kernel;
    h->grid_dim = launch->grid;
    free(h->site_of_pc);
    h->site_of_pc_count = launch->kernel->op_count;
    h->site_of_pc = calloc((size_t)h->site_of_pc_count + 1, sizeof *h->site_of_pc);
    if (!h->site_of_pc)
        h->site_of_pc_count = 0;
    h->site_count = 0;
    h->seen_count = 0;
    h->details_left = HELD_DETAILS;
    h->careful = launch->kernel->syncs_parts;
    h->strong = h->uneven = h->found = false;
    memset(h->size_of_site, 0, SITE_LIMIT);
    h->launch_first = h->next_stamp; /* whatever was before is ordered before this launch */
    if (h->next_stamp > INT32_MAX / 4 * 3)
        order_start_over(h);
}

void hazard_launch_end(struct sim *sim)
{
    written_settle(sim);
    hazard_detector_end(sim->hazards);
}

void hazard_detector_end(struct hazards *h)
{
    release_launch_end(h);
    readers_destroy(h->readers);
    h->readers = NULL;
    while (h->live) { /* after a fault blocks do not end */
        struct block_shadow *s = h->live;
        h->live = s->next;
        s->next = h->idle;
        h->idle = s;
    }
}

static void fit_shared(struct block_shadow *s, size_t size)
{
    if (s->shared_size == size && s->granule_shift == 2 && (s->shared.count || !size))
        return;
    planes_destroy(&s->shared);
    free(s->shared_written);
    s->shared_written = NULL;
    s->granule_shift = 2;
    s->shared_size = size;
    if (size && planes_create(&s->shared, (size + 3) / 4))
        s->shared_written = calloc(size / 64 + 2, sizeof *s->shared_written);
}

static void fit_local(struct block_shadow *s, size_t size, unsigned warps)
{
    if (s->local_size * s->warps != size * warps) {
        free(s->local_written);
        s->local_written = size ? calloc(warps * size, sizeof *s->local_written) : NULL;
        s->local_top = 0;
    } else if (s->local_size != size) {
        s->local_top = size; /* the bits that there are mean other bytes now */
    }
    s->local_size = size;
    s->warps = warps;
}

void hazard_block_begin(struct block_view *block)
{
    struct hazards *h = block->sim->hazards;
    struct block_shadow *s = h->idle;
    block->shadow = NULL;
    if (block->thread_count > BLOCK_THREADS)
        return;
    if (s)
        h->idle = s->next;
    else
        s = calloc(1, sizeof *s);
    if (!s)
        return;
    fit_shared(s, block->shared_size);
    fit_local(s, block->local_size, (block->thread_count + WARP_LANES - 1) / WARP_LANES);
    s->hazards = h;
    s->view = block;
    s->number = (uint32_t)block->block_number;
    s->threads = block->thread_count;
    s->deeds = 0;
    s->visited = false;
    s->next = h->live;
    h->live = s;
    order_block_begin(s);
    if (block->cluster && block->cluster[0]->shadow) /* the first of them: stamps of all are not below it */
        s->first = shadow_of(block->cluster[0])->first;
    written_begin(s);
    undefined_forget(s);
    held_forget(s);
    arrays_block_begin(s);
    block->shadow = s;
}

void hazard_block_end(struct block_view *block)
{
    struct block_shadow *s = block->shadow;
    if (!s)
        return;
    struct block_shadow **link = &s->hazards->live;
    while (*link && *link != s)
        link = &(*link)->next;
    if (*link)
        *link = s->next;
    hazard_settle_unwritten(s);
    if (s->visited)
        cluster_block_end(s);
    order_block_end(s);
    s->next = s->hazards->idle;
    s->hazards->idle = s;
    block->shadow = NULL;
}
