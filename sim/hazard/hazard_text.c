/*
 * Races and uninitialized reads in words that a beginner understands: what, who, where, and which
 * synchronization is missing.
 */
#include "sim/core/code.h"
#include "sim/hazard/hazard.h"
#include "sim/ptx/ptx.h"
#include "sim/text/allocation_name.h"
#include "sim/text/shared_part.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE   40
#define OBJECT_SIZE sizeof(((struct sim_hazard *)0)->object)

/* ---- what lies at an address --------------------------------------------------------------------------- */

static void describe_global(const struct memory *memory, uint64_t address, int element, char *text,
                            size_t size)
{
    const struct allocation *a = memory_at(memory, address);
    if (!a) {
        snprintf(text, size, "global memory at 0x%" PRIx64, address);
        return;
    }
    uint64_t inside = address - a->info.address;
    char name[NAME_SIZE], unnamed[80];
    place_variable_name(a->info.name, name, sizeof name);
    if (!name[0]) {
        allocation_name(memory->places, &a->info, unnamed, sizeof unnamed);
        snprintf(text, size, "element %" PRIu64 " of %.60s (%zu bytes)", inside / (uint64_t)element, unnamed,
                 a->info.size);
    } else if (a->info.size == (size_t)element)
        snprintf(text, size, "%s in global memory", name);
    else
        snprintf(text, size, "%s[%" PRIu64 "] in global memory", name, inside / (uint64_t)element);
}

/* PTX declares every shared array as bytes. Where the source does so as well, a wider element has no index in it. */
static void describe_shared(const struct sim_kernel *k, const struct access *access, uint64_t start,
                            int element, char *text, size_t size)
{
    const struct kernel_variable *v = arrays_variable_at(k, access->pc, start);
    char name[NAME_SIZE];
    place_variable_name(v ? v->name : "", name, sizeof name);
    if (v && element > 1 && v->size != (size_t)element &&
        shared_array_of_bytes(place_file(k, access->loc), name))
        snprintf(text, size, "shared array %s (byte %" PRIu64 ")", name, start - v->offset);
    else if (v && (start - v->offset) % (uint64_t)element == 0 &&
             shared_array_of_rows(place_file(k, access->loc), name))
        snprintf(text, size, "shared array %s (element %" PRIu64 ", counted row by row)", name,
                 (start - v->offset) / (uint64_t)element);
    else
        place_describe_variable(v, "shared", start, element, text, size);
}

/* The same as data. */
static void put_array(const struct block_shadow *s, const struct access *access, struct sim_hazard *h)
{
    const struct sim_kernel *k = s->view->kernel;
    const struct kernel_variable *v = NULL;
    const struct allocation *a = NULL;
    h->space = access->space == PTX_SHARED  ? SIM_SPACE_SHARED
               : access->space == PTX_LOCAL ? SIM_SPACE_LOCAL
                                            : SIM_SPACE_GLOBAL;
    if (h->space == SIM_SPACE_SHARED)
        v = place_variable_at(k->shared_vars, k->shared_var_count, h->address);
    else if (h->space == SIM_SPACE_LOCAL)
        v = place_variable_at(k->local_vars, k->local_var_count, h->address);
    else
        a = memory_at(s->hazards->sim->memory, h->address);
    if (v)
        place_variable_name(v->name, h->array, sizeof h->array);
    else if (a)
        allocation_name(s->hazards->sim->memory->places, &a->info, h->array, sizeof h->array);
}

/* Where there are several that it could be of. */
static void add_block(const struct block_view *block, char *text, size_t size)
{
    const size_t used = strlen(text);
    if (block->cluster)
        snprintf(text + used, size - used, " of block (%u,%u,%u)", block->block_index.x, block->block_index.y,
                 block->block_index.z);
}

