/*
 * Several modules become one, as nvlink makes it of objects with relocatable device code: what one module
 * declares as extern is what another one defines. Calls, operands and initializers are pointers already, so
 * that linking means to let them point to the definitions.
 */
#include <string.h>

#include "sim/core/need.h"
#include "sim/ptx/ptx.h"

/* ---- definitions --------------------------------------------------------------------------------------- */

static bool is_shared_by_modules(const struct ptx_var *var)
{
    return (var->space == PTX_GLOBAL || var->space == PTX_CONST) &&
           (var->is_extern || var->is_visible || var->is_weak);
}

/* The variable that the name stands for in all modules; the first of several weak ones. */
static struct ptx_var *defining_var(struct ptx_module *const *parts, int count, struct ptx_var *var)
{
    struct ptx_var *weak = NULL;
    if (!var || !is_shared_by_modules(var) || (!var->is_extern && !var->is_weak))
        return var;
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < parts[m]->var_count; i++) {
            struct ptx_var *other = parts[m]->vars[i];
            if (other->is_extern || !is_shared_by_modules(other) || strcmp(other->name, var->name) != 0)
                continue;
            if (!other->is_weak)
                return other;
            if (!weak)
                weak = other;
        }
    }
    return weak ? weak : var;
}

/* Likewise; a function that is neither visible nor weak is its module's own. */
static struct ptx_func *defining_func(struct ptx_module *const *parts, int count, struct ptx_func *func)
{
    struct ptx_func *weak = NULL;
    if (!func || (func->has_body && !func->is_weak))
        return func;
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < parts[m]->func_count; i++) {
            struct ptx_func *other = parts[m]->funcs[i];
            if (!other->has_body || (!other->is_visible && !other->is_weak) ||
                strcmp(other->name, func->name) != 0)
                continue;
            if (!other->is_weak)
                return other;
            if (!weak)
                weak = other;
        }
    }
    return weak ? weak : func;
}

/* ---- what refers to them ------------------------------------------------------------------------------- */

struct linker {
    struct ptx_module **parts;
    int count;
};

static void link_operand(const struct linker *linker, struct ptx_operand *operand)
{
    operand->var = defining_var(linker->parts, linker->count, operand->var);
    operand->func = defining_func(linker->parts, linker->count, operand->func);
    for (int i = 0; operand->list && i < operand->count; i++)
        link_operand(linker, &operand->list[i]);
}

static void link_var(const struct linker *linker, struct ptx_var *var, int file_base)
{
    if (var->loc.file > 0)
        var->loc.file += file_base;
    for (int i = 0; i < var->reloc_count; i++) {
        var->relocs[i].var = defining_var(linker->parts, linker->count, var->relocs[i].var);
        var->relocs[i].func = defining_func(linker->parts, linker->count, var->relocs[i].func);
    }
}

static void link_func(const struct linker *linker, struct ptx_func *func, int file_base)
{
    for (int i = 0; i < func->instr_count; i++) {
        struct ptx_instr *instr = &func->instrs[i];
        if (instr->loc.file > 0)
            instr->loc.file += file_base;
        if (instr->site.file > 0)
            instr->site.file += file_base;
        if (instr->call.file > 0)
            instr->call.file += file_base;
        for (int k = 0; k < instr->operand_count; k++)
            link_operand(linker, &instr->operands[k]);
    }
    for (int i = 0; i < func->var_count; i++)
        link_var(linker, func->vars[i], file_base);
}

/* ---- all together -------------------------------------------------------------------------------------- */

/* Appends the part's functions, variables and files; those that are defined elsewhere are left out. */
static void append(struct ptx_module *to, const struct linker *linker, struct ptx_module *part)
{
    for (int i = 0; i < part->var_count; i++)
        if (defining_var(linker->parts, linker->count, part->vars[i]) == part->vars[i])
            to->vars[to->var_count++] = part->vars[i];
    for (int i = 0; i < part->func_count; i++) {
        if (defining_func(linker->parts, linker->count, part->funcs[i]) != part->funcs[i])
            continue;
        part->funcs[i]->module = to;
        to->funcs[to->func_count++] = part->funcs[i];
    }
    for (int i = 0; i < part->file_count; i++)
        to->files[to->file_count++] = part->files[i];
}

struct ptx_module *ptx_link(struct ptx_module **parts, int count)
{
    struct ptx_module *to = sim_need(1, sizeof *to, "a linked module");
    struct linker linker = {parts, count};
    size_t vars = 1, funcs = 1, files = 1;
    int file_base = 0;
    for (int m = 0; m < count; m++) {
        vars += (size_t)parts[m]->var_count;
        funcs += (size_t)parts[m]->func_count;
        files += (size_t)parts[m]->file_count;
        to->version = parts[m]->version > to->version ? parts[m]->version : to->version;
        to->target = parts[m]->target > to->target ? parts[m]->target : to->target;
        to->is_debug |= parts[m]->is_debug;
    }
    to->address_size = parts[0]->address_size;
    to->vars = sim_need(vars, sizeof *to->vars, "the variables of a linked module");
    to->funcs = sim_need(funcs, sizeof *to->funcs, "the functions of a linked module");
    to->files = sim_need(files, sizeof *to->files, "the file names of a linked module");
    for (int m = 0; m < count; m++) {
        for (int i = 0; i < parts[m]->var_count; i++)
            link_var(&linker, parts[m]->vars[i], file_base);
        for (int i = 0; i < parts[m]->func_count; i++)
            link_func(&linker, parts[m]->funcs[i], file_base);
        file_base += parts[m]->file_count;
    }
    for (int m = 0; m < count; m++)
        append(to, &linker, parts[m]);
    to->parts = sim_need((size_t)count, sizeof *to->parts, "the parts of a linked module");
    memcpy(to->parts, parts, (size_t)count * sizeof *to->parts);
    to->part_count = count;
    return to;
}
