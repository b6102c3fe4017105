/*
 * What the start-up code that nvcc puts into a program says about its modules: one fat binary for
 * each translation unit, its kernels and variables. A module is loaded when something in it is first
 * used, as the real runtime does since 11.7 (lazy loading).
 */
#include "sim/api/api_internal.h"
#include "sim/ptx/fatbin.h"
#include "sim/text/plain_name.h"

#include <stdlib.h>
#include <string.h>

struct variable {
    const void *host; /* the shadow's address */
    const char *name;
    size_t size;
    void **managed; /* where the host keeps the pointer to a __managed__ variable; else NULL */
    struct api_module *module;
};

enum load_state { API_NOT_LOADED, API_LOADED, API_LOAD_FAILED };

struct api_module {
    const void *image;
    enum load_state state;
    cudaError_t error;
    struct fatbin fatbin;
    struct sim_module *module;
    bool relocatable; /* one of several that are linked: they share `module` … */
    bool borrowed;    /* … which another one owns */
    struct api_module *next;
};

static struct api_module *modules;
static struct api_function **functions; /* one allocation each: their addresses are handles */
static int function_count, function_room;
static struct variable *variables;
static int variable_count, variable_room;

/*
 * Host addresses are looked up in a table that is open-addressed by the address: programs that use
 * a template library register thousands of kernels.
 */
struct address_index {
    const void **keys;
    int *values;
    size_t room; /* a power of two, or 0 */
    size_t used;
};

static struct address_index function_index, variable_index;

static void *grow(void *array, int *room, int count, size_t item)
{
    void *grown = array;
    if (count < *room)
        return array;
    *room = *room == 0 ? 16 : 2 * *room;
    grown = realloc(array, (size_t)*room * item);
    if (!grown)
        abort(); /* out of memory before main has begun */
    return grown;
}

static size_t index_slot(const struct address_index *index, const void *key)
{
    size_t slot = ((uintptr_t)key * 0x9E3779B97F4A7C15u >> 20) & (index->room - 1);
    while (index->keys[slot] && index->keys[slot] != key)
        slot = (slot + 1) & (index->room - 1);
    return slot;
}

static void index_add(struct address_index *index, const void *key, int value)
{
    struct address_index old = *index;
    if (2 * (index->used + 1) > index->room) {
        index->room = old.room == 0 ? 64 : 2 * old.room;
        index->keys = calloc(index->room, sizeof *index->keys);
        index->values = calloc(index->room, sizeof *index->values);
        if (!index->keys || !index->values)
            abort();
        index->used = 0;
        for (size_t i = 0; i < old.room; i++)
            if (old.keys[i])
                index_add(index, old.keys[i], old.values[i]);
        free(old.keys);
        free(old.values);
    }
    size_t slot = index_slot(index, key);
    index->used += !index->keys[slot];
    index->keys[slot] = key;
    index->values[slot] = value;
}

static int index_find(const struct address_index *index, const void *key)
{
    if (index->room == 0 || !key)
        return -1;
    size_t slot = index_slot(index, key);
    return index->keys[slot] == key ? index->values[slot] : -1;
}

/* ---- called by the start-up code (crt/host_runtime.h) -------------------------------------------------- */

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterLinkedBinary(void (*callback)(void **), void *image, void *name, void (*dummy)(void *));
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(void **kernel, const void *host);

