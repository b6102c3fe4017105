/* The warp's loop where registers may be undefined, and how undefined bits pass from register to register. */
#include "sim/machine/exec_undefined.h"

#include <stdlib.h>
#include <string.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec.h"

/* ---- life ---------------------------------------------------------------------------------------------- */

struct undefined_lanes *undefined_create(const struct undefined_code *code)
{
    struct undefined_lanes *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->bits = calloc((size_t)code->count, sizeof *u->bits);
    u->any = calloc((size_t)code->count, sizeof *u->any);
    u->used = calloc((size_t)code->count, sizeof *u->used);
    if (u->bits && u->any && u->used)
        return u;
    undefined_destroy(u);
    return NULL;
}

void undefined_destroy(struct undefined_lanes *u)
{
    if (!u)
        return;
    free(u->bits);
    free(u->any);
    free(u->used);
    free(u);
}

void undefined_start(struct undefined_lanes *u, const struct undefined_code *code)
{
    for (int reg = 0; reg < code->count; reg++) {
        u->any[reg] = reg < code->unwritten_count ? ~0u : 0;
        u->used[reg] = -1;
        if (u->any[reg])
            memset(u->bits[reg], 0xFF, sizeof u->bits[reg]);
    }
}

/* ---- from sources to results --------------------------------------------------------------------------- */

/* One operation on its way through. */
struct following {
    struct warp *warp;
    struct undefined_lanes *u;
    const struct micro *op;
    const struct undefined_op *known;
    uint32_t active;
    int pc;
};

