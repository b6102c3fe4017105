/*
 * Device memory: allocations in a range of addresses that only ever grows, so that a freed address is
 * not used again before the whole range was, and stale pointers are caught.
 */
#include "sim/core/bits.h"
#include "sim/memory/memory.h"
#include "sim/text/allocation_name.h"
#include "sim/memory/tracker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT        ((size_t)256)
#define SMALLEST_GAP     ((size_t)1 << 16)
#define FRESH_BYTE       0xA5
#define LAZY_FROM        ((size_t)32 << 20) /* bytes of an allocation that is not filled at once */
#define FREED_REMEMBERED 2048               /* freed allocations that "use after free" can name */

static size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/*
 * Behind an allocation follows a gap as large as itself, within reason: an index that is too large by
 * up to the array's length then hits no neighbor.
 */
static size_t gap_behind(const struct memory *memory, size_t size)
{
    size_t largest = memory->reserved / 256, gap = round_up(size, ALIGNMENT);
    if (gap > largest)
        gap = largest & ~(ALIGNMENT - 1);
    return gap < SMALLEST_GAP ? SMALLEST_GAP : gap;
}

/* Whoever remembers an allocation compares generations; they are never the same for two memories. */
static void list_changed(struct memory *memory)
{
    static atomic_uint_fast64_t next_generation = 1;
    memory->generation = atomic_fetch_add(&next_generation, 1);
}

struct memory *memory_create(struct sim *sim)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    size_t dram = sim->config.profile ? sim->config.profile->dram_bytes : (size_t)16 << 30;
    memory->sim = sim;
    memory->cursor = ALIGNMENT;
    memory->places = known_places_create();
    list_changed(memory);
    if (!memory->places || !memory_reserve(memory, 4 * dram)) {
        known_places_destroy(memory->places);
        free(memory);
        return NULL;
    }
    return memory;
}

void memory_watch(struct memory *memory, const struct memory_watcher *watcher)
{
    memory->watcher = watcher;
}

/* ---- bits for written bytes: of large allocations they take memory where they are set ------------------- */

static size_t written_bytes(const struct allocation *a)
{
    return (a->info.size / 64 + 2) * sizeof *a->written.bits;
}

static void written_create(struct allocation *a)
{
    a->written.bits =
        a->info.size < LAZY_FROM ? calloc(1, written_bytes(a)) : memory_map_lazily(written_bytes(a));
    a->written.all = a->written.bits == NULL; /* no room to remember: say nothing rather than lie */
}

static void written_release(struct allocation *a)
{
    if (a->info.size < LAZY_FROM)
        free(a->written.bits);
    else
        memory_unmap(a->written.bits, written_bytes(a));
    a->written.bits = NULL;
}

/* The allocation is freed: what is known of its bytes is released. */
static void forget(struct memory *memory, struct allocation *allocation)
{
    if (memory->watcher)
        memory->watcher->forget(allocation);
    tracker_forget_allocation(allocation);
}

static void allocation_destroy(struct memory *memory, struct allocation *allocation)
{
    forget(memory, allocation);
    written_release(allocation);
    free(allocation->touched.bits[0]);
    free(allocation->touched.bits[1]);
    free(allocation->touched.pages);
    if (allocation->clusters) {
        free(allocation->clusters->now.bits[0]);
        free(allocation->clusters->now.bits[1]);
        free(allocation->clusters->now.pages);
    }
    free(allocation->clusters);
    free(allocation);
}

void memory_destroy(struct memory *memory)
{
    if (!memory)
        return;
    for (int i = 0; i < memory->count; i++)
        allocation_destroy(memory, memory->list[i]);
    free(memory->list);
    known_places_destroy(memory->places);
    memory_unreserve(memory);
    free(memory);
}

/* ---- the sorted list ----------------------------------------------------------------------------------- */

