#include "sim/origin/origin_log.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/ptx/ptx.h"
#include "sim/text/plain_name.h"

#define BACK_BYTES ((size_t)64 * 1024)

/* ---- room ---------------------------------------------------------------------------------------------- */

/* Makes room for `more` elements behind `count`; false: the recording is full. */
static bool reserve(struct origin_log *log, void *array, size_t *capacity, size_t count, size_t more,
                    size_t size)
{
    if (log->full)
        return false;
    if (count + more <= *capacity)
        return true;
    size_t wanted = 2 * *capacity + more + 1024, extra = (wanted - *capacity) * size;
    void *grown = NULL;
    if (wanted < ORIGIN_NONE && log->bytes + extra <= log->bytes_max)
        grown = realloc(*(void **)array, wanted * size);
    if (!grown) {
        log->full = true;
        return false;
    }
    *(void **)array = grown;
    *capacity = wanted;
    log->bytes += extra;
    return true;
}

#define RESERVE(log, array, count, capacity, more)                                                           \
    reserve(log, &(log)->array, &(log)->capacity, (log)->count, more, sizeof *(log)->array)

static void destroy(struct origin_log *log)
{
    if (!log)
        return;
    for (int i = 0; i < log->launch_count; i++) {
        free(log->launches[i].ops);
        free(log->launches[i].kernel);
    }
    free(log->launches);
    free(log->entries);
    free(log->accesses);
    free(log->words);
    free(log->extras);
    free(log->numbers);
    free(log->copies);
    free(log->back);
    free(log);
}

bool sim_origin_start(struct sim *sim, size_t bytes)
{
    sim_origin_stop(sim);
    sim->origin = calloc(1, sizeof *sim->origin);
    if (sim->origin)
        sim->origin->bytes_max = bytes;
    return sim->origin != NULL;
}

void sim_origin_stop(struct sim *sim)
{
    destroy(sim->origin);
    sim->origin = NULL;
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static bool add_launch(struct origin_log *log)
{
    if (log->launch_count < log->launch_capacity)
        return true;
    int capacity = 2 * log->launch_capacity + 8;
    struct origin_launch *launches = realloc(log->launches, (size_t)capacity * sizeof *launches);
    if (!launches)
        return false;
    log->launches = launches;
    log->launch_capacity = capacity;
    return true;
}

bool origin_launch_begin(struct origin_log *log, const struct code *code, const struct sim_launch *request)
{
    unsigned threads = request->block.x * request->block.y * request->block.z;
    uint64_t blocks = (uint64_t)request->grid.x * request->grid.y * request->grid.z;
    char name[256];
    plain_name(request->kernel->info.name, name, sizeof name);
    struct origin_launch launch = {
        .grid = request->grid,
        .block = request->block,
        .code = code,
        .warps_per_block = (threads + WARP_LANES - 1) / WARP_LANES,
        .first_warp = log->warp_count,
        .caller = log->next_caller,
        .ops = calloc((size_t)code->count, sizeof *launch.ops),
        .kernel = strdup(name),
    };
    if (!launch.ops || !launch.kernel || blocks * launch.warps_per_block >= ORIGIN_NONE - log->warp_count ||
        code->count >= 1 << 24 || !add_launch(log)) {
        free(launch.ops);
        free(launch.kernel);
        log->full = true;
        return false;
    }
    memcpy(launch.callers, log->next_callers, sizeof launch.callers);
    launch.warp_count = (uint32_t)blocks * launch.warps_per_block;
    for (int pc = 0; pc < code->count; pc++)
        launch.ops[pc] = origin_op_of(code->instrs[pc]);
    log->launches[log->launch_count++] = launch;
    log->warp_count += launch.warp_count;
    return true;
}

void sim_origin_launched_from(struct sim *sim, const void *caller, void *const *callers)
{
    if (!sim->origin)
        return;
    sim->origin->next_caller = caller;
    memcpy(sim->origin->next_callers, callers, sizeof sim->origin->next_callers);
}

uint32_t origin_warp(const struct origin_log *log, uint64_t block, unsigned warp)
{
    const struct origin_launch *launch = &log->launches[log->launch_count - 1];
    return launch->first_warp + (uint32_t)block * launch->warps_per_block + warp;
}

const struct origin_op *origin_op_at(const struct origin_log *log, int pc)
{
    return &log->launches[log->launch_count - 1].ops[pc];
}

int origin_registers(const struct code *code)
{
    int most = 0;
    for (int i = 0; i < code->function_count; i++)
        if (code->functions[i].func->reg_count > most)
            most = code->functions[i].func->reg_count;
    return most;
}

const struct origin_launch *origin_launch_of(const struct origin_log *log, uint32_t warp)
{
    int low = 0, high = log->launch_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (log->launches[middle].first_warp <= warp)
            low = middle;
        else
            high = middle - 1;
    }
    return &log->launches[low];
}

/* ---- instructions -------------------------------------------------------------------------------------- */

void origin_note(struct origin_log *log, uint32_t warp, int pc, int depth, uint32_t lanes)
{
    if (!RESERVE(log, entries, entry_count, entry_capacity, 1))
        return;
    log->entries[log->entry_count++] = (struct origin_entry){
        .pc = (uint32_t)pc & 0xffffff,
        .depth = (uint32_t)(depth < 255 ? depth : 255) & 0xff,
        .lanes = lanes,
        .warp = warp,
        .extra = ORIGIN_NONE,
    };
}

static struct origin_entry *last_entry(struct origin_log *log)
{
    return log->full || log->entry_count == 0 ? NULL : &log->entries[log->entry_count - 1];
}

