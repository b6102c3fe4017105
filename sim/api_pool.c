/*
 * Memory pools. Every allocation of the simulator is fresh, so a pool is no more than a handle with
 * attributes that can be set and read back.
 */
#include "api_internal.h"

#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    uint64_t attributes[16];
    struct CUmemPoolHandle_st *next;
};

static struct CUmemPoolHandle_st api_default_pool;
static struct CUmemPoolHandle_st *api_pools = &api_default_pool; /* the default one ends the list */
static struct CUmemPoolHandle_st *api_current_pool = &api_default_pool;

static bool api_pool_valid(cudaMemPool_t pool)
{
    for (const struct CUmemPoolHandle_st *p = api_pools; p != NULL; p = p->next)
        if (p == pool)
            return true;
    return false;
}

static cudaError_t api_get_pool(cudaMemPool_t *out, cudaMemPool_t pool, int device)
{
    if (device != 0)
        return api_fail(cudaErrorInvalidDevice);
    if (out == NULL)
        return api_fail(cudaErrorInvalidValue);
    *out = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    API_ENTER(API_PLAIN);
    return api_get_pool(pool, &api_default_pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    API_ENTER(API_PLAIN);
    return api_get_pool(pool, api_current_pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    API_ENTER(API_PLAIN);
    if (device != 0)
        return api_fail(cudaErrorInvalidDevice);
    if (!api_pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    api_current_pool = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    API_ENTER(API_PLAIN);
    struct CUmemPoolHandle_st *created;

    if (pool == NULL || properties == NULL)
        return api_fail(cudaErrorInvalidValue);
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return api_fail(cudaErrorMemoryAllocation);
    created->next = api_pools;
    api_pools = created;
    *pool = created;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    API_ENTER(API_PLAIN);
    struct CUmemPoolHandle_st **link = &api_pools;

    while (*link != NULL && *link != pool)
        link = &(*link)->next;
    if (*link == NULL || *link == &api_default_pool)
        return api_fail(cudaErrorInvalidValue);
    *link = pool->next;
    if (api_current_pool == pool)
        api_current_pool = &api_default_pool;
    free(pool);
    return cudaSuccess;
}

/* The three reuse policies are an int each, all others are 64 bits wide. */
static size_t api_pool_attribute_size(enum cudaMemPoolAttr attribute)
{
    return attribute <= cudaMemPoolReuseAllowInternalDependencies ? sizeof(int) : sizeof(uint64_t);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    API_ENTER(API_PLAIN);
    if (!api_pool_valid(pool) || value == NULL || (unsigned)attribute >= 16)
        return api_fail(cudaErrorInvalidValue);
    memcpy(&pool->attributes[attribute], value, api_pool_attribute_size(attribute));
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    API_ENTER(API_PLAIN);
    if (!api_pool_valid(pool) || value == NULL || (unsigned)attribute >= 16)
        return api_fail(cudaErrorInvalidValue);
    memcpy(value, &pool->attributes[attribute], api_pool_attribute_size(attribute));
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least)
{
    API_ENTER(API_PLAIN);
    (void)least;
    return api_pool_valid(pool) ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count)
{
    API_ENTER(API_PLAIN);
    (void)access, (void)count;
    return api_pool_valid(pool) ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    if (!api_pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, size, stream);
}
API_PER_THREAD(cudaMallocFromPoolAsync, ptsz);
