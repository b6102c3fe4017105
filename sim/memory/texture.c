/* Where texels lie and what they mean; see texture.h. */
#include "sim/memory/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/half.h"
#include "sim/core/device.h"

/* ---- the table ----------------------------------------------------------------------------------------- */

struct texture_table {
    struct texture **textures; /* NULL where one was destroyed: numbers are not used again */
    size_t count, capacity;
};

/* A handle says that it is one; a pointer or a small number by mistake is none. */
#define HANDLE_BASE UINT64_C(0x7e05000000000001)

uint64_t texture_create(struct sim *sim, const struct texture *texture)
{
    struct texture_table *table = sim->textures;
    if (!table && !(table = sim->textures = calloc(1, sizeof *table)))
        return 0;
    if (table->count == table->capacity) {
        size_t capacity = 2 * table->capacity + 16;
        struct texture **grown = realloc(table->textures, capacity * sizeof(struct texture *));
        if (!grown)
            return 0;
        table->textures = grown;
        table->capacity = capacity;
    }
    struct texture *copy = malloc(sizeof *copy);
    if (!copy)
        return 0;
    *copy = *texture;
    table->textures[table->count] = copy;
    return HANDLE_BASE + table->count++;
}

const struct texture *texture_find(const struct sim *sim, uint64_t handle)
{
    const struct texture_table *table = sim->textures;
    return table && handle - HANDLE_BASE < table->count ? table->textures[handle - HANDLE_BASE] : NULL;
}

bool texture_destroy(struct sim *sim, uint64_t handle)
{
    if (!texture_find(sim, handle))
        return false;
    free(sim->textures->textures[handle - HANDLE_BASE]);
    sim->textures->textures[handle - HANDLE_BASE] = NULL;
    return true;
}

void texture_table_destroy(struct sim *sim)
{
    struct texture_table *table = sim->textures;
    for (size_t i = 0; table && i < table->count; i++)
        free(table->textures[i]);
    if (table)
        free(table->textures);
    free(table);
    sim->textures = NULL;
}

/* ---- coordinates to texels ----------------------------------------------------------------------------- */

/* The texels that count in one direction: number (-1: outside) and weight. */
struct direction {
    int64_t texel[2];
    float weight[2];
    int count;
};

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

static int64_t place_texel(int64_t i, int64_t size, enum texture_address_mode mode)
{
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case TEXTURE_WRAP: return modulo(i, size);
    case TEXTURE_MIRROR: i = modulo(i, 2 * size); return i < size ? i : 2 * size - 1 - i;
    case TEXTURE_CLAMP: return i < 0 ? 0 : size - 1;
    case TEXTURE_BORDER: break;
    }
    return -1;
}

/* A number that is none counts as 0; no number leaves the range of 64-bit integers. */
static float tame(float x)
{
    return !(x == x) ? 0 : x < -0x1p40f ? -0x1p40f : x > 0x1p40f ? 0x1p40f : x;
}

/* Unit coordinates repeat: the fraction says it all, and keeps its digits when it is scaled. */
static float scale_unit(float x, int64_t size, enum texture_address_mode mode)
{
    float whole = floorf(x);
    if (mode == TEXTURE_WRAP)
        x -= whole;
    else if (mode == TEXTURE_MIRROR)
        x = fmodf(whole, 2) != 0 ? 1 - (x - whole) : x - whole;
    return x * (float)size;
}

/* Interpolates between the texels whose centres (i + 0.5) enclose x, in steps of 1/256. */
static void find_neighbors(float x, int64_t size, enum texture_address_mode mode, struct direction *out)
{
    int64_t steps = (int64_t)floor(((double)x - 0.5) * 256 + 0.5), first = steps >> 8;
    float second_weight = (float)(steps & 255) / 256;
    out->count = 2;
    for (int k = 0; k < 2; k++)
        out->texel[k] = place_texel(first + k, size, mode);
    out->weight[0] = 1 - second_weight;
    out->weight[1] = second_weight;
}

static void find_direction(const struct texture *t, int axis, const struct texture_query *query,
                           uint32_t coordinate, struct direction *out)
{
    enum texture_address_mode mode = t->mode[axis];
    int64_t size = t->size[axis];
    out->count = 1;
    out->weight[0] = 1;
    if (query->whole) {
        out->texel[0] = place_texel((int32_t)coordinate, size, mode);
        return;
    }
    /* Repetition is defined for unit coordinates only; for others the device clamps. */
    if (!t->unit_coordinates && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
        mode = TEXTURE_CLAMP;
    float x = tame(half_bits_float(coordinate));
    if (t->unit_coordinates)
        x = scale_unit(x, size, mode);
    if (t->linear || query->gathers)
        find_neighbors(x, size, mode, out);
    else
        out->texel[0] = place_texel((int64_t)floorf(x), size, mode);
}

/*
 * Where a direction meets the cube: its face, and coordinates from 0 to 1 there. Source: CUDA C++ Programming
 * Guide, "Cubemap Textures".
 */
static int cube_face(const uint32_t direction[3], uint32_t coordinate[3])
{
    const float x = tame(half_bits_float(direction[0])), y = tame(half_bits_float(direction[1])),
                z = tame(half_bits_float(direction[2]));
    float s, t, m;
    int face;
    if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z))
        face = x >= 0 ? 0 : 1, m = fabsf(x), s = x >= 0 ? -z : z, t = -y;
    else if (fabsf(y) >= fabsf(z))
        face = y >= 0 ? 2 : 3, m = fabsf(y), s = x, t = y >= 0 ? z : -z;
    else
        face = z >= 0 ? 4 : 5, m = fabsf(z), s = z >= 0 ? x : -x, t = -y;
    coordinate[0] = half_float_bits(m > 0 ? (s / m + 1) / 2 : 0.5f);
    coordinate[1] = half_float_bits(m > 0 ? (t / m + 1) / 2 : 0.5f);
    coordinate[2] = 0;
    return face;
}

