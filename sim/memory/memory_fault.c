/*
 * What to tell a beginner about an access that must not happen: which thread, which line, which array,
 * how far off, and what is usually the cause.
 */
#include "sim/core/address_space.h"
#include "sim/core/faults.h"
#include "sim/memory/tracker.h"
#include "sim/text/allocation_name.h"
#include "sim/text/place.h"
#include "sim/text/shared_part.h"
#include "sim/text/source_line.h"

#include <inttypes.h>
#include <string.h>

/* Up to here below an allocation's size an address is taken for a bad index of that allocation. */
#define NEAR_BYTES ((uint64_t)64 << 10)

#define NULL_PAGE   UINT64_C(0x10000) /* addresses below: null plus a small offset */
#define HOST_LIMIT  UINT64_C(0x0000800000000000)
#define OBJECT_SIZE sizeof(((struct sim_hazard *)0)->object)

/* One fault while its report is put together. */
struct fault {
    const struct block_view *block;
    const struct access *access;
    unsigned warp;
    int lane;
    uint64_t address; /* as in access: device address, or offset in the window */
    struct sim_hazard hazard;
    bool other_space; /* of an address that this instruction cannot reach */
    size_t advice;    /* where in `text` the advice begins; 0: there is none */
    struct access_index index;
    char text[768]; /* what follows "thread (x,y,z) of block (x,y,z) reads 4 bytes " */
};

void memory_describe(const struct memory *memory, const struct allocation *allocation, char *text,
                     size_t size)
{
    const struct sim_allocation *info = &allocation->info;
    char name[80];
    allocation_name(memory->places, info, name, sizeof name);
    snprintf(text, size, "%s (%zu bytes)", name, info->size);
}

static const char *verb(const struct access *access)
{
    static const char *const verbs[] = {"reads", "writes", "changes atomically"};
    return verbs[access->kind];
}

/* Copies by the hardware have no elements. */
static int element_of(const struct access *access)
{
    return access->element_size > 0 ? access->element_size : access->size;
}

/* "at index 1000", of a vector "at indices 1000 to 1003" */
static void describe_indices(const struct access *access, int64_t first, char *text, size_t size)
{
    const int64_t count = access->size / element_of(access);
    if (count > 1)
        snprintf(text, size, "at indices %" PRId64 " to %" PRId64, first, first + count - 1);
    else
        snprintf(text, size, "at index %" PRId64, first);
}

/* "at index 1000 of x, which has 1000 elements of 4 bytes (0 to 999)", or in bytes if it is no multiple. */
static void describe_position(const struct fault *f, const struct sim_allocation *info, char *text,
                              size_t size)
{
    const int64_t offset = (int64_t)(f->address - info->address), step = element_of(f->access);
    const size_t count = info->size / (size_t)step;
    char name[80], indices[80];
    allocation_name(f->block->sim->memory->places, info, name, sizeof name);
    describe_indices(f->access, offset / step, indices, sizeof indices);
    if (offset % step == 0 && count == 1)
        snprintf(text, size, "%s of %s, which has one element of %" PRId64 " bytes", indices, name, step);
    else if (offset % step == 0 && count > 0)
        snprintf(text, size, "%s of %s, which has %zu elements of %" PRId64 " bytes (0 to %zu)", indices,
                 name, count, step, count - 1);
    else
        snprintf(text, size, "at byte %" PRId64 " of %s, which has %zu bytes", offset, name, info->size);
}

static bool explain_null(struct fault *f)
{
    if (f->address >= NULL_PAGE)
        return false;
    snprintf(f->text, sizeof f->text, "through a null pointer (address 0x%" PRIx64 "). ", f->address);
    f->advice = strlen(f->text);
    snprintf(f->text + f->advice, sizeof f->text - f->advice,
             "Was the pointer set, and did cudaMalloc succeed?");
    f->hazard.detail = SIM_DETAIL_NULL;
    snprintf(f->hazard.object, OBJECT_SIZE, "null pointer");
    return true;
}

