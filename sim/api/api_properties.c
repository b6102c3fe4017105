/* The device's properties, by attribute and as one structure. */
#include "sim/api/api_state.h"

#include <stddef.h>
#include <string.h>

/* ---- attributes ---------------------------------------------------------------------------------------- */

/* The same on every device since compute capability 8.0 (Programming Guide, "Compute Capabilities"). */
static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} common_attributes[] = {
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 1},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrAsyncEngineCount, 2},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrSparseCudaArraySupported, 0},
    {cudaDevAttrHostRegisterReadOnlySupported, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
};

/* What depends on the device; false for attributes that the simulator knows nothing of. */
static bool profile_attribute(const struct sim_profile *profile, enum cudaDeviceAttr attribute, int *value)
{
    switch ((int)attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = profile->threads_per_block; return true;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)profile->shared_per_block; return true;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = profile->registers_per_sm; return true;
    case cudaDevAttrClockRate: *value = (int)(profile->clock_ghz * 1e6); return true;
    case cudaDevAttrMultiProcessorCount: *value = profile->sm_count; return true;
    case cudaDevAttrMemoryClockRate: *value = profile->memory_clock_khz; return true;
    case cudaDevAttrGlobalMemoryBusWidth: *value = profile->memory_bus_bits; return true;
    case cudaDevAttrL2CacheSize: *value = (int)profile->l2_bytes; return true;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = profile->threads_per_sm; return true;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = (int)(profile->shared_per_sm - profile->shared_per_block_optin);
        return true;
    case cudaDevAttrComputeCapabilityMajor: *value = profile->cc_major; return true;
    case cudaDevAttrComputeCapabilityMinor: *value = profile->cc_minor; return true;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)profile->shared_per_sm; return true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)profile->shared_per_block_optin; return true;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = profile->blocks_per_sm; return true;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = profile->fp32_lanes / profile->fp64_lanes;
        return true;
    case cudaDevAttrMaxPersistingL2CacheSize:
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = 0; return true;
    }
    return false;
}

