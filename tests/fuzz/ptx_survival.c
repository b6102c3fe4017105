#define _GNU_SOURCE
#include "ptx_survival.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/cfg.h"
#include "sim/device/sim.h"

/* ---- whatever is accepted keeps the promises of ptx.h -------------------------------------------------- */

static const char *broken_operand(const struct ptx_func *func, const struct ptx_operand *operand)
{
    bool kept = true;
    switch (operand->kind) {
    case PTX_REG: kept = operand->reg >= 0 && operand->reg < func->reg_count; break;
    case PTX_LABEL: kept = operand->value >= 0 && operand->value < func->instr_count; break;
    case PTX_SYMBOL: kept = operand->var != NULL; break;
    case PTX_FUNC: kept = operand->func != NULL; break;
    case PTX_SREG:
    case PTX_NAME: kept = operand->name != NULL; break;
    case PTX_ADDRESS: kept = operand->reg >= -1 && operand->reg < func->reg_count; break;
    default: break;
    }
    if (!kept)
        return "an operand names what does not exist";
    for (int i = 0; i < operand->count; i++) {
        const char *broken = broken_operand(func, &operand->list[i]);
        if (broken)
            return broken;
    }
    return NULL;
}

static const char *broken_instruction(const struct ptx_module *module, const struct ptx_func *func,
                                      const struct ptx_instr *instr)
{
    if (!instr->text || !instr->op)
        return "an instruction without a name";
    if (instr->guard < -1 || instr->guard >= func->reg_count)
        return "a guard that does not exist";
    int files[] = {instr->loc.file, instr->site.file};
    for (int i = 0; i < 2; i++)
        if (files[i] != 0 && (files[i] < 0 || files[i] >= module->file_count || !module->files[files[i]]))
            return "a place in a file that does not exist";
    for (int i = 0; i < instr->operand_count; i++) {
        const char *broken = broken_operand(func, &instr->operands[i]);
        if (broken)
            return broken;
    }
    return NULL;
}

static const char *broken_function(const struct ptx_module *module, const struct ptx_func *func)
{
    if (func->instr_count <= 0)
        return "a body without an instruction";
    for (int i = 0; i < func->instr_count; i++) {
        const char *broken = broken_instruction(module, func, &func->instrs[i]);
        if (broken)
            return broken;
    }
    const struct ptx_instr *last = &func->instrs[func->instr_count - 1];
    if (last->guard >= 0 || (strcmp(last->op, "ret") != 0 && strcmp(last->op, "exit") != 0))
        return "a body that runs off its end";
    for (int i = 0; i < func->table_count; i++)
        for (int k = 0; k < func->tables[i].count; k++)
            if (func->tables[i].targets[k] < 0 || func->tables[i].targets[k] >= func->instr_count)
                return "a table of targets that do not exist";
    cfg_free(cfg_build(func));
    return NULL;
}

static const char *broken_variable(const struct ptx_var *var)
{
    if (var->align < 1 || (var->align & (var->align - 1)) != 0)
        return "an alignment that is no power of two";
    for (int i = 0; i < var->reloc_count; i++) {
        const struct ptx_reloc *reloc = &var->relocs[i];
        if (reloc->offset > var->size || (size_t)reloc->size > var->size - reloc->offset)
            return "a relocation outside of its variable";
        if ((reloc->var != NULL) == (reloc->func != NULL))
            return "a relocation that does not name one thing";
    }
    return NULL;
}

const char *ptx_broken_promise(const struct ptx_module *module)
{
    const char *broken = NULL;
    for (int i = 0; i < module->var_count && !broken; i++)
        broken = broken_variable(module->vars[i]);
    for (int i = 0; i < module->func_count && !broken; i++)
        if (module->funcs[i]->has_body)
            broken = broken_function(module->funcs[i]->module, module->funcs[i]);
    return broken;
}

/* ---- the way of a text --------------------------------------------------------------------------------- */

enum { MOST_MODULES = 4 };

/* Parses an exact copy, so that a sanitizer sees every byte read too far; the module must not point into it.
 */
static struct ptx_module *parse_copy(const char *text, size_t length, struct survival *out)
{
    struct ptx_error error = {0};
    char *copy = malloc(length ? length : 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    struct ptx_module *module = ptx_parse(copy, length, &error);
    free(copy);
    if (!module && (error.line < 1 || error.column < 1 || !error.message[0]))
        snprintf(out->broken, sizeof out->broken, "a refusal without a place or a message: %d:%d '%s'",
                 error.line, error.column, error.message);
    return module;
}

/* One module of the text's parts, or NULL. */
static struct ptx_module *parse_parts(const char *text, size_t length, struct survival *out)
{
    struct ptx_module *parts[MOST_MODULES];
    int count = 0;
    for (bool more = true; more && count < MOST_MODULES;) {
        const char *separator = memmem(text, length, PTX_SEPARATOR, strlen(PTX_SEPARATOR));
        size_t size = separator ? (size_t)(separator - text) : length;
        parts[count] = parse_copy(text, size, out);
        if (!parts[count])
            break;
        count++;
        more = separator != NULL;
        size += separator ? strlen(PTX_SEPARATOR) : 0;
        text += size;
        length -= size;
        out->parsed = !more;
    }
    if (out->parsed)
        return count == 1 ? parts[0] : ptx_link(parts, count);
    while (count > 0)
        ptx_module_free(parts[--count]);
    return NULL;
}

/* A device with little memory: variables of gigabytes are refused, not cleared. */
static struct sim *small_device(void)
{
    static struct sim_profile profile;
    profile = *sim_profile_find("h100");
    profile.dram_bytes = (size_t)64 << 20;
    struct sim_config config = {.profile = &profile, .hazards = true, .counters = true};
    return sim_create(&config);
}

static void decode_all(struct sim_module *module, const struct ptx_module *ptx, struct survival *out)
{
    for (int i = 0; i < ptx->func_count; i++) {
        const struct ptx_func *func = ptx->funcs[i];
        if (!func->is_entry || !func->has_body)
            continue;
        char message[512] = "";
        out->kernels++;
        if (sim_module_kernel(module, func->name, message))
            out->decoded++;
        else if (!message[0])
            snprintf(out->broken, sizeof out->broken, "%.100s cannot be decoded, without a message",
                     func->name);
    }
}

struct survival ptx_survive(const char *text, size_t length)
{
    struct survival out = {0};
    char message[256] = "";
    struct ptx_module *ptx = parse_parts(text, length, &out);
    if (!ptx)
        return out;
    const char *broken = ptx_broken_promise(ptx);
    if (broken) {
        snprintf(out.broken, sizeof out.broken, "%s", broken);
        ptx_module_free(ptx);
        return out;
    }
    struct sim *sim = small_device();
    struct sim_module *module = sim_module_load(sim, ptx, message);
    if (module)
        decode_all(module, ptx, &out);
    else if (!message[0])
        snprintf(out.broken, sizeof out.broken, "a module that cannot be loaded, without a message");
    sim_destroy(sim);
    return out;
}
