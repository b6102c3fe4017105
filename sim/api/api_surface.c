/* Surface objects: arrays that kernels read and write. */
#include "sim/api/api_array.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/memory/texture.h"

#include <stdlib.h>

/* What the program can ask for again. */
struct api_surface_object {
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct api_surface_object *next;
};

static struct api_surface_object **find_surface(cudaSurfaceObject_t object)
{
    struct api_surface_object **link = &api.surfaces;
    while (*link && (*link)->handle != object)
        link = &(*link)->next;
    return link;
}

static void drop_surface(struct api_surface_object **link)
{
    struct api_surface_object *entry = *link;
    *link = entry->next;
    texture_destroy(api.sim, entry->handle);
    api_record(RECORD_NO_TEXTURE, entry->handle, 0, 0);
    free(entry);
}

void api_forget_surfaces(void)
{
    while (api.surfaces)
        drop_surface(&api.surfaces);
}

static cudaError_t check_resource(const struct api_call *call, const struct cudaResourceDesc *resource)
{
    if (resource->resType != cudaResourceTypeArray)
        return api_fail_because(call, cudaErrorInvalidValue, "a surface lies over a cudaArray, nothing else");
    cudaError_t error = api_check_array(call, resource->res.array.array);
    if (error == cudaSuccess && !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        return api_fail_because(call, cudaErrorInvalidValue,
                                "the array was made without cudaArraySurfaceLoadStore");
    return error;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource)
{
    API_ENTER(API_PLAIN);
    struct texture surface = {.is_surface = true};
    if (!out || !resource)
        return api_fail(cudaErrorInvalidValue);
    cudaError_t error = check_resource(&call, resource);
    if (error == cudaSuccess)
        error = api_set_array(&call, resource, &surface);
    if (error != cudaSuccess)
        return error;
    struct api_surface_object *entry = calloc(1, sizeof *entry);
    if (entry)
        *entry = (struct api_surface_object){texture_create(api.sim, &surface), *resource, api.surfaces};
    if (!entry || entry->handle == 0) {
        free(entry);
        return api_fail_because(&call, cudaErrorMemoryAllocation, "no memory for another surface object");
    }
    api_record_bytes(RECORD_TEXTURE, entry->handle, 0, &surface, sizeof surface);
    api.surfaces = entry;
    *out = entry->handle;
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    API_ENTER(API_PLAIN);
    struct api_surface_object **link = find_surface(object);
    if (!*link)
        return api_fail_because(&call, cudaErrorInvalidValue, "0x%llx is no surface object (any more)",
                                object);
    drop_surface(link);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t object)
{
    API_ENTER(API_PLAIN);
    const struct api_surface_object *entry = *find_surface(object);
    if (!out || !entry)
        return api_fail(cudaErrorInvalidValue);
    *out = entry->resource;
    return cudaSuccess;
}