void hazard_describe(const struct block_shadow *s, const struct access *access, uint64_t address, char *text,
                     size_t size)
{
    const struct sim_kernel *k = s->view->kernel;
    int element = access->element_size ? access->element_size : access->size;
    uint64_t start = address - address % (uint64_t)element;
    if (access->space == PTX_SHARED) {
        describe_shared(k, access, start, element, text, size);
        add_block(access->owner ? access->owner : s->view, text, size);
    } else if (access->space == PTX_LOCAL)
        place_describe_variable(place_variable_at(k->local_vars, k->local_var_count, start), "local", start,
                                element, text, size);
    else
        describe_global(s->hazards->sim->memory, start, element, text, size);
}

/* ---- who ----------------------------------------------------------------------------------------------- */

static struct sim_hazard_place place_of_record(const struct pass *p, struct record r, bool is_write)
{
    const struct block_shadow *s = p->s;
    struct ptx_loc loc = hazard_site_loc(s->hazards, r.who >> WHO_SITE_SHIFT);
    uint32_t block = p->is_global ? order_owner(s->hazards, r.stamp) : s->number;
    return (struct sim_hazard_place){.file = place_file(s->view->kernel, loc),
                                     .line = loc.line,
                                     .block = place_coordinates(block, &s->view->grid_dim),
                                     .thread = place_coordinates(r.who & WHO_THREAD, &s->view->block_dim),
                                     .is_write = is_write,
                                     .is_atomic =
                                         is_write && (r.who & (WHO_STORE | WHO_VOLATILE)) == WHO_STORE};
}

/* Appends to the message; what does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void add(struct sim_hazard *h, const char *format, ...)
{
    size_t used = strlen(h->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(h->message + used, sizeof h->message - used, format, arguments);
    va_end(arguments);
}

/* "race on shared array s_y[64] (lab02/skeleton.cu): " */
static void begin_message(struct sim_hazard *h)
{
    add(h, "race on %s", h->object);
    if (h->here.file[0])
        add(h, " (%s)", h->here.file);
    add(h, ": ");
}

/* The file only where it is not the one that the message began with. */
static void add_line(struct sim_hazard *h, const struct sim_hazard_place *place)
{
    if (place->line == 0)
        add(h, "at an unknown line (compile with -lineinfo)");
    else if (strcmp(place->file, h->here.file) == 0)
        add(h, "at line %d", place->line);
    else
        add(h, "at %s:%d", place->file, place->line);
}

static void add_thread(struct sim_hazard *h, const struct sim_hazard_place *place, bool with_block)
{
    add(h, "thread (%u,%u,%u)", place->thread.x, place->thread.y, place->thread.z);
    if (with_block)
        add(h, " of block (%u,%u,%u)", place->block.x, place->block.y, place->block.z);
}

static const char *verb(const struct sim_hazard_place *place)
{
    return place->is_atomic ? "changes it atomically" : place->is_write ? "writes it" : "reads it";
}

