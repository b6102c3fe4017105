/* Operands: registers, immediates, special registers and addresses become rows. */
#include <string.h>

#include "sim/core/address_space.h"
#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

const struct ptx_operand *decode_operand(struct decoder *d, int index)
{
    static const struct ptx_operand sink = {.kind = PTX_SINK, .reg = -1};
    if (index < d->instr->operand_count)
        return &d->instr->operands[index];
    decode_fail(d, "has %d operands, at least %d are needed", d->instr->operand_count, index + 1);
    return &sink;
}

/* ---- constants ----------------------------------------------------------------------------------------- */

static uint32_t launch_row(struct decoder *d, size_t bytes)
{
    struct code *code = d->code;
    if (code->launch_row_bytes + bytes > d->launch_capacity) {
        d->launch_capacity = 2 * d->launch_capacity + 4096;
        code->launch_rows =
            sim_need_resized(code->launch_rows, d->launch_capacity, 1, "the constants of a kernel");
    }
    uint32_t ref = (uint32_t)code->launch_row_bytes | ROWS_LAUNCH;
    memset(code->launch_rows + code->launch_row_bytes, 0, bytes);
    code->launch_row_bytes += bytes;
    return ref;
}

uint32_t decode_constant(struct decoder *d, int size, uint64_t value)
{
    if (size < 2)
        size = 2; /* a register of 8 bits has 16 */
    if (size < 8)
        value &= (UINT64_C(1) << 8 * size) - 1;
    for (int i = 0; i < d->constant_count; i++)
        if (d->constants[i].size == size && d->constants[i].value == value)
            return d->constants[i].ref;
    if (d->constant_count == d->constant_capacity) {
        d->constant_capacity = 2 * d->constant_capacity + 64;
        d->constants = sim_need_resized(d->constants, (size_t)d->constant_capacity, sizeof *d->constants,
                                        "the list of a kernel's constants");
    }
    uint32_t ref = launch_row(d, (size_t)size * WARP_LANES);
    unsigned char *row = d->code->launch_rows + (ref & ~ROW_BASE_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++)
        memcpy(row + lane * size, &value,
               size < 8 ? (size_t)size : 8); /* little endian; 128 bits: and zeros */
    d->constants[d->constant_count++] = (struct constant){size, value, ref};
    return ref;
}

int64_t decode_immediate(struct decoder *d, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_INT)
        return operand->value;
    decode_fail(d, "needs a constant where another operand stands");
    return 0;
}

/* ---- special registers --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum special special;
} special_names[] = {
    {"%tid.x", SPECIAL_TID_X},
    {"%tid.y", SPECIAL_TID_Y},
    {"%tid.z", SPECIAL_TID_Z},
    {"%warpid", SPECIAL_WARPID},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%ntid.x", SPECIAL_NTID_X},
    {"%ntid.y", SPECIAL_NTID_Y},
    {"%ntid.z", SPECIAL_NTID_Z},
    {"%nctaid.x", SPECIAL_NCTAID_X},
    {"%nctaid.y", SPECIAL_NCTAID_Y},
    {"%nctaid.z", SPECIAL_NCTAID_Z},
    {"%nwarpid", SPECIAL_NWARPID},
    {"%gridid", SPECIAL_GRIDID},
    {"%envreg1", SPECIAL_ENVREG1},
    {"%envreg2", SPECIAL_ENVREG2},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM},
    {"%total_smem_size", SPECIAL_TOTAL_SMEM},
    {"%laneid", SPECIAL_LANEID},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT},
    {"%lanemask_le", SPECIAL_LANEMASK_LE},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE},
    {"%smid", SPECIAL_SMID},
    {"%nsmid", SPECIAL_NSMID},
    {"%tid.w", SPECIAL_ZERO},
    {"%ctaid.w", SPECIAL_ZERO},
    {"%clusterid.x", SPECIAL_CLUSTERID_X},
    {"%clusterid.y", SPECIAL_CLUSTERID_Y},
    {"%clusterid.z", SPECIAL_CLUSTERID_Z},
    {"%nclusterid.x", SPECIAL_NCLUSTERID_X},
    {"%nclusterid.y", SPECIAL_NCLUSTERID_Y},
    {"%nclusterid.z", SPECIAL_NCLUSTERID_Z},
    {"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X},
    {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y},
    {"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK},
    {"%cluster_nctaid.x", SPECIAL_CLUSTER_NCTAID_X},
    {"%cluster_nctaid.y", SPECIAL_CLUSTER_NCTAID_Y},
    {"%cluster_nctaid.z", SPECIAL_CLUSTER_NCTAID_Z},
    {"%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK},
};

static uint32_t special_row(struct decoder *d, enum special special)
{
    struct code *code = d->code;
    for (int i = 0; i < code->special_count; i++)
        if (code->specials[i].special == special)
            return code->specials[i].ref;
    const size_t bytes = 4 * WARP_LANES;
    uint32_t ref;
    if (special <= SPECIAL_WARPID) {
        ref = (uint32_t)code->warp_row_bytes | ROWS_WARP;
        code->warp_row_bytes += bytes;
    } else if (special <= SPECIAL_CLUSTERID_Z || special == SPECIAL_SMID) {
        ref = (uint32_t)code->block_row_bytes | ROWS_BLOCK;
        code->block_row_bytes += bytes;
    } else {
        ref = launch_row(d, bytes);
    }
    code->specials[code->special_count++] = (struct special_row){special, ref};
    return ref;
}

static uint32_t decode_special(struct decoder *d, const char *name, int size)
{
    if (strcmp(name, "WARP_SZ") == 0)
        return decode_constant(d, size, WARP_LANES);
    for (size_t i = 0; i < sizeof special_names / sizeof special_names[0]; i++) {
        if (strcmp(special_names[i].name, name) == 0) {
            if (size == 4)
                return special_row(d, special_names[i].special);
            decode_fail(d, "reads %s with a type that has not 32 bits", name);
            return 0;
        }
    }
    decode_fail(d, "reads the special register %s, which the simulator does not have", name);
    return 0;
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static const struct ptx_reg *operand_register(const struct decoder *d, const struct ptx_operand *operand)
{
    return &d->func->regs[operand->reg];
}

/* The row that catches what is written to _: the first of its class. */
static uint32_t sink_row(int size)
{
    switch (size) {
    case 4: return ROWS_32;
    case 8: return ROWS_64;
    case 16: return ROWS_128;
    default: return ROWS_16;
    }
}

