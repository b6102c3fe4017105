/*
 * wmma.load, wmma.store, ldmatrix and movmatrix: matrices between memory and the registers of a warp. Each access is
 * one that ld or st of the same lanes would be: checked, watched and counted like theirs. Source: PTX ISA.
 */
#include "sim/machine/exec_fragment.h"
#include "sim/machine/exec_memory.h"

/* What the operands say: copies, since a result may take their place. */
struct matrix_place {
    uint64_t address[WARP_LANES];
    uint32_t stride[WARP_LANES];
};

/* Where element `part` of each lane's register lies. */
static void place_lanes(const struct matrix_detail *detail, int reg, int part,
                        const struct matrix_place *place, uint64_t address[WARP_LANES])
{
    const struct fragment *f = &detail->fragment;
    const uint64_t bytes = (uint64_t)detail->memory.register_size[0] / (unsigned)f->each;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        struct element e = fragment_element(f, reg, lane);
        e.row += f->matrix == MATRIX_B ? part : 0;
        e.column += f->matrix == MATRIX_B ? 0 : part;
        const uint64_t lines = (uint64_t)(detail->by_columns ? e.column : e.row);
        const uint64_t in_line = (uint64_t)(detail->by_columns ? e.row : e.column);
        address[lane] = place->address[lane] + bytes * (lines * place->stride[lane] + in_line);
    }
}

static void move_lanes(unsigned char *registers, int register_size, const struct lane_access *lanes,
                       const struct memory_detail *memory, bool stores)
{
    const size_t size = (size_t)memory->element_size;
    FOR_LANES(lane, lanes->access.lanes)
    {
        unsigned char *at = registers + lane * (unsigned)register_size + memory->from_byte;
        memcpy(stores ? lanes->host[lane] : at, stores ? at : lanes->host[lane], size);
    }
}

/* What a store writes without a value, of one register of several. */
static void choose_undefined(struct block_view *view, const struct undefined_value *stored, int reg,
                             struct undefined_value *one)
{
    if (!stored)
        return;
    *one = (struct undefined_value){.lanes = {stored->lanes[reg]}, .used = {stored->used[reg]}, .count = 1};
    view->undefined = one;
}

static bool transfer(struct warp *warp, const struct micro *op, uint32_t active, bool stores)
{
    const struct matrix_detail *detail = op->detail;
    const struct fragment *f = &detail->fragment;
    const struct undefined_value *stored = warp->block->view.undefined;
    struct memory_detail memory = detail->memory;
    struct undefined_value undefined;
    struct lane_access lanes;
    struct matrix_place place;
    const int register_size = memory.register_size[0], bytes = register_size / f->each;
    exec_fill_addresses(warp, &memory, place.address);
    memcpy(place.stride, row(warp, detail->stride), sizeof place.stride);
    for (int reg = 0; reg < f->count; reg++) {
        memory.registers[0] = f->registers[reg];
        choose_undefined(&warp->block->view, stored, reg, &undefined);
        for (int part = 0; part < f->each; part += memory.element_size / bytes) {
            memory.from_byte = (uint8_t)(part * bytes);
            place_lanes(detail, reg, part, &place, lanes.address);
            if (!exec_resolve(warp, op, active, stores ? ACCESS_STORE : ACCESS_LOAD, &memory, &lanes))
                return false;
            move_lanes(row(warp, f->registers[reg]), register_size, &lanes, &memory, stores);
        }
    }
    return true;
}

static enum step wmma_load(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct fragment *f = &((const struct matrix_detail *)op->detail)->fragment;
    const uint32_t lanes = exec_meet_all(warp, op, active);
    if (lanes && !transfer(warp, op, lanes, false))
        return STEP_FAULT;
    for (int reg = f->count; lanes && reg < f->given; reg++)
        memcpy(row(warp, f->registers[reg]), row(warp, f->registers[reg % f->count]), 4 * WARP_LANES);
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}

static enum step wmma_store(struct warp *warp, const struct micro *op, uint32_t active)
{
    const uint32_t lanes = exec_meet_all(warp, op, active);
    if (lanes && !transfer(warp, op, lanes, true))
        return STEP_FAULT;
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}

/* Lane 8 i + r says where row r of matrix i lies: 16 bytes. Of each row, four lanes get two halves each. */
static enum step ldmatrix(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct matrix_detail *detail = op->detail;
    const uint32_t lanes = exec_meet_all(warp, op, active);
    const int count = detail->fragment.count;
    const uint32_t sources = lanes & (count == 4 ? ~0u : (1u << 8 * count) - 1);
    struct lane_access from;
    uint16_t rows[WARP_LANES][8] = {{0}};
    exec_fill_addresses(warp, &detail->memory, from.address);
    if (sources && !exec_resolve(warp, op, sources, ACCESS_LOAD, &detail->memory, &from))
        return STEP_FAULT;
    FOR_LANES(lane, sources) memcpy(rows[lane], from.host[lane], sizeof rows[lane]);
    for (int i = 0; i < count; i++) {
        row_u32 *d = row(warp, detail->fragment.registers[i]);
        FOR_LANES(lane, lanes)
        {
            const unsigned r = 8 * (unsigned)i, line = lane / 4, pair = 2 * (lane % 4);
            d[lane] = detail->transposed ? rows[r + pair][line] | (uint32_t)rows[r + pair + 1][line] << 16
                                         : rows[r + line][pair] | (uint32_t)rows[r + line][pair + 1] << 16;
        }
    }
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}

/* Row r of the matrix in lanes 4 r to 4 r + 3, two halves each. */
static enum step movmatrix(struct warp *warp, const struct micro *op, uint32_t active)
{
    const uint32_t lanes = exec_meet_all(warp, op, active);
    row_u32 *d = row(warp, op->dst);
    uint16_t a[8][8];
    memcpy(a, row(warp, op->a), sizeof a);
    FOR_LANES(lane, lanes)
    d[lane] = a[2 * (lane % 4)][lane / 4] | (uint32_t)a[2 * (lane % 4) + 1][lane / 4] << 16;
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}

const struct handler exec_matrix_handlers[] = {
    {"wmma.load", wmma_load},
    {"wmma.store", wmma_store},
    {"ldmatrix", ldmatrix},
    {"movmatrix", movmatrix},
    {NULL, NULL},
};