static bool same_block(const struct sim_hazard *h)
{
    const struct sim_dim3 *a = &h->here.block, *b = &h->there.block;
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static struct sim_hazard start(const struct pass *p, int lane, uint64_t address)
{
    bool is_shared = p->access->space == PTX_SHARED;
    struct sim_hazard h = {.class = is_shared ? SIM_HAZARD_RACE_SHARED : SIM_HAZARD_RACE_GLOBAL,
                           .address = address};
    h.kernel = p->s->view->kernel->info.name;
    h.here = place_of_lane(p->s->view, p->warp, lane, p->access->loc, p->access);
    hazard_describe(p->s, p->access, address, h.object, OBJECT_SIZE);
    put_array(p->s, p->access, &h);
    return h;
}

static bool is_within_warp(const struct pass *p, struct record there)
{
    return (there.who & WHO_THREAD) / WARP_LANES == p->warp &&
           (!p->is_global || order_owner(p->s->hazards, there.stamp) == p->s->number);
}

/* This access has told of this site already; of one between warps, if `within_warp` is false. */
static bool same_as_before(struct pass *p, uint32_t site, bool within_warp)
{
    const uint32_t report = (site + 1) << 1;
    if (p->reported == report || p->reported == (report | within_warp))
        return true;
    p->reported = report | within_warp;
    return false;
}

static enum sim_hazard_class class_of(const struct pass *p, enum race race)
{
    if (race == RACE_OF_VOLATILES)
        return SIM_HAZARD_VOLATILE;
    return p->access->space == PTX_SHARED ? SIM_HAZARD_RACE_SHARED : SIM_HAZARD_RACE_GLOBAL;
}

/* ---- two names for one place --------------------------------------------------------------------------- */

/* Bytes of an element that the instruction loads or stores: 4 of "st.shared.f32"; 0: not known. */
static int size_of_pc(const struct pass *p, int pc)
{
    const struct code *code = p->s->view->kernel->code;
    const struct ptx_instr *instr = code && pc >= 0 && pc < code->count ? code->instrs[pc] : NULL;
    const char *type = instr && instr->mod_count > 0 ? instr->mods[instr->mod_count - 1] : "";
    return strchr("bsuf", type[0]) && type[0] ? (int)strtol(type + 1, NULL, 10) / 8 : 0;
}

/* "s_x begins at byte 32 (line 122)": `granule`: of the access in the array, a multiple of 4. */
static void add_begin(const struct shared_part *part, uint64_t granule, int size, char *text, size_t room)
{
    const size_t used = strlen(text);
    const int64_t begin = (int64_t)(granule - granule % (uint64_t)size) - part->index * size;
    if (part->is_first || (part->has_index && size >= 4 && begin >= 0))
        snprintf(text + used, room - used, "%s begins at byte %" PRId64, part->name,
                 part->is_first ? 0 : begin);
    else
        snprintf(text + used, room - used, "%s gets its value", part->name);
    if (part->line > 0)
        snprintf(text + strlen(text), room - strlen(text), " (line %d)", part->line);
}

/*
 * The source calls the place by two names: parts of one array that overlap. Of elements of one size they may be meant
 * to, and what orders the accesses is told as well; then the sentence begins with a blank. False: it has one name, as
 * far as is known.
 */
static bool overlap(const struct pass *p, const struct sim_hazard *h, uint64_t address, struct record r,
                    char text[CAUSE_SIZE])
{
    const struct sim_kernel *k = p->s->view->kernel;
    const struct kernel_variable *v = place_variable_at(k->shared_vars, k->shared_var_count, address);
    const uint32_t site = r.who >> WHO_SITE_SHIFT;
    const int size = p->access->element_size;
    const int there_size = site == SITE_UNKNOWN ? 0 : size_of_pc(p, p->s->hazards->pc_of_site[site]);
    struct shared_part here, there;
    char array[NAME_SIZE];
    if (p->is_global || !there_size || !v || !h->here.file[0] || strcmp(h->here.file, h->there.file) != 0)
        return false;
    place_variable_name(v->name, array, sizeof array);
    if (!shared_part_at(h->here.file, h->here.line, array, h->here.is_write, h->here.thread.x, &here) ||
        !shared_part_at(h->there.file, h->there.line, array, h->there.is_write, h->there.thread.x, &there) ||
        strcmp(here.name, there.name) == 0 || (size == there_size && (here.line == 0 || there.line == 0)) ||
        (here.is_first && there.is_first && (here.line == 0 || there.line == 0)))
        return false; /* one of them is the array itself, seen as elements of another size */
    const bool certain = size != there_size && !(here.is_first && there.is_first);
    const uint64_t offset = address - v->offset;
    snprintf(text, CAUSE_SIZE, "%sLine %d calls this place %s, line %d calls it %s: ", certain ? "" : " ",
             h->there.line, there.expression, h->here.line, here.expression);
    snprintf(text + strlen(text), CAUSE_SIZE - strlen(text),
             certain ? "the two parts of %s overlap. "
                     : "if these are meant to be two arrays, the parts of %s overlap; ",
             array);
    add_begin(&there, offset, there_size, text, CAUSE_SIZE);
    snprintf(text + strlen(text), CAUSE_SIZE - strlen(text), ", ");
    add_begin(&here, offset, size, text, CAUSE_SIZE);
    snprintf(text + strlen(text), CAUSE_SIZE - strlen(text), ".");
    return true;
}

/* Where the functions are called that the two accesses are in, each call once. */
static void add_calls(const struct pass *p, struct sim_hazard *h, uint32_t there)
{
    const struct hazards *hazards = p->s->hazards;
    const uint32_t site[] = {there, p->site};
    const char *does[] = {"does so", "does so"};
    char inner[2][128];
    int pc[2] = {-1, -1};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            inner[i][0] = '\0';
            if (site[i] == SITE_UNKNOWN)
                continue;
            pc[i] = hazards->pc_of_site[site[i]];
            place_add_inner(p->s->view, pc[i], hazard_site_loc(hazards, site[i]), does[i], inner[i],
                            sizeof inner[i]);
        }
        if (h->here.line != h->there.line || strcmp(inner[0], inner[1]) == 0)
            break;
        does[0] = verb(&h->there);
        does[1] = verb(&h->here);
    }
    for (int i = 0; i < 2; i++) {
        char call[128] = "";
        if (site[i] != SITE_UNKNOWN && (i == 0 || !place_same_call(p->s->view, pc[0], pc[1])))
            place_add_call(p->s->view, pc[i], hazard_site_loc(hazards, site[i]), call, sizeof call);
        add(h, "%s%s", i > 0 && strcmp(inner[0], inner[1]) == 0 ? "" : inner[i], call);
    }
}

