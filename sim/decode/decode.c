/*
 * The decoder's frame. Each function is decoded twice: the first time every register has rows of its own and
 * the decoder notes which instruction reads or writes which; after that registers share rows
 * (decode_registers.c).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"
#include "sim/machine/exec.h"
#include "sim/text/place.h"

/* ---- messages ------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void decode_fail(struct decoder *d, const char *format, ...)
{
    if (d->failed)
        return;
    d->failed = true;
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct ptx_instr *instr = d->instr;
    if (!instr) {
        snprintf(d->message, 512, "kernel %.128s %s", d->kernel->func->name, what);
        return;
    }
    const char *file = place_file(d->kernel, instr->site);
    char place[160] = "";
    if (file[0])
        snprintf(place, sizeof place, "%.140s:%d: ", base_name(file), instr->site.line);
    snprintf(d->message, 512, "%.140s`%.70s` %.180s (PTX line %d, in %.80s)", place, instr->text, what,
             instr->ptx_line, d->func->name);
}

int decode_label(struct decoder *d, int64_t instruction)
{
    if (instruction < 0 || instruction >= d->func->instr_count) {
        decode_fail(d, "jumps to a label that is not in the function");
        return 0;
    }
    int block = d->cfg->block_of[instruction];
    return (int)d->block_pcs[block] + (int)instruction - d->cfg->blocks[block].first;
}

/* ---- instructions -------------------------------------------------------------------------------------- */

/* COST_NONE for integers and bits. */
static const enum cost_class type_cost[] = {
    [PTX_F32] = COST_FP32,  [PTX_F64] = COST_FP64,    [PTX_F16] = COST_HALF,    [PTX_F16X2] = COST_HALF,
    [PTX_BF16] = COST_HALF, [PTX_BF16X2] = COST_HALF, [PTX_TEXREF] = COST_NONE,
};

static void set_cost(struct decoder *d, struct micro *op)
{
    int cost = d->opcode->cost;
    enum ptx_type type = d->mods.type_count ? d->mods.types[d->mods.type_count - 1] : PTX_NOTYPE;
    if (cost < 0)
        cost = type_cost[type] == COST_NONE ? COST_INT : type_cost[type];
    op->cost = (uint8_t)cost;
    op->cost_count = (uint8_t)d->opcode->cost_count;
    /* 64-bit integers take two machine instructions for one. */
    if (cost == COST_INT && ptx_type_size(type) == 8 && op->cost_count == 1)
        op->cost_count = 2;
}

static void check_types(struct decoder *d)
{
    for (int i = 0; i < d->mods.type_count && i < 1; i++)
        if (!(d->opcode->types >> d->mods.types[i] & 1))
            decode_fail(d, "has a type that the simulator does not support: .%s",
                        decode_type_name(d->mods.types[i]));
}

static void decode_guard(struct decoder *d, struct micro *op)
{
    op->guard = PREDICATE_TRUE;
    if (d->instr->guard >= 0) {
        registers_note(d, d->instr->guard, false);
        op->guard = d->regs[d->instr->guard];
        op->guard_xor = d->instr->guard_negated ? ~0u : 0;
    }
}

static void decode_instruction(struct decoder *d, int pc)
{
    const struct ptx_instr *instr = d->instr;
    struct micro *op = &d->code->ops[pc];
    memset(op, 0, sizeof *op);
    d->code->instrs[pc] = instr;
    d->code->locs[pc] = instr->site;
    d->opcode = opcode_find(instr->op);
    if (!d->opcode) {
        decode_fail(d, "is an instruction that the simulator does not have");
        return;
    }
    const char *unknown = modifiers_parse(instr, d->opcode->modifiers, &d->mods);
    if (unknown) {
        decode_fail(d, "has a modifier that the simulator does not have: .%s", unknown);
        return;
    }
    check_types(d);
    decode_guard(d, op);
    set_cost(d, op);
    if (!d->failed)
        d->opcode->decode(d, op);
    if (!d->failed && !op->run)
        decode_fail(d, "has no handler");
}

static void synthetic_jump(struct decoder *d, int pc, int target)
{
    struct micro *op = &d->code->ops[pc];
    op->run = exec_handler("jump");
    op->target = target;
    op->flags = FLAG_SYNTHETIC;
    d->code->locs[pc] = d->code->locs[pc > 0 ? pc - 1 : 0];
}

