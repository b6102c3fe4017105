/* Forward through the recording: how far an element gets that was read and does not reach the value. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/origin/origin_visit.h"
#include "sim/ptx/ptx.h"

#define HELD_BYTES   4096 /* places in memory that hold something of the element; more are not followed */
#define HELD_SIZE    16   /* bytes that one of them has at most: a lane stores no more at once */
#define HELD_BUCKETS 4096

/* Bytes that hold something of the element. */
struct held {
    uint32_t space, owner; /* owner: the block of shared memory, the thread of local memory; 0: global */
    uint64_t address, size;
    uint16_t next; /* of the bucket, see held_bucket; of the free ones */
};

struct walk {
    const struct origin_log *log;
    const struct sim_origin_thread *end; /* the thread that stores the value */
    uint32_t **registers;                /* [warp]: of each register the lanes that hold it; NULL: none */
    struct held held[HELD_BYTES + 1];    /* number 0 is none */
    uint16_t bucket[HELD_BUCKETS];       /* the first one that begins in these HELD_SIZE bytes */
    uint16_t held_free;                  /* the first one that is free again */
    int held_count;                      /* that were used so far */
    uint32_t number;                     /* of the entry that is looked at */
    const struct origin_entry *entry;
    const struct origin_launch *launch;
    const struct origin_op *op;
    /* The last entries that had to do with it: of the thread `end`, and of any. */
    uint32_t last[2];
    int last_lane[2];
    bool failed;
};

/* ---- registers ------------------------------------------------------------------------------------------- */

static uint32_t lanes_of(const struct walk *w, const struct ptx_operand *operand)
{
    const uint32_t *registers = w->registers[w->entry->warp];
    uint32_t lanes = 0;
    if (!registers)
        return 0;
    if (operand->kind == PTX_REG)
        return registers[operand->reg];
    if (operand->kind == PTX_VECTOR)
        for (int i = 0; i < operand->count; i++)
            lanes |= lanes_of(w, &operand->list[i]);
    return lanes;
}

static void set_lanes(struct walk *w, const struct ptx_operand *to, uint32_t lanes)
{
    uint32_t **registers = &w->registers[w->entry->warp];
    if (!*registers && lanes)
        *registers = calloc((size_t)origin_registers(w->launch->code) + 1, sizeof **registers);
    w->failed |= lanes && !*registers;
    if (!*registers)
        return;
    if (to->kind == PTX_REG)
        (*registers)[to->reg] = ((*registers)[to->reg] & ~w->entry->lanes) | lanes;
    else if (to->kind == PTX_VECTOR || to->kind == PTX_PAIR || to->kind == PTX_LIST)
        for (int i = 0; i < to->count; i++)
            set_lanes(w, &to->list[i], lanes);
}

static bool is_end(const struct walk *w, int lane)
{
    const struct sim_origin_thread at = origin_thread_of(w->log, w->entry->warp, lane), *end = w->end;
    return at.launch == end->launch && at.block.x == end->block.x && at.block.y == end->block.y &&
           at.block.z == end->block.z && at.thread.x == end->thread.x && at.thread.y == end->thread.y &&
           at.thread.z == end->thread.z;
}