/* The number of allocations that begin at or below the address. */
static int list_position(const struct memory *memory, uint64_t address)
{
    int low = 0, high = memory->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (memory->list[middle]->info.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *memory_below(const struct memory *memory, uint64_t address)
{
    int i = list_position(memory, address);
    return i > 0 ? memory->list[i - 1] : NULL;
}

struct allocation *memory_above(const struct memory *memory, uint64_t address)
{
    int i = list_position(memory, address);
    return i < memory->count ? memory->list[i] : NULL;
}

struct allocation *memory_at(const struct memory *memory, uint64_t address)
{
    struct allocation *a = memory_below(memory, address);
    return a && !a->info.freed && address - a->info.address < a->info.size ? a : NULL;
}

static bool list_reserve_one(struct memory *memory)
{
    if (memory->count < memory->capacity)
        return true;
    int capacity = memory->capacity ? 2 * memory->capacity : 64;
    struct allocation **list = realloc(memory->list, (size_t)capacity * sizeof *list);
    if (!list)
        return false;
    memory->list = list;
    memory->capacity = capacity;
    return true;
}

static void list_insert(struct memory *memory, struct allocation *allocation)
{
    int i = list_position(memory, allocation->info.address);
    memmove(memory->list + i + 1, memory->list + i, (size_t)(memory->count - i) * sizeof *memory->list);
    memory->list[i] = allocation;
    memory->count++;
    list_changed(memory);
}

/* Forgets freed allocations that overlap [first, end) or whose serial is below `oldest`. */
static void list_forget_freed(struct memory *memory, uint64_t first, uint64_t end, uint64_t oldest)
{
    int kept = 0;
    for (int i = 0; i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        bool overlaps = a->info.address < end && first < a->info.address + a->info.size;
        if (a->info.freed && (overlaps || a->info.serial < oldest)) {
            allocation_destroy(memory, a);
            memory->freed_count--;
        } else {
            memory->list[kept++] = a;
        }
    }
    memory->count = kept;
    list_changed(memory);
}

static bool overlaps_live(const struct memory *memory, uint64_t first, uint64_t end)
{
    for (int i = 0; i < memory->count; i++) {
        const struct sim_allocation *a = &memory->list[i]->info;
        if (!a->freed && a->address < end && first < a->address + a->size)
            return true;
    }
    return false;
}

/* ---- allocation ---------------------------------------------------------------------------------------- */

/* First fit between live allocations, once the range is used up. False: no gap is large enough. */
static bool find_gap(struct memory *memory, size_t needed, size_t *offset)
{
    uint64_t base = memory->device_base, end = base + memory->reserved;
    uint64_t candidate = base + ALIGNMENT;
    for (int i = 0; i < memory->count; i++) {
        const struct sim_allocation *a = &memory->list[i]->info;
        if (a->freed || a->address < base || a->address >= end)
            continue;
        if (a->address >= candidate + needed)
            break;
        candidate = base + round_up(a->address + a->size - base, ALIGNMENT) + gap_behind(memory, a->size);
    }
    if (candidate + needed > end)
        return false;
    *offset = (size_t)(candidate - base);
    list_forget_freed(memory, candidate, candidate + needed, 0);
    return true;
}

static bool find_place(struct memory *memory, size_t size, size_t *offset)
{
    size_t needed = round_up(size, ALIGNMENT) + gap_behind(memory, size);
    if (needed > memory->reserved)
        return false;
    if (!memory->cursor_wrapped && memory->cursor + needed <= memory->reserved) {
        *offset = memory->cursor;
        memory->cursor += needed;
        return true;
    }
    memory->cursor_wrapped = true;
    return find_gap(memory, needed, offset);
}

static struct allocation *allocation_create(struct memory *memory, uint64_t address, size_t size,
                                            const void *caller)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a || !list_reserve_one(memory)) {
        free(a);
        return NULL;
    }
    a->info = (struct sim_allocation){
        .address = address, .size = size, .caller = caller, .serial = ++memory->next_serial};
    return a;
}

static bool fits_the_device(const struct memory *memory, size_t size)
{
    const struct sim_profile *profile = memory->sim->config.profile;
    size_t dram = profile ? profile->dram_bytes : memory->reserved;
    return size <= dram && memory->live_bytes <= dram - size;
}

/*
 * Large allocations take memory where they are written only, so they may be larger than what the host has: programs
 * often allocate most of a device and use little of it. Launches that write more than there is are stopped. Of a
 * launch that is only sampled the memory is hardly touched.
 */
static bool fits_the_host(struct memory *memory, size_t size)
{
    if (memory->sim->config.sample_work || memory_host_has(size))
        return true;
    memory->overcommitted = true;
    return size >= LAZY_FROM;
}

#define RESERVE ((size_t)256 << 20) /* what must be left: more than one slice of a launch writes */

bool memory_runs_short(const struct memory *memory)
{
    return memory->overcommitted && !memory_host_has(RESERVE);
}

