/*
 * Texture fetches: each texel that a lane needs is loaded like global memory, so that the watchers see who
 * reads what; then the lane's texels are weighed and summed. Source: PTX ISA, tex.
 */
#include <math.h>

#include "sim/machine/exec_memory.h"
#include "sim/memory/texture.h"

/* The lanes that fetch from one texture, on their way. */
struct fetch {
    const struct texture *texture;
    uint32_t lanes;
    int tap_count;
    struct texture_tap taps[WARP_LANES][TEXTURE_TAPS];
    union texture_value value[WARP_LANES][4];
};

static void find_taps(const struct warp *warp, const struct texture_detail *detail, struct fetch *fetch)
{
    const struct texture_query query = {detail->dimensions, detail->layered, detail->whole, detail->cube,
                                        detail->gathers};
    FOR_LANES(lane, fetch->lanes)
    {
        uint32_t coordinate[3] = {0, 0, 0};
        uint32_t layer = detail->layered ? ((const row_u32 *)row(warp, detail->layer))[lane] : 0;
        for (int i = 0; i < detail->dimensions; i++)
            coordinate[i] = ((const row_u32 *)row(warp, detail->coordinates[i]))[lane];
        fetch->tap_count = texture_taps(fetch->texture, &query, layer, coordinate, fetch->taps[lane]);
    }
}

/* The four texels that tld4 gathers, from the one at the lower left on against the clock: y goes down. */
static const int gathered_place[4] = {3, 2, 0, 1};

static void add_texel(struct fetch *fetch, const struct texture_detail *detail, uint32_t lane,
                      const unsigned char *bytes, int tap)
{
    const float weight = fetch->taps[lane][tap].weight;
    union texture_value texel[4];
    texture_decode(fetch->texture, bytes, texel);
    if (detail->gathers) {
        fetch->value[lane][gathered_place[tap]] = texel[detail->channel];
        return;
    }
    for (int channel = 0; channel < 4; channel++) {
        if (fetch->tap_count == 1)
            fetch->value[lane][channel] = texel[channel];
        else
            fetch->value[lane][channel].f += weight * texel[channel].f;
    }
}

/* Loads every lane's texel number `tap`, but those of weight 0, which are not fetched. */
static bool load_tap(struct warp *warp, const struct micro *op, struct fetch *fetch, int tap)
{
    const struct texture_detail *detail = op->detail;
    struct lane_access out;
    struct memory_detail memory = {
        .space = PTX_GLOBAL,
        .order = ORDER_WEAK,
        .element_size = texture_texel_size(fetch->texture),
        .count = 1,
        .path = PATH_TEXTURE,
        .non_coherent = true,
    };
    uint32_t inside = 0;
    FOR_LANES(lane, fetch->lanes)
    {
        const struct texture_tap *t = &fetch->taps[lane][tap];
        out.address[lane] = t->address;
        if (t->address && (t->weight != 0 || detail->gathers))
            inside |= 1u << lane;
    }
    if (inside && !exec_resolve(warp, op, inside, ACCESS_LOAD, &memory, &out))
        return false;
    FOR_LANES(lane, fetch->lanes)
    {
        const struct texture_tap *t = &fetch->taps[lane][tap];
        if (t->weight != 0 || detail->gathers)
            add_texel(fetch, detail, lane, inside >> lane & 1 ? out.host[lane] : NULL, tap);
    }
    return true;
}

/* Filtered texels of 8 bits, read as fractions, leave the texture unit as multiples of 1/65535. */
static void round_fractions(struct fetch *fetch)
{
    if (!fetch->texture->unit_values || fetch->texture->format != TEXEL_UNSIGNED ||
        fetch->texture->channel_bytes != 1 || fetch->tap_count == 1)
        return;
    FOR_LANES(lane, fetch->lanes)
    {
        for (int channel = 0; channel < 4; channel++)
            fetch->value[lane][channel].f = floorf(fetch->value[lane][channel].f * 65535 + 0.5f) / 65535;
    }
}