static bool find_attribute(enum cudaDeviceAttr attribute, int *value)
{
    int count = (int)(sizeof common_attributes / sizeof *common_attributes);
    for (int i = 0; i < count; i++) {
        if (common_attributes[i].attribute == attribute) {
            *value = common_attributes[i].value;
            return true;
        }
    }
    return profile_attribute(sim_config(api.sim)->profile, attribute, value);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    API_ENTER(API_PLAIN);
    if (!value || (int)attribute < 1 || attribute >= cudaDevAttrMax)
        return api_fail(cudaErrorInvalidValue);
    if (api_check_device(&call, device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if (!find_attribute(attribute, value))
        *value = 0; /* features that it does not have */
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    API_ENTER(API_PLAIN);
    (void)attribute, (void)from, (void)to;
    return api_fail(!value ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

/* ---- cudaDeviceProp: the same figures as a structure --------------------------------------------------- */

static int attribute_value(enum cudaDeviceAttr attribute)
{
    int value = 0;
    find_attribute(attribute, &value);
    return value;
}

static void fill_limits(struct cudaDeviceProp *p)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    p->totalGlobalMem = profile->dram_bytes;
    p->sharedMemPerBlock = profile->shared_per_block;
    p->sharedMemPerMultiprocessor = profile->shared_per_sm;
    p->sharedMemPerBlockOptin = profile->shared_per_block_optin;
    p->reservedSharedMemPerBlock = (size_t)attribute_value(cudaDevAttrReservedSharedMemoryPerBlock);
    p->regsPerBlock = p->regsPerMultiprocessor = profile->registers_per_sm;
    p->warpSize = 32;
    p->memPitch = (size_t)attribute_value(cudaDevAttrMaxPitch);
    p->maxThreadsPerBlock = profile->threads_per_block;
    p->maxThreadsPerMultiProcessor = profile->threads_per_sm;
    p->maxBlocksPerMultiProcessor = profile->blocks_per_sm;
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = attribute_value((enum cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        p->maxGridSize[i] = attribute_value((enum cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
    p->totalConstMem = (size_t)attribute_value(cudaDevAttrTotalConstantMemory);
    p->textureAlignment = (size_t)attribute_value(cudaDevAttrTextureAlignment);
    p->texturePitchAlignment = (size_t)attribute_value(cudaDevAttrTexturePitchAlignment);
    p->surfaceAlignment = (size_t)attribute_value(cudaDevAttrSurfaceAlignment);
}

/* Widths, heights, depths and layers of textures and surfaces: members of one to three integers. */
#define MEMBER(name) offsetof(struct cudaDeviceProp, name), sizeof(((struct cudaDeviceProp *)0)->name)

static const struct {
    size_t offset, bytes;
    enum cudaDeviceAttr attributes[3];
} texture_limits[] = {
    {MEMBER(maxTexture1D), {cudaDevAttrMaxTexture1DWidth}},
    {MEMBER(maxTexture1DMipmap), {cudaDevAttrMaxTexture1DMipmappedWidth}},
    {MEMBER(maxTextureCubemap), {cudaDevAttrMaxTextureCubemapWidth}},
    {MEMBER(maxSurface1D), {cudaDevAttrMaxSurface1DWidth}},
    {MEMBER(maxSurfaceCubemap), {cudaDevAttrMaxSurfaceCubemapWidth}},
    {MEMBER(maxTexture2D), {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight}},
    {MEMBER(maxTexture2DMipmap),
     {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight}},
    {MEMBER(maxTexture2DLinear),
     {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
      cudaDevAttrMaxTexture2DLinearPitch}},
    {MEMBER(maxTexture2DGather), {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight}},
    {MEMBER(maxTexture3D),
     {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth}},
    {MEMBER(maxTexture3DAlt),
     {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt}},
    {MEMBER(maxTexture1DLayered),
     {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers}},
    {MEMBER(maxTexture2DLayered),
     {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
      cudaDevAttrMaxTexture2DLayeredLayers}},
    {MEMBER(maxTextureCubemapLayered),
     {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers}},
    {MEMBER(maxSurface2D), {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight}},
    {MEMBER(maxSurface3D),
     {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth}},
    {MEMBER(maxSurface1DLayered),
     {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers}},
    {MEMBER(maxSurface2DLayered),
     {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
      cudaDevAttrMaxSurface2DLayeredLayers}},
    {MEMBER(maxSurfaceCubemapLayered),
     {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers}},
};

static void fill_textures(struct cudaDeviceProp *p)
{
    for (size_t i = 0; i < sizeof texture_limits / sizeof *texture_limits; i++) {
        int *to = (int *)(void *)((char *)p + texture_limits[i].offset);
        for (size_t k = 0; k < texture_limits[i].bytes / sizeof *to; k++)
            to[k] = attribute_value(texture_limits[i].attributes[k]);
    }
}

static void fill_features(struct cudaDeviceProp *p)
{
    p->canMapHostMemory = 1;
    p->concurrentKernels = 1;
    p->ECCEnabled = 1;
    p->pciBusID = 1;
    p->asyncEngineCount = attribute_value(cudaDevAttrAsyncEngineCount);
    p->unifiedAddressing = 1;
    p->memoryBusWidth = attribute_value(cudaDevAttrGlobalMemoryBusWidth);
    p->l2CacheSize = attribute_value(cudaDevAttrL2CacheSize);
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->cooperativeLaunch = 1;
#if CUDART_VERSION < 13000
    p->clockRate = attribute_value(cudaDevAttrClockRate);
    p->memoryClockRate = attribute_value(cudaDevAttrMemoryClockRate);
    p->deviceOverlap = 1;
    p->singleToDoublePrecisionPerfRatio = attribute_value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
#if CUDART_VERSION >= 12000
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
#endif
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    API_ENTER(API_PLAIN);
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    if (!p)
        return api_fail(cudaErrorInvalidValue);
    if (api_check_device(&call, device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", profile->name);
    memcpy(p->uuid.bytes, "CUDA-simulator-0", 16);
    p->major = profile->cc_major;
    p->minor = profile->cc_minor;
    p->multiProcessorCount = profile->sm_count;
    fill_limits(p);
    fill_textures(p);
    fill_features(p);
    return cudaSuccess;
}