/* These lanes have to do with it. */
static void note(struct walk *w, uint32_t lanes)
{
    FOR_LANES(lane, lanes)
    {
        if (w->op->instr->site.line <= 0)
            continue;
        w->last[1] = w->number;
        w->last_lane[1] = lane;
        if (is_end(w, lane)) {
            w->last[0] = w->number;
            w->last_lane[0] = lane;
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static uint32_t owner_of(const struct walk *w, uint32_t space, int lane)
{
    if (space == PTX_GLOBAL)
        return 0;
    if (space != PTX_SHARED)
        return w->entry->warp * WARP_LANES + (uint32_t)lane;
    return w->entry->warp - (w->entry->warp - w->launch->first_warp) % w->launch->warps_per_block;
}

static uint16_t *held_bucket(struct walk *w, uint32_t space, uint32_t owner, uint64_t unit)
{
    const uint64_t mixed =
        (unit ^ (uint64_t)owner << 32 ^ (uint64_t)space << 60) * UINT64_C(0x9e3779b97f4a7c15);
    return &w->bucket[(mixed >> 32) % HELD_BUCKETS];
}

/* The units of HELD_SIZE bytes in which something that overlaps these bytes begins: from this one to that of the last byte. */
static uint64_t first_unit(uint64_t at)
{
    return (at < HELD_SIZE ? 0 : at - HELD_SIZE + 1) / HELD_SIZE;
}

static bool is_held(struct walk *w, const struct origin_access *access, int lane, unsigned from,
                    unsigned size)
{
    const uint64_t at = origin_address(w->log, access, lane) + from;
    const uint32_t owner = owner_of(w, access->space, lane);
    for (uint64_t unit = first_unit(at); unit <= (at + size - 1) / HELD_SIZE; unit++)
        for (int i = *held_bucket(w, access->space, owner, unit); i != 0; i = w->held[i].next) {
            const struct held *held = &w->held[i];
            if (held->space == access->space && held->owner == owner && at < held->address + held->size &&
                held->address < at + size)
                return true;
        }
    return false;
}

static void add_held(struct walk *w, uint32_t space, uint32_t owner, uint64_t address, uint64_t size)
{
    uint16_t *bucket = held_bucket(w, space, owner, address / HELD_SIZE), number = w->held_free;
    if (number)
        w->held_free = w->held[number].next;
    else if (w->held_count < HELD_BYTES)
        number = (uint16_t)++w->held_count;
    w->failed |= !number;
    if (w->failed)
        return;
    w->held[number] =
        (struct held){.space = space, .owner = owner, .address = address, .size = size, .next = *bucket};
    *bucket = number;
}

/* Those of the bucket that lie in these bytes hold nothing of it any more. */
static void remove_held(struct walk *w, uint16_t *bucket, uint32_t space, uint32_t owner, uint64_t at,
                        uint64_t size)
{
    for (uint16_t *link = bucket; *link;) {
        const uint16_t number = *link;
        struct held *held = &w->held[number];
        if (held->space != space || held->owner != owner || held->address < at ||
            held->address + held->size > at + size) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        held->next = w->held_free;
        w->held_free = number;
    }
}

/* What the lane stores there has something of it, or has not. */
static void hold(struct walk *w, const struct origin_access *access, int lane, bool held)
{
    const uint64_t at = origin_address(w->log, access, lane);
    const uint32_t owner = owner_of(w, access->space, lane);
    for (uint64_t unit = at / HELD_SIZE; unit <= (at + access->size - 1) / HELD_SIZE; unit++)
        remove_held(w, held_bucket(w, access->space, owner, unit), access->space, owner, at, access->size);
    if (held)
        add_held(w, access->space, owner, at, access->size);
}

static bool has_accesses(const struct walk *w)
{
    return (w->op->kind == ORIGIN_LOAD || w->op->kind == ORIGIN_STORE || w->op->kind == ORIGIN_ATOMIC ||
            w->op->kind == ORIGIN_ASYNC) &&
           w->entry->extra != ORIGIN_NONE;
}

/* The lanes that read what is held: in component number `part` of what they load, or, -1, in any. */
static uint32_t lanes_that_read(struct walk *w, int part)
{
    uint32_t lanes = 0;
    for (uint32_t a = has_accesses(w) ? w->entry->extra : ORIGIN_NONE; a != ORIGIN_NONE;
         a = w->log->accesses[a].next) {
        const struct origin_access *access = &w->log->accesses[a];
        const unsigned size = part < 0 ? access->size : access->element_size;
        if (access->kind == ACCESS_STORE)
            continue;
        FOR_LANES(lane, access->lanes)
        lanes |= is_held(w, access, lane, part < 0 ? 0 : (unsigned)part * size, size) ? 1u << lane : 0;
    }
    return lanes;
}

/* What a load brings: of a vector, the component that holds it. */
static void set_loaded(struct walk *w)
{
    const struct ptx_operand *to = w->op->to;
    const bool is_vector = to->kind == PTX_VECTOR && strcmp(w->op->instr->op, "ld") == 0;
    if (!is_vector)
        set_lanes(w, to, lanes_that_read(w, -1));
    for (int i = 0; is_vector && i < to->count; i++)
        set_lanes(w, &to->list[i], lanes_that_read(w, i));
}

static void store(struct walk *w, uint32_t lanes)
{
    for (uint32_t a = has_accesses(w) ? w->entry->extra : ORIGIN_NONE; a != ORIGIN_NONE;
         a = w->log->accesses[a].next)
        if (w->log->accesses[a].kind != ACCESS_LOAD)
            FOR_LANES(lane, w->log->accesses[a].lanes)
    hold(w, &w->log->accesses[a], lane, lanes >> lane & 1);
}

/* ---- instructions ---------------------------------------------------------------------------------------- */

static uint32_t lanes_of_sources(const struct walk *w)
{
    uint32_t lanes = 0;
    for (int i = 0; i < w->op->source_count; i++)
        lanes |= lanes_of(w, &w->op->instr->operands[w->op->first_source + i]);
    return lanes & w->entry->lanes;
}

static void step_shuffle(struct walk *w)
{
    uint8_t source[WARP_LANES];
    uint32_t lanes = 0;
    const uint32_t held = lanes_of(w, &w->op->instr->operands[1]);
    if (w->entry->extra == ORIGIN_NONE)
        return;
    memcpy(source, &w->log->extras[w->entry->extra], sizeof source);
    FOR_LANES(lane, w->entry->lanes)
    lanes |= held >> source[lane] & 1 ? 1u << lane : 0;
    note(w, lanes | (held & w->entry->lanes));
    set_lanes(w, w->op->to, lanes);
}

/* Of two the one that is chosen; both take part in the choice. */
static void step_select(struct walk *w)
{
    const struct ptx_operand *operands = w->op->instr->operands;
    uint32_t lanes = lanes_of_sources(w);
    note(w, lanes);
    if (w->entry->extra != ORIGIN_NONE) {
        const uint32_t first = w->log->extras[w->entry->extra];
        lanes = (lanes_of(w, &operands[1]) & first) | (lanes_of(w, &operands[2]) & ~first);
    }
    set_lanes(w, w->op->to, lanes & w->entry->lanes);
}

/* A compare and swap stores its last operand where the other one stood. */
static void step_swap(struct walk *w, uint32_t lanes)
{
    const struct ptx_operand *operands = w->op->instr->operands + w->op->first_source;
    const uint32_t value = lanes_of(w, &operands[w->op->source_count - 1]) & w->entry->lanes;
    const struct origin_access *access = has_accesses(w) ? &w->log->accesses[w->entry->extra] : NULL;
    note(w, lanes | lanes_of_sources(w));
    if (access)
        FOR_LANES(lane, access->lanes & ~access->refused)
    hold(w, access, lane, value >> lane & 1);
}

static void step_memory(struct walk *w)
{
    const uint32_t lanes = lanes_that_read(w, -1), stored = lanes_of_sources(w);
    if (w->op->swaps) {
        step_swap(w, lanes);
        if (w->op->to)
            set_lanes(w, w->op->to, lanes);
        return;
    }
    note(w, lanes | stored);
    if (w->op->kind == ORIGIN_ASYNC)
        store(w, lanes);
    else if (w->op->kind != ORIGIN_LOAD)
        store(w, lanes | stored);
    if (w->op->to)
        set_loaded(w);
}

static void step(struct walk *w)
{
    switch (w->op->kind) {
    case ORIGIN_IGNORED: break;
    case ORIGIN_BRANCH:
        if (w->registers[w->entry->warp] && w->op->instr->guard >= 0)
            note(w, w->registers[w->entry->warp][w->op->instr->guard] & w->entry->lanes);
        break;
    case ORIGIN_SELECT: step_select(w); break;
    case ORIGIN_SHUFFLE: step_shuffle(w); break;
    case ORIGIN_LOAD:
    case ORIGIN_STORE:
    case ORIGIN_ATOMIC:
    case ORIGIN_ASYNC: step_memory(w); break;
    default: {
        const uint32_t lanes = lanes_of_sources(w);
        const bool all = w->op->kind == ORIGIN_COMBINE && lanes;
        note(w, lanes);
        if (w->op->to)
            set_lanes(w, w->op->to, all ? w->entry->lanes : lanes);
    }
    }
}

static void walk_all(struct walk *w)
{
    for (size_t i = 0; i < w->log->entry_count && !w->failed; i++) {
        w->entry = &w->log->entries[i];
        w->number = (uint32_t)i;
        if (w->entry->warp == ORIGIN_NONE || w->entry->depth > 0)
            continue;
        w->launch = origin_launch_of(w->log, w->entry->warp);
        w->op = &w->launch->ops[w->entry->pc];
        step(w);
    }
}

bool sim_origin_lost(struct sim *sim, sim_addr address, size_t size, const struct sim_origin_thread *end,
                     struct sim_origin_lost *out)
{
    const struct origin_log *log = sim->origin;
    struct walk *w = calloc(1, sizeof *w);
    *out = (struct sim_origin_lost){.place = {.line = 0}};
    if (!w || !log || !(w->registers = calloc(log->warp_count + 1, sizeof *w->registers))) {
        free(w);
        return false;
    }
    w->log = log;
    w->end = end;
    w->last[0] = w->last[1] = ORIGIN_NONE;
    for (uint64_t from = address; from < address + size; from += HELD_SIZE)
        add_held(w, PTX_GLOBAL, 0, from,
                 address + size - from < HELD_SIZE ? address + size - from : HELD_SIZE);
    walk_all(w);
    const int which = w->last[0] != ORIGIN_NONE ? 0 : 1;
    const bool found = !w->failed && w->last[which] != ORIGIN_NONE;
    if (found) {
        const struct origin_entry *entry = &log->entries[w->last[which]];
        out->place = origin_place_of(log, w->last[which]);
        out->thread = origin_thread_of(log, entry->warp, w->last_lane[which]);
        const struct origin_op *op = &origin_launch_of(log, entry->warp)->ops[entry->pc];
        out->refused = op->swaps && entry->extra != ORIGIN_NONE &&
                       (log->accesses[entry->extra].refused >> w->last_lane[which] & 1);
        out->stores =
            (op->kind == ORIGIN_STORE || op->kind == ORIGIN_ATOMIC) && origin_is_global(op) && !out->refused;
    }
    for (uint32_t i = 0; i < log->warp_count; i++)
        free(w->registers[i]);
    free(w->registers);
    free(w);
    return found;
}