/* " by cudaFree() at student.cu:57", as far as it is known. */
static void describe_freeing(const struct sim_allocation *allocation, char *text, size_t size)
{
    char line[128] = "";
    for (int i = 0; i < 2 && !line[0]; i++)
        if (allocation->freed_by[i] && !source_line(allocation->freed_by[i], line, sizeof line))
            line[0] = '\0';
    snprintf(text, size, "%s%s%s%s%s", allocation->freed_call ? " by " : "",
             allocation->freed_call ? allocation->freed_call : "", allocation->freed_call ? "()" : "",
             line[0] ? " at " : "", line);
}

static bool explain_freed(struct fault *f, const struct allocation *below)
{
    if (!below || !below->info.freed || f->address - below->info.address >= below->info.size)
        return false;
    char position[256], freed[256];
    describe_position(f, &below->info, position, sizeof position);
    describe_freeing(&below->info, freed, sizeof freed);
    snprintf(
        f->text, sizeof f->text,
        "%s: this memory has been freed%s. Do not use a pointer after %s; free it when the last kernel that needs it has ended.",
        position, freed, below->info.freed_call ? "that" : "cudaFree");
    f->hazard.class = SIM_HAZARD_USE_AFTER_FREE;
    memory_describe(f->block->sim->memory, below, f->hazard.object, OBJECT_SIZE);
    return true;
}

static bool explain_read_only(struct fault *f, const struct allocation *a)
{
    bool inside =
        a && f->address + (uint64_t)f->access->size > a->read_only_first && f->address < a->read_only_end;
    if (f->access->kind == ACCESS_LOAD || !(inside || f->access->space == PTX_CONST))
        return false;
    snprintf(f->text, sizeof f->text,
             "to constant memory%s%s. Kernels may only read it; the host fills it with cudaMemcpyToSymbol.",
             a && a->info.name[0] ? ": " : "", a ? a->info.name : "");
    f->hazard.class = SIM_HAZARD_READ_ONLY;
    if (a)
        memory_describe(f->block->sim->memory, a, f->hazard.object, OBJECT_SIZE);
    return true;
}

/* Types whose elements must lie at multiples of that many bytes; "": none comes to mind. */
static const char *examples_of_size(int bytes)
{
    switch (bytes) {
    case 2: return " (half, short)";
    case 4: return " (float, int)";
    case 8: return " (double, float2)";
    case 16: return " (float4, double2)";
    default: return "";
    }
}

static bool explain_misaligned(struct fault *f, const struct allocation *a)
{
    if (f->address % (uint64_t)f->access->size == 0)
        return false;
    char where[128] = "";
    if (a) {
        memory_describe(f->block->sim->memory, a, f->hazard.object, OBJECT_SIZE);
        snprintf(where, sizeof where, " (byte %" PRIu64 " of %s%s)", f->address - a->info.address,
                 a->info.name[0] ? "the allocation " : "", f->hazard.object);
    }
    snprintf(f->text, sizeof f->text,
             "at address 0x%" PRIx64 "%s, which is not a multiple of %d. A type of %d bytes%s needs such an "
             "address.",
             f->address, where, f->access->size, f->access->size, examples_of_size(f->access->size));
    f->hazard.class = SIM_HAZARD_MISALIGNED;
    return true;
}

/* Whether the kernel was given a pointer to the allocation or into it. */
static bool is_argument(const struct fault *f, const struct allocation *a)
{
    uint64_t value;
    for (size_t at = 0; at + sizeof value <= f->block->param_size; at += sizeof value) {
        memcpy(&value, f->block->param + at, sizeof value);
        if (value - a->info.address <= a->info.size)
            return true;
    }
    return false;
}

static bool is_near(const struct allocation *a, uint64_t distance)
{
    return a && distance <= NEAR_BYTES + 4 * a->info.size;
}

static bool is_flat(struct sim_dim3 d)
{
    return d.y == 1 && d.z == 1;
}

