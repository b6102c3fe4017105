#include "sim/origin/origin_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin_visit.h"
#include "sim/ptx/ptx.h"

#define LANES_MOST (UINT64_C(1) << 25) /* results that are computed; more take too long */
#define HOPS_MOST  (UINT32_C(1) << 23)

/* ---- numbers in the code ------------------------------------------------------------------------------- */

static uint64_t negative(uint64_t a)
{
    return a == REPLAY_UNKNOWN || a == 0 ? a : REPLAY_FIELD - a;
}

/* 2^61 is 1. */
static uint64_t number_of_double(double number)
{
    int exponent;
    if (!isfinite(number))
        return REPLAY_UNKNOWN;
    const double fraction = frexp(fabs(number), &exponent);
    const uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    const int shift = ((exponent - 53) % 61 + 61) % 61;
    const uint64_t value = replay_product(mantissa, UINT64_C(1) << shift);
    return number < 0 ? negative(value) : value;
}

static uint64_t number_of_immediate(const struct ptx_operand *operand)
{
    float single;
    double number;
    const uint32_t low = (uint32_t)operand->value;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &operand->value, sizeof number);
    if (operand->kind == PTX_F32_BITS || operand->kind == PTX_F64_BITS)
        return number_of_double(operand->kind == PTX_F32_BITS ? (double)single : number);
    return operand->kind == PTX_INT && operand->value == 0 ? 0 : REPLAY_UNKNOWN;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static uint32_t add_hop(struct replay *r, struct replay_hop hop)
{
    if (r->hop_count + 1 >= r->hop_capacity) {
        const size_t capacity = 2 * r->hop_capacity + 4096;
        struct replay_hop *grown = capacity > HOPS_MOST ? NULL : realloc(r->hops, capacity * sizeof *grown);
        r->failed |= !grown;
        if (!grown)
            return 0;
        r->hops = grown;
        r->hop_capacity = capacity;
        if (r->hop_count == 0)
            r->hops[r->hop_count++] = (struct replay_hop){.entry = ORIGIN_NONE};
    }
    r->hops[r->hop_count] = hop;
    return (uint32_t)r->hop_count++;
}

static struct replay_number load(struct replay *r, uint32_t space, uint64_t address, uint32_t size, int lane)
{
    const uint32_t owner = replay_owner(r, space, r->entry->warp, lane);
    const struct replay_cell *cell = replay_cell_at(r, space, owner, address);
    const bool outside = !cell && (space == PTX_GLOBAL || space == PTX_CONST);
    struct replay_number number = {REPLAY_UNKNOWN, 0};
    if (cell && cell->size == size)
        number = (struct replay_number){cell->value, cell->hop};
    else if (outside && size == r->size)
        number.value = replay_number_of(replay_source(r->log, address, r->number));
    const struct replay_hop hop = {.entry = r->number,
                                   .before = number.hop,
                                   .address = address,
                                   .lane = (uint8_t)lane,
                                   .space = (uint8_t)space,
                                   .kind = ACCESS_LOAD};
    if (outside && r->watch.access)
        r->watch.access(r, &hop, number.value, REPLAY_UNKNOWN, r->watch.data);
    if (number.value != REPLAY_UNKNOWN)
        number.hop = add_hop(r, hop);
    return number;
}

