/*
 * Surfaces: reads and writes of a cudaArray's bytes at coordinates, like those of other global memory, so
 * that the watchers see them. Source: PTX ISA, suld and sust; CUDA C++ Programming Guide, "Surface
 * Functions".
 */
#include "sim/machine/exec_memory.h"
#include "sim/memory/texture.h"

/* The lanes that use one surface, on their way. */
struct surface_access {
    const struct texture *surface;
    uint32_t lanes;
    uint32_t inside; /* of these: the ones that touch memory; .zero keeps the others off */
    struct lane_access memory;
};

/* Where a lane wants to go: bytes, rows, slices or layers. */
struct place {
    int64_t at[3];
};

static struct place read_place(const struct warp *warp, const struct surface_detail *detail, uint32_t lane)
{
    struct place place = {{0, 0, 0}};
    for (int i = 0; i < detail->dimensions; i++)
        place.at[i] = ((const row_s32 *)row(warp, detail->coordinates[i]))[lane];
    if (detail->layered)
        place.at[2] = ((const row_s32 *)row(warp, detail->layer))[lane];
    return place;
}

/* The last place in each direction where `bytes` still fit. */
static struct place last_place(const struct texture *s, int64_t bytes)
{
    return (struct place){{s->size[0] * texture_texel_size(s) - bytes, s->size[1] - 1,
                           s->layers > 0 ? s->layers - 1 : s->size[2] - 1}};
}

/* Moves the place to the nearest one inside, if it lies outside: whether it did. */
static bool clamp_place(struct place *place, const struct place *last)
{
    bool outside = false;
    for (int i = 0; i < 3; i++) {
        int64_t at = place->at[i] < 0 ? 0 : place->at[i] > last->at[i] ? last->at[i] : place->at[i];
        outside |= at != place->at[i];
        place->at[i] = at;
    }
    return outside;
}

static void fault_outside(struct warp *warp, const struct micro *op, uint32_t lane, const struct texture *s,
                          const struct place *place)
{
    const struct surface_detail *detail = op->detail;
    exec_fault(
        warp, op, 1u << lane, SIM_OUT_OF_BOUNDS,
        "%s byte %lld of row %lld of slice or layer %lld of a surface of %lld bytes x %lld rows x %lld: "
        "outside, and the boundary mode is cudaBoundaryModeTrap. The first coordinate counts bytes, not "
        "elements",
        detail->writes ? "writes" : "reads", (long long)place->at[0], (long long)place->at[1],
        (long long)place->at[2], (long long)s->size[0] * texture_texel_size(s), (long long)s->size[1],
        (long long)(s->layers > 0 ? s->layers : s->size[2]));
}

/* Each lane's address. */
static bool find_addresses(struct warp *warp, const struct micro *op, struct surface_access *access)
{
    const struct surface_detail *detail = op->detail;
    const struct texture *s = access->surface;
    const int64_t bytes = (int64_t)detail->memory.element_size * detail->memory.count;
    const struct place last = last_place(s, bytes);
    access->inside = 0;
    FOR_LANES(lane, access->lanes)
    {
        const struct place wanted = read_place(warp, detail, lane);
        struct place place = wanted;
        bool outside = clamp_place(&place, &last) || last.at[0] < 0;
        if (outside && (detail->boundary == BOUNDARY_TRAP || last.at[0] < 0)) {
            fault_outside(warp, op, lane, s, &wanted);
            return false;
        }
        if (outside && detail->boundary == BOUNDARY_ZERO)
            continue;
        access->inside |= 1u << lane;
        access->memory.address[lane] = s->address + (uint64_t)place.at[2] * s->slice +
                                       (uint64_t)place.at[1] * s->pitch + (uint64_t)place.at[0];
    }
    return true;
}

static int surface_dimensions(const struct texture *s)
{
    return s->kind == TEXTURE_3D ? 3 : s->kind == TEXTURE_2D ? 2 : 1;
}

static bool check_surface(struct warp *warp, const struct micro *op, const struct surface_access *access,
                          uint64_t handle)
{
    const struct surface_detail *detail = op->detail;
    const struct texture *s = access->surface;
    if (!s || !s->is_surface) {
        exec_fault(warp, op, access->lanes, SIM_OUT_OF_BOUNDS,
                   "uses 0x%llx as a surface object, which is none: %s", (unsigned long long)handle,
                   s ? "it is a texture object" : "never created, or destroyed already");
        return false;
    }
    if (surface_dimensions(s) != detail->dimensions || (s->layers > 0) != detail->layered) {
        exec_fault(warp, op, access->lanes, SIM_TRAP,
                   "uses a %s%d-dimensional surface as if it were %s%d-dimensional",
                   s->layers > 0 ? "layered " : "", surface_dimensions(s), detail->layered ? "layered " : "",
                   detail->dimensions);
        return false;
    }
    return true;
}

static void load_bytes(struct warp *warp, const struct memory_detail *memory,
                       const struct surface_access *access)
{
    for (int i = 0; i < memory->count; i++) {
        unsigned char *d = row(warp, memory->registers[i]);
        const size_t size = memory->register_size[i], bytes = (size_t)memory->element_size;
        FOR_LANES(lane, access->lanes)
        {
            memset(d + lane * size, 0, size);
            if (lane_on(access->inside, (int)lane))
                memcpy(d + lane * size, access->memory.host[lane] + (size_t)i * bytes, bytes);
        }
    }
}

static void store_bytes(struct warp *warp, const struct memory_detail *memory,
                        const struct surface_access *access)
{
    for (int i = 0; i < memory->count; i++) {
        const unsigned char *value = row(warp, memory->registers[i]);
        FOR_LANES(lane, access->inside)
        memcpy(access->memory.host[lane] + i * memory->element_size, value + lane * memory->register_size[i],
               (size_t)memory->element_size);
    }
}

/* Lanes with the same surface go together. */
static enum step use_surfaces(struct warp *warp, const struct micro *op, uint32_t active,
                              enum access_kind kind)
{
    const struct surface_detail *detail = op->detail;
    struct surface_access access;
    uint64_t handles[WARP_LANES]; /* a destination may be the handle's register */
    memcpy(handles, row(warp, detail->handle), sizeof handles);
    for (uint32_t left = active; left; left &= ~access.lanes) {
        uint64_t handle = handles[__builtin_ctz(left)];
        access.lanes = 0;
        FOR_LANES(lane, left)
        {
            if (handles[lane] == handle)
                access.lanes |= 1u << lane;
        }
        access.surface = texture_find(warp->block->view.sim, handle);
        if (!check_surface(warp, op, &access, handle) || !find_addresses(warp, op, &access))
            return STEP_FAULT;
        if (access.inside && !exec_resolve(warp, op, access.inside, kind, &detail->memory, &access.memory))
            return STEP_FAULT;
        if (kind == ACCESS_LOAD)
            load_bytes(warp, &detail->memory, &access);
        else
            store_bytes(warp, &detail->memory, &access);
    }
    return STEP_NEXT;
}

static enum step suld(struct warp *warp, const struct micro *op, uint32_t active)
{
    return use_surfaces(warp, op, active, ACCESS_LOAD);
}

static enum step sust(struct warp *warp, const struct micro *op, uint32_t active)
{
    return use_surfaces(warp, op, active, ACCESS_STORE);
}

const struct handler exec_surface_handlers[] = {
    {"suld", suld},
    {"sust", sust},
    {NULL, NULL},
};
