/*
 * Registers without a value, and results of divisions by 0, that reach something: global memory, a decision, an address,
 * an atomic. The machine follows them from register to register (sim/core/undefined.h). What is stored in local memory
 * counts as not written there. In shared memory it is known which bytes have no value: loads that the machine follows
 * take that along into their registers, and are not reported; others are (in functions that are called, and atomics).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/bits.h"
#include "sim/core/code.h"
#include "sim/hazard/hazard.h"
#include "sim/ptx/ptx.h"
#include "sim/text/declaration.h"

/* A thread that stored a value without one in shared memory, and the operation that first computed with it, or stored it. */
struct origin {
    int place;
    unsigned thread;
};

/* Bytes of a block's shared memory that hold undefined values. */
struct undefined_shared {
    uint64_t *bits; /* a bit a byte */
    int *places;    /* by words: where the value that was stored last comes from */
    struct origin origins[64];
    int origin_count;
};

void undefined_forget(struct block_shadow *s)
{
    if (s->undefined)
        free(s->undefined->bits);
    free(s->undefined);
    s->undefined = NULL;
}

static struct undefined_shared *create_shared(size_t size)
{
    struct undefined_shared *u = calloc(1, sizeof *u);
    const size_t bits = (size / 64 + 2) * sizeof *u->bits;
    if (!u || !(u->bits = calloc(1, bits + (size / 4 + 2) * sizeof *u->places))) {
        free(u);
        return NULL;
    }
    u->places = (int *)((char *)u->bits + bits);
    return u;
}

/* A thread for each place; where there are too many, the last place's makes room. */
static void note_origin(struct undefined_shared *u, int place, unsigned thread)
{
    const int most = sizeof u->origins / sizeof u->origins[0];
    for (int i = 0; i < u->origin_count; i++)
        if (u->origins[i].place == place)
            return;
    u->origin_count -= u->origin_count == most;
    u->origins[u->origin_count++] = (struct origin){place, thread};
}

/* The thread that stored what comes from `place`; NULL: not known. */
static const struct origin *origin_of(const struct block_shadow *s, int place)
{
    for (int i = 0; s->undefined && i < s->undefined->origin_count; i++)
        if (s->undefined->origins[i].place == place)
            return &s->undefined->origins[i];
    return NULL;
}

/* ---- words --------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add(struct sim_hazard *h, const char *format, ...)
{
    const size_t used = strlen(h->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(h->message + used, sizeof h->message - used, format, arguments);
    va_end(arguments);
}

static struct ptx_loc loc_of(const struct block_shadow *s, int pc)
{
    return pc >= 0 && pc < s->view->kernel->op_count ? s->view->kernel->locs[pc] : (struct ptx_loc){0};
}

static const struct ptx_instr *instr_of(const struct block_shadow *s, int pc)
{
    const struct code *code = s->view->kernel->code;
    return code && pc >= 0 && pc < code->count ? code->instrs[pc] : NULL;
}

static bool is_store(const struct block_shadow *s, int pc)
{
    const struct ptx_instr *instr = instr_of(s, pc);
    return instr && strcmp(instr->op, "st") == 0;
}

/* Where the function was called that the operation stands in; 0: it was not inlined, or is called in another file. */
static int call_line_of(const struct block_shadow *s, int pc)
{
    const struct ptx_instr *instr = instr_of(s, pc);
    return instr && instr->call.file == instr->site.file ? instr->call.line : 0;
}

/* "sum, which is declared at line 88 without a value and has none here", or what can be said without knowing the name. */
static enum sim_hazard_detail name_variable(const struct block_shadow *s, int pc, char *text, size_t size)
{
    const struct ptx_loc loc = loc_of(s, pc);
    const struct declaration d =
        declaration_without_value(place_file(s->view->kernel, loc), loc.line, call_line_of(s, pc));
    if (!d.line)
        snprintf(text, size, "a variable that has no value here");
    else if (d.members[0])
        snprintf(text, size,
                 "%s%s, which is declared at line %d without a value: a value is stored only in %s",
                 d.followed ? "a value that comes from " : "", d.name, d.line, d.members);
    else if (d.followed)
        snprintf(text, size, "a value that comes from %s, which is declared at line %d without a value%s",
                 d.name, d.line,
                 d.never_set  ? " and never gets one"
                 : d.is_array ? " (an index outside of the array finds none either)"
                              : "");
    else
        snprintf(text, size, "%s, which is declared at line %d without a value and %s", d.name, d.line,
                 d.never_set ? "never gets one" : "has none here");
    return d.line && !d.members[0] && d.followed && !d.never_set && d.is_array ? SIM_DETAIL_MAYBE_INDEX
                                                                               : SIM_DETAIL_NONE;
}

