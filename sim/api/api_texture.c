/* Texture objects: what host code says about a texture, checked and put into the device's terms. */
#include "sim/api/api_array.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/memory/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the program can ask for again. */
struct api_texture_object {
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
    struct api_texture_object *next;
};

/* ---- from a description to a texture ------------------------------------------------------------------- */

static cudaError_t set_format(const struct api_call *call, const struct cudaChannelFormatDesc *format,
                              struct texture *out)
{
    cudaError_t error = api_check_format(call, format);
    if (error != cudaSuccess)
        return error;
    out->format = format->f == cudaChannelFormatKindFloat    ? TEXEL_FLOAT
                  : format->f == cudaChannelFormatKindSigned ? TEXEL_SIGNED
                                                             : TEXEL_UNSIGNED;
    out->channel_bytes = format->x / 8;
    out->channels = (int)api_texel_size(format) / out->channel_bytes;
    return cudaSuccess;
}

/* `bytes` from `pointer` on are device memory, and begin where textures may begin. */
static cudaError_t check_texels(const struct api_call *call, const void *pointer, size_t bytes)
{
    const size_t alignment = 512; /* cudaDeviceProp::textureAlignment; allocations of a device have it */
    const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)(uintptr_t)pointer);
    size_t offset = found ? (uintptr_t)pointer - found->address : 0;
    struct api_place place = {
        .role = "texture", .address = (uintptr_t)pointer, .size = bytes, .must_device = true};
    if (sim_mem_is_device(api.sim, pointer) && offset % alignment != 0)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "the texture would begin at byte %zu of its allocation, which is no multiple "
                                "of %zu (cudaDeviceProp::textureAlignment)",
                                offset, alignment);
    return api_resolve(call, &place);
}

