/* Loads, stores, atomics and cp.async. */
#include <string.h>

#include "sim/origin/origin_visit.h"
#include "sim/ptx/ptx.h"

static uint64_t owner_of(const struct origin_visit *s, uint32_t space, int lane)
{
    uint32_t first = s->launch->first_warp, block = (s->entry->warp - first) / s->launch->warps_per_block;
    if (space == PTX_SHARED)
        return first + (uint64_t)block * s->launch->warps_per_block;
    return space == PTX_LOCAL ? (uint64_t)s->entry->warp * WARP_LANES + (unsigned)lane : 0;
}

/* The address of an access depends on its base register; `index`: how often what chose it is wanted. */
static void want_address(struct origin_visit *s, const struct ptx_operand *address, int lane, int site,
                         uint32_t index)
{
    if (address && address->kind == PTX_ADDRESS && address->reg >= 0)
        origin_want_register(
            s, address->reg, lane,
            (struct register_want){.index = index, .sites = site < 0 ? 0 : UINT64_C(1) << site});
}

static void want_bytes(struct origin_visit *s, uint32_t space, uint64_t address, int size, int lane,
                       struct register_want want, int site)
{
    struct byte_reader reader = {
        .entry = s->number, .lane = (uint8_t)lane, .element_size = (uint8_t)size, .site = (uint8_t)site};
    want.ways &= ~(uint32_t)SIM_ORIGIN_SUM;
    for (int i = 0; i < size; i++) {
        reader.offset = (uint8_t)i;
        wants_add_byte(&s->sweep->wants, space, owner_of(s, space, lane), address + (uint64_t)i, want,
                       reader);
    }
}

/* What the lane stores another thread loads. */
static bool is_for_another(const struct origin_visit *s, const struct byte_want *byte, int lane)
{
    const struct byte_reader *reader = &byte->reader;
    return byte->space == PTX_SHARED && reader->entry != ORIGIN_NONE &&
           (reader->lane != lane || s->sweep->log->entries[reader->entry].warp != s->entry->warp);
}

/* What is wanted of the bytes; they are found: taken off the list if the instruction writes over what was there. */
static struct register_want take_bytes(struct origin_visit *s, uint32_t space, uint64_t address, int size,
                                       int lane, bool overwrites)
{
    struct register_want most = {0};
    for (int i = 0; i < size; i++) {
        struct byte_want *byte =
            wants_find_byte(&s->sweep->wants, space, owner_of(s, space, lane), address + (uint64_t)i);
        if (!byte)
            continue;
        origin_join_wants(&most, wants_of_byte(byte));
        if (!most.crossed && is_for_another(s, byte, lane))
            most.crossed = byte->reader.entry + 1;
        if (!overwrites)
            continue;
        byte->times = byte->index = 0;
    }
    return most;
}

/* The element of a vector operand, or the operand itself. */
static const struct ptx_operand *element_of(const struct ptx_operand *operand, int e)
{
    return operand->kind == PTX_VECTOR ? e < operand->count ? &operand->list[e] : NULL : operand;
}

static int element_count(const struct ptx_operand *operand)
{
    return operand->kind == PTX_VECTOR ? operand->count : 1;
}

/* The lane's next access of this kind, from number `i` on. */
static const struct origin_access *access_from(const struct origin_visit *s, uint32_t i, int lane,
                                               enum access_kind kind)
{
    const struct origin_log *log = s->sweep->log;
    for (; i != ORIGIN_NONE; i = log->accesses[i].next)
        if ((log->accesses[i].lanes >> lane & 1) && (enum access_kind)log->accesses[i].kind == kind)
            return &log->accesses[i];
    return NULL;
}

static const struct origin_access *access_of_lane(const struct origin_visit *s, int lane,
                                                  enum access_kind kind)
{
    return access_from(s, s->entry->extra, lane, kind);
}

/* ld.param: of the kernel a parameter, of a function what the caller passed. */
static void step_parameter(struct origin_visit *s, const struct register_want *want, int e, int lane)
{
    const struct ptx_operand *address = s->op->address;
    origin_add_uses(s, want->sites, s->entry->depth ? SIM_ORIGIN_INDIRECT : 0);
    if (!want->times)
        return;
    uint64_t offset = (uint64_t)address->value + (uint64_t)(e * s->op->element_size);
    const struct ptx_func *func = s->launch->code->functions[0].func;
    for (int i = 0; address->var && i < func->param_count; i++)
        if (strcmp(func->params[i].var.name, address->var->name) == 0)
            offset += func->params[i].offset;
    struct origin_found found =
        origin_found_for(*want, s->entry->depth ? SIM_ORIGIN_CALL : SIM_ORIGIN_PARAMETER, lane);
    found.address = offset;
    found.size = s->op->element_size;
    origin_add_found(s, found);
}

void origin_step_load(struct origin_visit *s, struct register_wants *registers, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_LOAD);
    bool any = false;
    for (int e = 0; e < element_count(s->op->to); e++) {
        struct register_want want = origin_take_results(s, registers, element_of(s->op->to, e), lane);
        if (!origin_is_wanted(want))
            continue;
        if (!access) {
            step_parameter(s, &want, e, lane);
            continue;
        }
        origin_add_uses(s, want.sites, SIM_ORIGIN_INDIRECT);
        if (!want.times && !want.index)
            continue;
        any = true;
        uint64_t address = origin_address(s->sweep->log, access, lane) + (uint64_t)(e * s->op->element_size);
        want_bytes(s, access->space, address, s->op->element_size, lane, want, origin_site_of(s));
    }
    if (any && access->space != PTX_GLOBAL && access->space != PTX_CONST)
        origin_add_path(s);
    if (any)
        want_address(s, s->op->address, lane, origin_site_of(s), 0);
}

