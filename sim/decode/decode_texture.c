/*
 * Decoding of texture fetches: tex.2d.v4.f32.f32 {d0, d1, d2, d3}, [handle, {x, y}]; and of surface accesses:
 * suld.b.2d.v2.b32.trap {d0, d1}, [handle, {x, y}]. Source: PTX ISA, tex, suld, sust.
 */
#include <string.h>

#include "sim/decode/decode_internal.h"

struct geometry {
    int dimensions;
    bool layered;
    int operands; /* coordinates in the text, with the layer and what is there to fill up */
    bool cube;
};

static const struct geometry geometries[] = {
    [GEOMETRY_1D] = {1, false, 1, false},  [GEOMETRY_2D] = {2, false, 2, false},
    [GEOMETRY_3D] = {3, false, 4, false},  [GEOMETRY_A1D] = {1, true, 2, false},
    [GEOMETRY_A2D] = {2, true, 4, false},  [GEOMETRY_CUBE] = {3, false, 4, true},
    [GEOMETRY_ACUBE] = {3, true, 4, true},
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
    detail->cube = geometry->cube;
    detail->gathers = strcmp(d->opcode->name, "tld4") == 0;
    detail->channel = d->mods.value[MOD_GATHER];
    detail->whole = d->mods.types[1] != PTX_F32;
    if (detail->gathers && (number != GEOMETRY_2D || detail->whole || !has_modifier(&d->mods, MOD_GATHER)))
        decode_fail(d, "is a form of texture fetch that the simulator does not have");
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

/* ---- surfaces ------------------------------------------------------------------------------------------ */

static void decode_place(struct decoder *d, struct surface_detail *detail, const struct ptx_operand *place)
{
    const struct geometry *geometry = &geometries[d->mods.value[MOD_GEOMETRY]];
    if (geometry->cube) {
        decode_fail(d, "is a form of surface access that the simulator does not have");
        return;
    }
    if (place->kind != PTX_ADDRESS || place->reg < 0) {
        decode_fail(d,
                    "uses a surface reference; the simulator has surface objects (cudaCreateSurfaceObject)");
        return;
    }
    if (place->count != geometry->operands) {
        decode_fail(d, "has %d coordinates, expected %d", place->count, geometry->operands);
        return;
    }
    detail->dimensions = geometry->dimensions;
    detail->layered = geometry->layered;
    detail->handle = decode_source(d, &(struct ptx_operand){.kind = PTX_REG, .reg = place->reg}, PTX_B64);
    if (geometry->layered)
        detail->layer = decode_source(d, &place->list[0], PTX_B32);
    for (int i = 0; i < geometry->dimensions; i++)
        detail->coordinates[i] = decode_source(d, &place->list[i + geometry->layered], PTX_S32);
}

static void decode_elements(struct decoder *d, struct surface_detail *detail, const struct ptx_operand *list)
{
    struct memory_detail *memory = &detail->memory;
    if (list->kind != PTX_VECTOR || list->count != memory->count) {
        decode_fail(d, "needs %d registers in braces", memory->count);
        return;
    }
    for (int i = 0; i < memory->count && !d->failed; i++) {
        const struct ptx_operand *operand = &list->list[i];
        int size = memory->element_size < 2 ? 2 : memory->element_size;
        memory->registers[i] = detail->writes && operand->kind != PTX_REG
                                   ? decode_source(d, operand, d->mods.types[0])
                                   : decode_any_register(d, operand, !detail->writes, &size);
        memory->register_size[i] = (uint8_t)size;
        if (size < memory->element_size)
            decode_fail(d, "has a register that is narrower than what it moves");
    }
}

void decode_surface(struct decoder *d, struct micro *op)
{
    struct surface_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    detail->writes = strcmp(d->opcode->name, "sust") == 0;
    if (!has_modifier(&d->mods, MOD_BYTES) || !has_modifier(&d->mods, MOD_GEOMETRY) ||
        d->mods.type_count != 1 || d->mods.value[MOD_VECTOR] > 4) {
        decode_fail(d, "is a form of surface access that the simulator does not have");
        return;
    }
    detail->boundary = (enum surface_boundary)d->mods.value[MOD_BOUNDARY];
    detail->memory = (struct memory_detail){
        .space = PTX_GLOBAL,
        .order = ORDER_WEAK,
        .element_size = ptx_type_size(d->mods.types[0]),
        .count = has_modifier(&d->mods, MOD_VECTOR) ? d->mods.value[MOD_VECTOR] : 1,
        .path = detail->writes ? PATH_L1 : PATH_TEXTURE,
        .non_coherent = !detail->writes,
    };
    decode_place(d, detail, decode_operand(d, detail->writes ? 0 : 1));
    if (!d->failed)
        decode_elements(d, detail, decode_operand(d, detail->writes ? 1 : 0));
    op->detail = detail;
    op->run = decode_handler(d, "%s", d->opcode->name);
}