static void name_size(struct sim_dim3 d, char *text, size_t size)
{
    if (is_flat(d))
        snprintf(text, size, "%u", d.x);
    else
        snprintf(text, size, "%ux%ux%u", d.x, d.y, d.z);
}

/* Does the kernel have an argument of 4 bytes with this value? */
static bool is_number(const struct fault *f, uint64_t number)
{
    uint32_t value;
    for (size_t at = 0; at + sizeof value <= f->block->param_size; at += sizeof value) {
        memcpy(&value, f->block->param + at, sizeof value);
        if (value == number)
            return true;
    }
    return false;
}

/*
 * An array of the kernel's that has an element of this index, and whose number of elements is an argument as well: a guard
 * for that number lets the index through. NULL: there is none.
 */
static const struct allocation *longer_array(const struct fault *f, const struct sim_allocation *a)
{
    const uint64_t size = (uint64_t)f->access->size, index = (f->address - a->address) / size;
    uint64_t value;
    for (size_t at = 0; at + sizeof value <= f->block->param_size; at += sizeof value) {
        memcpy(&value, f->block->param + at, sizeof value);
        const struct allocation *other = memory_at(f->block->sim->memory, value);
        if (other && other->info.address == value && other->info.size / size > index &&
            is_number(f, other->info.size / size))
            return other;
    }
    return NULL;
}

/* The thread's number is a good index of another array, and not of this one. */
static void advise_number(const struct fault *f, const struct sim_allocation *a,
                          const struct allocation *other, char *text, size_t size)
{
    const size_t bytes = (size_t)f->access->size;
    char name[80], longer[80];
    allocation_name(f->block->sim->memory->places, a, name, sizeof name);
    allocation_name(f->block->sim->memory->places, &other->info, longer, sizeof longer);
    snprintf(
        text, size,
        "The index is the number of the thread in the grid. %s has %zu elements, so that the thread has one "
        "there, but %s has fewer.",
        longer, other->info.size / bytes, name);
}

/*
 * Of all lanes of the access, which are several: one alone may have the index of its number by chance, and so may all of
 * the first block, whose numbers in the grid are those in the block. The unit is that of the source: a vector's index is not
 * that of its elements.
 */
static bool is_thread_number(const struct fault *f, const struct sim_allocation *a)
{
    const struct block_view *b = f->block;
    const uint64_t first = b->block_index.x * (uint64_t)b->block_dim.x + f->warp * 32;
    bool is_number = is_flat(b->grid_dim) && is_flat(b->block_dim) && b->block_index.x > 0 &&
                     (f->access->lanes & (f->access->lanes - 1)) &&
                     f->access->size == f->access->element_size;
    for (unsigned lane = 0; lane < 32 && is_number; lane++)
        is_number = !(f->access->lanes >> lane & 1) ||
                    f->access->address[lane] - a->address == (first + lane) * (uint64_t)f->access->size;
    return is_number;
}

static void advise_blocks(struct fault *f, const struct sim_allocation *a, const char *blocks,
                          const char *threads, char *text, size_t size)
{
    f->hazard.detail = a->name[0] ? SIM_DETAIL_BLOCK : SIM_DETAIL_BLOCK_BYTES;
    snprintf(
        text, size,
        "The index is the number of the block, and the kernel was launched with %s block%s of %s threads: %s",
        blocks, f->block->grid_dim.x == 1 ? "" : "s", threads,
        a->name[0] ? "that is too many blocks for this array."
        : a->size == sizeof(void *)
            ? "either the allocation is too small (8 bytes are the size of a pointer), or these are too many "
              "blocks."
            : "either the allocation is too small, or these are too many blocks.");
}

/*
 * What the index is: the number of the thread in the grid, or of the block, where it equals that; else how large the
 * launch is.
 */