/* Layers are whole numbers, and clamped. */
static sim_addr layer_address(const struct texture *t, const struct texture_query *query, uint32_t layer)
{
    if (!query->layered || t->layers <= 1)
        return t->address;
    int64_t number = place_texel((int32_t)layer, t->layers, TEXTURE_CLAMP);
    return t->address + (uint64_t)number * t->slice;
}

static int cube_taps(const struct texture *t, const struct texture_query *query, uint32_t layer,
                     const uint32_t direction[3], struct texture_tap taps[TEXTURE_TAPS])
{
    const struct texture_query on_face = {.dimensions = 2, .layered = true};
    struct texture flat = *t; /* each face for itself, with coordinates from 0 to 1 in any case */
    uint32_t coordinate[3];
    int face = cube_face(direction, coordinate), last = t->layers / 6 - 1;
    int number = !query->layered || (int32_t)layer < 0 ? 0 : (int32_t)layer > last ? last : (int32_t)layer;
    flat.unit_coordinates = true;
    flat.mode[0] = flat.mode[1] = TEXTURE_CLAMP; /* filters see nothing of the neighboring faces */
    return texture_taps(&flat, &on_face, (uint32_t)(6 * number + face), coordinate, taps);
}

static struct texture_tap tap_of(const struct texture *t, sim_addr base, const struct direction d[3], int x,
                                 int y, int z)
{
    const int64_t i = d[0].texel[x], j = d[1].texel[y], l = d[2].texel[z];
    struct texture_tap tap = {.weight = d[0].weight[x] * d[1].weight[y] * d[2].weight[z]};
    if (i >= 0 && j >= 0 && l >= 0)
        tap.address = base + (uint64_t)l * t->slice + (uint64_t)j * t->pitch +
                      (uint64_t)i * (uint64_t)texture_texel_size(t);
    return tap;
}

int texture_taps(const struct texture *t, const struct texture_query *query, uint32_t layer,
                 const uint32_t coordinate[3], struct texture_tap taps[TEXTURE_TAPS])
{
    if (query->cube)
        return cube_taps(t, query, layer, coordinate, taps);
    struct direction direction[3];
    const sim_addr base = layer_address(t, query, layer);
    for (int axis = 0; axis < 3; axis++) {
        if (axis < query->dimensions)
            find_direction(t, axis, query, coordinate[axis], &direction[axis]);
        else if (axis == 1 && t->kind == TEXTURE_1D && t->linear && t->mode[1] == TEXTURE_BORDER)
            /* The device filters in two directions, at height 0: half of it is the border below. */
            direction[axis] = (struct direction){.count = 2, .texel = {0, -1}, .weight = {0.5f, 0.5f}};
        else
            direction[axis] = (struct direction){.count = 1, .texel = {0}, .weight = {1}};
    }
    int count = 0;
    for (int z = 0; z < direction[2].count; z++)
        for (int y = 0; y < direction[1].count; y++)
            for (int x = 0; x < direction[0].count; x++)
                taps[count++] = tap_of(t, base, direction, x, y, z);
    return count;
}

/* ---- bytes to numbers ---------------------------------------------------------------------------------- */

static float from_srgb(float x)
{
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static union texture_value decode_channel(const struct texture *t, const unsigned char *bytes, int channel)
{
    union texture_value out = {.bits = 0};
    const int bits = 8 * t->channel_bytes;
    memcpy(&out.bits, bytes + channel * t->channel_bytes, (size_t)t->channel_bytes); /* little endian */
    if (t->format == TEXEL_FLOAT) {
        if (bits == 16)
            out.f = f16_to_float((uint16_t)out.bits);
        return out;
    }
    if (t->format == TEXEL_SIGNED)
        out.bits = (uint32_t)((int32_t)(out.bits << (32 - bits)) >> (32 - bits));
    if (t->unit_values) {
        float largest = (float)((UINT32_C(1) << (t->format == TEXEL_SIGNED ? bits - 1 : bits)) - 1);
        out.f = t->format == TEXEL_SIGNED ? fmaxf((float)(int32_t)out.bits / largest, -1)
                                          : (float)out.bits / largest;
        if (t->colour_is_srgb && channel < 3 && bits == 8)
            out.f = from_srgb(out.f);
    }
    return out;
}

void texture_decode(const struct texture *t, const unsigned char *bytes, union texture_value value[4])
{
    const bool is_float = texture_returns_float(t);
    for (int channel = 0; channel < 4; channel++) {
        if (channel >= t->channels)
            value[channel].bits = channel < 3 ? 0 : is_float ? half_float_bits(1) : 1;
        else if (bytes)
            value[channel] = decode_channel(t, bytes, channel);
        else if (is_float)
            value[channel].f = t->border[channel];
        else
            value[channel].bits = (uint32_t)(int32_t)t->border[channel];
    }
}
