#include "sim/origin/origin_visit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx.h"
/* ---- instructions that only know registers ------------------------------------------------------------- */

/* What is wanted of the result, for source operand `i` of the operation. */
static struct register_want want_of_source(const struct origin_visit *s, struct register_want want, int i)
{
    const enum origin_math math = s->op->math;
    if (math == ORIGIN_MULTIPLY || math == ORIGIN_DIVIDE || (math == ORIGIN_MULTIPLY_ADD && i < 2))
        want.ways = (want.ways | SIM_ORIGIN_FACTOR) & ~(uint32_t)SIM_ORIGIN_SUM;
    else if (math == ORIGIN_COMPARE)
        want.ways |= SIM_ORIGIN_COMPARED;
    if (s->op->computes && math != ORIGIN_DIVIDE && math != ORIGIN_SUBTRACT)
        want.used = s->number + 1;
    if (math == ORIGIN_NEGATE || (math == ORIGIN_SUBTRACT && i == 1)) {
        want.minus = want.times - want.minus;
        want.turned = want.minus ? s->number + 1 : 0;
    }
    return want;
}

/* Factor number `i`, where the other one is 0. */
static bool is_times_zero(const struct origin_visit *s, int i, int lane)
{
    return i < 2 && origin_is_number(s->sweep->log, s->number, 1 - i, lane);
}

/* What made the result NaN, enum sim_origin_note; -1: it is none, or an operand is. */
static int note_of_nan(const struct origin_visit *s, int lane)
{
    const bool zero = is_times_zero(s, 0, lane) || is_times_zero(s, 1, lane);
    if (!origin_is_number(s->sweep->log, s->number, 2, lane))
        return -1;
    if (s->op->math == ORIGIN_DIVIDE)
        return zero ? SIM_ORIGIN_NAN_ZEROS : SIM_ORIGIN_NAN_QUOTIENT;
    return s->op->math == ORIGIN_MULTIPLY || (s->op->math == ORIGIN_MULTIPLY_ADD && zero)
               ? SIM_ORIGIN_NAN_PRODUCT
               : SIM_ORIGIN_NAN_SUM;
}

static void step_plain(struct origin_visit *s, struct register_wants *registers, int lane)
{
    struct register_want want = origin_take_results(s, registers, s->op->to, lane);
    if (!origin_is_wanted(want))
        return;
    if (want.times) {
        origin_add_note(s, s->op->note);
        origin_add_note(s, note_of_nan(s, lane));
        origin_add_path(s);
    }
    const bool multiplies = s->op->math == ORIGIN_MULTIPLY || s->op->math == ORIGIN_MULTIPLY_ADD;
    for (int i = 0; i < s->op->source_count; i++) {
        struct register_want source = want_of_source(s, want, i);
        if (multiplies && is_times_zero(s, i, lane))
            source.ways &= ~(uint32_t)SIM_ORIGIN_MATTERS;
        origin_want_operand(s, &s->op->instr->operands[s->op->first_source + i], lane, source);
    }
}

static void step_select(struct origin_visit *s, struct register_wants *registers, int lane)
{
    if (s->entry->extra == ORIGIN_NONE) {
        step_plain(s, registers, lane);
        return;
    }
    struct register_want want = origin_take_results(s, registers, s->op->to, lane);
    bool first = s->sweep->log->extras[s->entry->extra] >> lane & 1;
    if (origin_is_wanted(want))
        origin_want_operand(s, &s->op->instr->operands[first ? 1 : 2], lane, want);
}

static void step_shuffle(struct origin_visit *s, struct register_wants *registers)
{
    struct register_want want[WARP_LANES] = {{0}};
    uint8_t source[WARP_LANES];
    if (s->entry->extra == ORIGIN_NONE) /* it waited for other lanes, and ran with them */
        return;
    memcpy(source, &s->sweep->log->extras[s->entry->extra], sizeof source);
    FOR_LANES(lane, s->entry->lanes)
    want[lane] = origin_take_results(s, registers, s->op->to, lane);
    FOR_LANES(lane, s->entry->lanes)
    if (origin_is_wanted(want[lane])) {
        want[lane].ways &= ~(uint32_t)SIM_ORIGIN_SUM;
        if (source[lane] != lane && !want[lane].crossed)
            want[lane].crossed = s->number + 1;
        s->lane = lane;
        origin_want_operand(s, &s->op->instr->operands[1], source[lane], want[lane]);
    }
}

static void step_combine(struct origin_visit *s, struct register_wants *registers)
{
    struct register_want want[WARP_LANES] = {{0}}, sum = {0};
    FOR_LANES(lane, s->entry->lanes)
    {
        want[lane] = origin_take_results(s, registers, s->op->to, lane);
        origin_join_wants(&sum, want[lane]);
    }
    FOR_LANES(lane, origin_is_wanted(sum) ? s->entry->lanes : 0)
    {
        s->lane = lane;
        origin_want_operand(s, &s->op->instr->operands[1], lane, sum);
    }
}

static void step_opaque(struct origin_visit *s, struct register_wants *registers, int lane)
{
    struct register_want want =
        s->op->to ? origin_take_results(s, registers, s->op->to, lane) : (struct register_want){0};
    origin_add_uses(s, want.sites, SIM_ORIGIN_INDIRECT);
    if (want.times)
        origin_add_found(s, origin_found_for(want, SIM_ORIGIN_CALL, lane));
}

/* ---- the host ------------------------------------------------------------------------------------------ */