void **__cudaRegisterFatBinary(void *image)
{
    struct api_module *module = calloc(1, sizeof *module);
    if (!module)
        abort();
    module->image = image;
    module->next = modules;
    modules = module;
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/*
 * Objects with relocatable device code (nvcc -dc) each call a function of their own, of this type, that the
 * device linker would make. simcc lets all of them be this one.
 */
void __cudaRegisterLinkedBinary(void (*callback)(void **), void *image, void *name, void (*dummy)(void *))
{
    void **handle = __cudaRegisterFatBinary(image);
    (void)name, (void)dummy;
    ((struct api_module *)handle)->relocatable = true;
    callback(handle);
}

/* Runs while the program ends, before the reports: what they name must stay. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    struct api_function *function = calloc(1, sizeof *function);
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    if (!function)
        abort();
    function->host = host;
    function->name = name;
    function->module = (struct api_module *)handle;
    function->max_dynamic_shared = -1;
    function->carveout = -1;
    functions = grow(functions, &function_room, function_count, sizeof(struct api_function *));
    functions[function_count] = function;
    index_add(&function_index, host, function_count);
    index_add(&function_index, function, function_count);
    function_count++;
}

static void register_variable(void **handle, const void *host, void **managed, const char *name, size_t size)
{
    variables = grow(variables, &variable_room, variable_count, sizeof(struct variable));
    struct variable *variable = &variables[variable_count];
    variable->host = host;
    variable->name = name;
    variable->size = size;
    variable->managed = managed;
    variable->module = (struct api_module *)handle;
    index_add(&variable_index, host, variable_count);
    variable_count++;
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

/* ---- loading ------------------------------------------------------------------------------------------- */

/*
 * A __managed__ variable lives in the module's memory like any other; the host gets a view of the
 * same bytes, and kernels that are handed the host's address can follow it too.
 */
static void place_managed(struct api_module *module)
{
    for (int i = 0; i < variable_count; i++) {
        struct variable *variable = &variables[i];
        sim_addr address;
        size_t size;
        if (variable->module != module || !variable->managed ||
            !sim_module_symbol(module->module, variable->name, &address, &size))
            continue;
        void *view = sim_mem_host(api.sim, address, size);
        if (!view)
            continue;
        api_adopt(view, size, API_HOST_MANAGED, 0, NULL);
        *variable->managed = view;
        index_add(&variable_index, view, i);
    }
}

static cudaError_t parse_module(struct api_module *module, struct ptx_module **ptx, char message[512])
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    struct ptx_error error = {0, 0, ""};
    if (!fatbin_read(module->image, SIZE_MAX, &module->fatbin, message))
        return cudaErrorInvalidKernelImage;
    const struct fatbin_entry *entry =
        fatbin_choose_ptx(&module->fatbin, 10 * profile->cc_major + profile->cc_minor, message);
    if (!entry)
        return cudaErrorNoKernelImageForDevice;
    *ptx = ptx_parse(entry->data, entry->size, &error);
    if (*ptx)
        return cudaSuccess;
    snprintf(message, 512, "line %d of the PTX, column %d: %s", error.line, error.column, error.message);
    return cudaErrorInvalidPtx;
}

static cudaError_t place_module(struct api_module *module, struct ptx_module *ptx, char message[512])
{
    char detail[256] = "";
    module->module = sim_module_load(api.sim, ptx, detail);
    if (module->module)
        return cudaSuccess;
    snprintf(message, 512, "%s", detail);
    return cudaErrorInvalidKernelImage;
}

/* All relocatable modules of the program, linked into one. */
static cudaError_t read_linked(struct api_module *owner, char message[512])
{
    cudaError_t error = cudaSuccess;
    int count = 0;
    for (const struct api_module *module = modules; module; module = module->next)
        count += module->relocatable;
    struct ptx_module **parts = calloc((size_t)count, sizeof *parts);
    if (!parts)
        return cudaErrorMemoryAllocation;
    count = 0;
    for (struct api_module *module = modules; module && error == cudaSuccess; module = module->next)
        if (module->relocatable && (error = parse_module(module, &parts[count], message)) == cudaSuccess)
            count++;
    if (error == cudaSuccess)
        error = place_module(owner, ptx_link(parts, count), message);
    else
        while (count > 0)
            ptx_module_free(parts[--count]);
    free(parts);
    for (struct api_module *module = modules; module; module = module->next) {
        if (!module->relocatable)
            continue;
        module->borrowed = module != owner;
        module->module = owner->module;
        module->error = error;
        module->state = error == cudaSuccess ? API_LOADED : API_LOAD_FAILED;
        if (error == cudaSuccess && module != owner)
            place_managed(module);
    }
    return error;
}

static cudaError_t read_module(struct api_module *module, char message[512])
{
    if (module->relocatable)
        return read_linked(module, message);
    struct ptx_module *ptx;
    cudaError_t error = parse_module(module, &ptx, message);
    return error != cudaSuccess ? error : place_module(module, ptx, message);
}

