#include "sim/origin/origin_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx.h"

/* The instruction that is being looked at. */
struct visit {
    struct origin_sweep *sweep;
    uint32_t number; /* of the entry */
    const struct origin_entry *entry;
    const struct origin_launch *launch;
    const struct origin_op *op;
    int registers; /* that its function may have */
};

#define FOR_LANES(lane, lanes)                                                                               \
    for (int lane = 0; lane < WARP_LANES; lane++)                                                            \
        if ((lanes) >> lane & 1)

/* ---- what was found ------------------------------------------------------------------------------------ */

static void add_found(struct visit *s, struct origin_found found)
{
    struct origin_sweep *sweep = s->sweep;
    if (sweep->found_count == sweep->found_capacity) {
        size_t capacity = 2 * sweep->found_capacity + 64;
        struct origin_found *grown = realloc(sweep->found, capacity * sizeof *grown);
        if (!grown) {
            sweep->failed = true;
            return;
        }
        sweep->found = grown;
        sweep->found_capacity = capacity;
    }
    found.entry = s->number;
    sweep->found[sweep->found_count++] = found;
}

static void add_note(struct visit *s)
{
    struct origin_sweep *sweep = s->sweep;
    if (s->op->note < 0)
        return;
    for (int i = 0; i < sweep->step_count; i++)
        if (sweep->log->entries[sweep->steps[i].entry].pc == s->entry->pc &&
            sweep->steps[i].note == s->op->note)
            return;
    if (sweep->step_count < SIM_ORIGIN_STEPS) {
        sweep->steps[sweep->step_count].note = s->op->note;
        sweep->steps[sweep->step_count++].entry = s->number;
    }
}

/* The instruction's line is one through which the value went. */
static void add_path(struct visit *s)
{
    struct origin_sweep *sweep = s->sweep;
    const int line = s->op->instr->site.line, file = s->op->instr->site.file;
    for (int i = 0; i < sweep->path_count; i++) {
        const struct origin_entry *entry = &sweep->log->entries[sweep->path[i]];
        const struct ptx_instr *instr = origin_launch_of(sweep->log, entry->warp)->ops[entry->pc].instr;
        if (instr->site.line == line && instr->site.file == file)
            return;
    }
    if (line > 0 && sweep->path_count < SIM_ORIGIN_PATH)
        sweep->path[sweep->path_count++] = s->number;
}

/* The number of this instruction among the places whose addresses are looked at; the last one stands for all that do not fit. */
static int site_of(struct visit *s)
{
    struct origin_sweep *sweep = s->sweep;
    uint32_t launch = (uint32_t)(s->launch - sweep->log->launches);
    for (int i = 0; i < sweep->site_count; i++)
        if (sweep->sites[i].pc == (int)s->entry->pc && sweep->sites[i].launch == launch)
            return i;
    if (sweep->site_count < ORIGIN_SITES)
        sweep->sites[sweep->site_count++] =
            (struct origin_site){.launch = launch, .pc = (int)s->entry->pc, .from_entry = ORIGIN_NONE};
    return sweep->site_count - 1;
}

