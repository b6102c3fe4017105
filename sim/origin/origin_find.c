/* The result of a search, in the words of origin.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"
#include "sim/text/source_line.h"

static const char *file_name(const struct code *code, struct ptx_loc loc)
{
    const struct ptx_module *module = code->module;
    return loc.file > 0 && loc.file < module->file_count && module->files[loc.file] ? module->files[loc.file]
                                                                                    : "";
}

struct sim_origin_place origin_place_at(const struct origin_launch *launch, int pc)
{
    const struct ptx_instr *instr = launch->ops[pc].instr;
    if (!instr)
        return (struct sim_origin_place){.file = ""};
    return (struct sim_origin_place){
        .file = file_name(launch->code, instr->site),
        .line = instr->site.line,
        .call_line = instr->call.file == instr->site.file ? instr->call.line : 0,
        .from_line = instr->call.file == instr->site.file && instr->from.file == instr->site.file
                         ? instr->from.line
                         : 0,
    };
}

/* Of an instruction in a function that was not inlined: the calls that led there. */
static void add_calls(const struct origin_log *log, uint32_t number, struct sim_origin_place *place)
{
    const struct origin_entry *in = &log->entries[number];
    for (uint32_t i = number, depth = in->depth; i-- > 0 && depth > 0;) {
        const struct origin_entry *entry = &log->entries[i];
        if (entry->warp != in->warp || entry->depth >= depth || !(entry->lanes & in->lanes))
            continue;
        depth = entry->depth;
        const struct sim_origin_place call = origin_place_at(origin_launch_of(log, in->warp), (int)entry->pc);
        if (strcmp(call.file, place->file) != 0)
            return;
        if (place->call_line == 0)
            place->call_line = call.line;
        else
            place->from_line = call.line;
        if (call.call_line > 0)
            place->from_line = call.from_line > 0 ? call.from_line : call.call_line;
    }
}

struct sim_origin_place origin_place_of(const struct origin_log *log, uint32_t number)
{
    const struct origin_entry *entry = &log->entries[number];
    struct sim_origin_place place = origin_place_at(origin_launch_of(log, entry->warp), (int)entry->pc);
    if (entry->depth > 0 && place.line > 0)
        add_calls(log, number, &place);
    return place;
}

struct sim_origin_thread origin_thread_of(const struct origin_log *log, uint32_t warp, int lane)
{
    const struct origin_launch *launch = origin_launch_of(log, warp);
    uint32_t number = warp - launch->first_warp;
    return (struct sim_origin_thread){
        .launch = (int)(launch - log->launches),
        .kernel = launch->kernel,
        .block = place_coordinates(number / launch->warps_per_block, &launch->grid),
        .thread = place_coordinates((uint64_t)number % launch->warps_per_block * WARP_LANES + (unsigned)lane,
                                    &launch->block),
    };
}

struct sim_origin_place origin_place_of_call(struct origin_log *log, const void *caller)
{
    struct sim_origin_place place = {.file = ""};
    char text[sizeof log->host_file + 16];
    if (caller && caller == log->host_caller) {
        place.file = log->host_file;
        place.line = log->host_line;
        return place;
    }
    if (!caller || !source_line(caller, text, sizeof text))
        return place;
    char *colon = strrchr(text, ':');
    if (!colon)
        return place;
    place.line = atoi(colon + 1);
    *colon = '\0';
    snprintf(log->host_file, sizeof log->host_file, "%.255s", text);
    place.file = log->host_file;
    log->host_caller = caller;
    log->host_line = place.line;
    return place;
}

/* Adds a call to those that led to a place of the host. */
static void add_host_call(struct sim_origin_place *place, int line)
{
    if (place->call_line == 0)
        place->call_line = line;
    else
        place->from_line = line;
}

/*
 * The calls of the host that led to the launch, as far as they stand in the launch's file: of all the lines, from the
 * innermost on, those behind the launch's own. Where gcc has inlined the beginning of a function and not its rest,
 * the call of the rest belongs to no line, and is given a wrong one: of a call in inlined code only the lines that it
 * was inlined into count.
 */
static void add_host_calls(const struct origin_launch *launch, struct sim_origin_place *place)
{
    char lines[4096], *rest, *line;
    bool found = false;
    const size_t length = strlen(place->file);
    for (int i = 0; place->line > 0 && i < SIM_ORIGIN_CALLERS && launch->callers[i]; i++) {
        if (!source_calls(launch->callers[i], lines, sizeof lines)) {
            if (found)
                return;
            continue;
        }
        rest = found && strchr(lines, '\n')[1] ? strchr(lines, '\n') + 1 : lines;
        while ((line = strsep(&rest, "\n")) && *line) {
            const bool same = strncmp(line, place->file, length) == 0 && line[length] == ':';
            if (found && !same)
                return;
            if (found)
                add_host_call(place, atoi(line + length + 1));
            found |= same && atoi(line + length + 1) == place->line;
        }
    }
}

