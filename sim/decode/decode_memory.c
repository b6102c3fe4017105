/* Decoding of loads, stores, atomics and fences. */
#include <string.h>

#include "sim/core/address_space.h"
#include "sim/decode/decode_internal.h"

void decode_address(struct decoder *d, struct memory_detail *detail, const struct ptx_operand *address)
{
    if (address->kind != PTX_ADDRESS) {
        decode_fail(d, "needs an address in brackets");
        return;
    }
    detail->base = ROWS_64;
    detail->offset = address->value;
    if (address->reg >= 0) {
        struct ptx_operand base = {.kind = PTX_REG, .reg = address->reg};
        int size;
        detail->base = decode_any_register(d, &base, false, &size);
        detail->has_base = true;
        detail->address_64 = size == 8;
        if (size < 4)
            decode_fail(d, "has an address register of %d bits", 8 * size);
    } else if (address->var) {
        const struct ptx_var *var = address->var;
        detail->frame_relative = var->space == PTX_LOCAL;
        uint64_t place =
            var->space == PTX_PARAM ? decode_param_offset(d, var) : decode_variable_address(d, var);
        detail->offset = (int64_t)((uint64_t)address->value + place);
        if (detail->space == PTX_GENERIC)
            detail->space = var->space;
        return;
    }
    if (detail->space == PTX_SHARED)
        detail->offset = (int64_t)((uint64_t)detail->offset - SHARED_FIRST_ADDRESS);
}

static bool is_kernel_parameter(const struct decoder *d, const struct ptx_operand *address)
{
    if (!d->is_entry)
        return false;
    if (address->kind != PTX_ADDRESS || !address->var)
        return true; /* through a register: only the kernel's own can be meant */
    for (int i = 0; i < d->func->param_count; i++)
        if (&d->func->params[i].var == address->var)
            return true;
    return false;
}

static bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

/* Without a scope their scope is the device; that of volatile accesses is the system. PTX ISA, "atom", "ld.volatile". */
static bool is_atomic(const struct ptx_instr *instr)
{
    return strcmp(instr->op, "atom") == 0 || strcmp(instr->op, "red") == 0;
}

/*
 * Accesses that go past the L1 cache are how code from before the memory model speaks to other blocks (a flag
 * and a value in one word, as in decoupled look-back): they count as relaxed.
 */
static bool passes_l1(const struct ptx_instr *instr)
{
    return ptx_has_modifier(instr, "cg") || ptx_has_modifier(instr, "cv") || ptx_has_modifier(instr, "wt");
}

static struct memory_detail *begin_memory(struct decoder *d, struct memory_detail *detail)
{
    const struct modifiers *m = &d->mods;
    enum ptx_type type = m->type_count ? m->types[0] : PTX_NOTYPE;
    if (type == PTX_NOTYPE || type == PTX_PRED)
        decode_fail(d, "has no type");
    detail->space = m->space_count ? m->spaces[0] : PTX_GENERIC;
    detail->order = (enum access_order)m->value[MOD_ORDER];
    detail->scope = has_modifier(m, MOD_SCOPE) ? m->value[MOD_SCOPE] : is_atomic(d->instr) ? 1 : 2;
    detail->element_size = ptx_type_size(type);
    detail->sign_extend = is_signed(type);
    detail->count = has_modifier(m, MOD_VECTOR) ? m->value[MOD_VECTOR] : 1;
    if (detail->order == ORDER_WEAK && passes_l1(d->instr))
        detail->order = ORDER_RELAXED;
    detail->may_spin = detail->order != ORDER_WEAK;
    detail->non_coherent = ptx_has_modifier(d->instr, "nc");
    d->kernel->syncs_parts |= detail->order >= ORDER_ACQUIRE;
    return detail;
}

static const struct ptx_operand *element(struct decoder *d, const struct ptx_operand *operand, int count,
                                         int i)
{
    if (count == 1 && operand->kind != PTX_VECTOR)
        return operand;
    if (operand->kind == PTX_VECTOR && operand->count == count)
        return &operand->list[i];
    decode_fail(d, "needs %d registers in braces", count);
    return operand;
}

