/*
 * Accesses that leave the shared array that they mean for one beside it (decode_arrays.c knows which they mean). The
 * block's shared memory does not end there: neither a device nor memory_resolve stops such an access, and nothing is
 * suppressed.
 */
#include "sim/core/code.h"
#include "sim/hazard/hazard.h"

#include <inttypes.h>

void arrays_block_begin(struct block_shadow *s)
{
    const struct code *code = s->view->kernel->code;
    s->arrays = code ? code->array_bounds : NULL;
}

static bool leaves(const struct array_bounds *array, uint64_t address, int size)
{
    const uint64_t offset = address - array->first, bytes = (uint64_t)size;
    return bytes > array->size || offset > array->size - bytes;
}

/* Of lanes in a row, the first and the last speak for all; so do those of each group of lanes in a row. */
static bool all_stay(const struct array_bounds *array, const struct access *access)
{
    const int first = __builtin_ctz(access->lanes), last = 31 - __builtin_clz(access->lanes);
    const int64_t room = (int64_t)array->size - access->size;
    const int group = 32 / ACCESS_GROUPS;
    int64_t signs = 0; /* negative once an offset, or what is left behind it, is */
    if (access->shape == SHAPE_CONTIGUOUS || access->shape == SHAPE_UNIFORM)
        return !leaves(array, access->address[first], access->size) &&
               !leaves(array, access->address[last], access->size);
    if (access->lanes != ALL_LANES)
        return false;
    const int step = access->group_shape[0] ? group - 1 : 1, ends = access->group_shape[0] ? group : 1;
    for (int lane = 0; lane < 32; lane += ends)
        for (int end = lane; end < lane + ends; end += step) {
            const int64_t offset = (int64_t)(access->address[end] - array->first);
            signs |= offset | (room - offset);
        }
    return signs >= 0;
}

/* The lowest lane that leaves the array, or -1. */
static int leaving_lane(const struct array_bounds *array, const struct access *access)
{
    if (all_stay(array, access))
        return -1;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        if (leaves(array, access->address[lane], access->size))
            return lane;
    }
    return -1;
}

/* "index 33 of shared array s_a, which has 32 elements of 4 bytes (0 to 31)". */
static void describe_index(const struct array_bounds *array, const struct access *access, int64_t offset,
                           const char *name, char *text, size_t size)
{
    const int element = access->element_size;
    if (offset % element == 0 && array->size % (unsigned)element == 0)
        snprintf(text, size,
                 "index %" PRId64 " of shared array %s, which has %u element%s of %d byte%s (0 to %u)",
                 offset / element, name, array->size / (unsigned)element,
                 array->size == (unsigned)element ? "" : "s", element, element == 1 ? "" : "s",
                 array->size / (unsigned)element - 1);
    else
        snprintf(text, size, "byte %" PRId64 " of shared array %s, which has %u bytes", offset, name,
                 array->size);
}

static void report(const struct block_shadow *s, unsigned warp, const struct access *access, int lane,
                   const struct array_bounds *array)
{
    static const char *const verbs[] = {"reads", "writes", "changes atomically"};
    const struct sim_kernel *k = s->view->kernel;
    const uint32_t site = hazard_site(s->hazards, access->pc);
    if (hazard_seen(s->hazards, SIM_HAZARD_OUT_OF_BOUNDS, site, site, false) ||
        hazard_is_library_code(k, access->pc))
        return;
    struct sim_hazard h = {.class = SIM_HAZARD_OUT_OF_BOUNDS, .address = access->address[lane]};
    char name[48], index[200], there[96], thread[80];
    const struct kernel_variable *v = place_variable_at(k->shared_vars, k->shared_var_count, array->first);
    place_variable_name(v ? v->name : "", name, sizeof name);
    /* A vector that begins inside leaves with its last elements. */
    const uint64_t end = (uint64_t)array->first + array->size;
    const uint64_t address = access->address[lane],
                   beyond = address >= array->first && address < end ? end : address;
    describe_index(array, access, (int64_t)(beyond - array->first), name, index, sizeof index);
    hazard_describe(s, access, beyond, there, sizeof there);
    h.kernel = k->info.name;
    h.here = place_of_lane(s->view, warp, lane, access->loc, access);
    snprintf(h.object, sizeof h.object, "shared array %s", name);
    place_thread_name(s->view, warp, lane, thread, sizeof thread);
    snprintf(
        h.message, sizeof h.message,
        "%s:%d: %s %s %d bytes at %s. That place is %s: the block's shared memory goes on there, so a GPU does not "
        "report it. Is the index larger than the array, or negative?",
        h.here.file, h.here.line, thread, verbs[access->kind], access->size, index, there);
    hazard_remember(s->hazards, &h, site, site);
}

void arrays_check(const struct block_shadow *s, unsigned warp, const struct access *access)
{
    const struct array_bounds *array = &s->arrays[access->pc];
    const int lane = array->size ? leaving_lane(array, access) : -1;
    if (__builtin_expect(lane >= 0, 0))
        report(s, warp, access, lane, array);
}
