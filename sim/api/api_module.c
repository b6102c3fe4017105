/*
 * Modules: loaded when something in them is first used, as the real runtime does since 11.7 (lazy loading).
 */
#include "sim/api/api_module.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"
#include "sim/text/plain_name.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ------------------------------------------------------------------------------------------- */

/*
 * A __managed__ variable lives in the module's memory like any other; the host gets a view of the
 * same bytes, and kernels that are handed the host's address can follow it too.
 */
static void place_managed(struct api_module *module)
{
    for (int i = 0; i < api.modules.variable_count; i++) {
        struct api_variable *variable = &api.modules.variables[i];
        sim_addr address;
        size_t size;
        if (variable->module != module || !variable->managed ||
            !sim_module_symbol(module->module, variable->name, &address, &size))
            continue;
        void *view = sim_mem_host(api.sim, address, size);
        if (!view)
            continue;
        if (api_adopt(view, size, API_HOST_MANAGED, 0, NULL))
            api_find_host_block(view)->device = address;
        sim_mem_name(api.sim, (sim_addr)(uintptr_t)view, variable->name);
        *variable->managed = view;
        api_index_add(&api.modules.variable_index, view, i);
    }
}

static cudaError_t parse_text(const char *text, size_t length, struct ptx_module **ptx, char message[512])
{
    struct ptx_error error = {0, 0, ""};
    *ptx = ptx_parse(text, length, &error);
    if (*ptx)
        return cudaSuccess;
    snprintf(message, 512, "line %d of the PTX, column %d: %s", error.line, error.column, error.message);
    return cudaErrorInvalidPtx;
}

static cudaError_t parse_fatbin(const struct fatbin *fatbin, struct ptx_module **ptx, char message[512])
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    const struct fatbin_entry *entry = fatbin_choose_ptx(fatbin, sim_profile_code(profile), message);
    return entry ? parse_text(entry->data, entry->size, ptx, message) : cudaErrorNoKernelImageForDevice;
}

/* One object of those that nvlink has linked; *part stays NULL if it has no PTX that can be read, and message says why. */
static cudaError_t parse_part(const void *image, struct ptx_module **part, char message[512])
{
    struct fatbin fatbin;
    if (!fatbin_read(image, SIZE_MAX, &fatbin, message))
        return cudaErrorInvalidKernelImage;
    cudaError_t error = parse_fatbin(&fatbin, part, message);
    fatbin_free(&fatbin);
    return error == cudaErrorNoKernelImageForDevice ? cudaSuccess : error;
}

/*
 * The PTX of all of them. An object without PTX is left out: the toolkit's libcudadevrt.a has machine code only, and the
 * simulator has functions of its own for it. Kernels that need more of what was left out say so (left_out).
 */
static cudaError_t parse_parts(struct api_module *module, const void *const *images, struct ptx_module **ptx,
                               char message[512])
{
    cudaError_t error = cudaSuccess;
    int count = 0, images_count = 0;
    while (images[images_count])
        images_count++;
    struct ptx_module **parts =
        sim_need((size_t)images_count + 1, sizeof *parts, "the parts of a linked module");
    for (int i = 0; i < images_count && error == cudaSuccess; i++) {
        error = parse_part(images[i], &parts[count], message);
        if (parts[count])
            count++;
        else if (error == cudaSuccess)
            snprintf(module->left_out, sizeof module->left_out, "%.250s", message);
    }
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoKernelImageForDevice;
    if (error == cudaSuccess)
        *ptx = ptx_link(parts, count);
    while (error != cudaSuccess && count > 0)
        ptx_module_free(parts[--count]);
    free(parts);
    return error;
}

static cudaError_t parse_module(struct api_module *module, struct ptx_module **ptx, char message[512])
{
    const void *const *parts = fatbin_linked_parts(module->image);
    if (api.modules.text)
        return parse_text(api.modules.text, api.modules.text_length, ptx, message);
    if (!fatbin_read(module->image, SIZE_MAX, &module->fatbin, message))
        return cudaErrorInvalidKernelImage;
    return parts ? parse_parts(module, parts, ptx, message) : parse_fatbin(&module->fatbin, ptx, message);
}

static cudaError_t place_module(struct api_module *module, struct ptx_module *ptx, char message[512])
{
    char detail[256] = "";
    module->module = sim_module_load(api.sim, ptx, detail);
    module->ptx = module->module ? ptx : NULL;
    if (module->module)
        return cudaSuccess;
    snprintf(message, 512, "%s", detail);
    return cudaErrorInvalidKernelImage;
}

static cudaError_t read_module(struct api_module *module, char message[512])
{
    struct ptx_module *ptx;
    cudaError_t error = parse_module(module, &ptx, message);
    return error != cudaSuccess ? error : place_module(module, ptx, message);
}

cudaError_t api_load_module(const char *caller, struct api_module *module)
{
    char message[512] = "";
    if (module->state != API_NOT_LOADED)
        return module->error;
    module->error = read_module(module, message);
    module->state = module->error == cudaSuccess ? API_LOADED : API_LOAD_FAILED;
    if (module->error == cudaSuccess) {
        api_record_load(module->image);
        place_managed(module);
    } else
        api_note(caller, "cannot load the program's device code: %s", message);
    return module->error;
}

