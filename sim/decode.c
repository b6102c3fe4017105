/* The decoder's frame: which functions belong to a kernel, where their variables, registers and blocks lie.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_internal.h"
#include "exec_detail.h"

static size_t align_up(size_t value, size_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

/* ---- messages ----------------------------------------------------------------------------------------- */

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
    const char *file = kernel_file(d->kernel, instr->site);
    char place[160] = "";
    if (file[0])
        snprintf(place, sizeof place, "%.140s:%d: ", base_name(file), instr->site.line);
    snprintf(d->message, 512, "%.140s`%.70s` %.180s (PTX line %d, in %.80s)", place, instr->text, what,
             instr->ptx_line, d->func->name);
}

const char *kernel_file(const struct sim_kernel *kernel, struct ptx_loc loc)
{
    if (loc.file <= 0 || loc.file >= kernel->file_count || loc.line <= 0 || !kernel->files[loc.file])
        return "";
    return kernel->files[loc.file];
}

/* ---- which functions ------------------------------------------------------------------------------------
 */

struct function_list {
    const struct ptx_func **items;
    int count;
};

static void add_function(struct function_list *list, const struct ptx_func *func)
{
    if (!func || !func->has_body)
        return;
    for (int i = 0; i < list->count; i++)
        if (list->items[i] == func)
            return;
    list->items[list->count++] = func;
}

static bool is_indirect_call(const struct ptx_instr *instr)
{
    if (strcmp(instr->op, "call") != 0)
        return false;
    for (int i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_FUNC)
            return false;
    return true;
}

/* Everything that the kernel can reach: what it names, and after an indirect call every function. */
static void collect_functions(struct function_list *list, const struct ptx_module *module)
{
    for (int i = 0; i < list->count; i++) {
        const struct ptx_func *func = list->items[i];
        for (int k = 0; k < func->instr_count; k++) {
            const struct ptx_instr *instr = &func->instrs[k];
            for (int j = 0; j < instr->operand_count; j++)
                if (instr->operands[j].kind == PTX_FUNC)
                    add_function(list, instr->operands[j].func);
            if (is_indirect_call(instr))
                for (int j = 0; j < module->func_count; j++)
                    if (!module->funcs[j]->is_entry)
                        add_function(list, module->funcs[j]);
        }
    }
}

/* ---- registers, predicates and local variables of a function ----------------------------------------------
 */

static int register_class(enum ptx_type type)
{
    switch (ptx_type_size(type)) {
    case 4: return ROWS_32;
    case 8: return ROWS_64;
    case 16: return ROWS_128;
    default: return ROWS_16;
    }
}

static const size_t class_row_bytes[REGISTER_CLASSES] = {128, 256, 64, 512};

/* Gives every register a row (row 0 of each class is the sink) and returns the map. */
static uint32_t *place_registers(struct decoder *d, struct function_layout *layout)
{
    const struct ptx_func *func = layout->func;
    uint32_t *regs = arena_alloc(d->code->arena, ((size_t)func->reg_count + 1) * sizeof *regs);
    for (int class = 0; class < REGISTER_CLASSES; class ++)
        layout->row_bytes[class] = class_row_bytes[class];
    layout->predicate_count = FIRST_PREDICATE;
    for (int i = 0; i < func->reg_count; i++) {
        if (func->regs[i].type == PTX_PRED) {
            regs[i] = (uint32_t)layout->predicate_count++;
            continue;
        }
        int class = register_class(func->regs[i].type);
        regs[i] = (uint32_t)layout->row_bytes[class] | (uint32_t) class;
        layout->row_bytes[class] += class_row_bytes[class];
    }
    return regs;
}

static void place_local(struct function_layout *layout, struct ptx_var *var)
{
    layout->local_size = align_up(layout->local_size, (size_t)(var->align > 0 ? var->align : 1));
    var->address = layout->local_size;
    layout->local_size += var->size;
}

