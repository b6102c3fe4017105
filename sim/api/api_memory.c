/* Memory of the device, and memory of the host that kernels may touch: pinned, registered, managed. */
#include "sim/api/api_memory.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- host blocks --------------------------------------------------------------------------------------- */

struct api_host_block *api_find_host_block(const void *pointer)
{
    for (int i = 0; i < api.blocks.count; i++)
        if ((const char *)pointer >= api.blocks.list[i].start &&
            (const char *)pointer < api.blocks.list[i].start + api.blocks.list[i].size)
            return &api.blocks.list[i];
    return NULL;
}

bool api_adopt(void *start, size_t size, enum api_host_kind kind, unsigned flags, const void *caller)
{
    struct api_host_block *grown;
    if (api.blocks.count == api.blocks.room) {
        grown = realloc(api.blocks.list, sizeof *api.blocks.list * (size_t)(api.blocks.room + 64));
        if (!grown)
            return false;
        api.blocks.list = grown;
        api.blocks.room += 64;
    }
    if (sim_mem_adopt(api.sim, start, size, caller) == 0)
        return false;
    if (kind != API_HOST_MANAGED)
        sim_mem_over_bus(api.sim, (sim_addr)(uintptr_t)start);
    api_record_adopt(start, size, caller);
    api.blocks.list[api.blocks.count++] = (struct api_host_block){start, size, kind, flags, false, 0, NULL};
    return true;
}

/* Registered memory and the host's view of a __managed__ variable are not ours to free. */
static void release_block(struct api_host_block *block)
{
    sim_mem_free(api.sim, (sim_addr)(uintptr_t)block->start);
    api_record(RECORD_FREE, (uint64_t)(uintptr_t)block->start, 0, 0);
    if (block->owned)
        munmap(block->start, block->size);
    *block = api.blocks.list[--api.blocks.count];
}

void api_free_all(const struct api_call *call)
{
    sim_addr below = UINT64_MAX;
    api_pool_forget_all();
    while (api.blocks.count > 0)
        release_block(&api.blocks.list[0]);
    const struct sim_allocation *found;
    while ((found = sim_mem_find(api.sim, below)) && found->address > 0) {
        const sim_addr address = found->address;
        below = address - 1;
        if (found->freed || !sim_mem_free(api.sim, address))
            continue;
        api_record(RECORD_FREE, address, 0, 0);
        sim_mem_freed_from(api.sim, address, call->name, call->caller, call->outer);
    }
}

/* ---- cudaMalloc and cudaFree --------------------------------------------------------------------------- */

static size_t bytes_free(void)
{
    size_t live, total = sim_config(api.sim)->profile->dram_bytes;
    sim_mem_usage(api.sim, &live, NULL, NULL);
    return live < total ? total - live : 0;
}

cudaError_t api_malloc(const struct api_call *call, void **pointer, size_t size)
{
    if (!pointer)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "the first argument is a null pointer: give the "
                                "address of a pointer, as in cudaMalloc(&d_x, bytes)");
    if (size == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    if (size > bytes_free())
        return api_fail_because(call, cudaErrorMemoryAllocation, "%zu bytes asked for, %zu free on %s", size,
                                bytes_free(), sim_config(api.sim)->profile->name);
    sim_addr address = sim_mem_alloc(api.sim, size, call->caller);
    if (address == 0)
        return api_fail_because(call, cudaErrorMemoryAllocation,
                                "this computer does not have enough memory to simulate another %zu bytes",
                                size);
    sim_mem_called_from(api.sim, address, call->outer);
    api_record_made(RECORD_ALLOCATE, address, size, call);
    api_remark_made(call);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    API_ENTER(API_PLAIN);
    return api_malloc(&call, pointer, size);
}

cudaError_t api_free_failed(const struct api_call *call, const void *pointer)
{
    const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)(uintptr_t)pointer);
    uint64_t offset = found ? (sim_addr)(uintptr_t)pointer - found->address : 0;
    /* Of the device and not freed: it waits in a stream to be. */
    if (found && offset == 0 && (found->freed || sim_mem_is_device(api.sim, pointer)))
        return api_fail_because(call, cudaErrorInvalidValue, "%p (%zu bytes%s%s) is freed already", pointer,
                                found->size, found->name[0] != '\0' ? ", " : "", found->name);
    if (found && !found->freed && offset > 0 && offset < found->size)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%p lies %llu bytes inside the allocation at 0x%llx: give the pointer to its beginning", pointer,
            (unsigned long long)offset, (unsigned long long)found->address);
    if (!sim_mem_is_device(api.sim, pointer))
        return api_fail_because(
            call, cudaErrorInvalidValue, "%p is a host address: %s", pointer,
            api_holds_device_pointer(pointer)
                ? "it is where the host keeps a pointer to device memory, and that pointer is meant: there is one "
                  "& too many in front of it"
                : "memory from malloc is freed with free, and memory from cudaMallocHost with cudaFreeHost");
    return api_fail_because(call, cudaErrorInvalidValue, "%p was never allocated", pointer);
}

cudaError_t api_free(const struct api_call *call, void *pointer)
{
    struct api_host_block *block = api_find_host_block(pointer);
    if (!pointer)
        return cudaSuccess;
    if (block && block->start == pointer && block->kind == API_HOST_MANAGED && block->owned) {
        release_block(block);
        return cudaSuccess;
    }
    if (block || !sim_mem_free(api.sim, (sim_addr)(uintptr_t)pointer))
        return api_free_failed(call, pointer);
    api_record_made(RECORD_FREE, (uint64_t)(uintptr_t)pointer, 0, call);
    sim_mem_freed_from(api.sim, (sim_addr)(uintptr_t)pointer, call->name, call->caller, call->outer);
    api_pool_forget(pointer);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    API_ENTER(API_SYNC);
    api_clock_wait_all();
    return api_free(&call, pointer);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    API_ENTER(API_PLAIN);
    if (!free_bytes || !total_bytes)
        return api_fail(cudaErrorInvalidValue);
    *free_bytes = bytes_free();
    *total_bytes = sim_config(api.sim)->profile->dram_bytes;
    return cudaSuccess;
}

