/* Small changes of the kernels that have been launched, for a run that tells what they do. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode.h"
#include "sim/device/module.h"
#include "sim/device/sim.h"
#include "sim/text/plain_name.h"

static bool is_used(const struct sim_module *module, const struct ptx_func *func)
{
    for (const struct sim_kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        for (int i = 0; i < kernel->code->function_count; i++)
            if (kernel->code->functions[i].func == func)
                return true;
    return false;
}

#define FUNCTIONS_MAX 64

uint64_t sim_functions_used(const struct sim *sim)
{
    uint64_t used = 0;
    int number = 0;
    for (const struct sim_module *module = sim->modules; module; module = module->next)
        for (int f = 0; f < module->ptx->func_count && number < FUNCTIONS_MAX; f++)
            if (module->ptx->funcs[f]->has_body)
                used |= (uint64_t)is_used(module, module->ptx->funcs[f]) << number++;
    return used;
}

/* The functions of these numbers. */
static struct ptx_change_scope scope_of(const struct sim *sim, const struct sim_changes *of)
{
    struct ptx_change_scope scope = {.file = of->file, .near_count = of->near_count};
    int number = 0;
    if (of->near_count > 0)
        memcpy(scope.near, of->near, (size_t)of->near_count * sizeof *scope.near);
    scope.funcs = sim_need(FUNCTIONS_MAX, sizeof(struct ptx_func *), "the functions of a program");
    for (const struct sim_module *module = sim->modules; module; module = module->next)
        for (int f = 0; f < module->ptx->func_count && number < FUNCTIONS_MAX; f++)
            if (module->ptx->funcs[f]->has_body && (of->functions >> number++ & 1))
                scope.funcs[scope.count++] = module->ptx->funcs[f];
    return scope;
}

static bool decode_again(struct sim *sim)
{
    char message[512];
    for (struct sim_module *module = sim->modules; module; module = module->next)
        for (struct sim_kernel *kernel = module->kernels; kernel; kernel = kernel->next) {
            decode_free(kernel);
            if (!decode_kernel(kernel, message))
                return false;
        }
    return true;
}

bool sim_change(struct sim *sim, const struct sim_changes *of, int number, struct ptx_change *out, int *count)
{
    struct ptx_change_scope scope = scope_of(sim, of);
    const bool made = ptx_change_make(&scope, number, out, count);
    free(scope.funcs);
    if (made)
        plain_name(out->func->name, out->function, sizeof out->function);
    return made && decode_again(sim);
}
