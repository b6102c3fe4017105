/* Arrays, and the textures and surfaces over them. */
#ifndef SIM_API_ARRAY_H
#define SIM_API_ARRAY_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"

/* What cudaArray_t points to. The texels lie in ordinary device memory, row by row. */
struct cudaArray {
    sim_addr address;
    struct cudaChannelFormatDesc format;
    /* As given: height and depth may be 0; depth counts layers where there are any. */
    struct cudaExtent extent;
    unsigned flags;
    size_t texel_size, pitch, slice; /* bytes */
    struct cudaArray *next;
};

/* Bytes of a texel, 0 if it is no format that an array or texture can have. */
size_t api_texel_size(const struct cudaChannelFormatDesc *format);
/* cudaErrorInvalidChannelDescriptor, said and remembered, if it is 0. */
cudaError_t api_check_format(const struct api_call *call, const struct cudaChannelFormatDesc *format);
/* cudaErrorInvalidResourceHandle, said and remembered, unless the array is one that lives. */
cudaError_t api_check_array(const struct api_call *call, const struct cudaArray *array);
/* Whether that is the handle of an array that lives. */
bool api_is_array(const void *address);
/* Forgets all arrays; their memory is freed with everything else. */
void api_forget_arrays(void);
/* Destroys all texture objects (api_texture.c). */
void api_forget_textures(void);
/* Fills in what an array says about a texture or a surface over it (api_texture.c). */
struct texture;
cudaError_t api_set_array(const struct api_call *call, const struct cudaResourceDesc *resource,
                          struct texture *out);
void api_forget_surfaces(void); /* api_surface.c */

#endif