static cudaError_t set_linear(const struct api_call *call, const struct cudaResourceDesc *resource,
                              struct texture *out)
{
    size_t bytes = resource->res.linear.sizeInBytes;
    cudaError_t error = set_format(call, &resource->res.linear.desc, out);
    if (error == cudaSuccess)
        error = check_texels(call, resource->res.linear.devPtr, bytes);
    if (error != cudaSuccess)
        return error;
    out->kind = TEXTURE_LINEAR;
    out->address = (sim_addr)(uintptr_t)resource->res.linear.devPtr;
    out->size[0] = (int64_t)(bytes / (size_t)texture_texel_size(out));
    out->size[1] = out->size[2] = 1;
    return out->size[0] > 0 ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

static cudaError_t set_pitched(const struct api_call *call, const struct cudaResourceDesc *resource,
                               struct texture *out)
{
    size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    size_t pitch = resource->res.pitch2D.pitchInBytes;
    cudaError_t error = set_format(call, &resource->res.pitch2D.desc, out);
    if (error != cudaSuccess)
        return error;
    if (width == 0 || height == 0 || width > 131072 || height > 65536)
        return api_fail_because(call, cudaErrorInvalidValue, "%zu x %zu texels", width, height);
    if (pitch % 32 != 0 || pitch < width * (size_t)texture_texel_size(out))
        return api_fail_because(call, cudaErrorInvalidValue,
                                "a pitch of %zu bytes for rows of %zu texels of %d bytes: it must hold a row "
                                "and be a multiple of 32, cudaDeviceProp::texturePitchAlignment",
                                pitch, width, texture_texel_size(out));
    error = check_texels(call, resource->res.pitch2D.devPtr,
                         (height - 1) * pitch + width * (size_t)texture_texel_size(out));
    if (error != cudaSuccess)
        return error;
    out->kind = TEXTURE_2D;
    out->address = (sim_addr)(uintptr_t)resource->res.pitch2D.devPtr;
    out->size[0] = (int64_t)width;
    out->size[1] = (int64_t)height;
    out->size[2] = 1;
    out->pitch = pitch;
    return cudaSuccess;
}

cudaError_t api_set_array(const struct api_call *call, const struct cudaResourceDesc *resource,
                          struct texture *out)
{
    const struct cudaArray *array = resource->res.array.array;
    cudaError_t error = api_check_array(call, array);
    if (error == cudaSuccess)
        error = set_format(call, &array->format, out);
    if (error != cudaSuccess)
        return error;
    out->address = array->address;
    out->pitch = array->pitch;
    out->slice = array->slice;
    out->size[0] = (int64_t)array->extent.width;
    out->size[1] = array->extent.height > 0 ? (int64_t)array->extent.height : 1;
    out->size[2] = 1;
    out->kind = array->extent.height > 0 ? TEXTURE_2D : TEXTURE_1D;
    if (array->flags & (cudaArrayLayered | cudaArrayCubemap)) {
        out->is_cube = (array->flags & cudaArrayCubemap) != 0;
        out->layers = (int)array->extent.depth;
    } else if (array->extent.depth > 0) {
        out->size[2] = (int64_t)array->extent.depth;
        out->kind = TEXTURE_3D;
    }
    return cudaSuccess;
}

static cudaError_t set_resource(const struct api_call *call, const struct cudaResourceDesc *resource,
                                struct texture *out)
{
    switch (resource->resType) {
    case cudaResourceTypeLinear: return set_linear(call, resource, out);
    case cudaResourceTypePitch2D: return set_pitched(call, resource, out);
    case cudaResourceTypeArray: return api_set_array(call, resource, out);
    default: break;
    }
    return api_fail_because(call, cudaErrorNotSupported,
                            "the simulator has textures over arrays and over linear memory, not over "
                            "mipmapped arrays");
}

/* The border is of the texels' kind. */
static void set_border(const struct cudaTextureDesc *d, struct texture *out)
{
    memcpy(out->border, d->borderColor, sizeof out->border);
    for (int i = 0; out->unit_values && i < 4; i++) {
        float least = out->format == TEXEL_SIGNED ? -1 : 0;
        out->border[i] = out->border[i] > least ? fminf(out->border[i], 1) : least;
    }
}

/* How texels are found and what becomes of them. */
static cudaError_t set_sampling(const struct api_call *call, const struct cudaTextureDesc *d,
                                struct texture *out)
{
    static const enum texture_address_mode modes[] = {
        [cudaAddressModeWrap] = TEXTURE_WRAP,
        [cudaAddressModeClamp] = TEXTURE_CLAMP,
        [cudaAddressModeMirror] = TEXTURE_MIRROR,
        [cudaAddressModeBorder] = TEXTURE_BORDER,
    };
    out->unit_values = d->readMode == cudaReadModeNormalizedFloat && out->format != TEXEL_FLOAT;
    out->linear = d->filterMode == cudaFilterModeLinear;
    out->unit_coordinates = d->normalizedCoords != 0;
    out->colour_is_srgb = d->sRGB != 0;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder)
            return api_fail_because(call, cudaErrorInvalidValue, "address mode %d", (int)d->addressMode[i]);
        out->mode[i] = modes[d->addressMode[i]];
    }
    set_border(d, out);
#if CUDART_VERSION >= 12000
    if (out->is_cube && out->linear && d->seamlessCubemap)
        return api_fail_because(call, cudaErrorNotSupported,
                                "the simulator filters within one face of a cube map only (seamlessCubemap)");
#endif
    if (out->unit_values && out->channel_bytes == 4)
        return api_fail_because(call, cudaErrorInvalidNormSetting,
                                "integers of 32 bits cannot be read as normalized floats");
    if (out->kind == TEXTURE_LINEAR) { /* what the descriptor says about coordinates is ignored */
        out->linear = out->unit_coordinates = false;
        out->mode[0] = TEXTURE_BORDER;
        memset(out->border, 0, sizeof out->border);
    }
    if (out->linear && !texture_returns_float(out))
        return api_fail_because(
            call, cudaErrorInvalidFilterSetting,
            "linear filtering needs floats: texels that are, or cudaReadModeNormalizedFloat");
    return cudaSuccess;
}

/* ---- the API ------------------------------------------------------------------------------------------- */