static bool fetch_texture(struct warp *warp, const struct micro *op, struct fetch *fetch)
{
    const struct texture_detail *detail = op->detail;
    memset(fetch->value, 0, sizeof fetch->value);
    find_taps(warp, detail, fetch);
    for (int tap = 0; tap < fetch->tap_count; tap++)
        if (!load_tap(warp, op, fetch, tap))
            return false;
    if (!detail->gathers)
        round_fractions(fetch);
    for (int channel = 0; channel < 4; channel++) {
        row_u32 *to = row(warp, detail->registers[channel]);
        FOR_LANES(lane, fetch->lanes) to[lane] = fetch->value[lane][channel].bits;
    }
    return true;
}

static const char *kind_name(int dimensions)
{
    return dimensions == 1 ? "one-dimensional" : dimensions == 2 ? "two-dimensional" : "three-dimensional";
}

static int texture_dimensions(const struct texture *texture)
{
    switch (texture->kind) {
    case TEXTURE_LINEAR:
    case TEXTURE_1D: return 1;
    case TEXTURE_2D: return 2;
    case TEXTURE_3D: break;
    }
    return 3;
}

/* Whether the texture is what the instruction fetches from. */
static bool check_texture(struct warp *warp, const struct micro *op, const struct fetch *fetch,
                          uint64_t handle)
{
    const struct texture_detail *detail = op->detail;
    const struct texture *t = fetch->texture;
    if (!t) {
        exec_fault(warp, op, fetch->lanes, SIM_OUT_OF_BOUNDS,
                   "fetches from 0x%llx, which is no texture object: never created, or destroyed already",
                   (unsigned long long)handle);
        return false;
    }
    if (t->is_surface) {
        exec_fault(warp, op, fetch->lanes, SIM_OUT_OF_BOUNDS,
                   "fetches from 0x%llx, which is a surface object: textures have handles of their own",
                   (unsigned long long)handle);
        return false;
    }
    if (t->kind == TEXTURE_LINEAR && !detail->whole) {
        exec_fault(warp, op, fetch->lanes, SIM_OUT_OF_BOUNDS,
                   "fetches at fractional coordinates from a texture over linear memory: use tex1Dfetch, or "
                   "put the texture over a cudaArray");
        return false;
    }
    if (t->is_cube || detail->cube) {
        if (t->is_cube && detail->cube && (t->layers > 6 || !detail->layered))
            return true;
        exec_fault(warp, op, fetch->lanes, SIM_OUT_OF_BOUNDS,
                   "fetches from a texture as if it were %s cube map", detail->cube ? "a" : "no");
        return false;
    }
    if (texture_dimensions(t) != detail->dimensions || (t->layers > 0) != detail->layered) {
        exec_fault(warp, op, fetch->lanes, SIM_OUT_OF_BOUNDS,
                   "fetches from a %s%s texture as if it were %s%s", t->layers > 0 ? "layered " : "",
                   kind_name(texture_dimensions(t)), detail->layered ? "layered " : "",
                   kind_name(detail->dimensions));
        return false;
    }
    return true;
}

/* Lanes with the same texture go together; nearly always all of them have one. */
static enum step tex(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct texture_detail *detail = op->detail;
    const row_u64 *handles = row(warp, detail->handle);
    struct fetch fetch;
    uint64_t wanted[WARP_LANES]; /* a destination may be the handle's register */
    memcpy(wanted, handles, sizeof wanted);
    for (uint32_t left = active; left; left &= ~fetch.lanes) {
        uint64_t handle = wanted[__builtin_ctz(left)];
        fetch.lanes = 0;
        FOR_LANES(lane, left)
        {
            if (wanted[lane] == handle)
                fetch.lanes |= 1u << lane;
        }
        fetch.texture = texture_find(warp->block->view.sim, handle);
        if (!check_texture(warp, op, &fetch, handle) || !fetch_texture(warp, op, &fetch))
            return STEP_FAULT;
    }
    return STEP_NEXT;
}

const struct handler exec_texture_handlers[] = {
    {"tex", tex},
    {NULL, NULL},
};
