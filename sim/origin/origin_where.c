#include "sim/origin/origin_where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/origin/origin_visit.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"
#include "sim/text/shared_part.h"

#define HOPS_MOST      32 /* on the way of the wrong factor */
#define REGISTERS_MOST 16 /* that hold the right one */

struct where {
    uint64_t wanted; /* the right factor's number, and the element */
    sim_addr element;
    uint32_t product; /* entry, and its lane and warp */
    int lane;
    uint32_t warp;
    struct way {
        struct replay_hop hop;
        uint32_t warp;
        bool is_there; /* the right factor is in the memory that it reads */
        struct replay_cell cell;
        struct replay_hop put; /* who had put it there */
    } way[HOPS_MOST];          /* the last one first */
    int way_count;
    int registers[REGISTERS_MOST];          /* of the thread, when it multiplies, with the right factor */
    struct replay_hop from[REGISTERS_MOST]; /* what it was loaded by */
    int register_count;
    struct replay_hop loaded, put, replaced; /* of the right factor, by the block; entry ORIGIN_NONE: never */
};

static uint32_t warp_of(const struct replay *r, uint32_t entry)
{
    return r->log->entries[entry].warp;
}

/* Of all cells of the memory that the hop reads: the one that holds it and is nearest. */
static void look_for_cell(const struct replay *r, const struct where *w, struct way *way)
{
    const uint32_t owner = replay_owner(r, way->hop.space, way->warp, way->hop.lane);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < r->cell_capacity; i++) {
        const struct replay_cell *cell = &r->cells[i];
        const uint64_t distance = cell->address > way->hop.address ? cell->address - way->hop.address
                                                                   : way->hop.address - cell->address;
        if (cell->space != way->hop.space || cell->owner != owner || cell->value != w->wanted ||
            distance >= best)
            continue;
        best = distance;
        way->is_there = true;
        way->cell = *cell;
        way->put = r->hops[cell->hop];
    }
}

static void look_for_registers(const struct replay *r, struct where *w)
{
    for (int reg = 0; reg < r->register_count && w->register_count < REGISTERS_MOST; reg++)
        if (replay_register(r, reg, w->lane).value == w->wanted) {
            const uint32_t hop = replay_register(r, reg, w->lane).hop;
            w->from[w->register_count] = hop ? r->hops[hop] : (struct replay_hop){.entry = ORIGIN_NONE};
            w->registers[w->register_count++] = reg;
        }
}

static void see_before(struct replay *r, void *data)
{
    struct where *w = data;
    if (r->number == w->product)
        look_for_registers(r, w);
    for (int i = 0; i < w->way_count; i++)
        if (w->way[i].hop.entry == r->number && w->way[i].hop.kind == ACCESS_LOAD &&
            (w->way[i].hop.space == PTX_SHARED || w->way[i].hop.space == PTX_LOCAL))
            look_for_cell(r, w, &w->way[i]);
}

static void see_access(struct replay *r, const struct replay_hop *hop, uint64_t value, uint64_t was,
                       void *data)
{
    struct where *w = data;
    (void)r;
    if (hop->kind == ACCESS_LOAD && value == w->wanted && w->loaded.entry == ORIGIN_NONE)
        w->loaded = *hop;
    if (hop->kind != ACCESS_STORE || hop->space != PTX_SHARED)
        return;
    if (value == w->wanted)
        w->put = *hop;
    else if (was == w->wanted && w->put.entry != ORIGIN_NONE && hop->address == w->put.address)
        w->replaced = *hop;
}

static bool is_of_thread(const struct origin_log *log, const struct where *w, size_t i)
{
    const struct origin_entry *entry = &log->entries[i];
    return entry->warp == w->warp && entry->depth == log->entries[w->product].depth &&
           (entry->lanes >> w->lane & 1);
}

static bool reads_it(const struct origin_op *op, int reg)
{
    for (int s = 0; s < op->source_count; s++)
        if (ptx_names(&op->instr->operands[op->first_source + s], reg))
            return true;
    return false;
}

/*
 * Is it a variable of which the line makes use? The thread reads it there, too, before it writes it again, or since
 * it has written it last; or it reads it later, anywhere.
 */