static cudaError_t load_module(const char *caller, struct api_module *module)
{
    char message[512] = "";
    if (module->state != API_NOT_LOADED)
        return module->error;
    module->error = read_module(module, message);
    module->state = module->error == cudaSuccess ? API_LOADED : API_LOAD_FAILED;
    if (module->error == cudaSuccess)
        place_managed(module);
    else
        api_note(caller, "cannot load the program's device code: %s", message);
    return module->error;
}

void api_unload_modules(void)
{
    for (int i = 0; i < function_count; i++) {
        functions[i]->kernel = NULL;
        functions[i]->max_dynamic_shared = -1;
        functions[i]->carveout = -1;
    }
    for (struct api_module *module = modules; module; module = module->next) {
        if (module->module && !module->borrowed)
            sim_module_unload(api.sim, module->module);
        fatbin_free(&module->fatbin);
        memset(&module->fatbin, 0, sizeof module->fatbin);
        module->module = NULL;
        module->state = API_NOT_LOADED;
        module->error = cudaSuccess;
    }
}

/* Before the host first touches a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    API_ENTER(API_ANYWAY);
    return load_module("the start of the program", (struct api_module *)handle) == cudaSuccess;
}

/* ---- looking things up --------------------------------------------------------------------------------- */

/* The register count that ptxas wrote down, if the program carries machine code for this device. */
static void set_registers(struct api_function *function)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    struct fatbin_kernel_info info;
    if (fatbin_kernel_info(&function->module->fatbin, 10 * profile->cc_major + profile->cc_minor,
                           function->name, &info) &&
        info.registers > 0)
        sim_kernel_set_registers(function->kernel, info.registers);
}

/* Loads the function, unless that is done. */
static struct api_function *prepare_function(const struct api_call *call, struct api_function *function,
                                             cudaError_t *error)
{
    char message[512] = "", name[128];
    *error = cudaErrorInvalidDeviceFunction;
    if (function->kernel)
        return function;
    *error = load_module(call->name, function->module);
    if (*error != cudaSuccess)
        return NULL;
    function->kernel = sim_module_kernel(function->module->module, function->name, message);
    if (!function->kernel) {
        plain_name(function->name, name, sizeof name);
        api_note(call->name, "cannot run kernel %s: %s", name, message);
        *error = cudaErrorNotSupported;
        return NULL;
    }
    set_registers(function);
    return function;
}

struct api_function *api_find_function(const struct api_call *call, const void *symbol, cudaError_t *error)
{
    int found = index_find(&function_index, symbol);
    *error = !symbol ? cudaErrorInvalidDeviceFunction : API_NO_KERNEL;
    return found < 0 ? NULL : prepare_function(call, functions[found], error);
}

struct api_function *api_find_function_named(const struct api_call *call, const char *name,
                                             cudaError_t *error)
{
    *error = cudaErrorInvalidDeviceFunction;
    for (int i = 0; i < function_count; i++)
        if (strcmp(functions[i]->name, name) == 0)
            return prepare_function(call, functions[i], error);
    return NULL;
}

cudaError_t api_find_symbol(const struct api_call *call, const void *symbol, struct api_symbol *out)
{
    int found = index_find(&variable_index, symbol);
    if (found < 0)
        return api_fail_because(
            call, cudaErrorInvalidSymbol,
            "%p is no __device__, __constant__ or __managed__ variable: give the variable "
            "itself, not its name as a string and not a pointer",
            symbol);
    const struct variable *variable = &variables[found];
    cudaError_t error = load_module(call->name, variable->module);
    if (error != cudaSuccess)
        return api_fail(error);
    size_t size;
    if (!sim_module_symbol(variable->module->module, variable->name, &out->address, &size))
        return api_fail_because(call, cudaErrorInvalidSymbol, "no variable %s in the device code",
                                variable->name);
    out->name = variable->name;
    out->size = variable->size;
    return cudaSuccess;
}

/* nvcc 12 and later look a kernel up once and then launch it by this handle. */
cudaError_t __cudaGetKernel(void **kernel, const void *host)
{
    int found = index_find(&function_index, host);
    if (found < 0)
        return cudaErrorInvalidDeviceFunction;
    *kernel = functions[found];
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