static void advise_index(struct fault *f, const struct sim_allocation *a, bool past, char *text, size_t size)
{
    const struct block_view *b = f->block;
    const bool of_thread = is_thread_number(f, a);
    const struct allocation *longer = longer_array(f, a);
    char blocks[48], threads[48];
    name_size(b->grid_dim, blocks, sizeof blocks);
    name_size(b->block_dim, threads, sizeof threads);
    if (!past)
        snprintf(text, size, "Does the index become negative, as i - 1 does for i = 0?");
    else if (a->name[0] == '\0' && a->size % (size_t)f->access->size != 0 &&
             (f->address - a->address) / (uint64_t)f->access->size < a->size)
        snprintf(
            text, size,
            "The allocation does not hold a whole number of such elements: cudaMalloc counts in bytes, not in "
            "elements. Is `* sizeof(...)` missing there?");
    else if (of_thread && longer)
        advise_number(f, a, longer, text, size);
    else if (of_thread) {
        f->hazard.detail = SIM_DETAIL_THREAD;
        snprintf(text, size, "The index equals the number of the thread in the grid.");
    } else if (is_flat(b->grid_dim) && a->size == b->grid_dim.x && a->name[0] == '\0' &&
               f->address - a->address == (uint64_t)b->block_index.x * (uint64_t)f->access->size)
        snprintf(
            text, size,
            "The index is the number of the block, and the allocation has one byte for each of the %s blocks: "
            "cudaMalloc counts in bytes, not in elements. Is `* sizeof(...)` missing there?",
            blocks);
    else if (is_flat(b->grid_dim) && a->size / (size_t)f->access->size < b->grid_dim.x &&
             f->address - a->address == (uint64_t)b->block_index.x * (uint64_t)f->access->size)
        advise_blocks(f, a, blocks, threads, text, size);
    else
        snprintf(text, size, "The kernel was launched with %s block%s of %s threads.", blocks,
                 b->grid_dim.x == 1 && is_flat(b->grid_dim) ? "" : "s", threads);
}

/* "just past its end" and the like. */
static void describe_distance(const struct fault *f, const struct allocation *a, char *text, size_t size)
{
    const uint64_t bytes = (uint64_t)f->access->size, end = a->info.address + a->info.size;
    if (f->address < a->info.address)
        snprintf(text, size, "%" PRIu64 " bytes before its beginning", a->info.address - f->address);
    else if (f->address < end)
        snprintf(text, size, "the last %" PRIu64 " bytes lie past its end", f->address + bytes - end);
    else if (f->address == end)
        snprintf(text, size, "just past its end");
    else
        snprintf(text, size, "%" PRIu64 " bytes past its end", f->address - end);
}

/* In a grid of two dimensions, the rows and columns are compared. */
static void take_index(struct fault *f, const struct sim_allocation *a)
{
    const uint64_t size = (uint64_t)f->access->size, offset = f->address - a->address;
    if (is_flat(f->block->grid_dim) && is_flat(f->block->block_dim) && f->address >= a->address &&
        offset % size == 0)
        f->index =
            (struct access_index){.index = (int64_t)(offset / size),
                                  .count = (int64_t)(a->size / size),
                                  .unit = f->access->size > element_of(f->access) ? "vectors" : "elements"};
}

static void tell_bad_index(struct fault *f, const struct allocation *a)
{
    char position[256], distance[64], advice[352];
    describe_position(f, &a->info, position, sizeof position);
    describe_distance(f, a, distance, sizeof distance);
    advise_index(f, &a->info, f->address >= a->info.address, advice, sizeof advice);
    take_index(f, &a->info);
    snprintf(f->text, sizeof f->text, "%s: %s. %s", position, distance, advice);
    f->advice = strlen(f->text) - strlen(advice);
    allocation_name(f->block->sim->memory->places, &a->info, f->hazard.array, sizeof f->hazard.array);
    f->hazard.space = SIM_SPACE_GLOBAL;
    memory_describe(f->block->sim->memory, a, f->hazard.object, OBJECT_SIZE);
}

