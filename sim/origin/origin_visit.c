/* What is found, and what is wanted instead of what an instruction wrote. */
#include "sim/origin/origin_visit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx.h"

/* ---- what was found ------------------------------------------------------------------------------------ */

void origin_add_found(struct origin_visit *s, struct origin_found found)
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

void origin_add_note(struct origin_visit *s, int note)
{
    struct origin_sweep *sweep = s->sweep;
    if (note < 0)
        return;
    for (int i = 0; i < sweep->step_count; i++)
        if (sweep->log->entries[sweep->steps[i].entry].pc == s->entry->pc && sweep->steps[i].note == note)
            return;
    if (sweep->step_count < SIM_ORIGIN_STEPS) {
        sweep->steps[sweep->step_count].note = note;
        sweep->steps[sweep->step_count++].entry = s->number;
    }
}

/* The instruction's line is one through which the value went. */
void origin_add_path(struct origin_visit *s)
{
    struct origin_sweep *sweep = s->sweep;
    const int line = s->op->instr->site.line, file = s->op->instr->site.file, call = s->op->instr->call.line;
    for (int i = 0; i < sweep->path_count; i++) {
        const struct origin_entry *entry = &sweep->log->entries[sweep->path[i]];
        const struct ptx_instr *instr = origin_launch_of(sweep->log, entry->warp)->ops[entry->pc].instr;
        if (instr->site.line == line && instr->site.file == file && instr->call.line == call)
            return;
    }
    if (line > 0 && !s->op->instr->no_line && sweep->path_count < SIM_ORIGIN_PATH)
        sweep->path[sweep->path_count++] = s->number;
}

/*
 * The number of this instruction among the places whose addresses are looked at; the last one stands for all that do
 * not fit.
 */
int origin_site_of(struct origin_visit *s)
{
    struct origin_sweep *sweep = s->sweep;
    uint32_t launch = (uint32_t)(s->launch - sweep->log->launches);
    for (int i = 0; i < sweep->site_count; i++)
        if (sweep->sites[i].pc == (int)s->entry->pc && sweep->sites[i].launch == launch)
            return i;
    if (sweep->site_count < ORIGIN_SITES)
        sweep->sites[sweep->site_count++] = (struct origin_site){.launch = launch, .pc = (int)s->entry->pc};
    return sweep->site_count - 1;
}