static void store(struct replay *r, uint32_t space, uint64_t address, uint32_t size, int lane,
                  struct replay_number number)
{
    const uint32_t owner = replay_owner(r, space, r->entry->warp, lane);
    const struct replay_hop hop = {.entry = r->number,
                                   .before = number.hop,
                                   .address = address,
                                   .lane = (uint8_t)lane,
                                   .space = (uint8_t)space,
                                   .kind = ACCESS_STORE};
    if (number.value != REPLAY_UNKNOWN)
        number.hop = add_hop(r, hop);
    const uint64_t was = replay_put(r, space, owner, address, size, number);
    if (r->watch.access)
        r->watch.access(r, &hop, number.value, was, r->watch.data);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static struct replay_number *row_of(const struct replay *r, int reg)
{
    const uint32_t at = (r->entry->warp - r->first_warp) * WANTS_DEPTH + r->entry->depth;
    return reg >= 0 && reg < r->register_count && r->registers[at]
               ? &r->registers[at][(size_t)reg * WARP_LANES]
               : NULL;
}

struct replay_number replay_register(const struct replay *r, int reg, int lane)
{
    const struct replay_number *row = row_of(r, reg);
    return row ? row[lane] : (struct replay_number){REPLAY_UNKNOWN, 0};
}

static void set_operand(struct replay *r, const struct ptx_operand *to, int lane, struct replay_number number)
{
    struct replay_number *row = to->kind == PTX_REG ? row_of(r, to->reg) : NULL;
    if (row)
        row[lane] = number;
    if (to->kind == PTX_VECTOR || to->kind == PTX_PAIR || to->kind == PTX_LIST)
        for (int i = 0; i < to->count; i++)
            set_operand(r, &to->list[i], lane, number);
}

static struct replay_number operand_of(struct replay *r, const struct ptx_operand *operand, int lane)
{
    struct replay_number number = {REPLAY_UNKNOWN, 0};
    if (operand->kind == PTX_REG) {
        number = replay_register(r, operand->reg, lane);
        if (operand->negated)
            number.value = negative(number.value);
    } else if (operand->kind != PTX_VECTOR) {
        number.value = number_of_immediate(operand);
        if (number.value != REPLAY_UNKNOWN)
            number.hop = add_hop(r, (struct replay_hop){.entry = r->number, .lane = (uint8_t)lane});
    }
    return number;
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static bool is_of_floats(const struct ptx_instr *instr)
{
    return ptx_has_modifier(instr, "f32") || ptx_has_modifier(instr, "f64");
}

static bool is_copy(const struct replay *r)
{
    const struct ptx_instr *instr = r->op->instr;
    if (strcmp(instr->op, "mov") == 0)
        return r->op->to->kind == PTX_REG;
    return strcmp(instr->op, "cvt") == 0 && is_of_floats(instr) && r->op->note != SIM_ORIGIN_TO_INTEGER &&
           !ptx_has_modifier(instr, "f16") && !ptx_has_modifier(instr, "s32") &&
           !ptx_has_modifier(instr, "u32") && !ptx_has_modifier(instr, "s64") &&
           !ptx_has_modifier(instr, "u64") && !ptx_has_modifier(instr, "sat");
}

static void run_plain(struct replay *r, int lane)
{
    struct replay_number in[3] = {{REPLAY_UNKNOWN, 0}, {REPLAY_UNKNOWN, 0}, {REPLAY_UNKNOWN, 0}};
    struct replay_number out = {REPLAY_UNKNOWN, 0};
    const enum origin_math math = r->op->math;
    for (int i = 0; i < r->op->source_count && i < 3; i++)
        in[i] = operand_of(r, &r->op->instr->operands[r->op->first_source + i], lane);
    if (is_copy(r)) {
        set_operand(r, r->op->to, lane, in[0]);
        return;
    }
    if (is_of_floats(r->op->instr) && !ptx_has_modifier(r->op->instr, "sat")) {
        if (math == ORIGIN_ADD)
            out.value = replay_sum(in[0].value, in[1].value);
        else if (math == ORIGIN_SUBTRACT)
            out.value = replay_sum(in[0].value, negative(in[1].value));
        else if (math == ORIGIN_NEGATE)
            out.value = negative(in[0].value);
        else if (math == ORIGIN_MULTIPLY || math == ORIGIN_MULTIPLY_ADD)
            out.value = replay_product(in[0].value, in[1].value);
        if (r->watch.product && (math == ORIGIN_MULTIPLY || math == ORIGIN_MULTIPLY_ADD))
            r->watch.product(r, lane, in[0], in[1], r->watch.data);
        if (math == ORIGIN_MULTIPLY_ADD)
            out.value = replay_sum(out.value, in[2].value);
        if (r->watch.result && out.value != REPLAY_UNKNOWN)
            r->watch.result(r, lane, out, in, r->watch.data);
    }
    set_operand(r, r->op->to, lane, out);
}

static void run_select(struct replay *r, int lane)
{
    const struct ptx_operand *operands = r->op->instr->operands;
    struct replay_number out = {REPLAY_UNKNOWN, 0};
    if (r->entry->extra != ORIGIN_NONE)
        out = operand_of(r, &operands[r->log->extras[r->entry->extra] >> lane & 1 ? 1 : 2], lane);
    set_operand(r, r->op->to, lane, out);
}

static void run_shuffle(struct replay *r)
{
    uint8_t source[WARP_LANES];
    struct replay_number was[WARP_LANES];
    if (r->entry->extra == ORIGIN_NONE)
        return;
    memcpy(source, &r->log->extras[r->entry->extra], sizeof source);
    for (int lane = 0; lane < WARP_LANES; lane++)
        was[lane] = operand_of(r, &r->op->instr->operands[1], lane);
    FOR_LANES(lane, r->entry->lanes)
    set_operand(r, r->op->to, lane, was[source[lane] % WARP_LANES]);
}

static const struct origin_access *access_of(const struct replay *r, int lane, enum access_kind kind)
{
    for (uint32_t i = r->entry->extra; i != ORIGIN_NONE; i = r->log->accesses[i].next)
        if ((r->log->accesses[i].lanes >> lane & 1) && (enum access_kind)r->log->accesses[i].kind == kind)
            return &r->log->accesses[i];
    return NULL;
}

static const struct ptx_operand *element_of(const struct ptx_operand *operand, int e)
{
    return operand->kind == PTX_VECTOR ? &operand->list[e] : operand;
}

static void run_load(struct replay *r, int lane)
{
    const struct origin_access *access = access_of(r, lane, ACCESS_LOAD);
    const int count = r->op->to->kind == PTX_VECTOR ? r->op->to->count : 1, size = r->op->element_size;
    for (int e = 0; e < count; e++) {
        struct replay_number number = {REPLAY_UNKNOWN, 0};
        if (access)
            number = load(r, access->space, origin_address(r->log, access, lane) + (uint64_t)(e * size),
                          (uint32_t)size, lane);
        set_operand(r, element_of(r->op->to, e), lane, number);
    }
}

static void run_store(struct replay *r, int lane)
{
    const struct origin_access *access = access_of(r, lane, ACCESS_STORE);
    const struct ptx_operand *value = &r->op->instr->operands[r->op->first_source];
    const int count = value->kind == PTX_VECTOR ? value->count : 1, size = r->op->element_size;
    for (int e = 0; access && e < count; e++)
        store(r, access->space, origin_address(r->log, access, lane) + (uint64_t)(e * size), (uint32_t)size,
              lane, operand_of(r, element_of(value, e), lane));
}

/* cp.async: what is not read is filled with zeros; how much of a lane's bytes is read is not known if it is not all. */
static void run_async(struct replay *r, int lane)
{
    const struct origin_access *to = access_of(r, lane, ACCESS_STORE),
                               *from = access_of(r, lane, ACCESS_LOAD);
    for (uint32_t i = 0; to && i + r->size <= to->size; i += r->size) {
        struct replay_number number = {0, 0};
        if (from && i + r->size <= from->size)
            number = load(r, from->space, origin_address(r->log, from, lane) + i, r->size, lane);
        store(r, to->space, origin_address(r->log, to, lane) + i, r->size, lane, number);
    }
}

/* What atomics leave there is not followed. */
static void run_atomic(struct replay *r, int lane)
{
    const struct origin_access *access = access_of(r, lane, ACCESS_ATOMIC);
    const struct replay_number unknown = {REPLAY_UNKNOWN, 0};
    if (access)
        replay_put(r, access->space, replay_owner(r, access->space, r->entry->warp, lane),
                   origin_address(r->log, access, lane), access->size, unknown);
    if (r->op->to)
        set_operand(r, r->op->to, lane, unknown);
}

static void run_lane(struct replay *r, int lane)
{
    switch (r->op->kind) {
    case ORIGIN_PLAIN: run_plain(r, lane); break;
    case ORIGIN_SELECT: run_select(r, lane); break;
    case ORIGIN_LOAD: run_load(r, lane); break;
    case ORIGIN_STORE: run_store(r, lane); break;
    case ORIGIN_ATOMIC: run_atomic(r, lane); break;
    case ORIGIN_ASYNC: run_async(r, lane); break;
    default:
        if (r->op->to)
            set_operand(r, r->op->to, lane, (struct replay_number){REPLAY_UNKNOWN, 0});
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static bool make_registers(struct replay *r)
{
    struct replay_number **row =
        &r->registers[(r->entry->warp - r->first_warp) * WANTS_DEPTH + r->entry->depth];
    const size_t count = (size_t)r->register_count * WARP_LANES;
    if (*row)
        return true;
    *row = malloc((count + 1) * sizeof **row);
    for (size_t i = 0; *row && i < count; i++)
        (*row)[i] = (struct replay_number){REPLAY_UNKNOWN, 0};
    return *row != NULL;
}

bool replay_run(struct replay *r, const struct origin_log *log, uint32_t warp, uint32_t end, uint32_t size,
                const struct replay_watch *watch)
{
    const struct origin_launch *launch = origin_launch_of(log, warp);
    uint64_t lanes = 0;
    *r = (struct replay){.log = log, .launch = launch, .size = size};
    if (watch)
        r->watch = *watch;
    r->first_warp = warp - (warp - launch->first_warp) % launch->warps_per_block;
    for (int i = 0; i < launch->code->function_count; i++)
        if (launch->code->functions[i].func->reg_count > r->register_count)
            r->register_count = launch->code->functions[i].func->reg_count;
    r->registers = calloc((size_t)launch->warps_per_block * WANTS_DEPTH, sizeof *r->registers);
    r->failed = !r->registers;
    for (uint32_t i = 0; i < log->entry_count && i < end && !r->failed; i++) {
        r->entry = &log->entries[i];
        r->number = i;
        if (r->entry->warp == ORIGIN_NONE || r->entry->warp - r->first_warp >= launch->warps_per_block)
            continue;
        r->op = &launch->ops[r->entry->pc];
        r->failed |=
            r->entry->depth >= WANTS_DEPTH || !make_registers(r) || lanes++ > LANES_MOST / WARP_LANES;
        if (r->failed)
            break;
        if (r->watch.before)
            r->watch.before(r, r->watch.data);
        if (r->op->kind == ORIGIN_SHUFFLE)
            run_shuffle(r);
        else if (r->op->kind != ORIGIN_IGNORED && r->op->kind != ORIGIN_BRANCH)
            FOR_LANES(lane, r->entry->lanes)
        run_lane(r, lane);
    }
    return !r->failed;
}

void replay_destroy(struct replay *r)
{
    for (unsigned i = 0; r->registers && i < r->launch->warps_per_block * WANTS_DEPTH; i++)
        free(r->registers[i]);
    free(r->registers);
    free(r->cells);
    free(r->hops);
    *r = (struct replay){0};
}
