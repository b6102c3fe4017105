/* Copies of three dimensions, between pitched memory and arrays. */
#include "sim/api/api_array.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

struct api_box_side api_side_3d(const struct cudaPitchedPtr *memory, const struct cudaPos *position)
{
    size_t slice = memory->pitch * memory->ysize;
    uintptr_t address =
        (uintptr_t)memory->ptr + position->z * slice + position->y * memory->pitch + position->x;
    return (struct api_box_side){address, memory->pitch, slice};
}

/* Positions in an array count texels. */
static struct api_box_side array_side_3d(const struct cudaArray *array, const struct cudaPos *position)
{
    uintptr_t address = (uintptr_t)array->address + position->z * array->slice + position->y * array->pitch +
                        position->x * array->texel_size;
    return (struct api_box_side){address, array->pitch, array->slice};
}

static cudaError_t check_in_array(const struct api_call *call, const struct cudaArray *array,
                                  const struct cudaPos *position, const struct cudaExtent *extent)
{
    size_t height = array->extent.height > 0 ? array->extent.height : 1;
    size_t depth = array->extent.depth > 0 ? array->extent.depth : 1;
    cudaError_t error = api_check_array(call, array);
    if (error != cudaSuccess)
        return error;
    if (position->x + extent->width > array->extent.width || position->y + extent->height > height ||
        position->z + extent->depth > depth)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "a box of %zu x %zu x %zu texels from (%zu, %zu, %zu) on does not lie inside of "
            "the array of %zu x %zu x %zu",
            extent->width, extent->height, extent->depth, position->x, position->y, position->z,
            array->extent.width, height, depth);
    return cudaSuccess;
}

/* The extent counts texels as soon as an array takes part, else bytes. */
static cudaError_t copy_3d(const struct api_call *call, const struct cudaMemcpy3DParms *p,
                           cudaStream_t stream, enum api_copy_way way)
{
    cudaError_t error = cudaSuccess;
    if (!p || (p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return api_fail(cudaErrorInvalidValue);
    if (p->dstArray)
        error = check_in_array(call, p->dstArray, &p->dstPos, &p->extent);
    if (error == cudaSuccess && p->srcArray)
        error = check_in_array(call, p->srcArray, &p->srcPos, &p->extent);
    if (error != cudaSuccess)
        return error;
    const struct cudaArray *array = p->dstArray ? p->dstArray : p->srcArray;
    struct api_box box = {p->extent.width * (array ? array->texel_size : 1), p->extent.height,
                          p->extent.depth};
    struct api_box_side to =
        p->dstArray ? array_side_3d(p->dstArray, &p->dstPos) : api_side_3d(&p->dstPtr, &p->dstPos);
    struct api_box_side from =
        p->srcArray ? array_side_3d(p->srcArray, &p->srcPos) : api_side_3d(&p->srcPtr, &p->srcPos);
    return api_copy_box(call, &box, &to, &from, p->kind, stream, way);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    API_ENTER(API_PLAIN);
    return copy_3d(&call, parameters, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy3D, ptds, (const struct cudaMemcpy3DParms *parameters), (parameters))

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_3d(&call, parameters, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpy3DAsync, ptsz, (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream),
               (parameters, stream))

/* One device: both sides are on it. */
static cudaError_t copy_3d_peer(const struct api_call *call, const struct cudaMemcpy3DPeerParms *p,
                                cudaStream_t stream, enum api_copy_way way)
{
    struct cudaMemcpy3DParms parameters = {0};
    if (!p)
        return api_fail(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0)
        return api_check_device(call, p->srcDevice != 0 ? p->srcDevice : p->dstDevice);
    parameters.srcArray = p->srcArray;
    parameters.srcPos = p->srcPos;
    parameters.srcPtr = p->srcPtr;
    parameters.dstArray = p->dstArray;
    parameters.dstPos = p->dstPos;
    parameters.dstPtr = p->dstPtr;
    parameters.extent = p->extent;
    parameters.kind = cudaMemcpyDeviceToDevice;
    return copy_3d(call, &parameters, stream, way);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
    API_ENTER(API_PLAIN);
    return copy_3d_peer(&call, parameters, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy3DPeer, ptds, (const struct cudaMemcpy3DPeerParms *parameters), (parameters))

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_3d_peer(&call, parameters, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpy3DPeerAsync, ptsz,
               (const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream), (parameters, stream))