static void add_uses(struct visit *s, uint64_t sites, uint32_t uses)
{
    const uint32_t positions = SIM_ORIGIN_TID_X | SIM_ORIGIN_TID_Y | SIM_ORIGIN_CTAID_X | SIM_ORIGIN_CTAID_Y;
    for (int i = 0; sites >> i && i < ORIGIN_SITES; i++) {
        if (!(sites >> i & 1))
            continue;
        struct origin_site *site = &s->sweep->sites[i];
        site->uses |= uses;
        if ((uses & positions) && site->from_entry == ORIGIN_NONE)
            site->from_entry = s->number;
    }
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static uint32_t use_of_special(const char *name)
{
    static const struct {
        const char *name;
        uint32_t use;
    } table[] = {
        {"%tid.x", SIM_ORIGIN_TID_X},     {"%tid.y", SIM_ORIGIN_TID_Y},     {"%tid.z", SIM_ORIGIN_TID_Z},
        {"%ctaid.x", SIM_ORIGIN_CTAID_X}, {"%ctaid.y", SIM_ORIGIN_CTAID_Y}, {"%ctaid.z", SIM_ORIGIN_CTAID_Z},
        {"%ntid.x", SIM_ORIGIN_NTID_X},   {"%ntid.y", SIM_ORIGIN_NTID_Y},   {"%ntid.z", SIM_ORIGIN_NTID_Z},
        {"%nctaid", SIM_ORIGIN_NCTAID},   {"%lane", SIM_ORIGIN_LANE},       {"%warpid", SIM_ORIGIN_LANE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(name, table[i].name, strlen(table[i].name)) == 0)
            return table[i].use;
    return SIM_ORIGIN_OTHER;
}

static void want_register(struct visit *s, int reg, int lane, struct register_want want)
{
    wants_add_register(&s->sweep->wants, s->entry->warp, s->entry->depth, s->registers, reg, lane, want);
}

/* Of a value: found here, as often as it is wanted. */
static struct origin_found found_for(struct register_want want, enum sim_origin_kind kind, int lane)
{
    return (struct origin_found){.kind = kind,
                                 .times = want.times,
                                 .pair = want.pair,
                                 .ways = want.ways,
                                 .lane = lane,
                                 .second = ORIGIN_NONE,
                                 .site = -1};
}

/* What was wanted comes from this operand, as the lane has it. */
static void want_operand(struct visit *s, const struct ptx_operand *operand, int lane,
                         struct register_want want)
{
    struct origin_found found = found_for(want, SIM_ORIGIN_SPECIAL, lane);
    switch (operand->kind) {
    case PTX_REG: want_register(s, operand->reg, lane, want); return;
    case PTX_VECTOR:
        for (int i = 0; i < operand->count; i++)
            want_operand(s, &operand->list[i], lane, want);
        return;
    case PTX_SREG:
        add_uses(s, want.sites, use_of_special(operand->name));
        found.address = use_of_special(operand->name);
        break;
    case PTX_INT:
    case PTX_F32_BITS:
    case PTX_F64_BITS:
        found.kind = SIM_ORIGIN_IMMEDIATE;
        found.bits = (uint64_t)operand->value;
        found.size = operand->kind == PTX_F64_BITS ? 8 : operand->kind == PTX_F32_BITS ? 4 : 0;
        break;
    default: return;
    }
    if (want.times)
        add_found(s, found);
}

/* Of parts of one value: the most that is wanted of any of them. */
static void join_wants(struct register_want *sum, struct register_want one)
{
    const bool first = !sum->times && !sum->index;
    if (one.times || one.index)
        sum->pair = first || sum->pair == one.pair ? one.pair : WANT_PAIRS;
    sum->times = sum->times > one.times ? sum->times : one.times;
    sum->index = sum->index > one.index ? sum->index : one.index;
    sum->ways |= one.ways;
    sum->sites |= one.sites;
}

/* Takes what is wanted of the registers that the operand names, all together. */
static struct register_want take_results(struct register_wants *registers, const struct ptx_operand *to,
                                         int lane)
{
    struct register_want sum = {0}, one;
    switch (to->kind) {
    case PTX_REG: return wants_take_register(registers, to->reg, lane);
    case PTX_VECTOR:
    case PTX_PAIR:
    case PTX_LIST:
        for (int i = 0; i < to->count; i++) {
            one = take_results(registers, &to->list[i], lane);
            join_wants(&sum, one);
        }
        return sum;
    default: return sum;
    }
}

static bool is_wanted(struct register_want want)
{
    return want.times || want.index || want.sites;
}

/* ---- instructions that only know registers ------------------------------------------------------------- */

static uint32_t turned_sign(uint32_t ways)
{
    const uint32_t both = SIM_ORIGIN_PLUS | SIM_ORIGIN_MINUS, signs = ways & both;
    return (ways & ~both) | (signs == both ? both : both ^ signs);
}

/* What is wanted of the result, for source operand `i` of the operation; `pair`: the product's number. */
static struct register_want want_of_source(const struct visit *s, struct register_want want, int i,
                                           uint32_t pair)
{
    const enum origin_math math = s->op->math;
    if (math == ORIGIN_MULTIPLY || (math == ORIGIN_MULTIPLY_ADD && i < 2)) {
        want.pair = pair;
        want.ways = (want.ways | SIM_ORIGIN_FACTOR) & ~(uint32_t)SIM_ORIGIN_SUM;
    } else if (math == ORIGIN_ADD || math == ORIGIN_SUBTRACT || math == ORIGIN_MULTIPLY_ADD) {
        want.ways |= SIM_ORIGIN_ADDEND;
    } else if (math == ORIGIN_COMPARE) {
        want.ways |= SIM_ORIGIN_COMPARED;
    } else if (math == ORIGIN_DIVIDE) {
        want.ways = (want.ways | SIM_ORIGIN_FACTOR) & ~(uint32_t)SIM_ORIGIN_SUM;
    }
    if (math == ORIGIN_NEGATE || (math == ORIGIN_SUBTRACT && i == 1))
        want.ways = turned_sign(want.ways);
    return want;
}

static void step_plain(struct visit *s, struct register_wants *registers, int lane)
{
    struct register_want want = take_results(registers, s->op->to, lane);
    if (!is_wanted(want))
        return;
    if (want.times) {
        add_note(s);
        add_path(s);
    }
    const uint32_t pair = want.times ? origin_pair(s->number, lane) : 0;
    for (int i = 0; i < s->op->source_count; i++)
        want_operand(s, &s->op->instr->operands[s->op->first_source + i], lane,
                     want_of_source(s, want, i, pair));
}

static void step_select(struct visit *s, struct register_wants *registers, int lane)
{
    if (s->entry->extra == ORIGIN_NONE) {
        step_plain(s, registers, lane);
        return;
    }
    struct register_want want = take_results(registers, s->op->to, lane);
    bool first = s->sweep->log->extras[s->entry->extra] >> lane & 1;
    if (is_wanted(want))
        want_operand(s, &s->op->instr->operands[first ? 1 : 2], lane, want);
}

static void step_shuffle(struct visit *s, struct register_wants *registers)
{
    struct register_want want[WARP_LANES] = {{0}};
    uint8_t source[WARP_LANES];
    if (s->entry->extra == ORIGIN_NONE) /* it waited for other lanes, and ran with them */
        return;
    memcpy(source, &s->sweep->log->extras[s->entry->extra], sizeof source);
    FOR_LANES(lane, s->entry->lanes)
    want[lane] = take_results(registers, s->op->to, lane);
    FOR_LANES(lane, s->entry->lanes)
    if (is_wanted(want[lane])) {
        want[lane].ways &= ~(uint32_t)SIM_ORIGIN_SUM;
        want_operand(s, &s->op->instr->operands[1], source[lane], want[lane]);
    }
}

static void step_combine(struct visit *s, struct register_wants *registers)
{
    struct register_want want[WARP_LANES] = {{0}}, sum = {0};
    FOR_LANES(lane, s->entry->lanes)
    {
        want[lane] = take_results(registers, s->op->to, lane);
        join_wants(&sum, want[lane]);
    }
    if (is_wanted(sum))
        FOR_LANES(lane, s->entry->lanes)
    want_operand(s, &s->op->instr->operands[1], lane, sum);
}

static void step_opaque(struct visit *s, struct register_wants *registers, int lane)
{
    struct register_want want =
        s->op->to ? take_results(registers, s->op->to, lane) : (struct register_want){0};
    add_uses(s, want.sites, SIM_ORIGIN_INDIRECT);
    if (want.times)
        add_found(s, found_for(want, SIM_ORIGIN_CALL, lane));
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static uint64_t owner_of(const struct visit *s, uint32_t space, int lane)
{
    uint32_t first = s->launch->first_warp, block = (s->entry->warp - first) / s->launch->warps_per_block;
    if (space == PTX_SHARED)
        return first + (uint64_t)block * s->launch->warps_per_block;
    return space == PTX_LOCAL ? (uint64_t)s->entry->warp * WARP_LANES + (unsigned)lane : 0;
}

/* The address of an access depends on its base register; `index`: how often what chose it is wanted. */
static void want_address(struct visit *s, const struct ptx_operand *address, int lane, int site,
                         uint32_t index)
{
    if (address && address->kind == PTX_ADDRESS && address->reg >= 0)
        want_register(s, address->reg, lane,
                      (struct register_want){.index = index,
                                             .sites = site < 0 ? 0 : UINT64_C(1) << site,
                                             .ways = SIM_ORIGIN_PLUS});
}

static void want_bytes(struct visit *s, uint32_t space, uint64_t address, int size, int lane,
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

/*
 * Of an element that was read, some bytes come from another store than this one, and one of the two stores is as wide as the
 * element: they overlap.
 */
static void look_for_torn(struct visit *s, const struct byte_want *byte, int size, int lane)
{
    struct origin_torn *torn = &s->sweep->torn;
    const struct byte_reader *reader = &byte->reader;
    const uint64_t first = byte->address - reader->offset;
    if (torn->reader != ORIGIN_NONE || reader->entry == ORIGIN_NONE || byte->space == PTX_LOCAL)
        return;
    for (int i = 0; i < reader->element_size; i++) {
        const struct byte_want *other =
            wants_known_byte(&s->sweep->wants, byte->space, byte->owner, first + (uint64_t)i);
        if (!other || !other->writer || other->writer == s->number + 1 ||
            other->reader.entry != reader->entry || other->reader.lane != reader->lane ||
            size < reader->element_size)
            continue;
        *torn = (struct origin_torn){.reader = reader->entry,
                                     .store = {s->number, other->writer - 1},
                                     .lane = reader->lane,
                                     .store_lane = lane,
                                     .offset = first};
        return;
    }
}

static int size_stored(const struct visit *s, uint32_t entry)
{
    const struct origin_entry *by = &s->sweep->log->entries[entry];
    return by->warp == ORIGIN_NONE ? 0 : origin_launch_of(s->sweep->log, by->warp)->ops[by->pc].element_size;
}

/*
 * The element that is stored here is read later; by then all its bytes have been replaced by stores of fewer bytes each, whose
 * elements lie at the same place.
 */
static void look_for_buried(struct visit *s, uint32_t space, uint64_t address, int size, int lane)
{
    struct origin_torn *torn = &s->sweep->torn;
    const struct byte_want *byte =
        space == PTX_SHARED ? wants_known_byte(&s->sweep->wants, space, owner_of(s, space, lane), address)
                            : NULL;
    if (!byte || !byte->writer || torn->reader != ORIGIN_NONE || byte->reader.entry == ORIGIN_NONE ||
        byte->reader.offset != 0 || byte->reader.element_size != size ||
        size_stored(s, byte->writer - 1) >= size || size_stored(s, byte->writer - 1) == 0)
        return;
    *torn = (struct origin_torn){.reader = byte->reader.entry,
                                 .store = {s->number, byte->writer - 1},
                                 .lane = byte->reader.lane,
                                 .store_lane = lane,
                                 .offset = address};
}

/* What is wanted of the bytes; they are found: taken off the list if the instruction writes over what was there. */
static struct register_want take_bytes(struct visit *s, uint32_t space, uint64_t address, int size, int lane,
                                       bool overwrites)
{
    struct register_want most = {0};
    for (int i = 0; i < size; i++) {
        struct byte_want *byte =
            wants_find_byte(&s->sweep->wants, space, owner_of(s, space, lane), address + (uint64_t)i);
        if (!byte)
            continue;
        join_wants(&most,
                   (struct register_want){
                       .times = byte->times, .index = byte->index, .pair = byte->pair, .ways = byte->ways});
        if (!overwrites)
            continue;
        look_for_torn(s, byte, size, lane);
        byte->times = byte->index = 0;
        byte->writer = s->number + 1;
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

static const struct origin_access *access_of_lane(const struct visit *s, int lane, enum access_kind kind)
{
    const struct origin_log *log = s->sweep->log;
    for (uint32_t i = s->entry->extra; i != ORIGIN_NONE; i = log->accesses[i].next)
        if ((log->accesses[i].lanes >> lane & 1) && (enum access_kind)log->accesses[i].kind == kind)
            return &log->accesses[i];
    return NULL;
}

/* ld.param: of the kernel a parameter, of a function what the caller passed. */
static void step_parameter(struct visit *s, const struct register_want *want, int e, int lane)
{
    const struct ptx_operand *address = s->op->address;
    add_uses(s, want->sites, s->entry->depth ? SIM_ORIGIN_INDIRECT : 0);
    if (!want->times)
        return;
    uint64_t offset = (uint64_t)address->value + (uint64_t)(e * s->op->element_size);
    const struct ptx_func *func = s->launch->code->functions[0].func;
    for (int i = 0; address->var && i < func->param_count; i++)
        if (strcmp(func->params[i].var.name, address->var->name) == 0)
            offset += func->params[i].offset;
    struct origin_found found =
        found_for(*want, s->entry->depth ? SIM_ORIGIN_CALL : SIM_ORIGIN_PARAMETER, lane);
    found.address = offset;
    found.size = s->op->element_size;
    add_found(s, found);
}

static void step_load(struct visit *s, struct register_wants *registers, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_LOAD);
    bool any = false;
    for (int e = 0; e < element_count(s->op->to); e++) {
        struct register_want want = take_results(registers, element_of(s->op->to, e), lane);
        if (!is_wanted(want))
            continue;
        if (!access) {
            step_parameter(s, &want, e, lane);
            continue;
        }
        add_uses(s, want.sites, SIM_ORIGIN_INDIRECT);
        if (!want.times && !want.index)
            continue;
        any = true;
        uint64_t address = origin_address(s->sweep->log, access, lane) + (uint64_t)(e * s->op->element_size);
        want_bytes(s, access->space, address, s->op->element_size, lane, want, site_of(s));
    }
    if (any)
        want_address(s, s->op->address, lane, site_of(s), 0);
}

/* A store or an atomic that touches what was asked for. */
static void note_store(struct visit *s, const struct origin_access *access, int lane)
{
    struct origin_sweep *sweep = s->sweep;
    uint64_t at = origin_address(sweep->log, access, lane);
    if (access->space != PTX_GLOBAL || at >= sweep->address + sweep->size ||
        sweep->address >= at + access->size)
        return;
    if (sweep->store_count++ >= SIM_ORIGIN_STORES)
        return;
    struct origin_stored *to = &sweep->stored[sweep->store_count - 1];
    *to = (struct origin_stored){.entry = s->number, .lane = lane, .site = site_of(s)};
    to->is_atomic = access->kind == ACCESS_ATOMIC;
    to->has_value = origin_value(sweep->log, access, lane, (int)(sweep->address - at), &to->bits);
    want_address(s, s->op->address, lane, to->site, 0);
}

static void step_store(struct visit *s, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_STORE);
    if (!access)
        return;
    note_store(s, access, lane);
    const struct ptx_operand *value = &s->op->instr->operands[s->op->first_source];
    for (int e = 0; e < element_count(value); e++) {
        uint64_t address = origin_address(s->sweep->log, access, lane) + (uint64_t)(e * s->op->element_size);
        struct register_want want = take_bytes(s, access->space, address, s->op->element_size, lane, true);
        if (want.times)
            add_path(s);
        if (!is_wanted(want))
            look_for_buried(s, access->space, address, s->op->element_size, lane);
        if (is_wanted(want) && element_of(value, e))
            want_operand(s, element_of(value, e), lane, want);
        if (want.times)
            want_address(s, s->op->address, lane, -1, want.times);
    }
}

/* What it adds goes into what is there; what it returns is what was there. */
static void step_atomic(struct visit *s, struct register_wants *registers, int lane)
{
    const struct origin_access *access = access_of_lane(s, lane, ACCESS_ATOMIC);
    if (!access)
        return;
    note_store(s, access, lane);
    uint64_t address = origin_address(s->sweep->log, access, lane);
    const struct ptx_operand *operands = s->op->instr->operands + s->op->first_source;
    struct register_want want = take_bytes(s, access->space, address, access->size, lane, false);
    want.pair = 0;
    want.ways |= SIM_ORIGIN_ADDEND;
    if (is_wanted(want) &&
        s->op->source_count > 0) /* of compare and swap the second operand may have become the value */
        want_operand(s, &operands[s->op->source_count - 1], lane, want);
    if (want.times)
        want_address(s, s->op->address, lane, -1, want.times);
    if (!s->op->to || !registers)
        return;
    want = take_results(registers, s->op->to, lane);
    add_uses(s, want.sites, SIM_ORIGIN_INDIRECT);
    if (want.times || want.index)
        want_bytes(s, access->space, address, access->size, lane, want, site_of(s));
}

static void step_async(struct visit *s, int lane)
{
    const struct origin_access *to = access_of_lane(s, lane, ACCESS_STORE),
                               *from = access_of_lane(s, lane, ACCESS_LOAD);
    if (!to)
        return;
    uint64_t there = origin_address(s->sweep->log, to, lane);
    for (int i = 0; i < (int)to->size; i += 4) {
        struct register_want want = take_bytes(s, to->space, there + (uint64_t)i, 4, lane, true);
        if (is_wanted(want) && from)
            want_bytes(s, from->space, origin_address(s->sweep->log, from, lane) + (uint64_t)i, 4, lane, want,
                       site_of(s));
    }
}

/* ---- the host ------------------------------------------------------------------------------------------ */

/* What is wanted of the bytes that a copy wrote is wanted of those that it read; what the host put there is found. */
static void pass_byte(struct visit *s, const struct origin_copy *copy, struct byte_want *byte)
{
    const struct byte_want was = *byte;
    const struct register_want want = {
        .times = was.times, .index = was.index, .pair = was.pair, .ways = was.ways};
    byte->times = byte->index = 0;
    if (copy->from) {
        wants_add_byte(&s->sweep->wants, PTX_GLOBAL, 0, copy->from + (was.address - copy->to), want,
                       was.reader);
    } else if (was.reader.entry != ORIGIN_NONE && was.reader.offset == 0) {
        struct origin_found found = found_for(want, SIM_ORIGIN_HOST, 0);
        found.address = was.address;
        found.size = was.reader.element_size;
        add_found(s, found);
    }
}

static void step_copy(struct visit *s)
{
    static const uint32_t spaces[] = {PTX_GLOBAL, PTX_CONST};
    const struct origin_copy *copy = &s->sweep->log->copies[s->entry->extra];
    for (size_t k = 0; copy->to && k < sizeof spaces / sizeof *spaces; k++)
        for (size_t i = 0; i < copy->size; i++) {
            struct byte_want *byte = wants_find_byte(&s->sweep->wants, spaces[k], 0, copy->to + i);
            if (byte)
                pass_byte(s, copy, byte);
        }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void step_lane(struct visit *s, struct register_wants *registers, int lane)
{
    switch (s->op->kind) {
    case ORIGIN_PLAIN: step_plain(s, registers, lane); break;
    case ORIGIN_SELECT: step_select(s, registers, lane); break;
    case ORIGIN_LOAD: step_load(s, registers, lane); break;
    case ORIGIN_OPAQUE: step_opaque(s, registers, lane); break;
    default: break;
    }
}

static void step_registers(struct visit *s)
{
    struct register_wants *registers = wants_of_warp(&s->sweep->wants, s->entry->warp, s->entry->depth);
    if (!registers)
        return;
    if (s->op->kind == ORIGIN_SHUFFLE)
        step_shuffle(s, registers);
    else if (s->op->kind == ORIGIN_COMBINE)
        step_combine(s, registers);
    else
        FOR_LANES(lane, s->entry->lanes)
    step_lane(s, registers, lane);
    /* Wanting others may have moved the table. */
    registers = wants_of_warp(&s->sweep->wants, s->entry->warp, s->entry->depth);
    if (!registers)
        wants_rest_of(&s->sweep->wants, s->entry->warp, s->entry->depth);
}

/* Lanes in falling order: of several that store to one place the highest one is last. */
static void step_memory(struct visit *s)
{
    for (int lane = WARP_LANES - 1; lane >= 0; lane--) {
        if (!(s->entry->lanes >> lane & 1))
            continue;
        if (s->op->kind == ORIGIN_STORE)
            step_store(s, lane);
        else if (s->op->kind == ORIGIN_ASYNC)
            step_async(s, lane);
        else
            step_atomic(s, wants_of_warp(&s->sweep->wants, s->entry->warp, s->entry->depth), lane);
    }
}

static int registers_of(const struct code *code)
{
    int most = 0;
    for (int i = 0; i < code->function_count; i++)
        if (code->functions[i].func->reg_count > most)
            most = code->functions[i].func->reg_count;
    return most;
}

/* Bytes that are still wanted: nothing that was recorded has written them. */
static void collect_bytes(struct origin_sweep *sweep)
{
    for (size_t i = 0; i < sweep->wants.byte_capacity; i++) {
        const struct byte_want *byte = &sweep->wants.bytes[i];
        if (!byte->space || (!byte->times && !byte->index) || byte->reader.entry == ORIGIN_NONE ||
            byte->reader.offset)
            continue;
        struct visit s = {.sweep = sweep, .number = byte->reader.entry};
        add_found(&s, (struct origin_found){
                          .kind = byte->space == PTX_GLOBAL  ? SIM_ORIGIN_MEMORY
                                  : byte->space == PTX_CONST ? SIM_ORIGIN_CONSTANT
                                                             : SIM_ORIGIN_UNWRITTEN,
                          .address = byte->address,
                          .size = byte->reader.element_size,
                          .times = byte->times,
                          .index = byte->index,
                          .pair = byte->pair,
                          .ways = byte->ways,
                          .lane = byte->reader.lane,
                          .second = byte->second.entry,
                          .second_lane = byte->second.lane,
                          .site = byte->reader.site,
                      });
    }
}

/* Registers of kernels that are still wanted: nothing has written them. */
static void collect_registers(struct origin_sweep *sweep)
{
    struct visit s = {.sweep = sweep, .number = ORIGIN_NONE};
    for (size_t i = 0; i < sweep->wants.warp_capacity; i++) {
        const struct warp_wants *warp = &sweep->wants.warps[i];
        const struct register_wants *at = &warp->depth[0];
        for (int k = 0; warp->warp != ORIGIN_NONE && at->open > 0 && k < at->registers * WARP_LANES; k++)
            if (at->lane[k].times)
                add_found(&s, (struct origin_found){.kind = SIM_ORIGIN_REGISTER,
                                                    .address = warp->warp,
                                                    .times = at->lane[k].times,
                                                    .lane = k % WARP_LANES,
                                                    .second = ORIGIN_NONE,
                                                    .site = -1});
    }
}

static void take_entry(struct visit *s, size_t number)
{
    const struct origin_log *log = s->sweep->log;
    s->entry = &log->entries[number];
    s->number = (uint32_t)number;
    if (s->entry->warp == ORIGIN_NONE)
        return;
    if (!s->launch || s->entry->warp - s->launch->first_warp >= s->launch->warp_count) {
        s->launch = origin_launch_of(log, s->entry->warp);
        s->registers = registers_of(s->launch->code);
    }
    s->op = &s->launch->ops[s->entry->pc];
}

void origin_sweep_run(struct origin_sweep *sweep)
{
    const struct origin_log *log = sweep->log;
    const struct register_want first = {.times = 1,
                                        .ways = SIM_ORIGIN_PLUS | (sweep->size <= 8 ? SIM_ORIGIN_SUM : 0)};
    struct visit s = {.sweep = sweep};
    sweep->torn.reader = ORIGIN_NONE;
    for (size_t i = 0; i < sweep->size; i++)
        wants_add_byte(&sweep->wants, PTX_GLOBAL, 0, sweep->address + (uint64_t)i, first,
                       (struct byte_reader){.entry = ORIGIN_NONE});
    for (size_t i = sweep->size ? log->entry_count : sweep->branch + (size_t)1;
         i-- > 0 && !sweep->failed && !sweep->wants.failed;) {
        take_entry(&s, i);
        if (s.entry->warp == ORIGIN_NONE) {
            step_copy(&s);
            continue;
        }
        if (s.op->kind == ORIGIN_BRANCH && !sweep->size && i == sweep->branch)
            want_register(&s, s.op->instr->guard, sweep->branch_lane, first);
        if (s.op->kind == ORIGIN_IGNORED || s.op->kind == ORIGIN_BRANCH)
            continue;
        if (s.op->kind == ORIGIN_STORE || s.op->kind == ORIGIN_ATOMIC || s.op->kind == ORIGIN_ASYNC)
            step_memory(&s);
        else
            step_registers(&s);
    }
    collect_bytes(sweep);
    collect_registers(sweep);
}