/* What is wanted of the bytes that a copy wrote is wanted of those that it read; what the host put there is found. */
static void pass_byte(struct origin_visit *s, const struct origin_copy *copy, struct byte_want *byte)
{
    const struct byte_want was = *byte;
    struct register_want want = wants_of_byte(byte);
    want.ways |= copy->from ? SIM_ORIGIN_BY_COPY : 0;
    byte->times = byte->index = 0;
    if (copy->from) {
        wants_add_byte(&s->sweep->wants, PTX_GLOBAL, 0, copy->from + (was.address - copy->to), want,
                       was.reader);
    } else if (was.reader.entry != ORIGIN_NONE && was.reader.offset == 0) {
        struct origin_found found = origin_found_for(want, SIM_ORIGIN_HOST, 0);
        found.address = was.address;
        found.size = was.reader.element_size;
        origin_add_found(s, found);
    }
}

static void step_copy(struct origin_visit *s)
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

static void step_lane(struct origin_visit *s, struct register_wants *registers, int lane)
{
    switch (s->op->kind) {
    case ORIGIN_PLAIN: step_plain(s, registers, lane); break;
    case ORIGIN_SELECT: step_select(s, registers, lane); break;
    case ORIGIN_LOAD: origin_step_load(s, registers, lane); break;
    case ORIGIN_OPAQUE: step_opaque(s, registers, lane); break;
    default: break;
    }
}

static void step_registers(struct origin_visit *s)
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
static void step_memory(struct origin_visit *s)
{
    for (int lane = WARP_LANES - 1; lane >= 0; lane--) {
        if (!(s->entry->lanes >> lane & 1))
            continue;
        s->lane = lane;
        if (s->op->kind == ORIGIN_STORE)
            origin_step_store(s, lane);
        else if (s->op->kind == ORIGIN_ASYNC)
            origin_step_async(s, lane);
        else
            origin_step_atomic(s, wants_of_warp(&s->sweep->wants, s->entry->warp, s->entry->depth), lane);
    }
}

/* Bytes that are still wanted: nothing that was recorded has written them. */
static void collect_bytes(struct origin_sweep *sweep)
{
    for (size_t i = 0; i < sweep->wants.byte_capacity; i++) {
        const struct byte_want *byte = &sweep->wants.bytes[i];
        if (!byte->space || (!byte->times && !byte->index) || byte->reader.entry == ORIGIN_NONE ||
            byte->reader.offset)
            continue;
        struct origin_visit s = {.sweep = sweep, .number = byte->reader.entry};
        origin_add_found(&s, (struct origin_found){
                                 .kind = byte->space == PTX_GLOBAL  ? SIM_ORIGIN_MEMORY
                                         : byte->space == PTX_CONST ? SIM_ORIGIN_CONSTANT
                                                                    : SIM_ORIGIN_UNWRITTEN,
                                 .address = byte->address,
                                 .size = byte->reader.element_size,
                                 .times = byte->times,
                                 .index = byte->index,
                                 .ways = byte->ways,
                                 .minus = byte->minus,
                                 .turned = byte->turned,
                                 .crossed = byte->crossed,
                                 .used = byte->used,
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
    struct origin_visit s = {.sweep = sweep, .number = ORIGIN_NONE};
    for (size_t i = 0; i < sweep->wants.warp_capacity; i++) {
        const struct warp_wants *warp = &sweep->wants.warps[i];
        const struct register_wants *at = &warp->depth[0];
        for (int k = 0; warp->warp != ORIGIN_NONE && at->open > 0 && k < at->registers * WARP_LANES; k++)
            if (at->lane[k].times)
                origin_add_found(&s, (struct origin_found){.kind = SIM_ORIGIN_REGISTER,
                                                           .address = warp->warp,
                                                           .times = at->lane[k].times,
                                                           .lane = k % WARP_LANES,
                                                           .second = ORIGIN_NONE,
                                                           .site = -1});
    }
}

static void take_entry(struct origin_visit *s, size_t number)
{
    const struct origin_log *log = s->sweep->log;
    s->entry = &log->entries[number];
    s->number = (uint32_t)number;
    if (s->entry->warp == ORIGIN_NONE)
        return;
    if (!s->launch || s->entry->warp - s->launch->first_warp >= s->launch->warp_count) {
        s->launch = origin_launch_of(log, s->entry->warp);
        s->registers = origin_registers(s->launch->code);
    }
    s->op = &s->launch->ops[s->entry->pc];
}

void origin_sweep_run(struct origin_sweep *sweep)
{
    const struct origin_log *log = sweep->log;
    const struct register_want first = {.times = 1,
                                        .ways = SIM_ORIGIN_MATTERS | (sweep->size <= 8 ? SIM_ORIGIN_SUM : 0)};
    struct origin_visit s = {.sweep = sweep};
    sweep->fork.maker = sweep->computed = ORIGIN_NONE;
    sweep->taken = malloc(ORIGIN_TAKEN_MOST * sizeof *sweep->taken);
    for (size_t i = 0; i < sweep->size; i++)
        wants_add_byte(&sweep->wants, PTX_GLOBAL, 0, sweep->address + (uint64_t)i, first,
                       (struct byte_reader){.entry = ORIGIN_NONE});
    for (size_t i = sweep->end ? sweep->end : log->entry_count;
         i-- > 0 && !sweep->failed && !sweep->wants.failed;) {
        take_entry(&s, i);
        if (s.entry->warp == ORIGIN_NONE) {
            step_copy(&s);
            continue;
        }
        if (s.op->kind == ORIGIN_IGNORED || s.op->kind == ORIGIN_BRANCH)
            continue;
        if (s.op->kind == ORIGIN_STORE || s.op->kind == ORIGIN_ATOMIC || s.op->kind == ORIGIN_ASYNC)
            step_memory(&s);
        else
            step_registers(&s);
    }
    free(sweep->taken);
    sweep->taken = NULL;
    collect_bytes(sweep);
    collect_registers(sweep);
}
