/*
 * Reads of bytes that nothing has written: global memory since cudaMalloc, shared and local memory since the
 * block began.
 *
 * What counts is what the thread does with the bytes (access.h: unused; sim/decode/decode_bits.c). An element that it
 * computes with is reported if none of the bytes that count has been written: a word may have been loaded for the sake
 * of one field in it. If nothing of an access counts, since it is only stored again, it is reported if
 *
 *   - none of its bytes has been written (structures are copied with their padding),
 *   - it is not the word around a bit-field that is set (access.h: put_back), and
 *   - it is not part of a structure (access.h: structure) in local memory, whose members need not all be set, or
 *     with something written in the PADDING bytes before it: a word of padding that is copied by itself;
 *   - it is not a single byte of local memory: an object without members has one, and that is never set.
 *
 * A store marks what it writes as written, but not bytes around a bit-field that it puts back as they were
 * (access.h: kept). So a field is known to be undefined if no other field in the same byte has been set. In shared
 * memory a store counts for the whole word.
 */
#include "sim/core/bits.h"
#include "sim/hazard/hazard.h"
#include "sim/core/simd.h"
#include "sim/memory/tracker.h"

#include <string.h>

static bool needs_old_value(const struct access *access)
{
    return access->kind == ACCESS_LOAD || (access->kind == ACCESS_ATOMIC && !access->is_exchange);
}

static bool writes(const struct access *access)
{
    return access->kind != ACCESS_LOAD;
}

static int first_lane(const struct access *access)
{
    return __builtin_ctz(access->lanes);
}

static uint64_t bytes_together(const struct access *access)
{
    return access->shape == SHAPE_UNIFORM ? (uint64_t)access->size
                                          : (uint64_t)access->size * (uint64_t)simd_lane_count(access->lanes);
}

/* The active lane that asks for the byte. */
static int lane_of(const struct access *access, uint64_t byte)
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (byte - access->address[lane] < (uint64_t)access->size)
            return lane;
    }
    return first_lane(access);
}

void written_everything(struct block_shadow *s)
{
    if (s->shared_written)
        memset(s->shared_written, 0xFF, (s->shared_size / 64 + 2) * sizeof *s->shared_written);
}

void written_begin(struct block_shadow *s)
{
    if (s->shared_written)
        memset(s->shared_written, 0, (s->shared_size / 64 + 2) * sizeof *s->shared_written);
    for (unsigned warp = 0; s->local_written && warp < s->warps; warp++)
        memset(s->local_written + warp * s->local_size, 0, s->local_top * sizeof *s->local_written);
    s->local_top = 0;
}

void written_settle(struct sim *sim)
{
    struct memory *memory = sim->memory;
    for (int i = 0; i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        size_t missing;
        if (!a->written.all && bits_all(a->written.bits, 0, a->info.size, &missing))
            written_mark(a, 0, a->info.size);
    }
}

/* ---- global -------------------------------------------------------------------------------------------- */

static bool is_written(struct tracker *tracker, struct allocation *a, size_t first, size_t size,
                       size_t *missing)
{
    /* The tracker notes what this launch writes. */
    return tracker ? tracker_written(tracker, a, first, size, missing)
                   : written_test(a, first, size, missing);
}

/* The longest padding: before a member that is aligned to 16 bytes. */
#define PADDING 15

static unsigned bytes_of_element(const struct access *access, int element)
{
    return ((1u << access->element_size) - 1) << element * access->element_size;
}

/* Whether what is only stored again, and was not written at all, needs no report. */
static bool may_be_copied(const struct access *access, bool after_written)
{
    const bool is_local = access->space == PTX_LOCAL;
    return access->put_back || (access->structure && (is_local || after_written)) ||
           (is_local && access->size == 1);
}

/*
 * The element for whose sake an access is reported; -1: none. `written`: its bytes, as bits. `after_written`: some of
 * the bytes before it have been written.
 */
static int reported_element(const struct access *access, unsigned written, bool after_written)
{
    const unsigned all = (1u << access->size) - 1;
    for (int element = 0; element < access->size / access->element_size; element++) {
        const unsigned counts = bytes_of_element(access, element) & ~(unsigned)access->unused;
        if (counts && !(written & counts))
            return element;
    }
    return (access->unused & all) == all && !written && !may_be_copied(access, after_written) ? 0 : -1;
}

/* Of accesses side by side from `first` on, the first that is reported: *missing. */
static bool lacks_element(struct tracker *tracker, struct allocation *a, size_t first, size_t size,
                          const struct access *access, size_t *missing)
{
    const size_t each = (size_t)access->size;
    size_t ignored;
    for (size_t at = first + (*missing - first) / each * each; at < first + size; at += each) {
        unsigned written = 0;
        bool before = false;
        for (size_t byte = 0; byte < each; byte++)
            written |= (unsigned)is_written(tracker, a, at + byte, 1, &ignored) << byte;
        for (size_t byte = at < PADDING ? 0 : at - PADDING; byte < at && !written; byte++)
            before |= is_written(tracker, a, byte, 1, &ignored);
        int element = reported_element(access, written, before);
        if (element >= 0) {
            *missing = at + (size_t)(element * access->element_size);
            return true;
        }
    }
    return false;
}

/* Marks what a store or atomic writes, without the bytes that it leaves as they were. */
static void mark_written(struct allocation *a, size_t first, size_t size, const struct access *access)
{
    if (!access->kept) {
        written_mark(a, first, size);
        return;
    }
    for (size_t at = first; at < first + size; at++)
        if (!(access->kept >> (at - first) % (size_t)access->size & 1))
            written_mark(a, at, 1);
}