/* Large allocations are often used in part only: there the bytes come when they are looked at. */
static void fill_fresh(struct memory *memory, struct allocation *a, size_t offset)
{
    if (a->info.size < LAZY_FROM) {
        memset(a->host, FRESH_BYTE, a->info.size);
        return;
    }
    size_t period = (size_t)1 << 16;
    unsigned char *pattern = malloc(period);
    if (pattern) {
        memset(pattern, FRESH_BYTE, period);
        a->repeated = memory_repeat(memory, offset, a->info.size, pattern, period);
    } else {
        memset(a->host, FRESH_BYTE, a->info.size);
    }
    free(pattern);
}

sim_addr sim_mem_alloc(struct sim *sim, size_t size, const void *caller)
{
    struct memory *memory = sim->memory;
    size_t offset;
    if (size == 0 || !fits_the_device(memory, size) || !fits_the_host(memory, size) ||
        !find_place(memory, size, &offset) || !memory_commit(memory, offset + size))
        return 0;
    struct allocation *a = allocation_create(memory, memory->device_base + offset, size, caller);
    if (!a)
        return 0;
    a->host = memory->backing + offset;
    fill_fresh(memory, a, offset);
    written_create(a);
    list_insert(memory, a);
    memory->live_count++;
    memory->live_bytes += size;
    if (memory->live_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->live_bytes;
    return a->info.address;
}

sim_addr sim_mem_adopt(struct sim *sim, void *host, size_t size, const void *caller)
{
    struct memory *memory = sim->memory;
    uint64_t first = (uint64_t)(uintptr_t)host, end = first + size;
    if (!host || size == 0 || end < first || sim_mem_is_device(sim, host) ||
        overlaps_live(memory, first, end))
        return 0;
    list_forget_freed(memory, first, end, 0);
    struct allocation *a = allocation_create(memory, first, size, caller);
    if (!a)
        return 0;
    a->host = host;
    a->adopted = true;
    a->written.all = true;
    list_insert(memory, a);
    return first;
}

void sim_mem_over_bus(struct sim *sim, sim_addr address)
{
    memory_at(sim->memory, address)->over_bus = true;
}

bool sim_mem_free(struct sim *sim, sim_addr address)
{
    struct memory *memory = sim->memory;
    struct allocation *a = memory_at(memory, address);
    if (!a || a->info.address != address)
        return false;
    a->info.freed = true;
    memory->freed_count++;
    if (!a->adopted) {
        size_t offset = (size_t)(a->host - memory->backing);
        if (a->repeated)
            memory_unrepeat(memory, offset, a->info.size);
        memory_discard(memory, offset, a->info.size);
        memory->live_count--;
        memory->live_bytes -= a->info.size;
    }
    forget(memory, a);
    written_release(a);
    a->written.all = true;
    list_changed(memory);
    if (memory->freed_count > FREED_REMEMBERED && memory->next_serial > FREED_REMEMBERED / 2)
        list_forget_freed(memory, 0, 0, memory->next_serial - FREED_REMEMBERED / 2);
    return true;
}

/* ---- what callers may ask and tell --------------------------------------------------------------------- */

void sim_mem_name(struct sim *sim, sim_addr address, const char *name)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (a)
        snprintf(a->info.name, sizeof a->info.name, "%s", name);
}

void sim_mem_made_at(struct sim *sim, sim_addr address, const char *file, int line)
{
    struct allocation *a = memory_at(sim->memory, address);
    const char *slash = strrchr(file, '/');
    if (a && file[0])
        snprintf(a->info.kernel_line, sizeof a->info.kernel_line, "%.30s:%d", slash ? slash + 1 : file, line);
}

void sim_mem_called_from(struct sim *sim, sim_addr address, const void *outer)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (a)
        a->info.outer = outer;
}

void sim_mem_freed_from(struct sim *sim, sim_addr address, const char *call, const void *caller,
                        const void *outer)
{
    struct allocation *a = memory_below(sim->memory, address);
    if (!a || a->info.address != address)
        return;
    a->info.freed_call = call;
    a->info.freed_by[0] = caller;
    a->info.freed_by[1] = outer;
}

const struct sim_allocation *sim_mem_find(const struct sim *sim, sim_addr address)
{
    const struct memory *memory = sim->memory;
    int below = list_position(memory, address) - 1;
    if (below < 0)
        return NULL;
    for (int i = below; i >= 0; i--)
        if (!memory->list[i]->info.freed ||
            address - memory->list[i]->info.address < memory->list[i]->info.size)
            return &memory->list[i]->info;
    return &memory->list[below]->info;
}