/* How often the thread ran the instruction of this entry. */
static uint32_t count_runs(const struct origin_log *log, uint32_t number, int lane)
{
    const struct origin_entry *of = &log->entries[number];
    uint32_t runs = 0;
    for (size_t i = 0; i < log->entry_count; i++) {
        const struct origin_entry *entry = &log->entries[i];
        runs += entry->warp == of->warp && entry->pc == of->pc && (entry->lanes >> lane & 1);
    }
    return runs;
}

static const char *origin_name_of(const struct sim *sim, sim_addr address)
{
    const struct sim_allocation *a = sim_mem_find(sim, address);
    return a && address - a->address < a->size ? a->name : "";
}

static struct sim_origin_leaf leaf_of(const struct sim *sim, const struct origin_sweep *sweep,
                                      const struct origin_found *found)
{
    const struct origin_log *log = sweep->log;
    struct sim_origin_leaf leaf = {
        .kind = found->kind,
        .address = found->address,
        .size = found->size,
        .bits = found->bits,
        .times = found->times,
        .minus = found->minus,
        .index_times = found->index,
        .ways = found->ways,
        .name = "",
        .index_uses = found->site >= 0 ? sweep->sites[found->site].uses : 0,
        .place = {.file = ""},
        .minus_place = {.file = ""},
        .crossed = {.file = ""},
        .used = {.file = ""},
    };
    if (found->kind == SIM_ORIGIN_REGISTER) {
        leaf.thread = origin_thread_of(log, (uint32_t)found->address, found->lane);
        return leaf;
    }
    if (found->kind == SIM_ORIGIN_HOST || found->kind == SIM_ORIGIN_MEMORY ||
        found->kind == SIM_ORIGIN_CONSTANT)
        leaf.name = origin_name_of(sim, found->address);
    if (found->kind == SIM_ORIGIN_HOST) {
        leaf.place = origin_place_of_call(sweep->log, log->copies[log->entries[found->entry].extra].caller);
        return leaf;
    }
    leaf.place = origin_place_of(log, found->entry);
    leaf.thread = origin_thread_of(log, log->entries[found->entry].warp, found->lane);
    if (found->kind == SIM_ORIGIN_IMMEDIATE && (found->ways & SIM_ORIGIN_SUM))
        leaf.runs = count_runs(log, found->entry, found->lane);
    if (found->turned)
        leaf.minus_place = origin_place_of(log, found->turned - 1);
    if (found->used)
        leaf.used = origin_place_of(log, found->used - 1);
    if (found->crossed) {
        const struct origin_entry *entry = &log->entries[found->crossed - 1];
        leaf.crossed = origin_place_of(log, found->crossed - 1);
        if (origin_launch_of(log, entry->warp)->ops[entry->pc].kind == ORIGIN_SHUFFLE)
            leaf.ways |= SIM_ORIGIN_SHUFFLED;
    }
    leaf.has_second = found->second != ORIGIN_NONE;
    if (leaf.has_second) {
        leaf.second_place = origin_place_of(log, found->second);
        leaf.second = origin_thread_of(log, log->entries[found->second].warp, found->second_lane);
    }
    return leaf;
}

/* Immediates of one instruction and thread are one leaf; so are reads of one parameter or special register by one line. */
static bool same_leaf(const struct sim_origin_leaf *a, const struct sim_origin_leaf *b)
{
    return a->kind == b->kind && a->address == b->address && a->bits == b->bits &&
           a->place.line == b->place.line && a->thread.launch == b->thread.launch &&
           (a->kind != SIM_ORIGIN_UNWRITTEN && a->kind != SIM_ORIGIN_REGISTER);
}

static void add_leaf(struct sim_origin *out, const struct sim_origin_leaf *leaf)
{
    for (int i = 0; i < out->leaf_count && leaf->kind != SIM_ORIGIN_MEMORY; i++)
        if (same_leaf(&out->leaves[i], leaf)) {
            out->leaves[i].times += leaf->times;
            out->leaves[i].minus += leaf->minus;
            out->leaves[i].ways |= leaf->ways;
            return;
        }
    out->leaves[out->leaf_count++] = *leaf;
}