static bool check_range(const struct block_shadow *s, unsigned warp, const struct access *access,
                        struct allocation *a, uint64_t address, size_t size)
{
    size_t first = (size_t)(address - a->info.address), missing;
    struct tracker *tracker = s->view->tracker;
    bool fine = !needs_old_value(access) || is_written(tracker, a, first, size, &missing) ||
                !lacks_element(tracker, a, first, size, access, &missing);
    if (!fine)
        hazard_report_unwritten(s, warp, lane_of(access, a->info.address + missing), access,
                                a->info.address + missing, NULL);
    if (writes(access) && !tracker)
        mark_written(a, first, size, access);
    return fine;
}

void written_check_global(const struct block_shadow *s, unsigned warp, const struct access *access)
{
    const struct memory *memory = s->hazards->sim->memory;
    uint64_t first = access->address[first_lane(access)];
    struct allocation *a = memory_recent(memory, access->pc, first);
    if (access->shape != SHAPE_SCATTERED) {
        if (a && !a->written.all)
            check_range(s, warp, access, a, first, bytes_together(access));
        return;
    }
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        uint64_t address = access->address[__builtin_ctz(rest)];
        if (!a || address - a->info.address >= a->info.size)
            a = memory_recent(memory, access->pc, address);
        if (a && !a->written.all)
            check_range(s, warp, access, a, address, (size_t)access->size);
    }
}

/* ---- shared -------------------------------------------------------------------------------------------- */

/*
 * A plain store has left its stamp in the shadow, whatever else has written there a bit for each byte. So
 * only bytes without a stamp of this block need a look at the bits.
 */
bool written_in_shared(const struct block_shadow *s, uint64_t byte)
{
    size_t missing;
    return s->shared.write_stamp[byte >> s->granule_shift] >= s->first ||
           bits_all(s->shared_written, byte, 1, &missing);
}

static void check_shared_lane(const struct pass *p, int lane)
{
    struct block_shadow *s = p->s;
    const struct block_shadow *o = p->owner;
    uint64_t offset = p->access->address[lane], size = (uint64_t)p->access->size;
    size_t missing;
    if (bits_all(o->shared_written, offset, size, &missing))
        return;
    unsigned written = 0;
    bool before = false;
    for (uint64_t byte = 0; byte < size; byte++)
        written |= (unsigned)written_in_shared(o, offset + byte) << byte;
    for (uint64_t byte = offset < PADDING ? 0 : offset - PADDING; byte < offset && !written; byte++)
        before |= written_in_shared(o, byte);
    int element = reported_element(p->access, written, before);
    if (element < 0)
        return;
    const uint64_t missing_at = offset + (unsigned)(element * p->access->element_size);
    if (!held_load(s, p->warp, lane, p->access, ~written, missing_at) &&
        !hazard_is_library_code(s->view->kernel, p->access->pc))
        hazard_report_unwritten(s, p->warp, lane, p->access, missing_at, p->access->owner ? "" : NULL);
}

void written_check_shared(const struct pass *p)
{
    if (p->owner->shared_written && needs_old_value(p->access))
        for (uint32_t rest = p->access->lanes; rest; rest &= rest - 1)
            check_shared_lane(p, __builtin_ctz(rest));
}

void written_mark_shared(const struct pass *p)
{
    if (p->owner->shared_written)
        for (uint32_t rest = p->access->lanes; rest; rest &= rest - 1)
            bits_set(p->owner->shared_written, p->access->address[__builtin_ctz(rest)],
                     (size_t)p->access->size);
}

/* ---- local: each lane has bytes of its own ------------------------------------------------------------- */

/* What of the access the lane lacks; -1: nothing that is reported. */
static int lacking_element(const struct access *access, const uint32_t *written, int lane)
{
    unsigned bytes = 0;
    for (int i = 0; i < access->size; i++)
        bytes |= (written[i] >> lane & 1) << i;
    return reported_element(access, bytes, false);
}

static void check_local_lanes(struct block_shadow *s, unsigned warp, const struct access *access,
                              uint64_t offset, uint32_t lanes)
{
    uint32_t *written = s->local_written + (size_t)warp * s->local_size + offset, lacking = 0;
    for (int i = 0; i < access->size; i++)
        lacking |= lanes & ~written[i];
    for (; lacking && needs_old_value(access); lacking &= lacking - 1) {
        int element = lacking_element(access, written, __builtin_ctz(lacking));
        if (element >= 0) {
            hazard_report_unwritten(s, warp, __builtin_ctz(lacking), access,
                                    offset + (uint64_t)(element * access->element_size), NULL);
            return;
        }
    }
    if (!writes(access))
        return;
    if (offset + (uint64_t)access->size > s->local_top)
        s->local_top = offset + (uint64_t)access->size;
    for (int i = 0; i < access->size; i++)
        written[i] |= access->kept >> i & 1 ? 0 : lanes;
}

void written_check_local(struct block_shadow *s, unsigned warp, const struct access *access)
{
    if (!s->local_written)
        return;
    if (access->shape == SHAPE_UNIFORM) {
        check_local_lanes(s, warp, access, access->address[first_lane(access)], access->lanes);
        return;
    }
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        check_local_lanes(s, warp, access, access->address[lane], UINT32_C(1) << lane);
    }
}
