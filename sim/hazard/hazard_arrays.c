/*
 * Accesses that leave the shared array that they mean for memory beside it (decode_arrays.c knows which they mean): another
 * array, or dynamic memory. The block's shared memory does not end there: neither a device nor memory_resolve stops such
 * an access, and nothing is suppressed. And arrays without a size, which all begin at one address.
 */
#include "sim/core/code.h"
#include "sim/hazard/hazard.h"
#include "sim/ptx/ptx.h"
#include "sim/text/shared_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct array_store {
    uint16_t array; /* struct array_bounds, `variable` */
    uint16_t site, thread;
};
/* Of a word of shared memory: who stored there last, and what was stored there before by another name. */
struct array_word {
    struct array_store last, lost;
};
struct array_words {
    size_t count;
    bool views; /* the block reads by one name what it stored by another on purpose */
    struct array_word word[];
};

static bool has_several_unsized(const struct sim_kernel *kernel)
{
    int unsized = 0;
    for (int i = 0; i < kernel->shared_var_count; i++)
        unsized += kernel->shared_vars[i].size == 0;
    return unsized > 1;
}

/* Asynchronous copies are not followed. */
static bool copies_to_shared(const struct code *code)
{
    for (int pc = 0; pc < code->count; pc++)
        if (code->instrs[pc] && strcmp(code->instrs[pc]->op, "cp") == 0)
            return true;
    return false;
}

static void words_begin(struct block_shadow *s, const struct code *code)
{
    const size_t count = s->view->shared_size / 4 + 1;
    if (!has_several_unsized(s->view->kernel) || copies_to_shared(code)) {
        arrays_destroy(s);
        return;
    }
    if (!s->array_words || s->array_words->count != count) {
        arrays_destroy(s);
        s->array_words = malloc(sizeof *s->array_words + count * sizeof(struct array_word));
    }
    if (!s->array_words) /* out of memory: nothing is said */
        return;
    memset(s->array_words, 0, sizeof *s->array_words + count * sizeof(struct array_word));
    s->array_words->count = count;
}

void arrays_destroy(struct block_shadow *s)
{
    free(s->array_words);
    s->array_words = NULL;
}

void arrays_block_begin(struct block_shadow *s)
{
    const struct sim_kernel *k = s->view->kernel;
    const struct kernel_variable *only = k->shared_var_count == 1 ? &k->shared_vars[0] : NULL;
    s->arrays = k->code ? k->code->array_bounds : NULL;
    if (only && s->view->shared_size <= only->offset + only->size)
        s->arrays = NULL;
    if (s->arrays)
        words_begin(s, k->code);
}

const struct kernel_variable *arrays_variable_at(const struct sim_kernel *k, int pc, uint64_t address)
{
    const int named = k->code && k->code->array_bounds ? k->code->array_bounds[pc].variable : 0;
    const struct kernel_variable *found = place_variable_at(k->shared_vars, k->shared_var_count, address);
    return named && found && found->size == 0 && k->shared_vars[named - 1].size == 0
               ? &k->shared_vars[named - 1]
               : found;
}

/* ---- past an array's end --------------------------------------------------------------------------------- */

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
                           const char *file, const char *name, char *text, size_t size)
{
    const int element = access->element_size;
    if (offset % element == 0 && array->size % (unsigned)element == 0)
        snprintf(text, size,
                 "%s %" PRId64 " of shared array %s, which has %u element%s of %d byte%s (0 to %u)",
                 shared_array_of_rows(file, name) ? "element" : "index", offset / element, name,
                 array->size / (unsigned)element, array->size == (unsigned)element ? "" : "s", element,
                 element == 1 ? "" : "s", array->size / (unsigned)element - 1);
    else
        snprintf(text, size, "byte %" PRId64 " of shared array %s, which has %u bytes", offset, name,
                 array->size);
}

/* What lies there: an array, dynamic memory that no array of the kernel's has, or what rounds a size up. */
static void describe_neighbor(const struct block_shadow *s, const struct access *access, uint64_t beyond,
                              char *text, size_t size)
{
    const struct sim_kernel *k = s->view->kernel;
    if (place_variable_at(k->shared_vars, k->shared_var_count, beyond))
        hazard_describe(s, access, beyond, text, size);
    else if (beyond >= s->view->shared_static)
        snprintf(text, size, "dynamic shared memory, the third launch parameter");
    else
        snprintf(text, size, "no array at all, but padding between arrays");
}

static void name_array(const struct sim_kernel *k, int variable, char *text, size_t size)
{
    place_variable_name(k->shared_vars[variable - 1].name, text, size);
}

static struct sim_hazard begin(const struct block_shadow *s, enum sim_hazard_class class, unsigned warp,
                               const struct access *access, int lane)
{
    struct sim_hazard h = {.class = class, .address = access->address[lane]};
    h.kernel = s->view->kernel->info.name;
    h.here = place_of_lane(s->view, warp, lane, access->loc, access);
    return h;
}

static const char *verb(const struct access *access)
{
    static const char *const verbs[] = {"reads", "writes", "changes atomically"};
    return verbs[access->kind];
}