/*
 * Past the end, or before the beginning, of the allocation that the access means; else of one that is near: of two, the one
 * that the kernel was given, else the nearer one.
 */
static bool explain_bad_index(struct fault *f, const struct allocation *below, const struct allocation *above)
{
    const struct allocation *meant = memory_meant(f->block, f->access);
    if (meant) {
        tell_bad_index(f, meant);
        return true;
    }

    uint64_t past = UINT64_MAX, before = UINT64_MAX;
    if (below)
        past = f->address - below->info.address >= below->info.size
                   ? f->address - below->info.address - below->info.size
                   : 0;
    if (above)
        before = above->info.address - f->address;
    bool use_below = below && past <= before;
    bool begins_inside = below && f->address - below->info.address < below->info.size;
    if (!begins_inside && is_near(below, past) && is_near(above, before) &&
        is_argument(f, below) != is_argument(f, above))
        use_below = is_argument(f, below);
    const struct allocation *a = use_below ? below : above;
    if (!is_near(a, use_below ? past : before))
        return false;
    tell_bad_index(f, a);
    return true;
}

/* The name of the window of generic addresses that belongs to a block or a thread; NULL: another address. */
static const char *window_at(uint64_t address)
{
    static const struct {
        uint64_t base;
        const char *name;
    } windows[] = {{GENERIC_SHARED_BASE, "shared memory"},
                   {GENERIC_LOCAL_BASE, "the thread's local memory"},
                   {GENERIC_PARAM_BASE, "the kernel's parameters"}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        if (address - windows[i].base < GENERIC_WINDOW_SIZE)
            return windows[i].name;
    return NULL;
}

/* An address of one space, used by an instruction that reaches another one only. */
static bool explain_other_space(struct fault *f, const char *wanted)
{
    const char *window = window_at(f->address);
    if (!window)
        return false;
    if (strstr(window, wanted))
        snprintf(f->text, sizeof f->text,
                 "at the generic address 0x%" PRIx64 ", but this instruction takes offsets in %s: "
                 "__cvta_generic_to_%.*s converts.",
                 f->address, wanted, (int)strcspn(wanted, " "), wanted);
    else
        snprintf(f->text, sizeof f->text,
                 "at an address in %s, but this instruction reaches %s only. Was the pointer converted "
                 "(a cast, __cvta_generic_to_..., inline PTX) from the wrong kind of memory?",
                 window, wanted);
    snprintf(f->hazard.object, OBJECT_SIZE, "%s", window);
    f->other_space = true;
    return true;
}

static void explain_wild(struct fault *f)
{
    if (explain_other_space(f, "global memory"))
        return;
    const bool is_device = sim_mem_is_device(f->block->sim, (const void *)(uintptr_t)f->address);
    if (f->address < HOST_LIMIT && !is_device && memory_host_mapped(f->address))
        snprintf(f->text, sizeof f->text,
                 "at 0x%" PRIx64 ", which looks like an address in the host's memory. A kernel needs device "
                 "pointers: cudaMalloc the array and cudaMemcpy the data.",
                 f->address);
    else
        snprintf(f->text, sizeof f->text,
                 "at address 0x%" PRIx64 ", where nothing is allocated. Is the pointer set, and is the index "
                 "far out of range?",
                 f->address);
    snprintf(f->hazard.object, OBJECT_SIZE, "address 0x%" PRIx64, f->address);
}

static void explain_global(struct fault *f)
{
    const struct memory *memory = f->block->sim->memory;
    const struct allocation *below = memory_below(memory, f->address);
    const struct allocation *above = memory_above(memory, f->address);
    const struct allocation *inside = memory_at(memory, f->address);
    if (explain_null(f) || explain_freed(f, below) || explain_read_only(f, inside))
        return;
    if (inside && explain_misaligned(f, inside))
        return;
    if (!explain_bad_index(f, below, above))
        explain_wild(f);
}

static bool explain_window_alignment(struct fault *f, const char *window)
{
    if (f->address % (uint64_t)f->access->size == 0)
        return false;
    snprintf(f->text, sizeof f->text, "at byte %" PRIu64 " of %s, which is not a multiple of %d.", f->address,
             window, f->access->size);
    f->hazard.class = SIM_HAZARD_MISALIGNED;
    return true;
}

/* " s_x begins at byte 33 of s_buffer (line 122)." of the pointer that is followed, by the text of the source. */
static void add_part(struct fault *f, const struct kernel_variable *v, const char *array)
{
    const struct sim_hazard_place here = place_of_lane(f->block, f->warp, f->lane, f->access->loc, f->access);
    const int size = f->access->size;
    struct shared_part part;
    if (!v || !shared_part_at(here.file, here.line, array, here.is_write, here.thread.x, &part) || !part.line)
        return;
    const int64_t begin = (int64_t)(f->address - v->offset) - part.index * size;
    const size_t used = strlen(f->text), room = sizeof f->text - used;
    if (part.has_index && begin >= 0 && size == f->access->element_size)
        snprintf(f->text + used, room,
                 " %s, which gets its value at line %d, begins at byte %" PRId64 " of %s.", part.name,
                 part.line, begin, array);
    else
        snprintf(f->text + used, room, " It is %s, a part of %s; %s gets its value at line %d.",
                 part.expression, array, part.name, part.line);
}

static void explain_shared(struct fault *f)
{
    const struct block_view *b = f->block;
    if (explain_other_space(f, "shared memory"))
        return;
    f->hazard.space = SIM_SPACE_SHARED;
    size_t dynamic = b->shared_size > b->shared_static ? b->shared_size - b->shared_static : 0;
    const struct kernel_variable *v =
        place_variable_below(b->kernel->shared_vars, b->kernel->shared_var_count, f->address);
    char name[64] = "";
    if (v)
        place_variable_name(v->name, name, sizeof name);
    snprintf(f->hazard.object, OBJECT_SIZE, "shared memory%s%.30s (%zu bytes a block)", v ? ", array " : "",
             name, b->shared_size);
    if (f->address < b->shared_size && explain_window_alignment(f, "the block's shared memory")) {
        add_part(f, v, name);
        return;
    }
    char array[128] = "";
    if (v)
        snprintf(array, sizeof array, " (byte %" PRIu64 " of %s)", f->address - v->offset, name);
    const char *dynamic_is =
        dynamic > 0 || (v && v->size == 0) ? " (the third launch parameter, <<<grid, block, bytes>>>)" : "";
    if (f->address > INT32_MAX)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 " bytes before the beginning of the block's shared memory. Is an index negative?",
                 (uint64_t)(uint32_t) - (uint32_t)f->address);
    else
        snprintf(f->text, sizeof f->text,
                 "at byte %" PRIu64
                 "%s of the block's shared memory, which has %zu bytes: %zu static and %zu "
                 "dynamic%s.",
                 f->address, array, b->shared_size, b->shared_size - dynamic, dynamic, dynamic_is);
}

