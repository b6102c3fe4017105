/* Modules: variables get their places and their first values, kernels are decoded when they are first
 * used. */
#include "sim/core/address_space.h"
#include "sim/decode/decode.h"
#include "sim/device/module.h"
#include "sim/device/repeat.h"
#include "sim/device/sim.h"
#include "sim/memory/memory.h"
#include "sim/model/machine_code.h"
#include "sim/text/access_line.h"
#include "sim/text/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- variables ----------------------------------------------------------------------------------------- */

static bool lives_in_device_memory(const struct ptx_var *var)
{
    return (var->space == PTX_GLOBAL || var->space == PTX_CONST) && !var->is_extern;
}

/* Calls `visit` for every variable of the module that lives in device memory, those of functions too. */
static bool each_variable(struct sim_module *module,
                          bool (*visit)(struct sim_module *, struct ptx_var *, char *), char message[256])
{
    const struct ptx_module *ptx = module->ptx;
    for (int i = 0; i < ptx->var_count; i++)
        if (lives_in_device_memory(ptx->vars[i]) && !visit(module, ptx->vars[i], message))
            return false;
    for (int f = 0; f < ptx->func_count; f++)
        for (int i = 0; i < ptx->funcs[f]->var_count; i++)
            if (lives_in_device_memory(ptx->funcs[f]->vars[i]) &&
                !visit(module, ptx->funcs[f]->vars[i], message))
                return false;
    return true;
}

static bool place(struct sim_module *module, struct ptx_var *var, char *message)
{
    size_t size = var->size ? var->size : 1;
    if (var->space == PTX_CONST)
        module->const_bytes += var->size;
    var->address = sim_mem_alloc(module->sim, size, NULL);
    if (!var->address) {
        snprintf(message, 256, "no device memory for the variable %.100s of %zu bytes", var->name, size);
        return false;
    }
    sim_mem_name(module->sim, var->address, var->name);
    return true;
}

static uint64_t function_address(const struct ptx_module *ptx, const struct ptx_func *func)
{
    for (int i = 0; i < ptx->func_count; i++)
        if (ptx->funcs[i] == func)
            return FUNCTION_ADDRESS_BASE + (uint64_t)i;
    return 0;
}

static bool initialize(struct sim_module *module, struct ptx_var *var, char *message)
{
    size_t size = var->size ? var->size : 1;
    unsigned char *bytes = sim_mem_host(module->sim, var->address, size);
    (void)message;
    memset(bytes, 0, size);
    if (var->init)
        memcpy(bytes, var->init, var->size);
    for (int i = 0; i < var->reloc_count; i++) {
        const struct ptx_reloc *reloc = &var->relocs[i];
        uint64_t address = reloc->var ? reloc->var->address : function_address(module->ptx, reloc->func);
        address = (address + (uint64_t)reloc->addend) >> reloc->shift;
        if (reloc->offset + (size_t)reloc->size <= var->size)
            memcpy(bytes + reloc->offset, &address, (size_t)reloc->size);
    }
    sim_mem_mark_written(module->sim, var->address, size);
    if (var->space == PTX_CONST)
        memory_set_read_only(module->sim, var->address, size);
    return true;
}

/* ---- which have changed -------------------------------------------------------------------------------- */

#define LOOKED_AT ((size_t)64 << 10)

static bool has_changed(const struct sim_module *module, const struct ptx_var *var)
{
    const unsigned char *bytes = sim_mem_host(module->sim, var->address, var->size ? var->size : 1);
    if (!bytes || var->size > LOOKED_AT || var->reloc_count > 0)
        return false;
    for (size_t i = 0; i < var->size; i++)
        if (bytes[i] != (var->init ? var->init[i] : 0))
            return true;
    return false;
}

/* Puts it among those that are found, by size. */
static int add_changed(const struct ptx_var *found[], int count, int max, const struct ptx_var *var)
{
    int at = count;
    while (at > 0 && found[at - 1]->size > var->size)
        at--;
    if (at == max)
        return count;
    const int moved = (count < max ? count : max - 1) - at;
    memmove(&found[at + 1], &found[at], (size_t)moved * sizeof found[0]);
    found[at] = var;
    return count < max ? count + 1 : max;
}

#define CHANGED_MAX 8

int sim_changed_variables(struct sim *sim, char names[][64], int max)
{
    const struct ptx_var *found[CHANGED_MAX] = {0};
    int count = 0;
    max = max < CHANGED_MAX ? max : CHANGED_MAX;
    for (const struct sim_module *module = sim->modules; module; module = module->next)
        for (int i = 0; i < module->ptx->var_count; i++)
            if (lives_in_device_memory(module->ptx->vars[i]) && has_changed(module, module->ptx->vars[i]))
                count = add_changed(found, count, max, module->ptx->vars[i]);
    for (int i = 0; i < count; i++)
        place_variable_name(found[i]->name, names[i], sizeof names[i]);
    return count;
}