static void place_locals(struct function_layout *layout)
{
    const struct ptx_func *func = layout->func;
    for (int i = 0; i < func->var_count; i++)
        if (func->vars[i]->space == PTX_LOCAL)
            place_local(layout, func->vars[i]);
    for (int i = 0; i < func->var_count; i++)
        if (func->vars[i]->space == PTX_PARAM)
            place_local(layout, func->vars[i]);
    if (!func->is_entry) {
        for (int i = 0; i < func->param_count; i++)
            place_local(layout, &func->params[i].var);
        for (int i = 0; i < func->ret_count; i++)
            place_local(layout, &func->rets[i].var);
    }
    layout->local_size = align_up(layout->local_size, 16);
}

/* ---- shared variables
 * --------------------------------------------------------------------------------------- */

struct shared_placement {
    const struct ptx_var *var;
    size_t offset;
};

struct shared_plan {
    struct shared_placement *items;
    int count, capacity;
    size_t size;          /* of the static part */
    size_t dynamic_align; /* what the extern arrays ask for */
};

static void plan_shared(struct shared_plan *plan, const struct ptx_var *var)
{
    if (!var || var->space != PTX_SHARED)
        return;
    for (int i = 0; i < plan->count; i++)
        if (plan->items[i].var == var)
            return;
    if (plan->count == plan->capacity) {
        plan->capacity = 2 * plan->capacity + 8;
        plan->items = realloc(plan->items, (size_t)plan->capacity * sizeof *plan->items);
        if (!plan->items)
            abort();
    }
    size_t align = (size_t)(var->align > 0 ? var->align : 1);
    bool dynamic = var->is_extern && var->size == 0;
    if (dynamic) {
        if (align > plan->dynamic_align)
            plan->dynamic_align = align;
    } else {
        plan->size = align_up(plan->size, align);
    }
    plan->items[plan->count++] = (struct shared_placement){var, plan->size};
    if (!dynamic)
        plan->size += var->size;
}

static void plan_shared_operands(struct shared_plan *plan, const struct ptx_operand *operands, int count)
{
    for (int i = 0; i < count; i++)
        if (operands[i].kind == PTX_SYMBOL || operands[i].kind == PTX_ADDRESS)
            plan_shared(plan, operands[i].var);
}

/* Static variables from offset 0 on; all extern arrays begin where the dynamic part begins. */
static void place_shared(struct decoder *d, const struct function_list *list)
{
    struct shared_plan plan = {.dynamic_align = 16};
    for (int i = 0; i < list->count; i++) {
        const struct ptx_func *func = list->items[i];
        for (int k = 0; k < func->var_count; k++)
            plan_shared(&plan, func->vars[k]);
        for (int k = 0; k < func->instr_count; k++)
            plan_shared_operands(&plan, func->instrs[k].operands, func->instrs[k].operand_count);
    }
    size_t dynamic = align_up(plan.size, plan.dynamic_align);
    struct sim_kernel *kernel = d->kernel;
    kernel->shared_vars = arena_alloc(d->code->arena, ((size_t)plan.count + 1) * sizeof *kernel->shared_vars);
    d->code->shared_vars = arena_alloc(d->code->arena, ((size_t)plan.count + 1) * sizeof(struct ptx_var *));
    kernel->shared_var_count = plan.count;
    for (int i = 0; i < plan.count; i++) {
        const struct ptx_var *var = plan.items[i].var;
        size_t offset = var->is_extern && var->size == 0 ? dynamic : plan.items[i].offset;
        kernel->shared_vars[i] = (struct kernel_variable){var->name, offset, var->size};
        d->code->shared_vars[i] = var;
    }
    kernel->info.shared_static = dynamic;
    d->code->shared_used = plan.size;
    free(plan.items);
}

