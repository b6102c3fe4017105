/* The program's modules, kernels and variables: what its start-up code registers, and how it is found. */
#ifndef SIM_API_MODULE_H
#define SIM_API_MODULE_H

#include "sim/api/api_call.h"
#include "sim/api/api_index.h"
#include "sim/device/sim.h"
#include "sim/ptx/fatbin.h"

enum api_load_state { API_NOT_LOADED, API_LOADED, API_LOAD_FAILED };

/* One fat binary: a translation unit. */
struct api_module {
    const void *image;
    enum api_load_state state;
    cudaError_t error;
    struct fatbin fatbin;
    struct sim_module *module;
    const struct ptx_module *ptx; /* the module's, where it is loaded */
    char left_out[256];           /* why an object that was linked into it has no PTX; "": all have */
    struct api_module *next;
};

struct api_function {
    const void *host; /* the address of the stub, by which the program names the kernel */
    const char *name; /* mangled */
    struct api_module *module;
    struct sim_kernel *kernel; /* NULL until it is first used */
    bool large_clusters;       /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    int max_dynamic_shared;    /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set */
    int carveout;              /* cudaFuncAttributePreferredSharedMemoryCarveout, -1 by default */
};

struct api_variable {
    const void *host; /* the shadow's address */
    const char *name;
    size_t size;
    void **managed; /* where the host keeps the pointer to a __managed__ variable; else NULL */
    struct api_module *module;
};

/* All that the program has registered. */
struct api_modules {
    struct api_module *list; /* newest first */
    const char *text;        /* of sim_program_text; NULL: what the modules hold */
    size_t text_length;
    struct api_function **functions; /* one allocation each: their addresses are handles */
    int function_count, function_room;
    struct api_variable *variables;
    int variable_count, variable_room;
    struct api_index function_index, variable_index; /* by address on the host, functions by handle too */
};

/*
 * The function that `symbol` names, a stub's address or a cudaKernel_t, loaded. NULL and `error`
 * (cudaErrorInvalidDeviceFunction and others) if there is none or it cannot run here.
 */
struct api_function *api_find_function(const struct api_call *call, const void *symbol, cudaError_t *error);

/* The same by its mangled name, for launches from kernels. */
struct api_function *api_find_function_named(const struct api_call *call, const char *name,
                                             cudaError_t *error);

struct api_symbol {
    const char *name;
    sim_addr address;
    size_t size;
};

/* The variable whose shadow on the host is `symbol`. */
cudaError_t api_find_symbol(const struct api_call *call, const void *symbol, struct api_symbol *out);

/* The name of the variable of the device whose shadow on the host lies at the address; NULL: there is none. */
const char *api_variable_name(const void *shadow);

/* Forgets all modules' device side; they are loaded anew when next used. */
void api_unload_modules(void);

/* Loads the module's device code unless that is done; says on behalf of `caller` why it cannot be. */
cudaError_t api_load_module(const char *caller, struct api_module *module);

/* Of the program's start-up code (api_register.c). */
void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);

#endif
