/*
 * Decoding of what the lanes of a warp do with matrices: mma, wmma, ldmatrix, movmatrix. Source: PTX ISA, "Warp Level
 * Matrix Multiply-Accumulate Instructions".
 */
#include <string.h>

#include "sim/decode/decode_internal.h"

/* What there is of the PTX ISA's tables of shapes and types. Sums of .f16 factors are .f16 or .f32. */
static const struct {
    enum ptx_type factor, sum;
    bool wmma;
    int shapes[4];
} forms[] = {
    {PTX_F16, PTX_F32, false, {SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
    {PTX_F16, PTX_F32, true, {SHAPE(16, 16, 16), SHAPE(32, 8, 16), SHAPE(8, 32, 16)}},
    {PTX_BF16, PTX_F32, false, {SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
    {PTX_BF16, PTX_F32, true, {SHAPE(16, 16, 16), SHAPE(32, 8, 16), SHAPE(8, 32, 16)}},
    {PTX_TF32, PTX_F32, false, {SHAPE(16, 8, 4), SHAPE(16, 8, 8)}},
    {PTX_TF32, PTX_F32, true, {SHAPE(16, 16, 8)}},
    {PTX_S8, PTX_S32, false, {SHAPE(8, 8, 16), SHAPE(16, 8, 16), SHAPE(16, 8, 32)}},
    {PTX_S8, PTX_S32, true, {SHAPE(16, 16, 16), SHAPE(32, 8, 16), SHAPE(8, 32, 16)}},
    {PTX_F64, PTX_F64, false, {SHAPE(8, 8, 4)}},
    {PTX_F64, PTX_F64, true, {SHAPE(8, 8, 4)}},
};

static enum ptx_type without_sign(enum ptx_type type)
{
    return type == PTX_U8 ? PTX_S8 : type;
}

static bool has_form(enum ptx_type factor, enum ptx_type sum, bool wmma, int shape)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (int k = 0; k < 4; k++)
            if (forms[i].factor == without_sign(factor) && forms[i].wmma == wmma && shape &&
                forms[i].shapes[k] == shape && (sum == forms[i].sum || (sum == PTX_F16 && factor == PTX_F16)))
                return true;
    return false;
}

static struct fragment make_fragment(const struct decoder *d, enum matrix matrix, enum ptx_type type)
{
    const int shape = d->mods.value[MOD_SHAPE], m = shape >> 16, n = shape >> 8 & 255, k = shape & 255;
    struct fragment f = {.matrix = matrix,
                         .type = type,
                         .rows = matrix == MATRIX_B ? k : m,
                         .columns = matrix == MATRIX_A ? k : n,
                         .each = ptx_type_size(type) < 4 ? 4 / ptx_type_size(type) : 1};
    f.count = f.rows * f.columns / WARP_LANES / f.each;
    return f;
}

static void decode_registers(struct decoder *d, struct fragment *f, int index, bool writes)
{
    const struct ptx_operand *list = decode_operand(d, index);
    const enum ptx_type type = f->type == PTX_F64 || f->type == PTX_F32 ? f->type : PTX_B32;
    f->given = list->kind == PTX_VECTOR ? list->count : 0;
    if (f->given > VECTOR_MAX || f->given < f->count || f->given % f->count) {
        decode_fail(d, "needs %d registers in braces as operand %d", f->count, index + 1);
        return;
    }
    for (int i = 0; i < f->given && !d->failed; i++)
        f->registers[i] =
            writes ? decode_destination(d, &list->list[i], type) : decode_source(d, &list->list[i], type);
}

/* All lanes take part. */
static void begin_together(struct decoder *d, struct micro *op)
{
    if (!has_modifier(&d->mods, MOD_SYNC))
        decode_fail(d, "without .sync does not exist");
    op->e = decode_constant(d, 4, UINT32_MAX);
}

/* Instructions of COST_HALF (COST_FP64) that take as long, at 16 times as many multiply-adds of f16 as of f32. */
static int cost_count(const struct mma_detail *detail)
{
    const int products = detail->d.rows * detail->d.columns * detail->a.columns;
    switch (detail->a.type) {
    case PTX_F64: return products / 64;
    case PTX_TF32: return products / 256;
    case PTX_S8:
    case PTX_U8: return products / 1024;
    default: return products / 512;
    }
}

static void decode_product(struct decoder *d, struct micro *op, bool wmma)
{
    const struct modifiers *m = &d->mods;
    const bool is_half = wmma && m->type_count == 2; /* .dtype.ctype: the factors are .f16 */
    struct mma_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    const enum ptx_type first = is_half ? PTX_F16 : m->types[1], second = is_half ? PTX_F16 : m->types[2];
    const enum ptx_type sum = m->types[is_half ? 1 : 3];
    begin_together(d, op);
    if ((m->type_count != 4 && !is_half) || without_sign(first) != without_sign(second) ||
        !has_form(first, sum, wmma, m->value[MOD_SHAPE]) ||
        !has_form(first, m->types[0], wmma, m->value[MOD_SHAPE]) || m->value[MOD_ROUND] != ROUND_NEAREST) {
        decode_fail(d, "is a product of matrices that the simulator does not have");
        return;
    }
    detail->d = make_fragment(d, MATRIX_SUM, m->types[0]);
    detail->a = make_fragment(d, MATRIX_A, first);
    detail->b = make_fragment(d, MATRIX_B, second);
    detail->c = make_fragment(d, MATRIX_SUM, sum);
    detail->satfinite = m->value[MOD_SATFINITE];
    decode_registers(d, &detail->d, 0, true);
    decode_registers(d, &detail->a, 1, false);
    decode_registers(d, &detail->b, 2, false);
    decode_registers(d, &detail->c, 3, false);
    op->detail = detail;
    op->cost = first == PTX_F64 ? COST_FP64 : COST_HALF;
    op->cost_count = (uint8_t)cost_count(detail);
    op->run = decode_handler(d, first == PTX_F64 ? "mma.f64" : sum == PTX_S32 ? "mma.s32" : "mma.f32");
}

void decode_mma(struct decoder *d, struct micro *op)
{
    decode_product(d, op, false);
}

static void begin_matrix(struct decoder *d, struct matrix_detail *detail, int address, int bytes)
{
    detail->memory.space = d->mods.space_count ? d->mods.spaces[0] : PTX_GENERIC;
    detail->memory.scope = 2;
    detail->memory.element_size = bytes;
    detail->memory.count = 1;
    decode_address(d, &detail->memory, decode_operand(d, address));
}

/* wmma.load.a d, [address] {, stride};  wmma.store.d [address], c {, stride} */
static void decode_transfer(struct decoder *d, struct micro *op, bool stores)
{
    const struct modifiers *m = &d->mods;
    const enum matrix matrix = (enum matrix)m->value[MOD_MATRIX];
    const enum ptx_type type = m->type_count ? m->types[0] : PTX_NOTYPE;
    const int shape = m->value[MOD_SHAPE], bytes = ptx_type_size(type);
    const bool as_factor = has_form(type,
                                    type == PTX_F64 ? PTX_F64
                                    : bytes == 1    ? PTX_S32
                                                    : PTX_F32,
                                    true, shape);
    const bool as_sum = type == PTX_F64 ? as_factor
                                        : has_form(type == PTX_S32 ? PTX_S8 : PTX_F16, type, true, shape) ||
                                              (type == PTX_F32 && has_form(PTX_TF32, type, true, shape));
    struct matrix_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    begin_together(d, op);
    if (!(matrix == MATRIX_SUM ? as_sum : as_factor) || !has_modifier(m, MOD_LAYOUT)) {
        decode_fail(d, "is a matrix that the simulator does not have");
        return;
    }
    struct fragment *f = &detail->fragment;
    *f = make_fragment(d, matrix, type);
    detail->by_columns = m->value[MOD_LAYOUT];
    decode_registers(d, f, stores, !stores);
    begin_matrix(d, detail, !stores, detail->by_columns == (matrix == MATRIX_B) ? f->each * bytes : bytes);
    detail->memory.register_size[0] = (uint8_t)(f->each * bytes);
    detail->stride = d->instr->operand_count > 2
                         ? decode_source(d, decode_operand(d, 2), PTX_U32)
                         : decode_constant(d, 4, (uint64_t)(detail->by_columns ? f->rows : f->columns));
    op->detail = detail;
    op->cost = COST_LSU;
    op->cost_count = (uint8_t)(f->count * f->each * bytes / detail->memory.element_size);
    op->run = decode_handler(d, stores ? "wmma.store" : "wmma.load");
}

void decode_wmma(struct decoder *d, struct micro *op)
{
    switch ((enum wmma_step)d->mods.value[MOD_WMMA]) {
    case WMMA_LOAD: decode_transfer(d, op, false); break;
    case WMMA_STORE: decode_transfer(d, op, true); break;
    case WMMA_MMA: decode_product(d, op, true); break;
    }
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {d0, d1, d2, d3}, [address] */
void decode_ldmatrix(struct decoder *d, struct micro *op)
{
    struct matrix_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    struct fragment *f = &detail->fragment;
    begin_together(d, op);
    f->count = d->mods.value[MOD_MATRICES];
    if (d->mods.value[MOD_SHAPE] != SHAPE(8, 8, 0) || !f->count) {
        decode_fail(d, "is a form that the simulator does not have");
        return;
    }
    decode_registers(d, f, 0, true);
    begin_matrix(d, detail, 1, 16);
    detail->transposed = d->mods.value[MOD_TRANSPOSED];
    op->detail = detail;
    op->run = decode_handler(d, "ldmatrix");
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
void decode_movmatrix(struct decoder *d, struct micro *op)
{
    begin_together(d, op);
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_B32);
    op->a = decode_source(d, decode_operand(d, 1), PTX_B32);
    op->run = decode_handler(d, "movmatrix");
}