static int register_bytes(enum ptx_type type)
{
    return ptx_type_size(type) == 1 ? 2 : ptx_type_size(type);
}

uint32_t decode_any_register(struct decoder *d, const struct ptx_operand *operand, bool writes, int *size)
{
    if (operand->kind == PTX_SINK)
        return sink_row(*size = 8);
    if (operand->kind != PTX_REG) {
        decode_fail(d, "needs a register where another operand stands");
        *size = 8;
        return ROWS_64;
    }
    const struct ptx_reg *reg = operand_register(d, operand);
    *size = register_bytes(reg->type);
    if (reg->type == PTX_PRED)
        decode_fail(d, "uses the predicate %s as a number", reg->name);
    registers_note(d, operand->reg, writes);
    return d->regs[operand->reg];
}

static uint32_t typed_register(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type,
                               bool writes)
{
    int size;
    uint32_t ref = decode_any_register(d, operand, writes, &size);
    int wanted = register_bytes(type);
    if (operand->kind == PTX_SINK)
        return sink_row(wanted);
    if (!d->failed && size != wanted)
        decode_fail(d, "uses register %s of %d bits as .%s", operand_register(d, operand)->name, 8 * size,
                    decode_type_name(type));
    return ref;
}

uint32_t decode_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type)
{
    return typed_register(d, operand, type, true);
}

/* The literal's bits as a value of `type`: 1 is 1.0f for f32, and 0f3F800000 is 1.0 for f64. */
static uint64_t literal_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    uint64_t bits = (uint64_t)operand->value;
    if (operand->kind == PTX_F64_BITS && type == PTX_F32) {
        double value;
        memcpy(&value, &bits, sizeof value);
        float narrow = (float)value;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        return narrow_bits;
    }
    if (operand->kind == PTX_F32_BITS && type == PTX_F64) {
        float value;
        uint32_t narrow_bits = (uint32_t)bits;
        memcpy(&value, &narrow_bits, sizeof value);
        double wide = value;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

/* What the name of a variable stands for, but for those of a thread's own. */
static uint64_t symbol_value(struct decoder *d, const struct ptx_operand *operand)
{
    uint64_t first = operand->var->space == PTX_SHARED ? SHARED_FIRST_ADDRESS : 0;
    return first + decode_variable_address(d, operand->var) + (uint64_t)operand->value;
}

uint32_t decode_source(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type)
{
    int size = register_bytes(type);
    switch (operand->kind) {
    case PTX_REG: return typed_register(d, operand, type, false);
    case PTX_INT:
    case PTX_F32_BITS:
    case PTX_F64_BITS: return decode_constant(d, size, literal_bits(operand, type));
    case PTX_SYMBOL: return decode_constant(d, size, symbol_value(d, operand));
    case PTX_FUNC: return decode_constant(d, size, decode_function_address(d, operand->func));
    case PTX_SREG: return decode_special(d, operand->name, size);
    default: decode_fail(d, "has an operand of a kind that it cannot take"); return sink_row(size);
    }
}

/* ---- predicates ---------------------------------------------------------------------------------------- */

static uint32_t predicate_register(struct decoder *d, const struct ptx_operand *operand, bool writes)
{
    const struct ptx_reg *reg = operand_register(d, operand);
    registers_note(d, operand->reg, writes);
    if (reg->type == PTX_PRED)
        return d->regs[operand->reg];
    decode_fail(d, "uses register %s as a predicate", reg->name);
    return PREDICATE_SINK;
}

uint32_t decode_predicate_destination(struct decoder *d, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_SINK)
        return PREDICATE_SINK;
    if (operand->kind == PTX_REG)
        return predicate_register(d, operand, true);
    decode_fail(d, "needs a predicate as its destination");
    return PREDICATE_SINK;
}

uint32_t decode_predicate_source(struct decoder *d, const struct ptx_operand *operand, bool *negated)
{
    *negated = operand->negated;
    if (operand->kind == PTX_REG)
        return predicate_register(d, operand, false);
    if (operand->kind == PTX_INT) {
        *negated = operand->value == 0;
        return PREDICATE_TRUE;
    }
    decode_fail(d, "needs a predicate");
    return PREDICATE_TRUE;
}