/* "FILE:LINE: thread (0,0,0) of block (0,0,0) divides by a number that is 0 here" */
static void add_division(struct sim_hazard *h, const struct block_shadow *s, int pc)
{
    const struct ptx_instr *instr = instr_of(s, pc);
    const bool remainder = instr && strcmp(instr->op, "rem") == 0;
    h->class = SIM_HAZARD_DIVISION;
    snprintf(h->object, sizeof h->object, "an integer division");
    add(h, "%s a number that is 0 here", remainder ? "takes the remainder of a division by" : "divides by");
}

#define DIVISION                                                                                             \
    " A GPU does not stop at a division by 0: it goes on with a meaningless number. Make sure that the "     \
    "divisor is never 0, or that such threads do not divide."
#define ADVICE " Local variables start undefined."

/*
 * "FILE:LINE: thread (0,0,0) of block (0,0,0) uses sum, …" at the operation that used it; or divides there (`place`: with
 * UNDEFINED_DIVIDED). Of what came through shared memory, the thread that stored it is named.
 */
static struct sim_hazard begin_report(const struct block_shadow *s, unsigned warp, int lane, int place,
                                      const char *verb)
{
    const int pc = undefined_place(place);
    const struct origin *origin = place & UNDEFINED_SHARED ? origin_of(s, place & ~UNDEFINED_SHARED) : NULL;
    if (origin) {
        warp = origin->thread / WARP_LANES;
        lane = (int)(origin->thread % WARP_LANES);
    }
    if (place & UNDEFINED_SHARED)
        verb = is_store(s, pc) ? "stores in shared memory" : "uses";
    struct sim_hazard h = {.class = SIM_HAZARD_NO_VALUE, .kernel = s->view->kernel->info.name};
    const struct ptx_loc loc = loc_of(s, pc);
    char variable[320];
    h.here = place_of_lane(s->view, warp, lane, loc, NULL);
    h.detail = name_variable(s, pc, variable, sizeof variable);
    snprintf(h.object, sizeof h.object, "a local variable");
    h.space = SIM_SPACE_LOCAL;
    if (h.here.file[0])
        add(&h, "%s:%d: ", h.here.file, h.here.line);
    add(&h, "thread (%u,%u,%u) of block (%u,%u,%u) ", h.here.thread.x, h.here.thread.y, h.here.thread.z,
        h.here.block.x, h.here.block.y, h.here.block.z);
    if (place & UNDEFINED_DIVIDED)
        add_division(&h, s, pc);
    else
        add(&h, "%s %s", verb, variable);
    if (place & UNDEFINED_DIVIDED)
        h.detail = SIM_DETAIL_NONE;
    if (place & UNDEFINED_SHARED && !is_store(s, pc))
        add(&h, ", and stores the result in shared memory");
    return h;
}

/* Whether the value comes from an operation whose report is held back: then that one is filed. */
static bool report_held(const struct block_shadow *s, unsigned warp, int lane, int place)
{
    const struct origin *origin = place & UNDEFINED_SHARED ? origin_of(s, place & ~UNDEFINED_SHARED) : NULL;
    if (!(place & UNDEFINED_HELD))
        return false;
    if (origin)
        held_file(s, origin->thread / WARP_LANES, (int)(origin->thread % WARP_LANES), undefined_place(place));
    else
        held_file(s, warp, lane, undefined_place(place));
    return true;
}

/* One report for each place of use. */
static bool is_told(const struct block_shadow *s, int place)
{
    const uint32_t site = hazard_site(s->hazards, undefined_place(place));
    return hazard_seen(s->hazards, place & UNDEFINED_DIVIDED ? SIM_HAZARD_DIVISION : SIM_HAZARD_NO_VALUE,
                       site, site, false);
}