/* ---- what lies at an address --------------------------------------------------------------------------- */

struct search {
    sim_addr address;
    const struct ptx_var *found;
};

static void look_at(struct search *search, struct ptx_var *const *vars, int count)
{
    for (int i = 0; i < count && !search->found; i++)
        if (lives_in_device_memory(vars[i]) && search->address - vars[i]->address < vars[i]->size)
            search->found = vars[i];
}

bool sim_variable_at(const struct sim *sim, sim_addr address, struct sim_variable *out)
{
    struct search search = {.address = address};
    for (const struct sim_module *module = sim->modules; module && !search.found; module = module->next) {
        look_at(&search, module->ptx->vars, module->ptx->var_count);
        for (int f = 0; f < module->ptx->func_count; f++)
            look_at(&search, module->ptx->funcs[f]->vars, module->ptx->funcs[f]->var_count);
    }
    const struct ptx_var *var = search.found;
    if (!var)
        return false;
    *out = (struct sim_variable){.address = var->address,
                                 .size = var->size,
                                 .is_constant = var->space == PTX_CONST,
                                 .has_value = var->init || var->reloc_count > 0};
    place_variable_name(var->name, out->name, sizeof out->name);
    return true;
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static bool release(struct sim_module *module, struct ptx_var *var, char *message)
{
    (void)message;
    if (var->address)
        sim_mem_free(module->sim, var->address);
    var->address = 0;
    return true;
}

struct sim_module *sim_module_load(struct sim *sim, struct ptx_module *ptx, char message[256])
{
    struct sim_module *module = calloc(1, sizeof *module);
    if (!module) {
        ptx_module_free(ptx);
        snprintf(message, 256, "out of memory");
        return NULL;
    }
    access_lines_correct(ptx);
    module->sim = sim;
    module->ptx = ptx;
    module->next = sim->modules;
    sim->modules = module;
    if (each_variable(module, place, message) && each_variable(module, initialize, message))
        return module;
    sim_module_unload(sim, module);
    return NULL;
}

static void free_kernel(struct sim_kernel *kernel)
{
    decode_free(kernel);
    machine_code_free(kernel->machine);
    repeats_destroy(kernel->repeats);
    free(kernel);
}

void sim_module_unload(struct sim *sim, struct sim_module *module)
{
    struct sim_module **link = &sim->modules;
    while (*link && *link != module)
        link = &(*link)->next;
    if (*link)
        *link = module->next;
    memset(sim->idle_barriers, 0, sizeof sim->idle_barriers); /* names of the module's files */
    each_variable(module, release, NULL);
    while (module->kernels) {
        struct sim_kernel *next = module->kernels->next;
        free_kernel(module->kernels);
        module->kernels = next;
    }
    ptx_module_free(module->ptx);
    free(module);
}

bool sim_module_symbol(struct sim_module *module, const char *name, sim_addr *address, size_t *size)
{
    const struct ptx_var *var = ptx_module_find_var(module->ptx, name);
    if (!var || !lives_in_device_memory(var))
        return false;
    *address = var->address;
    *size = var->size;
    return true;
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name, char message[512])
{
    for (struct sim_kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (strcmp(kernel->func->name, name) == 0)
            return kernel;
    const struct ptx_func *func = ptx_module_find_func(module->ptx, name);
    if (!func || !func->is_entry || !func->has_body) {
        snprintf(message, 512, "there is no kernel called %.200s in the module", name);
        return NULL;
    }
    struct sim_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        snprintf(message, 512, "out of memory");
        return NULL;
    }
    kernel->sim = module->sim;
    kernel->module = module;
    kernel->func = func;
    kernel->files = module->ptx->files;
    kernel->file_count = module->ptx->file_count;
    kernel->info.const_bytes = module->const_bytes;
    if (!decode_kernel(kernel, message)) {
        free_kernel(kernel);
        return NULL;
    }
    kernel->next = module->kernels;
    module->kernels = kernel;
    return kernel;
}

void sim_kernel_info(const struct sim_kernel *kernel, struct sim_kernel_info *out)
{
    *out = kernel->info;
}

const struct ptx_func *sim_kernel_function(const struct sim_kernel *kernel)
{
    return kernel->func;
}

void sim_kernel_set_registers(struct sim_kernel *kernel, int registers)
{
    kernel->info.registers = registers;
    kernel->info.registers_exact = true;
}

void sim_kernel_set_frames(struct sim_kernel *kernel, const struct fatbin *fatbin)
{
    struct code *code = kernel->code;
    int bytes;
    for (int i = 1; (code->calls_unbounded || code->has_alloca) && i < code->function_count; i++) {
        struct function_layout *layout = &code->functions[i];
        if (!fatbin_frame(fatbin, kernel->info.name, layout->func->name, &bytes) || bytes < 0)
            continue;
        const size_t frame = (size_t)bytes;
        decode_set_frame(layout, &frame);
    }
}