void hazard_report_race(struct pass *p, int lane, uint64_t address, struct record there, bool there_is_write,
                        enum race race)
{
    uint32_t site = there.who >> WHO_SITE_SHIFT;
    enum sim_hazard_class class = class_of(p, race);
    const bool within_warp = is_within_warp(p, there);
    if (race == RACE_OF_VOLATILES && p->s->hazards->sim->config.volatile_is_fine)
        return;
    if (same_as_before(p, site, within_warp) || hazard_seen(p->s->hazards, class, p->site, site, within_warp))
        return;
    struct sim_hazard h = start(p, lane, address);
    h.class = class;
    h.there = place_of_record(p, there, there_is_write);
    if (race == RACE_OF_UPDATES)
        h.here.is_atomic = h.there.is_atomic = false;
    h.within_warp = within_warp;
    begin_message(&h);
    add_thread(&h, &h.there, true);
    add(&h, " %s ", verb(&h.there));
    add_line(&h, &h.there);
    add(&h, ", ");
    add_thread(&h, &h.here, !same_block(&h));
    add(&h, " %s ", verb(&h.here));
    add_line(&h, &h.here);
    char cause[CAUSE_SIZE], parts[CAUSE_SIZE];
    const bool overlaps = overlap(p, &h, address, there, parts);
    h.detail = hazard_cause(p, lane, there, &h, race, cause);
    add(&h, ".");
    add_calls(p, &h, site);
    add(&h, " ");
    h.advice = (uint16_t)strlen(h.message);
    add(&h, "%s%s", overlaps && parts[0] != ' ' ? "" : cause, overlaps ? parts : "");
    h.advice_bytes = (uint16_t)(strlen(h.message) - h.advice);
    if (h.advice_bytes == 0)
        h.message[--h.advice] = '\0';
    hazard_remember(p->s->hazards, &h, p->site, site);
}

void hazard_report_lanes(struct pass *p, int lane, int other_lane)
{
    enum sim_hazard_class class = class_of(p, RACE_PLAIN);
    if (same_as_before(p, p->site, false) || hazard_seen(p->s->hazards, class, p->site, p->site, false))
        return;
    struct sim_hazard h = start(p, lane, p->access->address[lane]);
    h.there = place_of_lane(p->s->view, p->warp, other_lane, p->access->loc, p->access);
    begin_message(&h);
    add_thread(&h, &h.there, true);
    add(&h, " and ");
    add_thread(&h, &h.here, false);
    add(&h, " write different values to it in the same instruction ");
    add_line(&h, &h.here);
    add(&h,
        " (with which nvcc may have merged others); only one of them stays. At most one thread may write each element.");
    hazard_remember(p->s->hazards, &h, p->site, p->site);
}