/* PTX ISA, atom: the address is in global or shared memory. The same holds for mbarrier. */
static bool explain_local_atomic(struct fault *f)
{
    if (f->access->kind != ACCESS_ATOMIC)
        return false;
    snprintf(
        f->text, sizeof f->text,
        "in its local memory. Atomics reach global and shared memory only; a variable of one thread needs none.");
    snprintf(f->hazard.object, OBJECT_SIZE, "local memory");
    f->other_space = true;
    return true;
}

static void explain_local(struct fault *f)
{
    if (explain_local_atomic(f) || explain_other_space(f, "local memory"))
        return;
    const struct sim_kernel *k = f->block->kernel;
    size_t size = f->block->local_size ? f->block->local_size : k->info.local_bytes;
    const struct kernel_variable *v = place_variable_below(k->local_vars, k->local_var_count, f->address);
    snprintf(f->hazard.object, OBJECT_SIZE, "local memory%s%.30s", v ? ", array " : "", v ? v->name : "");
    if (f->address < size && explain_window_alignment(f, "the thread's local memory"))
        return;
    snprintf(f->text, sizeof f->text,
             "at byte %" PRId64
             " of its local memory, which has %zu bytes: the index of an array that is local "
             "to the thread runs out of its bounds.",
             (int64_t)(f->address > INT32_MAX ? (uint64_t)(int64_t)(int32_t)f->address : f->address), size);
}