uint64_t decode_variable_address(struct decoder *d, const struct ptx_var *var)
{
    if (var->space != PTX_SHARED)
        return var->address;
    for (int i = 0; i < d->kernel->shared_var_count; i++)
        if (d->code->shared_vars[i] == var)
            return d->kernel->shared_vars[i].offset;
    decode_fail(d, "names the shared variable %s, which has no place", var->name);
    return 0;
}

uint64_t decode_param_offset(struct decoder *d, const struct ptx_var *var)
{
    for (int i = 0; d->is_entry && i < d->func->param_count; i++)
        if (&d->func->params[i].var == var)
            return d->func->params[i].offset;
    return var->address;
}

uint64_t decode_function_address(struct decoder *d, const struct ptx_func *func)
{
    const struct ptx_module *module = func->module;
    for (int i = 0; i < module->func_count; i++)
        if (module->funcs[i] == func)
            return FUNCTION_ADDRESS_BASE + (uint64_t)i;
    decode_fail(d, "names the function %s, which is not in the module", func->name);
    return 0;
}

/* ---- the layout of a function's blocks ------------------------------------------------------------------
 */

/* A block whose text runs on into the next one needs a jump if the layout put another one behind it. */
static int fall_through(const struct cfg *cfg, const struct ptx_func *func, int block)
{
    int last = cfg->blocks[block].last;
    const struct ptx_instr *instr = &func->instrs[last];
    bool leaves = instr->guard < 0 && (strcmp(instr->op, "bra") == 0 || strcmp(instr->op, "brx") == 0 ||
                                       strcmp(instr->op, "ret") == 0 || strcmp(instr->op, "exit") == 0 ||
                                       strcmp(instr->op, "trap") == 0);
    if (leaves || last + 1 >= func->instr_count)
        return -1;
    return cfg->block_of[last + 1];
}

static bool needs_jump(const struct cfg *cfg, const struct ptx_func *func, int rank)
{
    int next = fall_through(cfg, func, cfg->order[rank]);
    return next >= 0 && cfg->blocks[next].rank != rank + 1;
}

/* Fills pcs[block], from `pc` on; returns the first operation behind the function. */
static int place_blocks(const struct cfg *cfg, const struct ptx_func *func, int pc, uint32_t *pcs)
{
    for (int rank = 0; rank < cfg->block_count; rank++) {
        const struct cfg_block *block = &cfg->blocks[cfg->order[rank]];
        pcs[cfg->order[rank]] = (uint32_t)pc;
        pc += block->last - block->first + 1 + needs_jump(cfg, func, rank);
    }
    return pc;
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

/* ---- instructions
 * ------------------------------------------------------------------------------------------ */

static const enum cost_class type_cost[] = {
    [PTX_F32] = COST_FP32,  [PTX_F64] = COST_FP64,    [PTX_F16] = COST_HALF,    [PTX_F16X2] = COST_HALF,
    [PTX_BF16] = COST_HALF, [PTX_BF16X2] = COST_HALF, [PTX_TEXREF] = COST_NONE, /* the others: 0 here, INT
                                                                                   below */
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
        op->guard = d->regs[d->instr->guard];
        op->guard_xor = d->instr->guard_negated ? ~0u : 0;
    }
}

static void decode_instruction(struct decoder *d, int pc)
{
    const struct ptx_instr *instr = d->instr;
    struct micro *op = &d->code->ops[pc];
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
        if (needs_jump(d->cfg, d->func, rank))
            synthetic_jump(d, pc, (int)d->block_pcs[fall_through(d->cfg, d->func, number)]);
    }
}

/* ---- the kernel -----------------------------------------------------------------------------------------
 */

static void allocate_operations(struct code *code, int count)
{
    code->count = count;
    code->ops = arena_alloc(code->arena, (size_t)count * sizeof *code->ops);
    code->instrs = arena_alloc(code->arena, (size_t)count * sizeof *code->instrs);
    code->locs = arena_alloc(code->arena, (size_t)count * sizeof *code->locs);
}