void sim_load_program(void)
{
    if (!sim_current())
        return;
    for (struct api_module *module = api.modules.list; module; module = module->next)
        api_load_module("sim_load_program", module);
}

void api_unload_modules(void)
{
    api_record(RECORD_UNLOAD, 0, 0, 0);
    for (int i = 0; i < api.modules.function_count; i++) {
        api.modules.functions[i]->kernel = NULL;
        api.modules.functions[i]->max_dynamic_shared = -1;
        api.modules.functions[i]->carveout = -1;
    }
    for (struct api_module *module = api.modules.list; module; module = module->next) {
        if (module->module)
            sim_module_unload(api.sim, module->module);
        fatbin_free(&module->fatbin);
        memset(&module->fatbin, 0, sizeof module->fatbin);
        module->module = NULL;
        module->ptx = NULL;
        module->state = API_NOT_LOADED;
        module->error = cudaSuccess;
    }
}

/* ---- other code than the program's --------------------------------------------------------------------- */

void sim_program_text(const char *ptx, size_t length)
{
    api.modules.text = ptx;
    api.modules.text_length = length;
}

static const char *name_in(const struct ptx_module *ptx, const char *name,
                           bool (*is_it)(const char *in_ptx, const char *in_program))
{
    for (int i = 0; i < ptx->func_count; i++)
        if (is_it(ptx->funcs[i]->name, name))
            return ptx->funcs[i]->name;
    for (int i = 0; i < ptx->var_count; i++)
        if (is_it(ptx->vars[i]->name, name))
            return ptx->vars[i]->name;
    return name;
}

void sim_program_names(bool (*is_it)(const char *in_ptx, const char *in_program))
{
    struct api_modules *all = &api.modules;
    for (int i = 0; i < all->function_count; i++)
        if (all->functions[i]->module->ptx)
            all->functions[i]->name = name_in(all->functions[i]->module->ptx, all->functions[i]->name, is_it);
    for (int i = 0; i < all->variable_count; i++)
        if (all->variables[i].module->ptx)
            all->variables[i].name = name_in(all->variables[i].module->ptx, all->variables[i].name, is_it);
    for (struct api_module *module = all->list; module; module = module->next)
        if (module->module)
            place_managed(module);
}

/* ---- looking things up --------------------------------------------------------------------------------- */

/* The register count that ptxas wrote down, if the program carries machine code for this device. */
static void set_registers(struct api_function *function)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    struct fatbin_kernel_info info;
    if (fatbin_kernel_info(&function->module->fatbin, sim_profile_code(profile), function->name, &info) &&
        info.registers > 0)
        sim_kernel_set_registers(function->kernel, info.registers);
    sim_kernel_set_frames(function->kernel, &function->module->fatbin);
}

/* Loads the function, unless that is done. */
static struct api_function *prepare_function(const struct api_call *call, struct api_function *function,
                                             cudaError_t *error)
{
    char message[512] = "", name[128];
    *error = cudaErrorInvalidDeviceFunction;
    if (function->kernel)
        return function;
    *error = api_load_module(call->name, function->module);
    if (*error != cudaSuccess)
        return NULL;
    function->kernel = sim_module_kernel(function->module->module, function->name, message);
    if (!function->kernel) {
        const char *left_out = function->module->left_out;
        plain_name(function->name, name, sizeof name);
        api_note(call->name, "cannot run kernel %s: %s%s%s", name, message,
                 left_out[0] ? ". One of the objects that the program was linked from was left out: " : "",
                 left_out);
        *error = cudaErrorNotSupported;
        return NULL;
    }
    set_registers(function);
    return function;
}

struct api_function *api_find_function(const struct api_call *call, const void *symbol, cudaError_t *error)
{
    int found = api_index_find(&api.modules.function_index, symbol);
    *error = !symbol ? cudaErrorInvalidDeviceFunction : API_NO_KERNEL;
    return found < 0 ? NULL : prepare_function(call, api.modules.functions[found], error);
}

struct api_function *api_find_function_named(const struct api_call *call, const char *name,
                                             cudaError_t *error)
{
    *error = cudaErrorInvalidDeviceFunction;
    for (int i = 0; i < api.modules.function_count; i++)
        if (strcmp(api.modules.functions[i]->name, name) == 0)
            return prepare_function(call, api.modules.functions[i], error);
    return NULL;
}

const char *api_variable_name(const void *shadow)
{
    const int found = api_index_find(&api.modules.variable_index, shadow);
    return found < 0 || api.modules.variables[found].managed ? NULL : api.modules.variables[found].name;
}

cudaError_t api_find_symbol(const struct api_call *call, const void *symbol, struct api_symbol *out)
{
    int found = api_index_find(&api.modules.variable_index, symbol);
    if (found < 0)
        return api_fail_because(
            call, cudaErrorInvalidSymbol,
            "%p is no __device__, __constant__ or __managed__ variable: give the variable "
            "itself, not its name as a string and not a pointer",
            symbol);
    const struct api_variable *variable = &api.modules.variables[found];
    cudaError_t error = api_load_module(call->name, variable->module);
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
