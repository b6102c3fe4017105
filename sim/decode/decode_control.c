/* Decoding of control flow, barriers, and what the lanes of a warp do together. */
#include <string.h>

#include "sim/decode/decode_internal.h"
#include "sim/machine/exec.h"

/* ---- branches ------------------------------------------------------------------------------------------ */

void decode_branch(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *label = decode_operand(d, 0);
    if (label->kind != PTX_LABEL) {
        decode_fail(d, "needs a label");
        return;
    }
    op->target = decode_label(d, label->value);
    op->flags |= op->guard != PREDICATE_TRUE ? FLAG_BRANCH : 0;
    op->run = decode_handler(d, op->guard != PREDICATE_TRUE ? "bra" : "jump");
}

void decode_branch_table(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *index = decode_operand(d, 0), *name = decode_operand(d, 1);
    const struct ptx_branch_table *table = NULL;
    for (int i = 0; name->kind == PTX_NAME && i < d->func->table_count; i++)
        if (strcmp(d->func->tables[i].name, name->name) == 0)
            table = &d->func->tables[i];
    if (!table) {
        decode_fail(d, "needs a table of labels");
        return;
    }
    struct branch_table_detail *detail =
        arena_alloc(d->code->arena, sizeof *detail + (size_t)table->count * sizeof(int));
    detail->count = table->count;
    for (int i = 0; i < table->count; i++)
        detail->targets[i] = decode_label(d, table->targets[i]);
    op->a = decode_source(d, index, PTX_U32);
    op->detail = detail;
    op->flags |= FLAG_BRANCH;
    op->run = decode_handler(d, "brx");
}

void decode_exit(struct decoder *d, struct micro *op)
{
    op->run = decode_handler(d, "exit");
}

void decode_ret(struct decoder *d, struct micro *op)
{
    op->run = decode_handler(d, d->is_entry ? "exit" : "ret");
}

void decode_trap(struct decoder *d, struct micro *op)
{
    op->run = decode_handler(d, "trap");
}

void decode_nanosleep(struct decoder *d, struct micro *op)
{
    op->a = decode_source(d, decode_operand(d, 0), PTX_U32);
    op->run = decode_handler(d, "nanosleep");
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static enum builtin find_builtin(const char *name)
{
    static const struct {
        const char *name;
        enum builtin builtin;
    } builtins[] = {
        {"vprintf", BUILTIN_VPRINTF},
        {"__assertfail", BUILTIN_ASSERTFAIL},
        {"malloc", BUILTIN_MALLOC},
        {"free", BUILTIN_FREE},
    };
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].builtin;
    return BUILTIN_NONE;
}

static const struct function_layout *find_layout(const struct code *code, const struct ptx_func *func)
{
    for (int i = 0; i < code->function_count; i++)
        if (code->functions[i].func == func)
            return &code->functions[i];
    return NULL;
}

/* Arguments and results: .param variables of the caller (a list in parentheses). */
static void check_parameter_list(struct decoder *d, const struct ptx_operand *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->list[i].kind != PTX_SYMBOL || list->list[i].var->space != PTX_PARAM)
            decode_fail(d, "passes something else than a .param variable");
}