static void explain_param(struct fault *f)
{
    snprintf(f->hazard.object, OBJECT_SIZE, "kernel parameters (%zu bytes)", f->block->param_size);
    if (f->access->kind == ACCESS_LOAD && explain_window_alignment(f, "the kernel's parameters"))
        return;
    snprintf(f->text, sizeof f->text,
             "at byte %" PRIu64 " of the kernel's parameters, which have %zu bytes and may only be read.",
             f->address, f->block->param_size);
}

enum sim_status memory_fault(const struct block_view *block, unsigned warp, const struct access *access,
                             int lane, char message[1024])
{
    struct fault f = {.block = block, .access = access, .warp = warp, .lane = lane};
    message[0] = '\0';
    if (block->tracker) { /* one thread will meet it again, and report it */
        tracker_stop(block->tracker, STOP_REPORT);
        return SIM_OUT_OF_BOUNDS;
    }
    if (block->faults && fault_is_reported(block->faults, access->pc, block->block_number, warp, lane))
        return SIM_OUT_OF_BOUNDS;
    if (block->faults)
        block->faults->pcs[block->faults->count++] = access->pc;
    f.address = access->address[lane];
    f.hazard.class = SIM_HAZARD_OUT_OF_BOUNDS;
    f.hazard.kernel = block->kernel->info.name;
    f.hazard.address = f.address;
    f.hazard.here = place_of_lane(block, warp, lane, access->loc, access);
    if (access->space == PTX_SHARED)
        explain_shared(&f);
    else if (access->space == PTX_LOCAL)
        explain_local(&f);
    else if (access->space == PTX_PARAM)
        explain_param(&f);
    else
        explain_global(&f);
    char thread[80];
    place_thread_name(block, warp, lane, thread, sizeof thread);
    const char *file = place_file(block->kernel, access->loc);
    if (file[0])
        snprintf(f.hazard.message, sizeof f.hazard.message, "%s:%d: %s %s %d byte%s %s", file,
                 access->loc.line, thread, verb(access), access->size, access->size == 1 ? "" : "s", f.text);
    else
        snprintf(f.hazard.message, sizeof f.hazard.message, "%s %s %d byte%s %s", thread, verb(access),
                 access->size, access->size == 1 ? "" : "s", f.text);
    const size_t length = strlen(f.hazard.message), text = strlen(f.text);
    if (f.advice > 0 && length < sizeof f.hazard.message - 1) { /* nothing is cut off */
        f.hazard.advice = (uint16_t)(length - text + f.advice);
        f.hazard.advice_bytes = (uint16_t)(text - f.advice);
    }
    place_add_inner(block, access->pc, access->loc, "does so", f.hazard.message, sizeof f.hazard.message);
    place_add_call(block, access->pc, access->loc, f.hazard.message, sizeof f.hazard.message);
    if (f.hazard.class == SIM_HAZARD_OUT_OF_BOUNDS && f.hazard.array[0] && block->add_conditions)
        block->add_conditions(block, warp, lane, access->pc, &f.index, f.hazard.message,
                              sizeof f.hazard.message);
    snprintf(message, 1024, "%s", f.hazard.message);
    if (block->sim->memory->watcher)
        block->sim->memory->watcher->fault(block->sim, &f.hazard);
    if (f.other_space)
        return SIM_ADDRESS_SPACE;
    return f.hazard.class == SIM_HAZARD_MISALIGNED ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS;
}