static void remember(const struct block_shadow *s, const struct sim_hazard *h, int place)
{
    const uint32_t site = hazard_site(s->hazards, undefined_place(place));
    hazard_remember(s->hazards, h, site, site);
}

/* ". The result … at line 93": where the value is used and where it arrives may be one line. */
static void add_arrival(struct sim_hazard *h, const struct block_shadow *s, int place, int pc,
                        const char *what)
{
    const struct ptx_loc loc = loc_of(s, pc);
    if (loc.line && loc.line != h->here.line)
        add(h, ". %s %s at line %d", place & UNDEFINED_SHARED ? "What is read there" : "The result", what,
            loc.line);
    add(h, "%s", h->class == SIM_HAZARD_DIVISION ? "." DIVISION : "." ADVICE);
}

void hazard_undefined(const struct block_view *block, unsigned warp, int lane, int pc, int used,
                      enum undefined_reach reach)
{
    static const char *const verbs[] = {[UNDEFINED_ADDRESS] = "computes an address from",
                                        [UNDEFINED_DECISION] = "tests",
                                        [UNDEFINED_OPERAND] = "passes to an atomic operation"};
    static const char *const arrivals[] = {[UNDEFINED_ADDRESS] = "is used as an address",
                                           [UNDEFINED_DECISION] = "decides which way the thread goes",
                                           [UNDEFINED_OPERAND] = "is used in an atomic operation"};
    const struct block_shadow *s = shadow_of(block);
    const int place = used >= 0 ? used : pc;
    if (!s || report_held(s, warp, lane, place) || is_told(s, place))
        return;
    struct sim_hazard h = begin_report(s, warp, lane, place, used >= 0 && used != pc ? "uses" : verbs[reach]);
    add_arrival(&h, s, place, pc, arrivals[reach]);
    remember(s, &h, place);
}

/* ---- stores -------------------------------------------------------------------------------------------- */

static void report_stored(const struct block_shadow *s, unsigned warp, int lane, const struct access *access,
                          int element, int used)
{
    const int place = used >= 0 ? used : access->pc;
    const uint64_t address = access->address[lane] + (uint64_t)(element * access->element_size);
    char object[sizeof((struct sim_hazard *)0)->object], arrival[160];
    if (report_held(s, warp, lane, place) || is_told(s, place))
        return;
    struct sim_hazard h = begin_report(s, warp, lane, place, used >= 0 ? "uses" : "stores");
    hazard_describe(s, access, address, object, sizeof object);
    h.address = address;
    if (used < 0)
        add(&h, " in %s", object);
    snprintf(arrival, sizeof arrival, "is stored in %s", object);
    add_arrival(&h, s, place, access->pc, arrival);
    remember(s, &h, place);
}

static void unwrite_local(struct block_shadow *s, unsigned warp, uint64_t offset, int size, int lane)
{
    uint32_t *written = s->local_written + (size_t)warp * s->local_size + offset;
    for (int i = 0; i < size; i++)
        written[i] &= ~(UINT32_C(1) << lane);
}

static void mark_shared(struct block_shadow *s, unsigned warp, uint64_t offset, const struct access *access,
                        int lane, int used)
{
    if (!s->undefined)
        s->undefined = create_shared(s->shared_size);
    if (!s->undefined)
        return;
    const int place = (used >= 0 ? used : access->pc) & ~UNDEFINED_SHARED;
    bits_set(s->undefined->bits, offset, (size_t)access->element_size);
    for (uint64_t word = offset / 4; word <= (offset + (uint64_t)access->element_size - 1) / 4; word++)
        s->undefined->places[word] = place;
    note_origin(s->undefined, place, warp * WARP_LANES + (unsigned)lane);
}