void hazard_note_again(struct pass *p, int lane, uint64_t address)
{
    struct hazards *hazards = p->s->hazards;
    if (hazards->index != 0 || p->access->space == PTX_SHARED)
        return;
    if (hazards->again.count++ > 0)
        return;
    struct sim_hazard h = start(p, lane, address);
    h.count = 1;
    hazard_keep(hazards, &hazards->again, &h);
}

/* ---- uninitialized reads ------------------------------------------------------------------------------- */

static const char *cause(enum ptx_space space)
{
    if (space == PTX_SHARED)
        return "no thread of the block has written since the block began. Shared memory starts undefined.";
    if (space == PTX_LOCAL)
        return "the thread has not written. Local variables start undefined.";
    return "neither the host (cudaMemcpy, cudaMemset) nor a kernel has written. cudaMalloc leaves memory "
           "undefined.";
}

/*
 * Whether the code stands in CUB or Thrust, inlined or not. Their merges and scans read ahead in shared
 * memory, over what was written by one element, and drop it: nothing that the author of the kernel could
 * mend. Where the machine follows what is read, it is known whether it is dropped.
 */
bool hazard_is_library_code(const struct sim_kernel *kernel, int pc)
{
    const struct ptx_instr *instr =
        kernel->code && pc < kernel->code->count ? kernel->code->instrs[pc] : NULL;
    const char *file = instr ? place_file(kernel, instr->loc) : "";
    const char *included = strstr(file, "/include/"); /* the toolkit's, or another's */
    return included && (strstr(included, "/cub/") || strstr(included, "/thrust/"));
}

/* " by way of s_label", if it is not by the name of the array itself. */
static void add_part(struct sim_hazard *h, const struct block_shadow *s, uint64_t address)
{
    const struct sim_kernel *k = s->view->kernel;
    const struct kernel_variable *v = place_variable_at(k->shared_vars, k->shared_var_count, address);
    struct shared_part part;
    char array[NAME_SIZE];
    place_variable_name(v ? v->name : "", array, sizeof array);
    if (shared_part_at(h->here.file, h->here.line, array, false, h->here.thread.x, &part) && part.line > 0)
        add(h, " by way of %s", part.name);
}

/* The line that stored the byte of shared memory last; 0: it is not known. */
static int line_of_store(const struct block_shadow *s, uint64_t byte)
{
    const struct record last = planes_write(&s->shared, byte >> s->granule_shift);
    return last.stamp >= s->first ? hazard_site_loc(s->hazards, last.who >> WHO_SITE_SHIFT).line : 0;
}

/* "s_x[16] to s_x[31] (line 30)": what one line stored of the array from the element at `byte` on, up to the one at `end`. */
static void name_stored(const struct block_shadow *s, const struct access *access, uint64_t byte,
                        uint64_t end, char text[2 * OBJECT_SIZE + 24])
{
    const uint64_t element = (uint64_t)(access->element_size ? access->element_size : access->size);
    const uint64_t step = end > byte ? element : -element, nearest = byte;
    const int line = line_of_store(s, byte);
    char low[OBJECT_SIZE], high[OBJECT_SIZE];
    while (byte != end && written_in_shared(s, byte + step) && line_of_store(s, byte + step) == line)
        byte += step;
    hazard_describe(s, access, end > nearest ? nearest : byte, low, sizeof low);
    hazard_describe(s, access, end > nearest ? byte : nearest, high, sizeof high);
    const size_t skipped = strncmp(low, "shared array ", 13) == 0 ? 13 : 0;
    const bool is_one = byte == nearest;
    int used = snprintf(text, 2 * OBJECT_SIZE, "%s%s%s", low + skipped, is_one ? "" : " to ",
                        is_one ? "" : high + skipped);
    if (line > 0)
        snprintf(text + used, 24, " (line %d)", line);
}