void origin_add_uses(struct origin_visit *s, uint64_t sites, uint32_t uses)
{
    for (int i = 0; sites >> i && i < ORIGIN_SITES; i++)
        if (sites >> i & 1)
            s->sweep->sites[i].uses |= uses;
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static uint32_t use_of_special(const char *name)
{
    static const struct {
        const char *name;
        uint32_t use;
    } table[] = {
        {"%tid.x", SIM_ORIGIN_TID_X},
        {"%tid.y", SIM_ORIGIN_TID_Y},
        {"%tid.z", SIM_ORIGIN_TID_Z},
        {"%ctaid.x", SIM_ORIGIN_CTAID_X},
        {"%ctaid.y", SIM_ORIGIN_CTAID_Y},
        {"%ctaid.z", SIM_ORIGIN_CTAID_Z},
        {"%lane", SIM_ORIGIN_LANE},
        {"%warpid", SIM_ORIGIN_LANE},
        {"%ntid", 0},
        {"%nctaid", 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(name, table[i].name, strlen(table[i].name)) == 0)
            return table[i].use;
    return SIM_ORIGIN_OTHER;
}

/* Who takes what it reads from there is who takes its result. */
static bool only_copies(const struct origin_op *op)
{
    return op->kind == ORIGIN_SELECT || (op->kind == ORIGIN_PLAIN && strcmp(op->instr->op, "mov") == 0);
}

void origin_want_register(struct origin_visit *s, int reg, int lane, struct register_want want)
{
    if (!only_copies(s->op)) {
        want.user[0] = origin_pair(s->number, s->lane);
        want.user[1] = 0;
    }
    wants_add_register(&s->sweep->wants, s->entry->warp, s->entry->depth, s->registers, reg, lane, want);
}

/* Of a value: found here, as often as it is wanted. */
struct origin_found origin_found_for(struct register_want want, enum sim_origin_kind kind, int lane)
{
    return (struct origin_found){.kind = kind,
                                 .times = want.times,
                                 .ways = want.ways,
                                 .minus = want.minus,
                                 .turned = want.turned,
                                 .crossed = want.crossed,
                                 .used = want.used,
                                 .lane = lane,
                                 .second = ORIGIN_NONE,
                                 .site = -1};
}

/* What was wanted comes from this operand, as the lane has it. */
void origin_want_operand(struct origin_visit *s, const struct ptx_operand *operand, int lane,
                         struct register_want want)
{
    struct origin_found found = origin_found_for(want, SIM_ORIGIN_SPECIAL, lane);
    switch (operand->kind) {
    case PTX_REG: origin_want_register(s, operand->reg, lane, want); return;
    case PTX_VECTOR:
        for (int i = 0; i < operand->count; i++)
            origin_want_operand(s, &operand->list[i], lane, want);
        return;
    case PTX_SREG:
        origin_add_uses(s, want.sites, use_of_special(operand->name));
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
        origin_add_found(s, found);
}

/* Of parts of one value: the most that is wanted of any of them. */
void origin_join_wants(struct register_want *sum, struct register_want one)
{
    if (one.times > sum->times) {
        sum->minus = one.minus, sum->turned = one.turned, sum->crossed = one.crossed, sum->used = one.used;
        memcpy(sum->user, one.user, sizeof sum->user);
    }
    sum->times = sum->times > one.times ? sum->times : one.times;
    sum->index = sum->index > one.index ? sum->index : one.index;
    sum->ways |= one.ways;
    sum->sites |= one.sites;
}

static void keep_taken(struct origin_sweep *sweep, uint32_t by, uint32_t user)
{
    struct origin_taken *last = sweep->taken_count ? &sweep->taken[sweep->taken_count - 1] : NULL;
    if (last && last->by == by)
        last->user = last->user == user ? user : 0; /* of a vector */
    else if (sweep->taken && sweep->taken_count < ORIGIN_TAKEN_MOST)
        sweep->taken[sweep->taken_count++] = (struct origin_taken){by, user};
}

/* From two that take something up to the first one that takes what came of both. */
static uint32_t join_of(const struct origin_sweep *sweep, uint32_t a, uint32_t b)
{
    for (size_t i = sweep->taken_count; i-- > 0 && a != b;) {
        const struct origin_taken *taken = &sweep->taken[i];
        if (taken->by == a)
            a = taken->user;
        else if (taken->by == b)
            b = taken->user;
    }
    return a == b ? a : 0;
}

void origin_look_for_fork(struct origin_visit *s, struct register_want want, int lane)
{
    const uint32_t others = SIM_ORIGIN_FACTOR | SIM_ORIGIN_COMPARED | SIM_ORIGIN_BY_COPY;
    struct origin_fork *fork = &s->sweep->fork;
    if (!want.times || fork->maker != ORIGIN_NONE || only_copies(s->op))
        return;
    if (want.times > 1 && !want.minus && want.user[1] && !(want.ways & others))
        *fork = (struct origin_fork){.maker = s->number,
                                     .lane = lane,
                                     .user = {want.user[0], want.user[1]},
                                     .join = join_of(s->sweep, want.user[0], want.user[1])};
    else
        keep_taken(s->sweep, origin_pair(s->number, lane), want.user[0]);
}

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
            origin_join_wants(&sum, one);
        }
        return sum;
    default: return sum;
    }
}

/* Takes what is wanted of the registers that the operand names, all together. */
struct register_want origin_take_results(struct origin_visit *s, struct register_wants *registers,
                                         const struct ptx_operand *to, int lane)
{
    const struct register_want want = take_results(registers, to, lane);
    s->lane = lane;
    if (want.times && s->sweep->computed == ORIGIN_NONE && !only_copies(s->op))
        s->sweep->computed = s->number;
    origin_look_for_fork(s, want, lane);
    return want;
}

bool origin_is_wanted(struct register_want want)
{
    return want.times || want.index || want.sites;
}
