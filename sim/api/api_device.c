/* Choosing a device, of which there is one; its limits and preferences. */
#include "sim/api/api_array.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

#include <string.h>

/* ---- choosing and waiting ------------------------------------------------------------------------------ */

cudaError_t cudaGetDeviceCount(int *count)
{
    API_ENTER(API_PLAIN);
    if (!count)
        return api_fail(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

cudaError_t api_check_device(const struct api_call *call, int device)
{
    if (device == 0)
        return cudaSuccess;
    return api_fail_because(call, cudaErrorInvalidDevice, "there is no device %d: the only one is device 0",
                            device);
}

cudaError_t cudaSetDevice(int device)
{
    API_ENTER(API_PLAIN);
    return api_check_device(&call, device);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    API_ENTER(API_PLAIN);
    (void)device_flags, (void)flags;
    return api_check_device(&call, device);
}
#endif

cudaError_t cudaGetDevice(int *device)
{
    API_ENTER(API_PLAIN);
    if (!device)
        return api_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    API_ENTER(API_PLAIN);
    if (!device || !wanted)
        return api_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    API_ENTER(API_PLAIN);
    for (int i = 0; i < count; i++)
        if (api_check_device(&call, devices[i]) != cudaSuccess)
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    API_ENTER(API_PLAIN);
    if ((flags & ~(unsigned)cudaDeviceMask) != 0)
        return api_fail_because(&call, cudaErrorInvalidValue, "flags 0x%x: there are only 0x%x", flags,
                                cudaDeviceMask);
    api.settings.flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    API_ENTER(API_PLAIN);
    if (!flags)
        return api_fail(cudaErrorInvalidValue);
    *flags = api.settings.flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    API_ENTER(API_SYNC);
    api_clock_wait_all();
    api_remark_wait(&call);
    return cudaSuccess;
}

static void use_limits(void)
{
    sim_config(api.sim)->printf_limit = api.settings.limits[cudaLimitPrintfFifoSize];
    sim_config(api.sim)->heap_limit = api.settings.limits[cudaLimitMallocHeapSize];
}

static void reset_limits(void)
{
    const unsigned flags = api.settings.flags;
    api.settings = (struct api_device_settings)API_DEFAULT_SETTINGS;
    api.settings.flags = flags;
    sim_config(api.sim)->stack_limit = STACK_LIMIT_DEFAULT;
    use_limits();
}

/* All memory, all modules and all limits of the device go, and with them a fault; reports and totals stay. */
cudaError_t cudaDeviceReset(void)
{
    API_ENTER(API_ANYWAY);
    api_queue_wait_all();
    api_clock_wait_all();
    api_unload_modules();
    api_forget_textures();
    api_forget_arrays();
    api_free_all(&call);
    reset_limits();
    api.pending = cudaSuccess;
    api.sticky = cudaSuccess;
    return cudaSuccess;
}

#if CUDART_VERSION < 13000
cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

/* Doubles are doubles on every device since compute capability 1.3. */
cudaError_t cudaSetDoubleForDevice(double *number)
{
    API_ENTER(API_PLAIN);
    return number ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaSetDoubleForHost(double *number)
{
    API_ENTER(API_PLAIN);
    return number ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}
#endif

/* The runtime that the program was compiled for, and a driver as new. */
cudaError_t cudaRuntimeGetVersion(int *version)
{
    API_ENTER(API_ANYWAY);
    if (!version)
        return api_fail(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

/* ---- limits and preferences ---------------------------------------------------------------------------- */

/* Kernels that wait for kernels of their own have gone with compute capability 9.0. */
static bool limit_known(enum cudaLimit limit)
{
    if (limit == cudaLimitDevRuntimeSyncDepth && sim_config(api.sim)->profile->cc_major >= 9)
        return false;
    return (size_t)limit < sizeof api.settings.limits / sizeof *api.settings.limits;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    API_ENTER(API_PLAIN);
    if (!value)
        return api_fail(cudaErrorInvalidValue);
    if (!limit_known(limit))
        return api_fail(cudaErrorUnsupportedLimit);
    *value = api.settings.limits[limit];
    return cudaSuccess;
}

/*
 * "The driver is free to modify the requested value to meet h/w requirements" (CUDA Runtime API, cudaDeviceSetLimit):
 * a multiple of 16 bytes, and no more than a thread's local memory may have.
 */
static size_t set_stack_limit(const struct api_call *call, size_t bytes)
{
    if (bytes > STACK_LIMIT_MAX)
        api_note(call->name, "%zu bytes of stack per thread: at most %zu are possible, which are set", bytes,
                 STACK_LIMIT_MAX);
    bytes = bytes > STACK_LIMIT_MAX ? STACK_LIMIT_MAX : bytes < 16 ? 16 : (bytes + 15) / 16 * 16;
    sim_config(api.sim)->stack_limit = bytes;
    return bytes;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    API_ENTER(API_PLAIN);
    if (!limit_known(limit))
        return api_fail(cudaErrorUnsupportedLimit);
    api_queue_run_all(); /* what is queued already has the limits of before */
    if (limit == cudaLimitStackSize)
        value = set_stack_limit(&call, value);
    api.settings.limits[limit] = value;
    use_limits();
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    API_ENTER(API_PLAIN);
    api.settings.cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    API_ENTER(API_PLAIN);
    if (!config)
        return api_fail(cudaErrorInvalidValue);
    *config = api.settings.cache_config;
    return cudaSuccess;
}

/* Banks are four bytes wide on every device since compute capability 5.0; asking for eight has no effect. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    API_ENTER(API_PLAIN);
    (void)config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    API_ENTER(API_PLAIN);
    if (!config)
        return api_fail(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    API_ENTER(API_PLAIN);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    API_ENTER(API_PLAIN);
    return cudaSuccess;
}

/* From cuda_profiler_api.h. */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaProfilerStart(void)
{
    API_ENTER(API_PLAIN);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    API_ENTER(API_PLAIN);
    return cudaSuccess;
}

/* ---- one device has no peers --------------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    API_ENTER(API_PLAIN);
    if (!can)
        return api_fail(cudaErrorInvalidValue);
    if (device != 0 || peer != 0)
        return api_check_device(&call, device != 0 ? device : peer);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    return api_fail(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    API_ENTER(API_PLAIN);
    return api_fail(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

static const char pci_bus_id[] = "0000:01:00.0";

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    API_ENTER(API_PLAIN);
    if (!id || length < (int)sizeof pci_bus_id)
        return api_fail(cudaErrorInvalidValue);
    if (api_check_device(&call, device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    memcpy(id, pci_bus_id, sizeof pci_bus_id);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    API_ENTER(API_PLAIN);
    if (!device || !id || strcmp(id, pci_bus_id) != 0)
        return api_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