static void check_register_size(struct decoder *d, const struct memory_detail *detail, int i)
{
    int needed = detail->element_size < 2 ? 2 : detail->element_size;
    if (!d->failed && detail->register_size[i] < needed)
        decode_fail(d, "has a register that is narrower than what it moves");
}

/* One element of the register's own size: what nearly all accesses are. */
static bool is_simple(const struct memory_detail *detail)
{
    return detail->count == 1 && detail->register_size[0] == detail->element_size &&
           (detail->element_size == 4 || detail->element_size == 8);
}

/*
 * The compiler loads ahead of a decision where it knows that the memory is there: local variables, and others
 * at addresses that are no registers' values.
 */
static void decode_chosen(struct decoder *d, struct memory_detail *detail, const struct ptx_operand *address)
{
    if (detail->order != ORDER_WEAK || detail->count != 1 || address->kind != PTX_ADDRESS ||
        (detail->space != PTX_LOCAL && (address->reg >= 0 || detail->space == PTX_PARAM)))
        return;
    const struct ptx_operand *predicate = decode_chosen_by(d->func, d->cfg, d->instr, &detail->chosen_if_not);
    if (!predicate)
        return;
    bool negated;
    detail->is_speculative = true;
    detail->chosen_by = decode_predicate_source(d, predicate, &negated);
    detail->chosen_if_not ^= negated;
}

/* What of element `i` does not count. */
static void note_bits(const struct decoder *d, struct memory_detail *detail,
                      const struct ptx_operand *operand, int i)
{
    const int size = detail->element_size;
    if (operand->kind != PTX_REG || size > 8 || (i + 1) * size > 16)
        return;
    const uint64_t all = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
    uint64_t used = d->used_bits[operand->reg];
    if (detail->sign_extend && (used & ~all)) /* the bits above are copies of the sign */
        used |= all ^ all >> 1;
    for (int byte = 0; byte < size; byte++)
        if (!(used >> (8 * byte) & 0xff))
            detail->unused |= (uint16_t)(1u << (i * size + byte));
}

/* Of a load that only moves: what kind of copy it is. */
static void note_copy(const struct decoder *d, struct memory_detail *detail)
{
    const int bytes = detail->element_size * detail->count;
    if (bytes > 16 || detail->unused != (1u << bytes) - 1)
        return;
    detail->put_back = decode_is_put_back(d->func, d->cfg, d->instr);
    /* Padding by itself goes as bytes. */
    detail->structure = !detail->put_back && ((detail->count > 1 && detail->element_size == 1) ||
                                              decode_is_structure(d->func, d->cfg, d->instr));
}

void decode_load(struct decoder *d, struct micro *op)
{
    struct memory_detail *detail = begin_memory(d, arena_alloc(d->code->arena, sizeof *detail));
    const struct ptx_operand *target = decode_operand(d, 0), *address = decode_operand(d, 1);
    op->detail = detail;
    decode_address(d, detail, address);
    for (int i = 0; i < detail->count && !d->failed; i++) {
        int size;
        const struct ptx_operand *operand = element(d, target, detail->count, i);
        detail->registers[i] = decode_any_register(d, operand, true, &size);
        detail->register_size[i] = (uint8_t)size;
        if (operand->kind == PTX_SINK && detail->element_size > 8)
            decode_fail(d, "drops an element of 128 bits");
        check_register_size(d, detail, i);
        note_bits(d, detail, operand, i);
    }
    op->dst = detail->registers[0];
    if (d->failed)
        return;
    if (detail->order == ORDER_WEAK && detail->count == 1 && decode_is_guess(d->func, d->instr))
        detail->order = ORDER_RELAXED;
    detail->polled = detail->order == ORDER_VOLATILE && decode_is_polled(d->func, d->cfg, d->instr);
    decode_chosen(d, detail, address);
    note_copy(d, detail);
    if (detail->space == PTX_PARAM && is_kernel_parameter(d, address)) {
        op->run = is_simple(detail) ? decode_handler(d, "ld.param.b%d", 8 * detail->element_size)
                                    : decode_handler(d, "ld.param");
        op->cost = COST_NONE;
    } else if (detail->space == PTX_PARAM) {
        op->run = decode_handler(d, "ld.frame");
        op->cost = COST_NONE;
    } else if (is_simple(detail) && !detail->is_speculative) {
        op->run = decode_handler(d, "ld.b%d", 8 * detail->element_size);
    } else {
        op->run = decode_handler(d, "ld");
    }
    decode_turns(d, op, detail);
}