void origin_note_choice(struct origin_log *log, uint32_t chosen)
{
    struct origin_entry *entry = last_entry(log);
    if (!entry || !RESERVE(log, extras, extra_count, extra_capacity, 1))
        return;
    entry->extra = (uint32_t)log->extra_count;
    log->extras[log->extra_count++] = chosen;
}

void origin_note_numbers(struct origin_log *log, const uint32_t zeros[2], uint32_t nans)
{
    if (!(zeros[0] | zeros[1] | nans) || !last_entry(log) ||
        !RESERVE(log, numbers, number_count, number_capacity, 1))
        return;
    log->numbers[log->number_count++] =
        (struct origin_numbers){.entry = (uint32_t)log->entry_count - 1, .lanes = {zeros[0], zeros[1], nans}};
}

bool origin_is_number(const struct origin_log *log, uint32_t entry, int which, int lane)
{
    size_t low = 0, high = log->number_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (log->numbers[middle].entry < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < log->number_count && log->numbers[low].entry == entry &&
           (log->numbers[low].lanes[which] >> lane & 1);
}

void origin_note_shuffle(struct origin_log *log, uint32_t lanes, const uint8_t source[WARP_LANES])
{
    struct origin_entry *entry = last_entry(log);
    if (!entry || !RESERVE(log, extras, extra_count, extra_capacity, WARP_LANES / 4))
        return;
    entry->lanes = lanes;
    entry->extra = (uint32_t)log->extra_count;
    memcpy(&log->extras[log->extra_count], source, WARP_LANES);
    log->extra_count += WARP_LANES / 4;
}

/* Keeps what is copied to the host: its memory may be freed before anyone asks. */
static void keep_back(struct sim *sim, struct origin_log *log, sim_addr from, size_t size)
{
    const void *bytes = sim_mem_host(sim, from, size);
    if (!log->back)
        log->back = malloc(BACK_BYTES);
    log->back_count = !log->back || !bytes ? 0 : size < BACK_BYTES ? size : BACK_BYTES;
    if (log->back_count)
        memcpy(log->back, bytes, log->back_count);
}

void sim_origin_copied(struct sim *sim, sim_addr to, sim_addr from, size_t size, const void *caller)
{
    struct origin_log *log = sim->origin;
    if (!log || !RESERVE(log, copies, copy_count, copy_capacity, 1))
        return;
    origin_note(log, ORIGIN_NONE, 0, 0, 0);
    struct origin_entry *entry = last_entry(log);
    if (!entry)
        return;
    entry->extra = (uint32_t)log->copy_count;
    log->copies[log->copy_count++] = (struct origin_copy){
        .to = to, .from = from, .size = size, .caller = caller, .entry = (uint32_t)(log->entry_count - 1)};
    if (!to && from)
        keep_back(sim, log, from, size);
}

/* ---- accesses ------------------------------------------------------------------------------------------ */

static unsigned lane_count(uint32_t lanes)
{
    return (unsigned)__builtin_popcount(lanes);
}

/* The place of a lane among those that take part. */
static unsigned lane_rank(uint32_t lanes, int lane)
{
    return lane_count(lanes & ((UINT32_C(1) << lane) - 1));
}

static enum access_shape shape_of(const struct access *a)
{
    uint64_t first = a->address[__builtin_ctz(a->lanes)];
    bool same = true, next = true;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!(a->lanes >> lane & 1))
            continue;
        same &= a->address[lane] == first;
        next &= a->address[lane] == first + lane_rank(a->lanes, lane) * (uint64_t)a->size;
    }
    return same ? SHAPE_UNIFORM : next ? SHAPE_CONTIGUOUS : SHAPE_SCATTERED;
}

static void put_addresses(struct origin_log *log, struct origin_access *to, const struct access *a)
{
    to->addresses = log->word_count;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!(a->lanes >> lane & 1))
            continue;
        log->words[log->word_count++] = a->address[lane];
        if (to->shape != SHAPE_SCATTERED)
            return;
    }
}

/* Behind the instruction's other accesses. */
static void append_access(struct origin_log *log, struct origin_entry *entry)
{
    uint32_t added = (uint32_t)log->access_count++, *link = &entry->extra;
    while (*link != ORIGIN_NONE)
        link = &log->accesses[*link].next;
    *link = added;
}

void origin_note_access(struct origin_log *log, const struct access *a)
{
    struct origin_entry *entry = last_entry(log);
    if (!entry || a->size > 16 || !a->lanes || !RESERVE(log, accesses, access_count, access_capacity, 1) ||
        !RESERVE(log, words, word_count, word_capacity, lane_count(a->lanes)))
        return;
    struct origin_access *to = &log->accesses[log->access_count];
    *to = (struct origin_access){
        .kind = (unsigned)a->kind & 3,
        .space = (unsigned)a->space & 7,
        .shape = (unsigned)shape_of(a) & 3,
        .size = (unsigned)a->size & 31,
        .element_size = (unsigned)a->element_size & 31,
        .lanes = a->lanes,
        .next = ORIGIN_NONE,
    };
    put_addresses(log, to, a);
    append_access(log, entry);
}

void origin_note_refused(struct origin_log *log, uint32_t lanes)
{
    const struct origin_entry *entry = last_entry(log);
    for (uint32_t a = entry ? entry->extra : ORIGIN_NONE; a != ORIGIN_NONE; a = log->accesses[a].next)
        log->accesses[a].refused = lanes & log->accesses[a].lanes;
}

uint64_t origin_address(const struct origin_log *log, const struct origin_access *a, int lane)
{
    const uint64_t *addresses = log->words + a->addresses;
    unsigned rank = lane_rank(a->lanes, lane);
    switch (a->shape) {
    case SHAPE_UNIFORM: return addresses[0];
    case SHAPE_CONTIGUOUS: return addresses[0] + (uint64_t)rank * a->size;
    default: return addresses[rank];
    }
}