void *sim_mem_host(struct sim *sim, sim_addr address, size_t size)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (!a)
        return NULL;
    size_t offset = (size_t)(address - a->info.address);
    return size <= a->info.size - offset ? a->host + offset : NULL;
}

bool sim_mem_repeat(struct sim *sim, sim_addr address, size_t size, const void *pattern, size_t period)
{
    struct allocation *a = memory_at(sim->memory, address);
    size_t first = a ? (size_t)(address - a->info.address) : 0;
    if (!a || a->adopted || size > a->info.size - first || period == 0)
        return false;
    size_t offset = (size_t)(a->host - sim->memory->backing) + first;
    a->repeated |= memory_repeat(sim->memory, offset, size, pattern, period);
    written_mark(a, first, size);
    return true;
}

bool sim_mem_is_device(const struct sim *sim, const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer - sim->memory->device_base < sim->memory->reserved;
}

void sim_mem_mark_written(struct sim *sim, sim_addr address, size_t size)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (!a)
        return;
    size_t first = (size_t)(address - a->info.address), room = a->info.size - first;
    written_mark(a, first, size < room ? size : room);
}

void sim_mem_copied(struct sim *sim, sim_addr to, sim_addr from, size_t size)
{
    struct allocation *source = memory_at(sim->memory, from), *target = memory_at(sim->memory, to);
    if (source)
        source->moved[0] += size;
    if (source && target)
        target->moved[1] += size < source->moved[1] ? size : source->moved[1];
}

uint64_t sim_mem_moved_bytes(const struct sim *sim, sim_addr address, bool is_write)
{
    const struct allocation *a = memory_at(sim->memory, address);
    return a ? a->moved[is_write] : 0;
}

uint64_t sim_mem_sectors_read(const struct sim *sim, sim_addr address, size_t word)
{
    const struct allocation *a = memory_at(sim->memory, address);
    return a && a->touched.bits[0] && word <= a->info.size / 32 / 64 ? a->touched.bits[0][word] : 0;
}

void sim_mem_moved_reset(struct sim *sim)
{
    for (int i = 0; i < sim->memory->count; i++)
        memset(sim->memory->list[i]->moved, 0, sizeof sim->memory->list[i]->moved);
}

void sim_mem_mark_fresh(struct sim *sim, sim_addr address)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (!a || a->adopted || a->info.address != address)
        return;
    forget(sim->memory, a);
    written_release(a);
    written_create(a);
}

const void *sim_mem_name_newest(const struct sim *sim, char *text, size_t size)
{
    const struct memory *memory = sim->memory;
    const struct allocation *newest = NULL;
    for (int i = 0; i < memory->count; i++)
        if (!memory->list[i]->info.freed && (!newest || memory->list[i]->info.serial > newest->info.serial))
            newest = memory->list[i];
    if (newest)
        memory_describe(memory, newest, text, size);
    return newest ? newest->info.caller : NULL;
}

void sim_mem_usage(const struct sim *sim, size_t *live_bytes, size_t *peak_bytes, int *live_count)
{
    if (live_bytes)
        *live_bytes = sim->memory->live_bytes;
    if (peak_bytes)
        *peak_bytes = sim->memory->peak_bytes;
    if (live_count)
        *live_count = sim->memory->live_count;
}

void memory_set_read_only(struct sim *sim, sim_addr address, size_t size)
{
    struct allocation *a = memory_at(sim->memory, address);
    if (!a)
        return;
    a->read_only_first = address;
    a->read_only_end = address + size;
    list_changed(sim->memory);
}

/* ---- written bytes ------------------------------------------------------------------------------------- */

void written_mark(struct allocation *allocation, size_t first, size_t size)
{
    struct written_bits *w = &allocation->written;
    if (w->all || size == 0)
        return;
    if (first == 0 && size == allocation->info.size) {
        w->all = true;
        written_release(allocation);
        return;
    }
    bits_set(w->bits, first, size);
}

bool written_test(const struct allocation *allocation, size_t first, size_t size, size_t *missing)
{
    const struct written_bits *w = &allocation->written;
    if (w->all || size == 0)
        return true;
    return bits_all(w->bits, first, size, missing);
}