static void report_leaving(const struct block_shadow *s, unsigned warp, const struct access *access, int lane,
                           const struct array_bounds *array)
{
    const uint32_t site = hazard_site(s->hazards, access->pc);
    if (hazard_seen(s->hazards, SIM_HAZARD_OUT_OF_BOUNDS, site, site, false) ||
        hazard_is_library_code(s->view->kernel, access->pc))
        return;
    struct sim_hazard h = begin(s, SIM_HAZARD_OUT_OF_BOUNDS, warp, access, lane);
    char name[48], index[200], there[96], thread[80];
    name_array(s->view->kernel, array->variable, name, sizeof name);
    /* A vector that begins inside leaves with its last elements. */
    const uint64_t end = (uint64_t)array->first + array->size;
    const uint64_t address = access->address[lane],
                   beyond = address >= array->first && address < end ? end : address;
    describe_index(array, access, (int64_t)(beyond - array->first), h.here.file, name, index, sizeof index);
    describe_neighbor(s, access, beyond, there, sizeof there);
    snprintf(h.object, sizeof h.object, "shared array %s", name);
    snprintf(h.array, sizeof h.array, "%s", name);
    h.space = SIM_SPACE_SHARED;
    place_thread_name(s->view, warp, lane, thread, sizeof thread);
    snprintf(
        h.message, sizeof h.message,
        "%s:%d: %s %s %d bytes at %s. That place is %s: the block's shared memory goes on there, so a GPU does not "
        "report it.",
        h.here.file, h.here.line, thread, verb(access), access->size, index, there);
    if (s->view->add_conditions)
        s->view->add_conditions(s->view, warp, lane, access->pc, &(struct access_index){0}, h.message,
                                sizeof h.message);
    hazard_remember(s->hazards, &h, site, site);
}

/* ---- two arrays at one address --------------------------------------------------------------------------- */

static int line_of(const struct block_shadow *s, struct array_store store)
{
    return hazard_site_loc(s->hazards, store.site).line;
}

/* The store that overwrites is the place to correct: what reads is right by its own name. */
static void report_two_names(const struct block_shadow *s, unsigned warp, const struct access *access,
                             int lane, int variable, const struct array_word *word)
{
    const uint32_t site = hazard_site(s->hazards, access->pc);
    if (hazard_seen(s->hazards, SIM_HAZARD_ONE_ADDRESS, word->last.site, site, false) ||
        hazard_is_library_code(s->view->kernel, access->pc))
        return;
    struct sim_hazard h = begin(s, SIM_HAZARD_ONE_ADDRESS, warp, access, lane);
    const struct ptx_loc loc = hazard_site_loc(s->hazards, word->last.site);
    char own[40], other[40], thread[80], place[64];
    name_array(s->view->kernel, variable, own, sizeof own);
    name_array(s->view->kernel, word->last.array, other, sizeof other);
    h.there = h.here;
    h.here = (struct sim_hazard_place){.file = place_file(s->view->kernel, loc),
                                       .line = loc.line,
                                       .block = h.there.block,
                                       .thread = place_coordinates(word->last.thread, &s->view->block_dim),
                                       .is_write = true};
    hazard_describe(s, access, access->address[lane], place, sizeof place);
    snprintf(h.object, sizeof h.object, "shared arrays %.36s and %.36s", own, other);
    place_thread_name(s->view, word->last.thread / WARP_LANES, word->last.thread % WARP_LANES, thread,
                      sizeof thread);
    snprintf(
        h.message, sizeof h.message,
        "%s:%d: %s stores to %s where %s lies. Line %d had stored that, and line %d %s afterwards: %s and %s are "
        "declared without a size (extern __shared__), and all such arrays begin at the same address. Use one of "
        "them, and let a pointer to a later part of it be the other array.",
        h.here.file, h.here.line, thread, other, place, line_of(s, word->lost), h.there.line,
        access->kind == ACCESS_ATOMIC ? "changes it atomically" : "reads it", own, other);
    hazard_remember(s->hazards, &h, word->last.site, site);
}

static void read_word(const struct block_shadow *s, unsigned warp, const struct access *access, int lane,
                      int variable, const struct array_word *word)
{
    if (!variable || !word->last.array || word->last.array == variable)
        return;
    if (word->lost.array != variable)
        s->array_words->views = true; /* by this name, nothing was stored there that could be lost */
    else if (!s->array_words->views)
        report_two_names(s, warp, access, lane, variable, word);
}

static void store_word(struct array_word *word, struct array_store store)
{
    if (word->last.array != store.array)
        word->lost = word->last;
    word->last = store;
}

static void follow_names(const struct block_shadow *s, unsigned warp, const struct access *access)
{
    struct array_words *words = s->array_words;
    const struct array_bounds *array = &s->arrays[access->pc];
    const int variable = array->variable && array->size == 0 ? array->variable : 0;
    const uint32_t site = hazard_site(s->hazards, access->pc);
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t first = access->address[lane] / 4;
        const uint64_t last = (access->address[lane] + (uint64_t)access->size - 1) / 4;
        for (uint64_t w = first; w <= last && w < words->count; w++) {
            if (access->kind != ACCESS_STORE)
                read_word(s, warp, access, lane, variable, &words->word[w]);
            if (access->kind != ACCESS_LOAD)
                store_word(&words->word[w],
                           (struct array_store){(uint16_t)variable, (uint16_t)site,
                                                (uint16_t)(warp * WARP_LANES + (unsigned)lane)});
        }
    }
}

void arrays_check(const struct block_shadow *s, unsigned warp, const struct access *access)
{
    struct array_bounds array = s->arrays[access->pc];
    if (array.variable && array.size == 0)
        array.size = (uint32_t)s->view->shared_size - array.first;
    const int lane = array.variable ? leaving_lane(&array, access) : -1;
    if (__builtin_expect(lane >= 0, 0))
        report_leaving(s, warp, access, lane, &array);
    if (__builtin_expect(s->array_words != NULL, 0))
        follow_names(s, warp, access);
}
