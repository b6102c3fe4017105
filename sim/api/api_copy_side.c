/*
 * Every side of a copy is checked before a byte moves: does the address belong where the direction says, and
 * does the allocation there hold as many bytes.
 */
#include "sim/api/api_array.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_remarks.h"
#include "sim/api/api_state.h"

#include <string.h>

/* "allocation d_x (16 bytes) at 0x…", or "allocation of main.cu:12 (16 bytes) …", or without either. */
static void describe(const struct sim_allocation *allocation, char *text, size_t size)
{
    const char *prefix = "the allocation ";
    char name[160];
    api_allocation_name(allocation, name, sizeof name);
    const bool placed = strncmp(name, prefix, strlen(prefix)) == 0;
    const char *called = placed ? name + strlen(prefix) : allocation->name;
    snprintf(text, size, "%sallocation%s%s (%zu bytes) at 0x%llx", allocation->freed ? "freed " : "",
             called[0] != '\0' ? " " : "", called, allocation->size, (unsigned long long)allocation->address);
}

static cudaError_t outside(const struct api_call *call, const struct api_place *place)
{
    const struct sim_allocation *found = sim_mem_find(api.sim, place->address);
    if (!found)
        return api_fail_because(call, cudaErrorInvalidValue, "%s 0x%llx is not allocated device memory",
                                place->role, (unsigned long long)place->address);
    char text[200];
    describe(found, text, sizeof text);
    size_t offset = place->address - found->address;
    if (found->freed || offset >= found->size)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s 0x%llx is not allocated device memory; %s: %s", place->role,
                                (unsigned long long)place->address,
                                found->freed && offset < found->size ? "it was" : "nearest below it", text);
    return api_fail_because(
        call, cudaErrorInvalidValue,
        "%s: %zu bytes from byte %zu on, which is %zu beyond the end of the %s%s", place->role, place->size,
        offset, place->size - (found->size - offset), text,
        offset == 0 && (place->size == 4 * found->size || place->size == 8 * found->size)
            ? ". cudaMalloc counts in bytes, not in elements: is `* sizeof(...)` missing there?"
            : "");
}

/* The C library's memory does not know its own length, but who watches it may. */
static cudaError_t check_host_room(const struct api_call *call, const struct api_place *place)
{
    struct sim_host_memory memory = {.line = 0};
    char at[224] = "";
    if (!api.host_memory || !api.host_memory((const void *)place->address, place->size, &memory))
        return cudaSuccess;
    if (memory.line > 0)
        snprintf(at, sizeof at, " at %s:%d", memory.file, memory.line);
    return api_fail_because(
        call, cudaErrorInvalidValue,
        "%s: %zu bytes, but the memory of the host that was allocated%s has only %zu%s%s", place->role,
        place->size, at, memory.left, memory.left < memory.bytes ? " from there on" : "",
        place->size == 4 * memory.bytes || place->size == 8 * memory.bytes
            ? ". malloc counts in bytes, not in elements: is `* sizeof(...)` missing there?"
            : "");
}

static cudaError_t resolve_host(const struct api_call *call, struct api_place *place)
{
    const struct api_host_block *block = api_find_host_block((const void *)place->address);
    place->on_device = false;
    place->shared = block != NULL;
    place->bytes = (unsigned char *)place->address;
    if (place->address == 0)
        return api_fail_because(call, cudaErrorInvalidValue, "%s is a null pointer", place->role);
    const char *symbol = api_variable_name((const void *)place->address);
    if (api_is_array((const void *)place->address))
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%s is a cudaArray_t: the handle of an array for textures, whose texels have no address. Use "
            "cudaMemcpy2DToArray or cudaMemcpy2DFromArray (cudaMemcpy3D for volumes).",
            place->role);
    if (!block && symbol)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%s is %s, a variable of the device: on the host its name is not its address. Use "
            "cudaMemcpyToSymbol or cudaMemcpyFromSymbol with the name, or cudaGetSymbolAddress.",
            place->role, symbol);
    if (!block && place->must_device)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s %p is a host address, but a device address is needed there%s",
                                place->role, (void *)place->address,
                                api_holds_device_pointer((const void *)place->address)
                                    ? ": it is where the host keeps a pointer to device memory, and that "
                                      "pointer is meant: there is one & too many in front of it"
                                    : "");
    if (block && place->size > block->size - (size_t)((char *)place->bytes - block->start)) {
        const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)place->address);
        char name[160] = "the memory";
        if (found)
            api_allocation_name(found, name, sizeof name);
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s: %zu bytes do not fit after byte %zu of the %zu bytes at %p, %s",
                                place->role, place->size, (size_t)((char *)place->bytes - block->start),
                                block->size, (void *)block->start, name);
    }
    return block ? cudaSuccess : check_host_room(call, place);
}

cudaError_t api_resolve(const struct api_call *call, struct api_place *place)
{
    if (!sim_mem_is_device(api.sim, (const void *)place->address))
        return resolve_host(call, place);
    place->on_device = place->shared = true;
    if (place->must_host)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%s %p is a device address, but in the direction that the call is given it must be a host address",
            place->role, (void *)place->address);
    place->bytes = sim_mem_host(api.sim, place->address, place->size);
    return place->bytes ? cudaSuccess : outside(call, place);
}

bool api_set_direction(enum cudaMemcpyKind kind, struct api_place *to, struct api_place *from)
{
    to->must_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    from->must_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    to->must_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    from->must_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
    return (unsigned)kind <= cudaMemcpyDefault;
}
