/*
 * What the start-up code that nvcc puts into a program says about its modules (crt/host_runtime.h): one fat
 * binary for each translation unit, or for all that are linked by nvlink; its kernels and variables.
 */
#include "sim/api/api_module.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"

static void *grow(void *array, int *room, int count, size_t item, const char *what)
{
    if (count < *room)
        return array;
    *room = *room == 0 ? 16 : 2 * *room;
    return sim_need_resized(array, (size_t)*room, item, what);
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(void **kernel, const void *host);

void **__cudaRegisterFatBinary(void *image)
{
    struct api_module *module = sim_need(1, sizeof *module, "a module of the program");
    module->image = image;
    module->next = api.modules.list;
    api.modules.list = module;
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Runs while the program ends, before the reports: what they name must stay. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    struct api_modules *all = &api.modules;
    struct api_function *function = sim_need(1, sizeof *function, "a kernel of the program");
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    function->host = host;
    function->name = name;
    function->module = (struct api_module *)handle;
    function->max_dynamic_shared = -1;
    function->carveout = -1;
    all->functions = grow(all->functions, &all->function_room, all->function_count,
                          sizeof(struct api_function *), "the list of the program's kernels");
    all->functions[all->function_count] = function;
    api_index_add(&all->function_index, host, all->function_count);
    api_index_add(&all->function_index, function, all->function_count);
    all->function_count++;
}

static void register_variable(void **handle, const void *host, void **managed, const char *name, size_t size)
{
    struct api_modules *all = &api.modules;
    all->variables = grow(all->variables, &all->variable_room, all->variable_count, sizeof *all->variables,
                          "the list of the program's variables");
    struct api_variable *variable = &all->variables[all->variable_count];
    variable->host = host;
    variable->name = name;
    variable->size = size;
    variable->managed = managed;
    variable->module = (struct api_module *)handle;
    api_index_add(&all->variable_index, host, all->variable_count);
    all->variable_count++;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    register_variable(handle, host, NULL, name, size);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    register_variable(handle, host, host, name, size);
}

/* Before the host first touches a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    API_ENTER(API_ANYWAY);
    return api_load_module("the start of the program", (struct api_module *)handle) == cudaSuccess;
}

/* nvcc 12 and later look a kernel up once and then launch it by this handle. */
cudaError_t __cudaGetKernel(void **kernel, const void *host)
{
    int found = api_index_find(&api.modules.function_index, host);
    if (found < 0)
        return cudaErrorInvalidDeviceFunction;
    *kernel = api.modules.functions[found];
    return cudaSuccess;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    API_ENTER(API_PLAIN);
    if (!kernel)
        return api_fail(cudaErrorInvalidValue);
    return api_fail(__cudaGetKernel((void **)kernel, host));
}
#endif

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    API_ENTER(API_PLAIN);
    if (!function)
        return api_fail(cudaErrorInvalidValue);
    return api_fail(__cudaGetKernel((void **)function, symbol));
}