/* Builds the graphs, lays all functions out one behind the other, then decodes them. */
static void decode_functions(struct decoder *d)
{
    struct code *code = d->code;
    int count = code->function_count, pc = 0;
    struct cfg **graphs = calloc((size_t)count, sizeof *graphs);
    uint32_t **pcs = calloc((size_t)count, sizeof *pcs);
    if (!graphs || !pcs)
        abort();
    for (int i = 0; i < count; i++) {
        const struct ptx_func *func = code->functions[i].func;
        graphs[i] = cfg_build(func);
        pcs[i] = calloc((size_t)graphs[i]->block_count + 1, sizeof **pcs);
        if (!pcs[i])
            abort();
        int end = place_blocks(graphs[i], func, pc, pcs[i]);
        code->functions[i].entry = (int)pcs[i][graphs[i]->block_of[0]];
        place_locals(&code->functions[i]);
        pc = end;
    }
    allocate_operations(code, pc);
    for (int i = 0; i < count && !d->failed; i++) {
        d->layout = &code->functions[i];
        d->func = d->layout->func;
        d->is_entry = i == 0;
        d->regs = place_registers(d, d->layout);
        d->cfg = graphs[i];
        d->block_pcs = pcs[i];
        decode_function(d);
    }
    for (int i = 0; i < count; i++) {
        cfg_free(graphs[i]);
        free(pcs[i]);
    }
    free(graphs);
    free(pcs);
}

/* Bytes a thread needs below function `index`, or CALL_STACK_BYTES where calls are recursive or indirect. */
static size_t call_chain_bytes(const struct code *code, int index, int depth)
{
    const struct ptx_func *func = code->functions[index].func;
    size_t deepest = 0;
    if (depth > code->function_count)
        return CALL_STACK_BYTES;
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (strcmp(instr->op, "call") != 0)
            continue;
        if (is_indirect_call(instr))
            return CALL_STACK_BYTES;
        for (int k = 0; k < instr->operand_count; k++) {
            for (int f = 0; instr->operands[k].kind == PTX_FUNC && f < code->function_count; f++) {
                if (code->functions[f].func != instr->operands[k].func)
                    continue;
                size_t bytes = call_chain_bytes(code, f, depth + 1);
                deepest = bytes > deepest ? bytes : deepest;
                if (deepest >= CALL_STACK_BYTES)
                    return CALL_STACK_BYTES;
            }
        }
    }
    return code->functions[index].local_size + deepest;
}

static void fill_info(struct decoder *d)
{
    struct sim_kernel *kernel = d->kernel;
    const struct ptx_func *func = kernel->func;
    struct sim_kernel_info *info = &kernel->info;
    info->name = func->name;
    info->local_bytes = call_chain_bytes(d->code, 0, 0);
    info->param_bytes = func->param_size;
    info->param_count = func->param_count;
    info->registers = 32;
    int limit = 1;
    const int *bounds = func->reqntid[0] ? func->reqntid : func->maxntid;
    for (int i = 0; i < 3; i++)
        limit *= bounds[i] > 0 ? bounds[i] : 1;
    info->max_threads = bounds[0] > 0 ? limit : kernel->sim->config.profile->threads_per_block;
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
    if (!code || !(code->arena = arena_create()))
        abort();
    kernel->code = code;
    struct decoder d = {.kernel = kernel, .code = code, .message = message};
    code->specials = arena_alloc(code->arena, SPECIALS * sizeof *code->specials);
    code->module = module;
    code->loop = exec_loop();

    struct function_list list = {calloc((size_t)module->func_count + 1, sizeof *list.items), 0};
    if (!list.items)
        abort();
    add_function(&list, kernel->func);
    collect_functions(&list, module);
    code->function_count = list.count;
    code->functions = arena_alloc(code->arena, (size_t)list.count * sizeof *code->functions);
    for (int i = 0; i < list.count; i++)
        code->functions[i].func = list.items[i];
    place_shared(&d, &list);
    free(list.items);
    decode_functions(&d);
    free(d.constants);
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
