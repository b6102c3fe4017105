/* Memory of the device and of the host as the API hands it out. */
#ifndef SIM_API_MEMORY_H
#define SIM_API_MEMORY_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"

/* Of managed memory, a kernel may reach each smaller block through pointers that lie in another one. */
#define API_LINKED_BLOCK ((size_t)1 << 20)

/* The host's memory that kernels may touch. */
enum api_host_kind { API_HOST_PINNED, API_HOST_REGISTERED, API_HOST_MANAGED };

struct api_host_block {
    char *start;
    size_t size;
    enum api_host_kind kind;
    unsigned flags;
    bool owned;            /* allocated here */
    uint64_t device;       /* where kernels find a managed variable; 0: at the same address */
    const void *outermost; /* as in struct api_call, of the call that made it */
};

struct api_host_blocks {
    struct api_host_block *list;
    uint64_t mapped; /* bytes of all blocks that were ever owned: where the next one goes */
    int count, room;
};

/* The block that holds `pointer`, or NULL: ordinary host memory (or a device's). */
struct api_host_block *api_find_host_block(const void *pointer);
/* Lets kernels use [start, start + size) of the host's memory at that very address. */
bool api_adopt(void *start, size_t size, enum api_host_kind kind, unsigned flags, const void *caller);

/* cudaMalloc and cudaFree, without waiting. */
cudaError_t api_malloc(const struct api_call *call, void **pointer, size_t size);
cudaError_t api_free(const struct api_call *call, void *pointer);
/* Says why it cannot be freed, and returns that. */
cudaError_t api_free_failed(const struct api_call *call, const void *pointer);
/* An allocation is freed: if it came from a pool, the pool has it back (api_pool.c). */
void api_pool_forget(const void *pointer);
void api_pool_forget_all(void);

/* Frees every allocation of the device and every block of the host. */
void api_free_all(const struct api_call *call);

/* ---- pools --------------------------------------------------------------------------------------------- */

struct CUmemPoolHandle_st {
    uint64_t attributes[cudaMemPoolAttrUsedMemHigh + 1];
    struct CUmemPoolHandle_st *next;
};

/* The policies for reuse are on by default; nothing here depends on them. */
#define API_NEW_POOL                                                                                         \
    {                                                                                                        \
        .attributes = {                                                                                      \
            [cudaMemPoolReuseFollowEventDependencies] = 1,                                                   \
            [cudaMemPoolReuseAllowOpportunistic] = 1,                                                        \
            [cudaMemPoolReuseAllowInternalDependencies] = 1,                                                 \
        }                                                                                                    \
    }

struct api_pooled; /* an allocation that came from a pool: api_pool.c */

struct api_pools {
    struct CUmemPoolHandle_st standard; /* cudaDeviceGetDefaultMemPool */
    struct CUmemPoolHandle_st *list;    /* the standard one ends it */
    struct CUmemPoolHandle_st *current;
    struct api_pooled *allocations;
};

#endif