static cudaError_t remember_texture(const struct api_call *call, const struct texture *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description, cudaTextureObject_t *out)
{
    struct api_texture_object *entry = calloc(1, sizeof *entry);
    uint64_t handle = entry ? texture_create(api.sim, texture) : 0;
    if (handle == 0) {
        free(entry);
        return api_fail_because(call, cudaErrorMemoryAllocation, "no memory for another texture object");
    }
    api_record_bytes(RECORD_TEXTURE, handle, 0, texture, sizeof *texture);
    *entry = (struct api_texture_object){handle, *resource, *description, api.textures};
    api.textures = entry;
    *out = handle;
    return cudaSuccess;
}

static cudaError_t create_texture(const struct api_call *call, cudaTextureObject_t *out,
                                  const struct cudaResourceDesc *resource,
                                  const struct cudaTextureDesc *description,
                                  const struct cudaResourceViewDesc *view)
{
    struct texture texture = {.kind = TEXTURE_LINEAR};
    if (!out || !resource || !description)
        return api_fail(cudaErrorInvalidValue);
    if (view && view->format != cudaResViewFormatNone)
        return api_fail_because(call, cudaErrorNotSupported, "the simulator has no resource views");
    cudaError_t error = set_resource(call, resource, &texture);
    if (error == cudaSuccess)
        error = set_sampling(call, description, &texture);
    return error != cudaSuccess ? error : remember_texture(call, &texture, resource, description, out);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view)
{
    API_ENTER(API_PLAIN);
    return create_texture(&call, out, resource, description, view);
}

static struct api_texture_object **find_texture(cudaTextureObject_t object)
{
    struct api_texture_object **link = &api.textures;
    while (*link && (*link)->handle != object)
        link = &(*link)->next;
    return link;
}

void api_forget_textures(void)
{
    api_forget_surfaces();
    while (api.textures) {
        struct api_texture_object *next = api.textures->next;
        texture_destroy(api.sim, api.textures->handle);
        api_record(RECORD_NO_TEXTURE, api.textures->handle, 0, 0);
        free(api.textures);
        api.textures = next;
    }
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    API_ENTER(API_PLAIN);
    struct api_texture_object **link = find_texture(object), *entry = *link;
    if (!entry)
        return api_fail_because(&call, cudaErrorInvalidValue, "0x%llx is no texture object (any more)",
                                object);
    *link = entry->next;
    texture_destroy(api.sim, object);
    api_record(RECORD_NO_TEXTURE, object, 0, 0);
    free(entry);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t object)
{
    API_ENTER(API_PLAIN);
    const struct api_texture_object *entry = *find_texture(object);
    if (!out || !entry)
        return api_fail(cudaErrorInvalidValue);
    *out = entry->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t object)
{
    API_ENTER(API_PLAIN);
    const struct api_texture_object *entry = *find_texture(object);
    if (!out || !entry)
        return api_fail(cudaErrorInvalidValue);
    *out = entry->description;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t object)
{
    API_ENTER(API_PLAIN);
    if (!out || !*find_texture(object))
        return api_fail(cudaErrorInvalidValue);
    return api_fail(cudaErrorInvalidValue); /* there never is one */
}

#if CUDART_VERSION < 12000
/* The second version differs by a flag for cube maps at the end, which there are none of. */
static void describe_v1(const struct cudaTextureDesc_v2 *from, struct cudaTextureDesc *to)
{
    memcpy(to, from, sizeof *to < sizeof *from ? sizeof *to : sizeof *from);
}

cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc_v2 *description,
                                       const struct cudaResourceViewDesc *view)
{
    API_ENTER(API_PLAIN);
    struct cudaTextureDesc first = {0};
    if (description)
        describe_v1(description, &first);
    return create_texture(&call, out, resource, description ? &first : NULL, view);
}

cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc_v2 *out, cudaTextureObject_t object)
{
    API_ENTER(API_PLAIN);
    const struct api_texture_object *entry = *find_texture(object);
    if (!out || !entry)
        return api_fail(cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    memcpy(out, &entry->description,
           sizeof *out < sizeof entry->description ? sizeof *out : sizeof entry->description);
    return cudaSuccess;
}
#endif