/* A store or an atomic that touches what was asked for. */
static void note_store(struct origin_visit *s, const struct origin_access *access, int lane)
{
    struct origin_sweep *sweep = s->sweep;
    uint64_t at = origin_address(sweep->log, access, lane);
    if (access->space != PTX_GLOBAL || at >= sweep->address + sweep->size ||
        sweep->address >= at + access->size)
        return;
    const uint64_t number =
        sweep->store_count++; /* backwards: of too many, the last place is the first one's */
    struct origin_stored *to = &sweep->stored[number < SIM_ORIGIN_STORES ? number : SIM_ORIGIN_STORES - 1];
    *to = (struct origin_stored){.entry = s->number, .lane = lane, .site = origin_site_of(s)};
    const struct byte_want *byte = wants_find_byte(&sweep->wants, PTX_GLOBAL, 0, sweep->address);
    to->goes_in = byte && byte->times > 0;
    to->is_atomic = access->kind == ACCESS_ATOMIC;
    to->instruction = s->op->instr->text;
    want_address(s, s->op->address, lane, to->site, 0);
}

/* `size` bytes of a store, which come from this operand. */
static void step_part(struct origin_visit *s, uint32_t space, uint64_t address, int size, int lane,
                      const struct ptx_operand *from)
{
    struct register_want want = take_bytes(s, space, address, size, lane, true);
    if (want.times)
        origin_add_path(s);
    origin_look_for_fork(s, want, lane);
    if (origin_is_wanted(want) && from)
        origin_want_operand(s, from, lane, want);
    if (want.times)
        want_address(s, s->op->address, lane, -1, want.times);
}

/* wmma.store: a lane's registers one after the other, each by one access or two. */
static void step_matrix(struct origin_visit *s, int lane)
{
    const struct ptx_operand *value = &s->op->instr->operands[s->op->first_source];
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_STORE);
    const int register_size = s->op->element_size < 8 ? 4 : 8;
    for (int passed = 0; access; access = access_from(s, access->next, lane, ACCESS_STORE)) {
        note_store(s, access, lane);
        step_part(s, access->space, origin_address(s->sweep->log, access, lane), access->size, lane,
                  element_of(value, passed / register_size));
        passed += access->size;
    }
}

void origin_step_store(struct origin_visit *s, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_STORE);
    if (!access)
        return;
    if (strcmp(s->op->instr->op, "wmma") == 0) {
        step_matrix(s, lane);
        return;
    }
    note_store(s, access, lane);
    const struct ptx_operand *value = &s->op->instr->operands[s->op->first_source];
    for (int e = 0; e < element_count(value); e++)
        step_part(s, access->space,
                  origin_address(s->sweep->log, access, lane) + (uint64_t)(e * s->op->element_size),
                  s->op->element_size, lane, element_of(value, e));
}

/* What an atomic leaves there. */
static void step_stored(struct origin_visit *s, const struct origin_access *access, uint64_t address,
                        int lane)
{
    note_store(s, access, lane);
    const struct ptx_operand *operands = s->op->instr->operands + s->op->first_source;
    struct register_want want = take_bytes(s, access->space, address, access->size, lane, s->op->replaces);
    if (origin_is_wanted(want) && s->op->source_count > 0) /* of compare and swap the second operand */
        origin_want_operand(s, &operands[s->op->source_count - 1], lane, want);
    if (want.times)
        want_address(s, s->op->address, lane, -1, want.times);
}

/* What it adds goes into what is there; what it returns is what was there. */
void origin_step_atomic(struct origin_visit *s, struct register_wants *registers, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_ATOMIC);
    if (!access)
        return;
    const uint64_t address = origin_address(s->sweep->log, access, lane);
    if (!(access->refused >> lane & 1))
        step_stored(s, access, address, lane);
    if (!s->op->to || !registers)
        return;
    struct register_want want = origin_take_results(s, registers, s->op->to, lane);
    origin_add_uses(s, want.sites, SIM_ORIGIN_INDIRECT | SIM_ORIGIN_ARRIVAL);
    if (want.times || want.index)
        want_bytes(s, access->space, address, access->size, lane, want, origin_site_of(s));
}

void origin_step_async(struct origin_visit *s, int lane)
{
    const struct origin_access *to = access_of_lane(s, lane, ACCESS_STORE),
                               *from = access_of_lane(s, lane, ACCESS_LOAD);
    if (!to)
        return;
    uint64_t there = origin_address(s->sweep->log, to, lane);
    for (int i = 0; i < (int)to->size; i += 4) {
        struct register_want want = take_bytes(s, to->space, there + (uint64_t)i, 4, lane, true);
        if (origin_is_wanted(want) && from)
            want_bytes(s, from->space, origin_address(s->sweep->log, from, lane) + (uint64_t)i, 4, lane, want,
                       origin_site_of(s));
    }
}