void decode_store(struct decoder *d, struct micro *op)
{
    struct memory_detail *detail = begin_memory(d, arena_alloc(d->code->arena, sizeof *detail));
    const struct ptx_operand *address = decode_operand(d, 0), *source = decode_operand(d, 1);
    op->detail = detail;
    decode_address(d, detail, address);
    for (int i = 0; i < detail->count && !d->failed; i++) {
        const struct ptx_operand *operand = element(d, source, detail->count, i);
        int size = detail->element_size < 2 ? 2 : detail->element_size;
        detail->registers[i] = operand->kind == PTX_REG ? decode_any_register(d, operand, false, &size)
                                                        : decode_source(d, operand, d->mods.types[0]);
        detail->register_size[i] = (uint8_t)size;
        check_register_size(d, detail, i);
    }
    op->b = detail->registers[0];
    if (d->failed)
        return;
    if (detail->count == 1 && detail->order == ORDER_WEAK)
        detail->kept = (uint16_t)decode_kept_bytes(d->func, d->cfg, d->instr);
    if (detail->space == PTX_PARAM) {
        op->run = decode_handler(d, "st.frame");
        op->cost = COST_NONE;
        if (address->var && is_kernel_parameter(d, address))
            decode_fail(d, "writes a parameter of the kernel, which is read only");
    } else if (is_simple(detail)) {
        op->run = decode_handler(d, "st.b%d", 8 * detail->element_size);
    } else {
        op->run = decode_handler(d, "st");
    }
    decode_turns(d, op, detail);
}