static void store_element(struct block_shadow *s, unsigned warp, const struct access *access, int element,
                          int lane)
{
    const uint64_t at = access->address[lane] + (uint64_t)(element * access->element_size);
    const int used = s->view->undefined->used[element];
    if (access->space == PTX_LOCAL && used >= 0 && report_held(s, warp, lane, used))
        return; /* it is not followed from there */
    if (access->space == PTX_LOCAL && used >= 0 && (used & UNDEFINED_DIVIDED))
        return; /* it is not told apart from what is never written */
    if (access->space == PTX_LOCAL && s->local_written)
        unwrite_local(s, warp, at, access->element_size, lane);
    else if (access->space == PTX_SHARED)
        mark_shared(s, warp, at, access, lane, used);
    else if (access->space == PTX_GLOBAL)
        report_stored(s, warp, lane, access, element, used);
}

/* ---- shared memory ------------------------------------------------------------------------------------- */

/* The bytes without a value in [offset, offset + size), as bits. */
static unsigned undefined_bytes(const struct block_shadow *s, uint64_t offset, int size)
{
    unsigned bytes = 0;
    for (int i = 0; i < size; i++) {
        const uint64_t at = offset + (uint64_t)i;
        bytes |= (unsigned)(s->undefined->bits[at / 64] >> at % 64 & 1) << i;
    }
    return bytes;
}

static void clear_shared(struct block_shadow *s, uint64_t offset, int size)
{
    for (int i = 0; i < size; i++)
        s->undefined->bits[(offset + (uint64_t)i) / 64] &= ~(UINT64_C(1) << (offset + (uint64_t)i) % 64);
}

static void report_loaded(const struct block_shadow *s, unsigned warp, int lane, const struct access *access,
                          uint64_t address, int place)
{
    if (report_held(s, warp, lane, place) || is_told(s, place))
        return;
    char object[sizeof((struct sim_hazard *)0)->object], arrival[200];
    struct sim_hazard h = begin_report(s, warp, lane, place, "");
    hazard_describe(s, access, address, object, sizeof object);
    const struct sim_hazard_place reader = place_of_lane(s->view, warp, lane, access->loc, access);
    snprintf(arrival, sizeof arrival, "is used, as %s, by thread (%u,%u,%u)", object, reader.thread.x,
             reader.thread.y, reader.thread.z);
    add_arrival(&h, s, place, access->pc, arrival);
    remember(s, &h, place);
}

/* A load that is followed takes it along, another one reports; a load of which nothing counts may copy a structure, see
 * hazard_written.c. A store gives a value. */
static void touch_shared(struct block_shadow *s, unsigned warp, const struct access *access, int lane)
{
    const uint64_t at = access->address[lane];
    const unsigned all = (1u << access->size) - 1;
    const bool only_copied = (access->unused & all) == all && (access->put_back || access->structure);
    const bool reads = access->kind == ACCESS_LOAD || (access->kind == ACCESS_ATOMIC && !access->is_exchange);
    const unsigned bytes =
        at + (uint64_t)access->size <= s->shared_size ? undefined_bytes(s, at, access->size) : 0;
    if (!bytes)
        return;
    const int place = s->undefined->places[(at + (uint64_t)__builtin_ctz(bytes)) / 4] | UNDEFINED_SHARED;
    if (held_is_followed(s, access)) {
        held_note(s->view->loaded, lane, bytes, place);
        return;
    }
    if (reads && !only_copied)
        report_loaded(s, warp, lane, access, at, place);
    clear_shared(s, at, access->size);
}

void undefined_replaced(const struct access *access)
{
    struct block_shadow *s = shadow_of(access->owner);
    for (uint32_t rest = access->lanes; rest && s && s->undefined && access->kind != ACCESS_LOAD;
         rest &= rest - 1)
        clear_shared(s, access->address[__builtin_ctz(rest)], access->size);
}

void undefined_access(struct block_shadow *s, unsigned warp, const struct access *access)
{
    if (access->space == PTX_SHARED && s->undefined)
        for (uint32_t rest = access->lanes; rest; rest &= rest - 1)
            touch_shared(s, warp, access, __builtin_ctz(rest));
    const struct undefined_value *undefined = s->view->undefined;
    if (!undefined)
        return;
    for (int element = 0; element < undefined->count; element++)
        for (uint32_t rest = access->lanes & undefined->lanes[element]; rest; rest &= rest - 1)
            store_element(s, warp, access, element, __builtin_ctz(rest));
}
