/*
 * Textures: what lies in memory, and how a kernel's coordinates find texels in it.
 *
 * A texture is made by the host and never changes; kernels know it by its handle. Fetching has two halves:
 * texture_taps finds the texels that a lane's coordinates ask for, at most 8, each with its weight; the
 * interpreter loads them like other global memory, watched and counted; texture_decode makes numbers of a
 * texel's bytes. Source: CUDA C++ Programming Guide, "Texture Memory" and "Texture Fetching".
 */
#pragma once

#include "sim/core/types.h"

enum texture_kind { TEXTURE_LINEAR, TEXTURE_1D, TEXTURE_2D, TEXTURE_3D };
enum texel_format { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_address_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    enum texture_kind kind;
    sim_addr address;
    int64_t size[3];     /* texels; 1 in directions that the kind does not have */
    size_t pitch, slice; /* bytes from row to row, and from slice (or layer) to slice */
    int layers;          /* 0: not layered; of cube maps: faces, 6 a layer */
    bool is_cube;
    enum texel_format format;
    int channels, channel_bytes; /* 1, 2 or 4 of 1, 2 or 4 bytes */
    enum texture_address_mode mode[3];
    bool linear;           /* interpolates between neighbors; else the nearest texel */
    bool unit_coordinates; /* 0 to 1 span the whole texture */
    bool unit_values;      /* integers are returned as fractions of their largest */
    bool colour_is_srgb;   /* the first three channels, of 8 bits, are decoded */
    float border[4];       /* what lies outside, where the mode is BORDER */
    bool is_surface; /* a surface object: kernels read and write its bytes, and nothing of the above counts
                        but where these lie */
};

/* Copies the texture into the device's table; its handle, or 0: out of memory. */
uint64_t texture_create(struct sim *sim, const struct texture *texture);
bool texture_destroy(struct sim *sim, uint64_t handle); /* false: there is none */
/* NULL: there is none (any more). */
const struct texture *texture_find(const struct sim *sim, uint64_t handle);
void texture_table_destroy(struct sim *sim);

/* What an instruction asks a texture for. */
struct texture_query {
    int dimensions;
    bool layered;
    bool whole;   /* the coordinates are integers: texel numbers */
    bool cube;    /* the three coordinates are a direction from the middle of a cube */
    bool gathers; /* the four texels around the place, each by itself */
};

#define TEXTURE_TAPS 8

struct texture_tap {
    sim_addr address; /* 0: outside of the texture */
    float weight;     /* 1 where only one texel counts */
};

/* A lane's texels; their number. `layer` and `coordinate` as the instruction has them. */
int texture_taps(const struct texture *texture, const struct texture_query *query, uint32_t layer,
                 const uint32_t coordinate[3], struct texture_tap taps[TEXTURE_TAPS]);

/* Bytes of one texel. */
static inline int texture_texel_size(const struct texture *texture)
{
    return texture->channels * texture->channel_bytes;
}

/* A value of a channel: a float, or the 32 bits of an integer. */
union texture_value {
    float f;
    uint32_t bits;
};

/* Whether fetches return floats, or else integers. */
static inline bool texture_returns_float(const struct texture *texture)
{
    return texture->format == TEXEL_FLOAT || texture->unit_values;
}

/* The four channels of the texel at `bytes` (NULL: the border); missing ones are 0, 0 and 1. */
void texture_decode(const struct texture *texture, const unsigned char *bytes, union texture_value value[4]);