static int compare_leaves(const void *a, const void *b)
{
    const struct sim_origin_leaf *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool is_own_shuffle(const struct origin_log *log, uint32_t entry, uint32_t maker, int from, int to)
{
    const struct origin_entry *at = &log->entries[entry];
    return origin_launch_of(log, at->warp)->ops[at->pc].kind == ORIGIN_SHUFFLE && from == to &&
           at->warp == log->entries[maker].warp;
}

static void fill_fork(const struct origin_sweep *sweep, struct sim_origin *out)
{
    const struct origin_log *log = sweep->log;
    const struct origin_fork *fork = &sweep->fork;
    const struct sim_origin_place none = {.file = ""};
    out->fork = (struct sim_origin_fork){.made = none, .use = {none, none}, .join = none};
    if (fork->maker == ORIGIN_NONE)
        return;
    out->fork.made = origin_place_of(log, fork->maker);
    out->fork.thread = origin_thread_of(log, log->entries[fork->maker].warp, fork->lane);
    out->fork.itself = fork->user[0] == fork->user[1];
    for (int k = 0; k < 2; k++) {
        const uint32_t entry = origin_entry_of_pair(fork->user[k]);
        const int lane = (int)((fork->user[k] - 1) % WARP_LANES);
        out->fork.use[k] = origin_place_of(log, entry);
        out->fork.user[k] = origin_thread_of(log, log->entries[entry].warp, lane);
        out->fork.shuffled |= is_own_shuffle(log, entry, fork->maker, fork->lane, lane);
    }
    const struct origin_entry *join = fork->join ? &log->entries[origin_entry_of_pair(fork->join)] : NULL;
    if (join && origin_launch_of(log, join->warp)->ops[join->pc].math == ORIGIN_ADD) {
        out->fork.join = origin_place_of(log, origin_entry_of_pair(fork->join));
        out->fork.joiner = origin_thread_of(log, join->warp, (int)((fork->join - 1) % WARP_LANES));
    }
}

static struct sim_origin_place computed_at(const struct origin_sweep *sweep)
{
    const struct origin_entry *entry =
        sweep->computed != ORIGIN_NONE && sweep->size <= 8 ? &sweep->log->entries[sweep->computed] : NULL;
    const struct origin_op *op = entry ? &origin_launch_of(sweep->log, entry->warp)->ops[entry->pc] : NULL;
    if (!op || op->kind != ORIGIN_PLAIN || op->math == ORIGIN_OTHER_MATH || op->instr->no_line)
        return (struct sim_origin_place){.file = ""};
    return origin_place_of(sweep->log, sweep->computed);
}

static bool fill(const struct sim *sim, const struct origin_sweep *sweep, struct sim_origin *out)
{
    out->leaves = calloc(sweep->found_count + 1, sizeof *out->leaves);
    if (!out->leaves)
        return false;
    for (size_t i = 0; i < sweep->found_count; i++) {
        struct sim_origin_leaf leaf = leaf_of(sim, sweep, &sweep->found[i]);
        add_leaf(out, &leaf);
    }
    qsort(out->leaves, (size_t)out->leaf_count, sizeof *out->leaves, compare_leaves);
    out->store_count = sweep->store_count;
    for (uint64_t i = 0; i < sweep->store_count && i < SIM_ORIGIN_STORES; i++) {
        const struct origin_stored *from = &sweep->stored[i];
        out->store[i] = (struct sim_origin_store){
            .place = origin_place_of(sweep->log, from->entry),
            .thread = origin_thread_of(sweep->log, sweep->log->entries[from->entry].warp, from->lane),
            .is_atomic = from->is_atomic,
            .instruction = from->instruction,
            .goes_in = from->goes_in,
            .index_uses = sweep->sites[from->site].uses,
            .runs = count_runs(sweep->log, from->entry, from->lane),
        };
    }
    out->step_count = sweep->step_count;
    for (int i = 0; i < sweep->step_count; i++) {
        out->steps[i].note = (enum sim_origin_note)sweep->steps[i].note;
        const struct origin_entry *entry = &sweep->log->entries[sweep->steps[i].entry];
        if (!origin_launch_of(sweep->log, entry->warp)->ops[entry->pc].instr->no_line)
            out->steps[i].place = origin_place_of(sweep->log, sweep->steps[i].entry);
    }
    out->path_count = sweep->path_count;
    for (int i = 0; i < sweep->path_count; i++)
        out->path[i] = origin_place_of(sweep->log, sweep->path[i]);
    fill_fork(sweep, out);
    out->computed = computed_at(sweep);
    return true;
}

static bool find(struct sim *sim, sim_addr address, size_t size, size_t end, struct sim_origin *out)
{
    *out = (struct sim_origin){0};
    if (!sim->origin || size < 1)
        return false;
    struct origin_sweep sweep = {.log = sim->origin, .address = address, .size = size, .end = end};
    origin_sweep_run(&sweep);
    bool good = !sweep.failed && !sweep.wants.failed && fill(sim, &sweep, out);
    out->incomplete = sim->origin->full;
    wants_destroy(&sweep.wants);
    free(sweep.found);
    if (!good)
        sim_origin_free(out);
    return good;
}

bool sim_origin_find(struct sim *sim, sim_addr address, size_t size, struct sim_origin *out)
{
    return find(sim, address, size, 0, out);
}

bool sim_origin_find_copied(struct sim *sim, const struct sim_origin_back *back, struct sim_origin *out)
{
    return find(sim, back->address, back->size, back->entry + (size_t)1, out);
}

void sim_origin_free(struct sim_origin *origin)
{
    free(origin->leaves);
    *origin = (struct sim_origin){0};
}

int sim_origin_launches(struct sim *sim, int i, struct sim_origin_launch *out)
{
    struct origin_log *log = sim->origin;
    if (log && i >= 0 && i < log->launch_count) {
        *out = (struct sim_origin_launch){.kernel = log->launches[i].kernel,
                                          .grid = log->launches[i].grid,
                                          .block = log->launches[i].block,
                                          .place = origin_place_of_call(log, log->launches[i].caller)};
        add_host_calls(&log->launches[i], &out->place);
    }
    return log ? log->launch_count : 0;
}