static void decode_function(struct decoder *d)
{
    for (int rank = 0; rank < d->cfg->block_count && !d->failed; rank++) {
        int number = d->cfg->order[rank];
        const struct cfg_block *block = &d->cfg->blocks[number];
        int pc = (int)d->block_pcs[number];
        for (int i = block->first; i <= block->last && !d->failed; i++) {
            d->instr = &d->func->instrs[i];
            decode_instruction(d, pc++);
        }
        int jump = layout_jump(d->cfg, d->func, rank);
        if (jump >= 0)
            synthetic_jump(d, pc, (int)d->block_pcs[jump]);
    }
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static void allocate_operations(struct code *code, int count)
{
    code->count = count;
    code->ops = arena_alloc(code->arena, (size_t)count * sizeof *code->ops);
    code->instrs = arena_alloc(code->arena, (size_t)count * sizeof *code->instrs);
    code->locs = arena_alloc(code->arena, (size_t)count * sizeof *code->locs);
}

/* The graph of a function, and where its blocks begin. */
struct function_graph {
    struct cfg *cfg;
    uint32_t *pcs;
};

static void decode_one(struct decoder *d, int index, const struct function_graph *graph)
{
    d->layout = &d->code->functions[index];
    d->func = d->layout->func;
    d->is_entry = index == 0;
    d->cfg = graph->cfg;
    d->block_pcs = graph->pcs;
    d->used_bits = decode_find_used_bits(d->func);
    registers_begin(d);
    decode_function(d);
    if (!d->failed) {
        registers_allocate(d);
        decode_function(d);
    }
    registers_end(d);
    free(d->used_bits);
}

/* Builds the graphs, lays all functions out one behind the other, then decodes them. */
static void decode_functions(struct decoder *d)
{
    struct code *code = d->code;
    int pc = 0;
    struct function_graph *graphs =
        sim_need((size_t)code->function_count, sizeof *graphs, "the functions of a kernel");
    for (int i = 0; i < code->function_count; i++) {
        struct function_graph *graph = &graphs[i];
        const struct ptx_func *func = code->functions[i].func;
        graph->cfg = cfg_build(func);
        d->waits |= decode_waits(func, graph->cfg);
        graph->pcs =
            sim_need((size_t)graph->cfg->block_count + 1, sizeof *graph->pcs, "the blocks of a function");
        pc = layout_blocks(graph->cfg, func, pc, graph->pcs);
        code->functions[i].entry = (int)graph->pcs[graph->cfg->block_of[0]];
    }
    allocate_operations(code, pc);
    for (int i = 0; i < code->function_count && !d->failed; i++)
        decode_one(d, i, &graphs[i]);
    for (int i = 0; i < code->function_count; i++) {
        cfg_free(graphs[i].cfg);
        free(graphs[i].pcs);
    }
    free(graphs);
}

/* About what ptxas would take: the registers of all functions that may be open at once, and a few for
 * itself. */
static int estimate_registers(const struct code *code)
{
    int most = 0;
    for (int i = 1; i < code->function_count; i++)
        most = code->functions[i].live_words > most ? code->functions[i].live_words : most;
    int registers = code->functions[0].live_words + most + 3;
    return registers < 16 ? 16 : registers > 255 ? 255 : registers;
}

static void fill_info(struct decoder *d)
{
    struct sim_kernel *kernel = d->kernel;
    const struct ptx_func *func = kernel->func;
    struct sim_kernel_info *info = &kernel->info;
    info->name = func->name;
    d->code->has_alloca = layout_has_alloca(d->code);
    info->local_bytes = layout_call_chain(d->code);
    for (int i = 0; i < d->code->function_count; i++)
        decode_set_frame(&d->code->functions[i], NULL);
    info->param_bytes = func->param_size;
    info->param_count = func->param_count;
    info->registers = estimate_registers(d->code);
    int limit = 1;
    const int *bounds = func->reqntid[0] ? func->reqntid : func->maxntid;
    for (int i = 0; i < 3; i++)
        limit *= bounds[i] > 0 ? bounds[i] : 1;
    info->max_threads = bounds[0] > 0 ? limit : kernel->sim->config.profile->threads_per_block;
    info->cluster =
        (struct sim_dim3){(unsigned)func->reqnctapercluster[0], (unsigned)func->reqnctapercluster[1],
                          (unsigned)func->reqnctapercluster[2]};
    kernel->op_count = d->code->count;
    kernel->locs = d->code->locs;
}

static void fill_local_variables(struct decoder *d)
{
    const struct ptx_func *func = d->kernel->func;
    struct kernel_variable *vars = arena_alloc(d->code->arena, ((size_t)func->var_count + 1) * sizeof *vars);
    int count = 0;
    for (int i = 0; i < func->var_count; i++)
        if (func->vars[i]->space == PTX_LOCAL)
            vars[count++] =
                (struct kernel_variable){func->vars[i]->name, func->vars[i]->address, func->vars[i]->size};
    d->kernel->local_vars = vars;
    d->kernel->local_var_count = count;
}

bool decode_kernel(struct sim_kernel *kernel, char message[512])
{
    struct ptx_module *module = kernel->func->module;
    struct code *code = calloc(1, sizeof *code);
    if (!code || !(code->arena = arena_create())) {
        snprintf(message, 512, "out of memory: %zu bytes for the code of a kernel", sizeof *code);
        free(code);
        return false;
    }
    kernel->code = code;
    struct decoder d = {.kernel = kernel, .code = code, .message = message};
    code->specials = arena_alloc(code->arena, SPECIALS * sizeof *code->specials);
    code->module = module;
    code->loop = exec_loop();

    layout_functions(&d);
    layout_shared(&d);
    decode_functions(&d);
    free(d.constants);
    decode_find_arrays(&d);
    if (d.failed)
        return false;
    fill_info(&d);
    fill_local_variables(&d);
    return true;
}

void decode_free(struct sim_kernel *kernel)
{
    if (!kernel->code)
        return;
    free(kernel->code->launch_rows);
    arena_destroy(kernel->code->arena);
    free(kernel->code);
    kernel->code = NULL;
}