static int uses_of(const struct ptx_operand *operand, int reg)
{
    int uses = (operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg == reg;
    for (int i = 0; operand->list && i < operand->count; i++)
        uses += uses_of(&operand->list[i], reg);
    return uses;
}

/* Whether the register stands nowhere in the function but here, where it is written. */
static bool is_unused(const struct ptx_func *func, const struct ptx_operand *target)
{
    int uses = 0;
    for (int i = 0; target->kind == PTX_REG && i < func->instr_count && uses < 2; i++)
        for (int k = 0; k < func->instrs[i].operand_count; k++)
            uses += uses_of(&func->instrs[i].operands[k], target->reg);
    return uses == 1;
}

/*
 * A number for the operation and its width, if many of them on one address come out the same in any order:
 * sums, minima, maxima and logic of integers, as long as nothing looks at the values in between.
 */
static uint8_t commuting_kind(enum atomic_op operation, enum ptx_type type)
{
    bool is_signed = type == PTX_S32 || type == PTX_S64, is_wide = ptx_type_size(type) == 8;
    bool is_integer = is_signed || type == PTX_U32 || type == PTX_U64 || type == PTX_B32 || type == PTX_B64;
    bool compares = operation == ATOMIC_MIN || operation == ATOMIC_MAX;
    bool commutes = compares || operation == ATOMIC_ADD || operation == ATOMIC_AND ||
                    operation == ATOMIC_OR || operation == ATOMIC_XOR;
    if (!is_integer || !commutes)
        return 0;
    return (uint8_t)(1 + 4 * (int)operation + 2 * (compares && is_signed) + is_wide);
}

void decode_atom(struct decoder *d, struct micro *op)
{
    struct atomic_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    begin_memory(d, &detail->memory);
    detail->operation = d->mods.value[MOD_ATOMIC];
    detail->memory.is_exchange = detail->operation == ATOMIC_EXCH;
    detail->type = d->mods.type_count ? d->mods.types[0] : PTX_B32;
    detail->memory.is_float = detail->type >= PTX_F16 && detail->type <= PTX_F64;
    if (!has_modifier(&d->mods, MOD_ORDER))
        detail->memory.order = ORDER_RELAXED;
    if (!has_modifier(&d->mods, MOD_SCOPE))
        detail->memory.scope = 1;
    bool has_result = strcmp(d->instr->op, "atom") == 0;
    int next = 0;
    if (has_result) {
        const struct ptx_operand *target = decode_operand(d, next++);
        detail->discard = target->kind == PTX_SINK || is_unused(d->func, target);
        op->dst = decode_destination(d, target, detail->type);
    } else {
        detail->discard = true;
    }
    op->detail = detail;
    detail->memory.no_result = detail->discard;
    detail->memory.is_ticket = !has_modifier(&d->mods, MOD_ORDER) && detail->operation != ATOMIC_CAS;
    detail->memory.compares = detail->operation == ATOMIC_CAS;
    if (detail->discard &&
        detail->memory.scope > 0) /* those of .cta scope are for one block: others race with them */
        detail->memory.commutes = commuting_kind(detail->operation, detail->type);
    decode_address(d, &detail->memory, decode_operand(d, next++));
    op->b = decode_source(d, decode_operand(d, next++), detail->type);
    op->c = op->b;
    if (detail->operation == ATOMIC_CAS)
        op->c = decode_source(d, decode_operand(d, next++), detail->type);
    detail->memory.registers[0] = op->c;
    detail->memory.register_size[0] = (uint8_t)detail->memory.element_size;
    if (!has_modifier(&d->mods, MOD_ATOMIC) || detail->memory.count != 1)
        decode_fail(d, "is a form of atomic that the simulator does not have");
    if (!d->failed)
        op->run = decode_handler(d, "atom.%s.%s", d->mods.name[MOD_ATOMIC], decode_type_name(detail->type));
    decode_turns(d, op, &detail->memory);
}

void decode_fence(struct decoder *d, struct micro *op)
{
    op->imm = has_modifier(&d->mods, MOD_SCOPE) ? d->mods.value[MOD_SCOPE] : 2;
    op->run = decode_handler(d, "fence");
    d->kernel->syncs_parts = true;
}

/* ---- asynchronous copies and their barriers ------------------------------------------------------------ */

/* cp.async.ca.shared.global [to], [from], size {, bytes to read} {, predicate} {, cache policy} */
static void decode_async_copy(struct decoder *d, struct micro *op)
{
    struct async_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    detail->to.space = PTX_SHARED;
    detail->from.space = PTX_GLOBAL;
    decode_address(d, &detail->to, decode_operand(d, 0));
    decode_address(d, &detail->from, decode_operand(d, 1));
    int size = (int)decode_immediate(d, decode_operand(d, 2));
    if (size != 4 && size != 8 && size != 16)
        decode_fail(d, "copies %d bytes; 4, 8 and 16 are possible", size);
    detail->to.element_size = detail->from.element_size = size;
    detail->to.count = detail->from.count = 1;
    if (ptx_has_modifier(d->instr, "cg"))
        detail->from.path = PATH_BYPASS;
    op->q = PREDICATE_TRUE;
    op->flags |= FLAG_NEGATE_P;
    for (int i = 3; i < d->instr->operand_count && !d->failed; i++) {
        const struct ptx_operand *operand = decode_operand(d, i);
        if (operand->kind == PTX_REG && d->func->regs[operand->reg].type == PTX_PRED) {
            bool negated;
            op->q = decode_predicate_source(d, operand, &negated);
            op->flags = (uint16_t)((op->flags & ~FLAG_NEGATE_P) | (negated ? FLAG_NEGATE_P : 0));
        } else if (i == 3 && operand->kind == PTX_INT && operand->value >= size) {
            continue; /* all of them: as if it were not there */
        } else if (i == 3 &&
                   !(operand->kind == PTX_REG && ptx_type_size(d->func->regs[operand->reg].type) == 8)) {
            op->c = decode_source(d, operand, PTX_U32);
            detail->has_read_size = true;
        }
    }
    op->detail = detail;
    op->run = decode_handler(d, "cp.async");
}

void decode_async(struct decoder *d, struct micro *op)
{
    if (!has_modifier(&d->mods, MOD_ASYNC)) {
        decode_fail(d, "is a form that the simulator does not have");
        return;
    }
    switch ((enum async_step)d->mods.value[MOD_ASYNC_STEP]) {
    case ASYNC_COPY: decode_async_copy(d, op); return;
    case ASYNC_COMMIT: op->run = decode_handler(d, "cp.async.commit_group"); break;
    case ASYNC_WAIT_ALL: op->run = decode_handler(d, "cp.async.wait_all"); break;
    case ASYNC_WAIT_GROUP:
        op->imm = decode_immediate(d, decode_operand(d, 0));
        op->run = decode_handler(d, "cp.async.wait_group");
        break;
    case ASYNC_ARRIVE: {
        struct mbarrier_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
        begin_memory(d, &detail->memory);
        detail->memory.order = ORDER_RELEASE; /* of the copies, to those who wait */
        detail->memory.scope = 0;
        d->kernel->syncs_parts = true;
        decode_address(d, &detail->memory, decode_operand(d, 0));
        detail->discard = true;
        op->imm = d->mods.value[MOD_NOINC];
        op->detail = detail;
        op->run = decode_handler(d, "cp.async.mbarrier.arrive");
        break;
    }
    }
}

/* The operands after the address: a count, a state or a parity. */
static void decode_mbarrier_rest(struct decoder *d, struct micro *op, struct mbarrier_detail *detail,
                                 int next)
{
    enum mbarrier_op operation = d->mods.value[MOD_MBARRIER];
    detail->by_parity = has_modifier(&d->mods, MOD_PARITY);
    detail->no_complete = has_modifier(&d->mods, MOD_NO_COMPLETE);
    if (operation == MBARRIER_TEST_WAIT) {
        op->b = decode_source(d, decode_operand(d, next), detail->by_parity ? PTX_U32 : PTX_B64);
    } else if (operation != MBARRIER_INVALIDATE && next < d->instr->operand_count) {
        detail->has_count = true;
        op->b = decode_source(d, decode_operand(d, next), PTX_U32);
    }
}

void decode_mbarrier(struct decoder *d, struct micro *op)
{
    static const char *const handlers[] = {
        [MBARRIER_INIT] = "init",           [MBARRIER_INVALIDATE] = "inval",
        [MBARRIER_ARRIVE] = "arrive",       [MBARRIER_ARRIVE_DROP] = "arrive_drop",
        [MBARRIER_TEST_WAIT] = "test_wait", [MBARRIER_PENDING_COUNT] = "pending_count",
    };
    enum mbarrier_op operation = d->mods.value[MOD_MBARRIER];
    if (!has_modifier(&d->mods, MOD_MBARRIER)) {
        decode_fail(d, "is a form that the simulator does not have");
        return;
    }
    struct mbarrier_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    begin_memory(d, &detail->memory);
    detail->memory.order = operation == MBARRIER_TEST_WAIT ? ORDER_ACQUIRE : ORDER_RELEASE;
    detail->memory.scope = 0;
    detail->memory.is_exchange = operation == MBARRIER_INIT;
    detail->memory.of_phase = operation == MBARRIER_TEST_WAIT;
    d->kernel->syncs_parts = true;
    op->detail = detail;
    op->run = decode_handler(d, "mbarrier.%s", handlers[operation]);
    int next = 0;
    op->p = PREDICATE_SINK;
    op->dst = ROWS_64;
    if (operation == MBARRIER_PENDING_COUNT) {
        op->dst = decode_destination(d, decode_operand(d, 0), PTX_U32);
        op->b = decode_source(d, decode_operand(d, 1), PTX_B64);
        return;
    }
    if (operation == MBARRIER_TEST_WAIT)
        op->p = decode_predicate_destination(d, decode_operand(d, next++));
    else if (operation != MBARRIER_INIT && operation != MBARRIER_INVALIDATE)
        op->dst = decode_destination(d, decode_operand(d, next++), PTX_B64);
    decode_address(d, &detail->memory, decode_operand(d, next++));
    decode_mbarrier_rest(d, op, detail, next);
}

/* Cache policies change no result: all of them are 0. */
void decode_policy(struct decoder *d, struct micro *op)
{
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_B64);
    op->a = decode_constant(d, 8, 0);
    op->run = decode_typed_handler(d, "mov", PTX_B64);
}

void decode_nothing(struct decoder *d, struct micro *op)
{
    op->run = decode_handler(d, "nothing");
}