static bool is_in_use(const struct origin_log *log, const struct where *w, int reg)
{
    const struct origin_launch *launch = origin_launch_of(log, w->warp);
    const int line = launch->ops[log->entries[w->product].pc].instr->site.line;
    for (size_t i = w->product + (size_t)1; i < log->entry_count; i++) {
        if (!is_of_thread(log, w, i))
            continue;
        const struct origin_op *op = &launch->ops[log->entries[i].pc];
        if (reads_it(op, reg))
            return true;
        if (op->to && ptx_names(op->to, reg))
            break;
    }
    for (size_t i = w->product; i-- > 0;) {
        if (!is_of_thread(log, w, i))
            continue;
        const struct origin_op *op = &launch->ops[log->entries[i].pc];
        if (op->to && ptx_names(op->to, reg))
            return false;
        if (op->instr->site.line == line && reads_it(op, reg))
            return true;
    }
    return false;
}

/* ---- in words' terms ------------------------------------------------------------------------------------ */

/* "s_a[8]"; "element 8 of s_a" if it has rows, whose length is not known here; "byte 8 of now". `entry`: an access. */
static void name_place(struct origin_log *log, uint32_t entry, uint32_t space, uint64_t address,
                       uint32_t size, char *text, size_t text_size)
{
    const struct origin_launch *launch = origin_launch_of(log, log->entries[entry].warp);
    char name[64];
    text[0] = '\0';
    if (space == PTX_SHARED) {
        const struct sim_kernel *k = launch->kernel_object;
        const struct kernel_variable *v = place_variable_at(k->shared_vars, k->shared_var_count, address);
        if (!v)
            return;
        place_variable_name(v->name, name, sizeof name);
        const char *file = origin_place_of(log, entry).file;
        const unsigned long long offset = address - v->offset;
        if (v->size == size)
            snprintf(text, text_size, "%s", name);
        else if (shared_array_of_bytes(file, name))
            snprintf(text, text_size, "byte %llu of %s", offset, name);
        else
            snprintf(text, text_size,
                     shared_array_of_rows(file, name) ? "element %2$llu of %1$s" : "%1$s[%2$llu]", name,
                     offset / size);
    }
}

static uint32_t uses_of_index(struct origin_log *log, uint32_t entry, int lane)
{
    struct origin_sweep sweep = {.log = log, .branch = entry, .branch_lane = lane};
    uint32_t uses = 0;
    origin_sweep_run(&sweep);
    for (size_t i = 0; i < sweep.found_count; i++) {
        const struct origin_found *found = &sweep.found[i];
        if (found->kind == SIM_ORIGIN_SPECIAL)
            uses |= (uint32_t)found->address;
        else if (found->kind != SIM_ORIGIN_IMMEDIATE && found->kind != SIM_ORIGIN_PARAMETER)
            uses |= SIM_ORIGIN_INDIRECT;
    }
    wants_destroy(&sweep.wants);
    free(sweep.found);
    return uses;
}

static void put_hop(const struct origin_log *log, const struct replay_hop *hop,
                    struct sim_origin_place *place, struct sim_origin_thread *thread)
{
    *place = origin_place_of(log, hop->entry);
    *thread = origin_thread_of(log, log->entries[hop->entry].warp, hop->lane);
}

static bool is_before(const struct replay_hop *hop, uint32_t entry)
{
    return hop->entry != ORIGIN_NONE && hop->entry < entry;
}

/* The first load that came, of those on the way; NULL: the number stands in the code. */
static const struct way *first_load(const struct where *w)
{
    const struct way *last = w->way_count ? &w->way[w->way_count - 1] : NULL;
    return last && last->hop.space ? last : NULL;
}

static bool tell_shared(struct origin_log *log, const struct where *w, const struct way *way, uint32_t size,
                        struct sim_origin_bisect *out)
{
    put_hop(log, &way->hop, &out->read, &out->reader);
    name_place(log, way->hop.entry, way->hop.space, way->hop.address, size, out->here, sizeof out->here);
    if (way->is_there) {
        out->what = SIM_ORIGIN_OTHER_PLACE;
        name_place(log, way->put.entry, way->cell.space, way->cell.address, size, out->there,
                   sizeof out->there);
        put_hop(log, &way->put, &out->put, &out->putter);
        out->put_uses = uses_of_index(log, way->put.entry, way->put.lane);
        out->put_known = true;
        out->index_uses = uses_of_index(log, way->hop.entry, way->hop.lane);
        out->index_known = true;
        return true;
    }
    if (way->hop.space != PTX_SHARED)
        return false;
    if (is_before(&w->put, way->hop.entry) && is_before(&w->replaced, way->hop.entry)) {
        out->what = SIM_ORIGIN_REPLACED;
        name_place(log, w->put.entry, PTX_SHARED, w->put.address, size, out->there, sizeof out->there);
        put_hop(log, &w->put, &out->put, &out->putter);
        put_hop(log, &w->replaced, &out->replaced, &out->replacer);
        out->put_uses = uses_of_index(log, w->put.entry, w->put.lane);
        out->put_known = true;
        return true;
    }
    if (is_before(&w->put, way->hop.entry))
        return false;
    if (is_before(&w->loaded, way->hop.entry)) {
        out->what = SIM_ORIGIN_NOT_PUT;
        put_hop(log, &w->loaded, &out->loaded, &out->loader);
        return true;
    }
    const struct way *first = first_load(w);
    out->what = SIM_ORIGIN_NOT_LOADED;
    if (first && first != way) {
        put_hop(log, &first->hop, &out->loaded, &out->loader);
        out->index_uses = uses_of_index(log, first->hop.entry, first->hop.lane);
        out->index_known = true;
    }
    for (const struct way *put = way; !first && put < w->way + w->way_count; put++)
        if (put->hop.kind == ACCESS_STORE && put->hop.space == PTX_SHARED) { /* a number of the code */
            put_hop(log, &put->hop, &out->loaded, &out->loader);
            break;
        }
    return true;
}