/* Rows begin at multiples of 512 bytes, as on current devices (16 x cudaDeviceProp::texturePitchAlignment). */
static size_t row_pitch(size_t width)
{
    return (width + 511) / 512 * 512;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    API_ENTER(API_PLAIN);
    if (!pitch || width > SIZE_MAX / 2 || (height > 0 && row_pitch(width) > SIZE_MAX / height))
        return api_fail(cudaErrorInvalidValue);
    cudaError_t error = api_malloc(&call, pointer, row_pitch(width) * height);
    if (error == cudaSuccess)
        *pitch = row_pitch(width);
    return error;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    API_ENTER(API_PLAIN);
    size_t pitch = row_pitch(extent.width), rows;
    if (!pointer || extent.width > SIZE_MAX / 2 ||
        __builtin_mul_overflow(extent.height, extent.depth, &rows) || (rows > 0 && pitch > SIZE_MAX / rows))
        return api_fail(cudaErrorInvalidValue);
    pointer->pitch = pitch;
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return api_malloc(&call, &pointer->ptr, pitch * rows);
}

/* ---- memory of the host -------------------------------------------------------------------------------- */

/* For the same reason as in sim/memory/memory_range.c: between its two ranges. The host may put it elsewhere. */
#define HOST_BASE_HINT UINT64_C(0x280000000000)

static void *map_host_block(size_t size)
{
    void *hint = (void *)(uintptr_t)(HOST_BASE_HINT + api.blocks.mapped);
    api.blocks.mapped += (size + 4095) / 4096 * 4096;
    return mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static cudaError_t new_host_block(const struct api_call *call, void **pointer, size_t size,
                                  enum api_host_kind kind, unsigned flags)
{
    void *start = NULL;
    if (!pointer)
        return api_fail(cudaErrorInvalidValue);
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess; /* for managed memory too, whatever its documentation says: seen on an H100 */
    /* Whole pages of its own, which can be closed (api_pages.h); fresh ones are zero. */
    start = map_host_block(size);
    if (start == MAP_FAILED)
        return api_fail(cudaErrorMemoryAllocation);
    if (!api_adopt(start, size, kind, flags, call->caller)) {
        munmap(start, size);
        return api_fail(cudaErrorMemoryAllocation);
    }
    api_find_host_block(start)->owned = true;
    api_find_host_block(start)->outermost = call->outermost;
    sim_mem_called_from(api.sim, (sim_addr)(uintptr_t)start, call->outer);
    *pointer = start;
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    API_ENTER(API_PLAIN);
    return new_host_block(&call, pointer, size, API_HOST_PINNED, 0);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if ((flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) != 0)
        return api_fail(cudaErrorInvalidValue);
    return new_host_block(&call, pointer, size, API_HOST_PINNED, flags);
}

cudaError_t cudaFreeHost(void *pointer)
{
    API_ENTER(API_SYNC);
    struct api_host_block *block = api_find_host_block(pointer);
    if (!pointer)
        return cudaSuccess;
    if (!block || block->start != pointer || block->kind != API_HOST_PINNED)
        return api_fail_because(&call, cudaErrorInvalidValue,
                                "%p does not come from cudaMallocHost or cudaHostAlloc, or is freed already",
                                pointer);
    release_block(block);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (!pointer || size == 0 || sim_mem_is_device(api.sim, pointer))
        return api_fail(cudaErrorInvalidValue);
    if (api_find_host_block(pointer) || api_find_host_block((char *)pointer + size - 1) ||
        !api_adopt(pointer, size, API_HOST_REGISTERED, flags, call.caller))
        return api_fail(cudaErrorHostMemoryAlreadyRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    API_ENTER(API_SYNC);
    struct api_host_block *block = api_find_host_block(pointer);
    if (!block || block->start != pointer || block->kind != API_HOST_REGISTERED)
        return api_fail(cudaErrorHostMemoryNotRegistered);
    release_block(block);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (!device || flags != 0 || !api_find_host_block(host))
        return api_fail(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    API_ENTER(API_PLAIN);
    const struct api_host_block *block = api_find_host_block(host);
    if (!flags || !block || block->kind == API_HOST_MANAGED)
        return api_fail(cudaErrorInvalidValue);
    *flags = block->flags | cudaHostAllocMapped; /* always mapped where addresses are unified */
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return api_fail(cudaErrorInvalidValue);
    return new_host_block(&call, pointer, size, API_HOST_MANAGED, flags);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    API_ENTER(API_PLAIN);
    const struct api_host_block *block = api_find_host_block(pointer);
    if (!attributes)
        return api_fail(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    attributes->device = -2; /* cudaInvalidDeviceId: ordinary host memory */
    attributes->type = cudaMemoryTypeUnregistered;
    if (block) {
        attributes->type = block->kind == API_HOST_MANAGED ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
        attributes->devicePointer = attributes->hostPointer = (void *)(uintptr_t)pointer;
        attributes->device = 0;
    } else if (sim_mem_is_device(api.sim, pointer) &&
               sim_mem_host(api.sim, (sim_addr)(uintptr_t)pointer, 1)) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->devicePointer = (void *)(uintptr_t)pointer;
        attributes->device = 0;
    } else {
        attributes->hostPointer = (void *)(uintptr_t)pointer;
    }
    return cudaSuccess;
}