/* call [(results),] target [, (arguments)] [, prototype or targets] */
void decode_call(struct decoder *d, struct micro *op)
{
    struct call_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    int next = 0;
    const struct ptx_operand *operand = decode_operand(d, next);
    detail->caller = d->layout;
    if (operand->kind == PTX_LIST) {
        check_parameter_list(d, operand);
        detail->results = operand->list;
        detail->result_count = operand->count;
        operand = decode_operand(d, ++next);
    }
    const struct ptx_operand *target = operand;
    if (d->instr->operand_count > next + 1 && d->instr->operands[next + 1].kind == PTX_LIST) {
        operand = &d->instr->operands[next + 1];
        check_parameter_list(d, operand);
        detail->arguments = operand->list;
        detail->argument_count = operand->count;
    }
    op->detail = detail;
    if (target->kind == PTX_REG) {
        op->a = decode_source(d, target, PTX_U64);
        op->run = decode_handler(d, "call.indirect");
        return;
    }
    if (target->kind != PTX_FUNC) {
        decode_fail(d, "needs a function");
        return;
    }
    detail->callee = find_layout(d->code, target->func);
    detail->builtin = detail->callee ? BUILTIN_NONE : find_builtin(target->func->name);
    if (!detail->callee && (detail->device_call = device_call_find(target->func->name)) != NULL)
        detail->builtin = BUILTIN_DEVICE_RUNTIME;
    if (!detail->callee && detail->builtin == BUILTIN_NONE) {
        decode_fail(d, "calls %.100s, which has no body here and which the simulator does not provide",
                    target->func->name);
        return;
    }
    op->run = decode_handler(d, detail->callee ? "call" : "call.builtin");
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

static void decode_warp_barrier(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *mask = decode_operand(d, 0);
    d->kernel->syncs_parts |= mask->kind != PTX_INT || (uint32_t)mask->value != UINT32_MAX;
    op->a = decode_source(d, mask, PTX_U32);
    op->run = decode_handler(d, "bar.warp");
}

/*
 * bar.sync a {, b};  bar.arrive a, b;  bar.red.popc.u32 d, a {, b}, {!}c;  bar.red.and.pred p, a {, b}, {!}c
 */
void decode_barrier(struct decoder *d, struct micro *op)
{
    enum barrier_op operation = d->mods.value[MOD_BARRIER];
    if (ptx_has_modifier(d->instr, "cluster")) {
        if (operation != BARRIER_ARRIVE && operation != BARRIER_WAIT)
            decode_fail(d, "with .cluster needs .arrive or .wait");
        d->code->uses_cluster = true;
        op->run = decode_handler(d, operation == BARRIER_WAIT ? "cluster.wait" : "cluster.arrive");
        return;
    }
    if (!has_modifier(&d->mods, MOD_BARRIER)) {
        decode_fail(d, "needs .sync, .arrive, .red or .warp");
        return;
    }
    if (operation == BARRIER_WARP) {
        decode_warp_barrier(d, op);
        return;
    }
    struct barrier_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    detail->operation = operation;
    detail->reduction = d->mods.value[MOD_BOOL];
    int next = 0, operands = d->instr->operand_count;
    op->dst = ROWS_32;
    op->p = PREDICATE_SINK;
    op->q = PREDICATE_TRUE;
    if (operation == BARRIER_RED) {
        if (detail->reduction == BOOL_POPC)
            op->dst = decode_destination(d, decode_operand(d, next++), PTX_U32);
        else
            op->p = decode_predicate_destination(d, decode_operand(d, next++));
        op->q = decode_predicate_source(d, decode_operand(d, --operands), &detail->negate);
    }
    op->a = next < operands ? decode_source(d, decode_operand(d, next++), PTX_U32) : decode_constant(d, 4, 0);
    detail->has_count = next < operands;
    if (detail->has_count)
        op->b = decode_source(d, decode_operand(d, next), PTX_U32);
    op->detail = detail;
    d->kernel->syncs_parts |= detail->has_count || operation == BARRIER_ARRIVE;
    op->flags |= FLAG_BARRIER;
    op->run = decode_handler(d, "bar");
}

/* ---- collectives --------------------------------------------------------------------------------------- */

/* The first operand: d, or d|p. */
static void decode_result(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *target = decode_operand(d, 0);
    op->p = PREDICATE_SINK;
    if (target->kind == PTX_PAIR) {
        op->dst = decode_destination(d, &target->list[0], PTX_B32);
        op->p = decode_predicate_destination(d, &target->list[1]);
    } else {
        op->dst = decode_destination(d, target, PTX_B32);
    }
}

/* shfl.sync.mode.b32 d|p, a, b, c, mask */
void decode_shfl(struct decoder *d, struct micro *op)
{
    decode_result(d, op);
    op->a = decode_source(d, decode_operand(d, 1), PTX_B32);
    op->b = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->c = decode_source(d, decode_operand(d, 3), PTX_U32);
    if (!has_modifier(&d->mods, MOD_SYNC))
        decode_fail(d, "without .sync does not exist on this architecture");
    op->e = decode_source(d, decode_operand(d, 4), PTX_U32);
    op->run = decode_handler(d, "shfl.%s", d->mods.name[MOD_SHUFFLE]);
}

/* vote.sync.mode d, {!}a, mask */
void decode_vote(struct decoder *d, struct micro *op)
{
    bool negated;
    enum vote_mode mode = d->mods.value[MOD_VOTE];
    op->p = PREDICATE_SINK;
    op->dst = ROWS_32;
    if (mode == VOTE_BALLOT)
        op->dst = decode_destination(d, decode_operand(d, 0), PTX_B32);
    else
        op->p = decode_predicate_destination(d, decode_operand(d, 0));
    op->q = decode_predicate_source(d, decode_operand(d, 1), &negated);
    op->flags |= negated ? FLAG_NEGATE_P : 0;
    if (!has_modifier(&d->mods, MOD_SYNC))
        decode_fail(d, "without .sync does not exist on this architecture");
    op->e = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->run = decode_handler(d, "vote.%s", d->mods.name[MOD_VOTE]);
}

/* match.any.sync d, a, mask;  match.all.sync d|p, a, mask */
void decode_match(struct decoder *d, struct micro *op)
{
    enum ptx_type type = d->mods.type_count ? d->mods.types[0] : PTX_B32;
    decode_result(d, op);
    op->a = decode_source(d, decode_operand(d, 1), type);
    op->e = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->run = decode_handler(d, "match.%s.b%d", d->mods.name[MOD_MATCH], 8 * ptx_type_size(type));
}

/* elect.sync d|p, mask */
void decode_elect(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *target = decode_operand(d, 0);
    if (target->kind != PTX_PAIR) {
        decode_fail(d, "needs two destinations: d|p");
        return;
    }
    op->dst = decode_destination(d, &target->list[0], PTX_B32);
    op->p = decode_predicate_destination(d, &target->list[1]);
    op->e = decode_source(d, decode_operand(d, 1), PTX_U32);
    op->run = decode_handler(d, "elect");
}

/* alloca ptr, size, align;  stacksave d;  stackrestore a */
void decode_stack(struct decoder *d, struct micro *op)
{
    enum ptx_type type = decode_main_type(d);
    bool restores = strcmp(d->opcode->name, "stackrestore") == 0;
    op->imm = 8;
    if (restores)
        op->a = decode_source(d, decode_operand(d, 0), type);
    else
        op->dst = decode_destination(d, decode_operand(d, 0), type);
    if (strcmp(d->opcode->name, "alloca") == 0) {
        op->a = decode_source(d, decode_operand(d, 1), type);
        if (d->instr->operand_count > 2)
            op->imm = decode_immediate(d, decode_operand(d, 2));
        if (op->imm < 1 || op->imm > 1 << 23 || (op->imm & (op->imm - 1)) != 0)
            decode_fail(d, "has an alignment that is no power of two up to 8388608");
        op->imm = op->imm < 8 ? 8 : op->imm;
    }
    op->run = decode_typed_handler(d, d->opcode->name, type);
}

void decode_activemask(struct decoder *d, struct micro *op)
{
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_B32);
    op->run = decode_handler(d, "activemask");
}

/* redux.sync.op.type d, a, mask */
void decode_redux(struct decoder *d, struct micro *op)
{
    enum ptx_type type = d->mods.type_count ? d->mods.types[0] : PTX_U32;
    op->dst = decode_destination(d, decode_operand(d, 0), type);
    op->a = decode_source(d, decode_operand(d, 1), type);
    op->e = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->imm = d->mods.value[MOD_ATOMIC];
    if (op->imm > ATOMIC_XOR || op->imm == ATOMIC_INC || op->imm == ATOMIC_DEC)
        decode_fail(d, "is a reduction that does not exist");
    op->flags |= type == PTX_S32 ? FLAG_NEGATE_P : 0;
    op->run = decode_handler(d, "redux");
}