/* In constant memory an element is where the host has copied it. */
static bool tell_constant(struct origin_log *log, const struct where *w, const struct way *way,
                          struct sim_origin_bisect *out)
{
    for (size_t i = 0; i < log->copy_count; i++) {
        const struct origin_copy *copy = &log->copies[i];
        if (!copy->to || !copy->from || copy->entry > way->hop.entry ||
            way->hop.address - copy->to >= copy->size)
            continue;
        const sim_addr there = copy->to + (w->element - copy->from);
        if (w->element - copy->from >= copy->size || replay_source(log, there, way->hop.entry) != w->element)
            continue;
        put_hop(log, &way->hop, &out->read, &out->reader);
        out->what = SIM_ORIGIN_OTHER_PLACE;
        out->index_uses = uses_of_index(log, way->hop.entry, way->hop.lane);
        out->index_known = true;
        return true;
    }
    return false;
}

static bool tell(struct origin_log *log, const struct where *w, uint32_t size, struct sim_origin_bisect *out)
{
    for (int i = 0; i < w->register_count; i++)
        if (is_in_use(log, w, w->registers[i])) {
            const struct replay_hop *loaded = &w->from[i];
            out->what = SIM_ORIGIN_OTHER_VARIABLE;
            if (loaded->entry != ORIGIN_NONE && loaded->space)
                put_hop(log, loaded, &out->loaded, &out->loader);
            return true;
        }
    for (int i = 0; i < w->way_count; i++) {
        const struct way *way = &w->way[i];
        if (way->hop.kind != ACCESS_LOAD || !way->hop.space)
            continue;
        if (way->hop.space == PTX_CONST)
            return tell_constant(log, w, way, out);
        if (way->hop.space == PTX_GLOBAL)
            return false;
        if (tell_shared(log, w, way, size, out))
            return true;
        if (way->hop.space == PTX_SHARED)
            return false;
    }
    return false;
}

bool origin_where(struct origin_log *log, const struct replay *first, const struct terms *terms,
                  const struct term_wrong *wrong, struct sim_origin_bisect *out)
{
    const struct term *term = &terms->list[wrong->at];
    struct where *w = calloc(1, sizeof *w);
    struct replay r = {0};
    if (!w)
        return false;
    *w = (struct where){.wanted = replay_number_of(wrong->wanted),
                        .element = wrong->wanted,
                        .product = term->entry,
                        .lane = term->lane,
                        .warp = warp_of(first, term->entry),
                        .loaded = {.entry = ORIGIN_NONE},
                        .put = {.entry = ORIGIN_NONE},
                        .replaced = {.entry = ORIGIN_NONE}};
    for (uint32_t hop = term->hop[wrong->wrong]; hop && w->way_count < HOPS_MOST;
         hop = first->hops[hop].before)
        w->way[w->way_count++] =
            (struct way){.hop = first->hops[hop], .warp = warp_of(first, first->hops[hop].entry)};
    const struct replay_watch watch = {.before = see_before, .access = see_access, .data = w};
    const bool good =
        replay_run(&r, log, w->warp, term->entry + 1, first->size, &watch) && tell(log, w, first->size, out);
    if (good) {
        out->at = origin_place_of(log, term->entry);
        out->by = origin_thread_of(log, w->warp, w->lane);
        out->count = wrong->count;
        out->wanted = wrong->wanted;
        out->outside = term->value[wrong->wrong] != 0;
        out->right = terms_element(first, term->value[1 - wrong->wrong], term->hop[1 - wrong->wrong]);
        out->got = terms_element(first, term->value[wrong->wrong], term->hop[wrong->wrong]);
    }
    replay_destroy(&r);
    free(w);
    return good;
}