static uint64_t mask_of(int bits)
{
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static uint32_t any_of(const struct following *f, int reg)
{
    return reg >= 0 ? f->u->any[reg] & f->active : 0;
}

static uint64_t bits_of(const struct following *f, int reg, int lane)
{
    return reg >= 0 && lane_on(f->u->any[reg], lane) ? f->u->bits[reg][lane] : 0;
}

static uint32_t any_source(const struct following *f)
{
    uint32_t lanes = 0;
    for (int i = 0; i < f->known->from_count; i++)
        lanes |= any_of(f, f->known->from[i]);
    return lanes;
}

/* Where the undefined value was first computed with: of the first source that has any; `computes`: or here. */
static int first_use(const struct following *f, bool computes)
{
    for (int i = 0; i < f->known->from_count; i++)
        if (any_of(f, f->known->from[i]) && f->u->used[f->known->from[i]] >= 0)
            return f->u->used[f->known->from[i]];
    return computes ? f->pc : -1;
}

static void set_bits(struct following *f, int reg, int lane, uint64_t bits)
{
    f->u->bits[reg][lane] = bits;
    f->u->any[reg] = (f->u->any[reg] & ~(1u << lane)) | (bits ? 1u << lane : 0);
}

static void define(struct following *f, int reg)
{
    if (reg >= 0)
        f->u->any[reg] &= ~f->active;
}

static void define_all(struct following *f)
{
    for (int i = 0; i < f->known->to_count; i++)
        define(f, f->known->to[i]);
}

/* Every lane that has an undefined source gets undefined results. */
static void spread(struct following *f, uint32_t lanes)
{
    const int used = lanes ? first_use(f, true) : -1;
    define_all(f);
    for (int i = 0; i < f->known->to_count; i++) {
        const int reg = f->known->to[i];
        if (reg < 0 || !lanes)
            continue;
        f->u->any[reg] |= lanes;
        f->u->used[reg] = used;
        FOR_LANES(lane, lanes)
        f->u->bits[reg][lane] = ~UINT64_C(0);
    }
}

/* What the lane has in the source: 0 the first, 1 the second. */
static uint64_t source_value(const struct following *f, int source, int lane)
{
    const struct micro *op = f->op;
    if (f->known->bits == 1) {
        const uint32_t lanes = f->warp->preds[source ? op->a : op->q] ^ (op->imm >> source & 1 ? ~0u : 0);
        return lane_on(lanes, lane) ? ~UINT64_C(0) : 0;
    }
    const void *values = row(f->warp, source ? op->b : op->a);
    switch (f->known->bits) {
    case 64: return ((const row_u64 *)values)[lane];
    case 32: return ((const row_u32 *)values)[lane];
    default: return ((const row_u16 *)values)[lane];
    }
}

/* A bit of `a & b` is undefined if one is and the other is undefined or 1; of `a | b`: or 0. */
static uint64_t logic(const struct following *f, int lane)
{
    const int *from = f->known->from;
    const uint64_t a = bits_of(f, from[0], lane), b = bits_of(f, from[1], lane);
    const uint64_t flip = f->known->rule == UNDEFINED_OR ? ~UINT64_C(0) : 0;
    const uint64_t va = source_value(f, 0, lane) ^ flip, vb = source_value(f, 1, lane) ^ flip;
    return ((a & b) | (a & vb) | (b & va)) & mask_of(f->known->bits);
}

static uint64_t pack(const struct following *f, int lane)
{
    uint64_t whole = 0;
    for (int i = 0; i < f->known->from_count && i * f->known->bits < 64; i++)
        whole |= (bits_of(f, f->known->from[i], lane) & mask_of(f->known->bits)) << i * f->known->bits;
    return whole;
}

/* The bits of result number `to` that the lane lacks. */
static uint64_t result_bits(const struct following *f, int to, int lane)
{
    const struct undefined_op *known = f->known;
    const uint64_t first = bits_of(f, known->from[0], lane);
    switch (known->rule) {
    case UNDEFINED_COPY: return first & mask_of(known->bits);
    case UNDEFINED_AND:
    case UNDEFINED_OR: return logic(f, lane);
    case UNDEFINED_SELECT:
        return lane_on(any_of(f, known->chooses), lane)     ? ~UINT64_C(0)
               : lane_on(predicate_q(f->warp, f->op), lane) ? first
                                                            : bits_of(f, known->from[1], lane);
    case UNDEFINED_SHIFT:
        if (known->shift <= -64 || known->shift >= 64)
            return 0;
        return (known->shift < 0 ? (first & mask_of(known->bits)) >> -known->shift : first << known->shift) &
               mask_of(known->bits);
    case UNDEFINED_PACK: return pack(f, lane);
    case UNDEFINED_UNPACK:
        return to * known->bits < 64 ? first >> to * known->bits & mask_of(known->bits) : 0;
    default: return 0;
    }
}

/* Bit by bit. */
static void pass_bits(struct following *f, uint32_t lanes)
{
    const enum undefined_rule rule = f->known->rule;
    const int used =
        lanes ? first_use(f, rule == UNDEFINED_AND || rule == UNDEFINED_OR || rule == UNDEFINED_SHIFT) : -1;
    uint64_t bits[UNDEFINED_TO][WARP_LANES]; /* a result may be a source */
    for (int i = 0; i < f->known->to_count; i++)
        FOR_LANES(lane, lanes)
    bits[i][lane] = result_bits(f, i, (int)lane);
    define_all(f);
    for (int i = 0; i < f->known->to_count; i++) {
        if (f->known->to[i] < 0 || !lanes)
            continue;
        f->u->used[f->known->to[i]] = used;
        FOR_LANES(lane, lanes)
        set_bits(f, f->known->to[i], (int)lane, bits[i][lane]);
    }
}

/* The first register that the shuffle writes (`to`) or reads in that lane; -1: none that is followed. */
static int shuffled(const struct warp *warp, const struct micro *op, int lane, bool to)
{
    const struct micro *own = exec_own_op(warp, op, lane);
    const struct undefined_op *known =
        own ? warp->block->launch->code->undefined->ops[own - warp->ops] : NULL;
    return !known || !(to ? known->to_count : known->from_count) ? -1 : to ? known->to[0] : known->from[0];
}

void undefined_shuffle(struct warp *warp, const struct micro *op, uint32_t lanes, const uint8_t *sources)
{
    struct undefined_lanes *u = warp->undefined;
    int used[WARP_LANES];
    uint32_t any = 0;
    FOR_LANES(lane, lanes)
    {
        const int from = shuffled(warp, op, sources[lane], false);
        any |= from >= 0 && lane_on(u->any[from], sources[lane]) ? 1u << lane : 0;
        used[lane] = from >= 0 ? u->used[from] : -1;
    }
    FOR_LANES(lane, lanes)
    {
        const int to = shuffled(warp, op, (int)lane, true);
        if (to < 0)
            continue;
        u->any[to] = (u->any[to] & ~(1u << lane)) | (any & 1u << lane);
        u->bits[to][lane] = ~UINT64_C(0);
        u->used[to] = lane_on(any, (int)lane) ? used[lane] : u->used[to];
    }
}

/* ---- divisions ----------------------------------------------------------------------------------------- */

static void make_undefined(struct following *f, uint32_t lanes)
{
    for (int i = 0; lanes && i < f->known->to_count; i++) {
        const int reg = f->known->to[i];
        if (reg < 0)
            continue;
        f->u->any[reg] |= lanes;
        f->u->used[reg] = f->pc | UNDEFINED_DIVIDED;
        FOR_LANES(lane, lanes)
        f->u->bits[reg][lane] = ~UINT64_C(0);
    }
}

/* The lanes whose divisor is 0, and is not undefined itself. */
static uint32_t zero_divisors(const struct following *f)
{
    uint32_t zero = 0;
    FOR_LANES(lane, f->active)
    zero |= source_value(f, 1, (int)lane) == 0 ? 1u << lane : 0;
    return zero & ~any_of(f, f->known->from[1]);
}

static void divide(struct following *f)
{
    const uint32_t zero = zero_divisors(f), others = any_source(f) & ~zero;
    spread(f, others);
    make_undefined(f, zero);
}

/* false: out of memory. */
static bool begin(struct warp *warp)
{
    const struct undefined_code *code = warp->block->launch->code->undefined;
    warp->undefined = undefined_create(code);
    if (warp->undefined)
        undefined_start(warp->undefined, code);
    return warp->undefined;
}

bool undefined_follows_shuffle(const struct warp *warp, const struct micro *op, int lane)
{
    return warp->block->view.loaded && shuffled(warp, op, lane, true) >= 0;
}

void undefined_lost(struct warp *warp, const struct micro *op, uint32_t lanes)
{
    warp->begins_following |= !warp->undefined;
    if (!warp->undefined && !begin(warp))
        return;
    FOR_LANES(lane, lanes)
    {
        const int to = shuffled(warp, op, (int)lane, true);
        warp->undefined->any[to] |= 1u << lane;
        warp->undefined->bits[to][lane] = ~UINT64_C(0);
        warp->undefined->used[to] = (int)(exec_own_op(warp, op, (int)lane) - warp->ops) | UNDEFINED_HELD;
    }
}

enum step undefined_divided(struct warp *warp, const struct micro *op, uint32_t lanes)
{
    const struct launch *launch = warp->block->launch;
    const struct undefined_code *code = launch->code->undefined;
    const int pc = (int)(op - warp->ops);
    if (!code || !code->ops[pc] || !launch->hazards || launch->origin || warp->undefined || !begin(warp))
        return STEP_NEXT;
    struct following f = {
        .warp = warp, .u = warp->undefined, .op = op, .known = code->ops[pc], .active = lanes, .pc = pc};
    make_undefined(&f, lanes);
    return STEP_SCHEDULE;
}

/* ---- what reaches something ---------------------------------------------------------------------------- */

static void report(struct following *f, enum undefined_reach reach, int reg, uint32_t lanes)
{
    if (!lanes)
        return;
    hazard_undefined(&f->warp->block->view, f->warp->index, __builtin_ctz(lanes), f->pc, f->u->used[reg],
                     reach);
    f->u->any[reg] &= ~lanes; /* told once */
}

/* The bits of an element that make it one without a value; of what was never written any will do: see reported_element(). */
static uint64_t least_bits(const struct following *f, int reg, uint64_t bits)
{
    const bool unwritten = reg >= 0 && f->u->used[reg] >= 0 && (f->u->used[reg] & UNDEFINED_HELD);
    return unwritten && bits ? bits : mask_of(f->known->bits);
}

/* The elements all of whose bits are undefined; of a vector only what was computed: members of structures may be unset. */
static void note_store(struct following *f)
{
    struct undefined_value *stored = &f->warp->undefined_stored;
    const int count = f->known->from_count;
    uint32_t whole = f->active, any = 0;
    memset(stored->lanes, 0, sizeof stored->lanes);
    for (int i = 0; i < count; i++) {
        const int reg = f->known->from[i];
        FOR_LANES(lane, any_of(f, reg))
        {
            const uint64_t bits = bits_of(f, reg, (int)lane) & mask_of(f->known->bits);
            stored->lanes[i] |= bits == least_bits(f, reg, bits) ? 1u << lane : 0;
        }
        stored->used[i] = reg >= 0 ? f->u->used[reg] : -1;
        whole &= stored->lanes[i];
        any |= stored->lanes[i];
    }
    for (int i = 0; i < count; i++)
        if (stored->used[i] < 0)
            stored->lanes[i] &= whole;
    stored->count = any ? count : 0;
}

/* Of what was never written; a variable without a value may be handed on. */
static void report_lost(struct following *f)
{
    for (int i = 0; i < f->known->from_count; i++) {
        const int reg = f->known->from[i];
        if (any_of(f, reg) && f->u->used[reg] >= 0 && (f->u->used[reg] & UNDEFINED_HELD))
            report(f, UNDEFINED_OPERAND, reg, any_of(f, reg));
    }
}

/* Before the operation runs for `active`: what its results lack. */
static void undefined_follow(struct warp *warp, int pc, const struct micro *op, uint32_t active)
{
    struct following f = {.warp = warp,
                          .u = warp->undefined,
                          .op = op,
                          .known = warp->block->launch->code->undefined->ops[pc],
                          .active = active,
                          .pc = pc};
    const struct undefined_op *known = f.known;
    report(&f, UNDEFINED_ADDRESS, known->address, any_of(&f, known->address));
    switch (known->rule) {
    case UNDEFINED_SOURCE: spread(&f, active); break;
    case UNDEFINED_NEVER: define_all(&f); break;
    case UNDEFINED_DIVIDE: divide(&f); break;
    case UNDEFINED_BY_ANY: spread(&f, any_source(&f)); break;
    case UNDEFINED_VOTE: spread(&f, any_source(&f) ? active : 0); break;
    case UNDEFINED_STORE: note_store(&f); break;
    case UNDEFINED_LOAD: define_all(&f); break; /* undefined_found says what is there */
    case UNDEFINED_LOST: report_lost(&f); break;
    case UNDEFINED_ATOMIC:
        for (int i = 0; i < known->from_count; i++)
            report(&f, UNDEFINED_OPERAND, known->from[i], any_of(&f, known->from[i]));
        define_all(&f);
        break;
    case UNDEFINED_SHUFFLE: break; /* when it is known which lanes */
    default: pass_bits(&f, any_source(&f));
    }
}

/* Of the element of a vector that stands in register number `to`: its bits that the lane found without a value. */
static uint64_t loaded_bits(const struct following *f, int to, int lane)
{
    const int size = f->known->bits / 8;
    uint64_t bits = 0;
    for (int byte = 0; byte < size; byte++)
        if (f->warp->block->loaded.bytes[lane] >> (to * size + byte) & 1)
            bits |= UINT64_C(0xFF) << 8 * byte;
    return bits;
}

void undefined_found(struct warp *warp, int pc)
{
    struct undefined_loaded *loaded = &warp->block->loaded;
    struct following f = {.warp = warp, .known = warp->block->launch->code->undefined->ops[pc]};
    warp->begins_following |= !warp->undefined;
    f.u = warp->undefined || begin(warp) ? warp->undefined : NULL;
    for (int i = 0; f.u && i < f.known->to_count; i++) {
        if (f.known->to[i] < 0) /* an element that goes nowhere: _ */
            continue;
        f.u->used[f.known->to[i]] = loaded->used;
        FOR_LANES(lane, loaded->lanes)
        set_bits(&f, f.known->to[i], (int)lane, loaded_bits(&f, i, (int)lane));
    }
    loaded->lanes = 0;
}

/* ---- the loop: as exec_simd_loop.c's ------------------------------------------------------------------- */

static void check_guard(struct warp *warp, int pc, const struct micro *op, const struct undefined_op *known)
{
    struct following f = {
        .warp = warp, .u = warp->undefined, .op = op, .known = known, .active = warp->mask, .pc = pc};
    if (known->guard >= 0)
        report(&f, UNDEFINED_DECISION, known->guard, any_of(&f, known->guard));
}

enum step warp_loop_undefined(struct warp *warp)
{
    const struct undefined_op *const *known = warp->block->launch->code->undefined->ops;
    const uint32_t mask = warp->mask;
    warp->begins_following = false;
    while (warp->pc < warp->stop && warp->budget > 0) {
        const int pc = warp->pc;
        const struct micro *op = &warp->ops[pc];
        const uint32_t active = mask & (warp->preds[op->guard] ^ op->guard_xor);
        warp->counts[pc].warps++;
        warp->counts[pc].lanes += (unsigned)__builtin_popcount(active);
        warp->budget--;
        warp->pc = pc + 1;
        if (known[pc])
            check_guard(warp, pc, op, known[pc]);
        if (!active)
            continue;
        if (known[pc])
            undefined_follow(warp, pc, op, active);
        if (warp->undefined_stored.count)
            warp->block->view.undefined = &warp->undefined_stored;
        const enum step step = op->run(warp, op, active);
        warp->undefined_stored.count = 0;
        warp->block->view.undefined = NULL;
        if (step != STEP_NEXT && step != STEP_JUMP)
            return step == STEP_FAULT ? STEP_FAULT : STEP_SCHEDULE;
    }
    return STEP_SCHEDULE;
}
