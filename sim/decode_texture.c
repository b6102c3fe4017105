/* Decoding of texture fetches: tex.2d.v4.f32.f32 {d0, d1, d2, d3}, [handle, {x, y}]. Source: PTX ISA, tex. */
#include "exec_detail.h"

struct geometry {
    int dimensions;
    bool layered;
    int operands; /* coordinates in the text, with the layer and what is there to fill up */
};

static const struct geometry geometries[] = {
    [GEOMETRY_1D] = {1, false, 1}, [GEOMETRY_2D] = {2, false, 2}, [GEOMETRY_3D] = {3, false, 4},
    [GEOMETRY_A1D] = {1, true, 2}, [GEOMETRY_A2D] = {2, true, 4},
};

static void decode_coordinates(struct decoder *d, struct texture_detail *detail,
                               const struct geometry *geometry, const struct ptx_operand *operand)
{
    enum ptx_type type = detail->whole ? PTX_S32 : PTX_F32;
    if (operand->count != geometry->operands) {
        decode_fail(d, "has %d coordinates, expected %d", operand->count, geometry->operands);
        return;
    }
    if (geometry->layered)
        detail->layer = decode_source(d, &operand->list[0], PTX_B32);
    for (int i = 0; i < geometry->dimensions; i++)
        detail->coordinates[i] = decode_source(d, &operand->list[i + geometry->layered], type);
}

void decode_texture(struct decoder *d, struct micro *op)
{
    struct texture_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    const struct ptx_operand *target = decode_operand(d, 0), *from = decode_operand(d, 1);
    int number = d->mods.value[MOD_GEOMETRY];
    if (!has_modifier(&d->mods, MOD_GEOMETRY) || d->mods.value[MOD_VECTOR] != 4 || d->mods.type_count != 2) {
        decode_fail(d, "is a form of texture fetch that the simulator does not have");
        return;
    }
    if (from->kind != PTX_ADDRESS || from->reg < 0) {
        decode_fail(d, "fetches through a texture reference; the simulator has texture objects "
                       "(cudaCreateTextureObject)");
        return;
    }
    const struct geometry *geometry = &geometries[number];
    detail->dimensions = geometry->dimensions;
    detail->layered = geometry->layered;
    detail->whole = d->mods.types[1] != PTX_F32;
    detail->handle = decode_source(d, &(struct ptx_operand){.kind = PTX_REG, .reg = from->reg}, PTX_B64);
    decode_coordinates(d, detail, geometry, from);
    if (target->kind != PTX_VECTOR || target->count != 4) {
        decode_fail(d, "needs 4 registers in braces");
        return;
    }
    for (int i = 0; i < 4; i++)
        detail->registers[i] = decode_destination(d, &target->list[i], d->mods.types[0]);
    op->detail = detail;
    op->run = decode_handler(d, "tex");
}