/* What of the array the block has written by now, next to an element that it has not. */
static void add_neighbors(struct sim_hazard *h, const struct block_shadow *s, const struct access *access,
                          uint64_t missing)
{
    const struct kernel_variable *v = arrays_variable_at(s->view->kernel, access->pc, missing);
    const uint64_t element = (uint64_t)(access->element_size ? access->element_size : access->size);
    char below[2 * OBJECT_SIZE + 24] = "", above[2 * OBJECT_SIZE + 24] = "";
    if (!v || (missing - v->offset) % element != 0 || missing + element > s->shared_size)
        return;
    const uint64_t bytes = s->shared_size - v->offset, all = v->size && v->size < bytes ? v->size : bytes;
    const uint64_t first = v->offset, last = first + (all / element - 1) * element;
    for (uint64_t at = missing; at != first && !below[0]; at -= element)
        if (written_in_shared(s, at - element))
            name_stored(s, access, at - element, first, below);
    for (uint64_t at = missing; at < last && !above[0]; at += element)
        if (written_in_shared(s, at + element))
            name_stored(s, access, at + element, last, above);
    if (below[0] || above[0])
        add(h, " Nearest to it, the block has by then written %s%s%s.", below,
            below[0] && above[0] ? " and " : "", above);
    else if (last > first)
        add(h, " The block has by then written no element of that array.");
}

void hazard_describe_unwritten(const struct block_shadow *s, unsigned warp, int lane,
                               const struct access *access, uint64_t missing, char *text, size_t size)
{
    struct sim_hazard h = {.message = ""};
    if (access->space == PTX_SHARED && s->view->add_conditions)
        s->view->add_conditions(s->view, warp, lane, access->pc, &(struct access_index){0}, h.message,
                                sizeof h.message);
    if (access->space == PTX_SHARED)
        add_neighbors(&h, s, access, missing);
    snprintf(text, size, "%s", h.message);
}

void hazard_report_unwritten(const struct block_shadow *s, unsigned warp, int lane,
                             const struct access *access, uint64_t missing, const char *details)
{
    char now[sizeof((struct sim_hazard *)0)->message] = "";
    uint32_t site = hazard_site(s->hazards, access->pc);
    if (hazard_seen(s->hazards, SIM_HAZARD_UNINITIALIZED, site, site, false))
        return;
    struct sim_hazard h = {.class = SIM_HAZARD_UNINITIALIZED, .address = missing};
    h.kernel = s->view->kernel->info.name;
    h.here = place_of_lane(s->view, warp, lane, access->loc, access);
    hazard_describe(s, access, missing, h.object, OBJECT_SIZE);
    put_array(s, access, &h);
    if (h.here.file[0])
        add(&h, "%s:%d: ", h.here.file, h.here.line);
    add_thread(&h, &h.here, true);
    add(&h, " reads %s", h.object);
    if (access->space == PTX_SHARED)
        add_part(&h, s, missing);
    add(&h, ", which %s", cause(access->space));
    place_add_inner(s->view, access->pc, access->loc, "does so", h.message, sizeof h.message);
    place_add_call(s->view, access->pc, access->loc, h.message, sizeof h.message);
    if (!details)
        hazard_describe_unwritten(s, warp, lane, access, missing, now, sizeof now);
    add(&h, "%s", details ? details : now);
    const int reports = s->hazards->report_count;
    hazard_remember(s->hazards, &h, site, site);
    if (access->space == PTX_SHARED && !access->owner && s->hazards->report_count > reports)
        s->hazards->unsettled[reports] = (struct unsettled){
            .open = true, .block = s->number, .thread = warp * WARP_LANES + (unsigned)lane, .byte = missing};
}

/* By whom, as far as the last plain store tells. What the thread makes of it and stores there itself is no cause. */
static const char *written_later(const struct block_shadow *s, const struct unsettled *u)
{
    const struct record last = planes_write(&s->shared, u->byte >> s->granule_shift);
    if (last.stamp < s->first)
        return " It is written only later.";
    return (last.who & WHO_THREAD) == u->thread ? "" : " Another thread writes it, but only later.";
}

void hazard_settle_unwritten(struct block_shadow *s)
{
    struct hazards *hazards = s->hazards;
    for (int i = 0; i < hazards->report_count; i++) {
        struct unsettled *u = &hazards->unsettled[i];
        if (!u->open || u->block != s->number)
            continue;
        u->open = false;
        add(&hazards->reports[i], "%s",
            written_in_shared(s, u->byte) ? written_later(s, u) : " No thread writes it later either.");
    }
}
