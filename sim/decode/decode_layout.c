/*
 * What a kernel consists of and where it lies: the functions that it can reach, their local variables, the
 * block's shared variables, and the order of the basic blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/address_space.h"
#include "sim/decode/decode_internal.h"
#include "sim/core/need.h"

static size_t align_up(size_t value, size_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

/* ---- local variables ----------------------------------------------------------------------------------- */

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

/* ---- which functions ----------------------------------------------------------------------------------- */

struct function_list {
    const struct ptx_func **items;
    int count;
    bool is_all; /* there is an indirect call: every function is in it */
};

static void add_function(struct function_list *list, const struct ptx_func *func)
{
    if (!func || !func->has_body || (func->is_entry && list->count > 0))
        return; /* a kernel that is named is launched, not called */
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
            for (int j = 0; j < module->func_count && is_indirect_call(instr) && !list->is_all; j++)
                if (!module->funcs[j]->is_entry)
                    add_function(list, module->funcs[j]);
            list->is_all |= is_indirect_call(instr);
        }
    }
}

void layout_functions(struct decoder *d)
{
    const struct ptx_module *module = d->code->module;
    struct function_list list = {.items = sim_need((size_t)module->func_count + 1, sizeof *list.items,
                                                   "the functions that a kernel calls")};
    add_function(&list, d->kernel->func);
    collect_functions(&list, module);
    d->code->function_count = list.count;
    d->code->functions = arena_alloc(d->code->arena, (size_t)list.count * sizeof *d->code->functions);
    for (int i = 0; i < list.count; i++) {
        d->code->functions[i].func = list.items[i];
        place_locals(&d->code->functions[i]);
    }
    free(list.items);
}

/* ---- how deep calls go --------------------------------------------------------------------------------- */

static int function_index(const struct code *code, const struct ptx_func *func)
{
    for (int i = 0; i < code->function_count; i++)
        if (code->functions[i].func == func)
            return i;
    return -1;
}

/* What is known of each function's call chain, and how many calls it is from the kernel. */
struct chains {
    const struct code *code;
    struct chain {
        enum { UNKNOWN, IN_PROGRESS, KNOWN } state;
        size_t bytes;
    } * items;
    int depth;
    bool unbounded; /* a call is recursive or indirect */
};

/* Deeper chains are taken as if they were recursive: no compiler writes them, and this is recursive
 * itself. */
enum { DEEPEST_CHAIN = 1000 };

static size_t chain_of(struct chains *chains, int index);

static size_t chain_of_call(struct chains *chains, const struct ptx_instr *instr)
{
    size_t deepest = 0;
    if (strcmp(instr->op, "call") != 0)
        return 0;
    chains->unbounded |= is_indirect_call(instr);
    for (int k = 0; k < instr->operand_count; k++) {
        int callee =
            instr->operands[k].kind == PTX_FUNC ? function_index(chains->code, instr->operands[k].func) : -1;
        size_t bytes = callee >= 0 ? chain_of(chains, callee) : 0;
        deepest = bytes > deepest ? bytes : deepest;
    }
    return deepest;
}

/* Bytes a thread needs from function `index` on; of calls that are recursive or indirect, as if they were not there. */
static size_t chain_of(struct chains *chains, int index)
{
    struct chain *chain = &chains->items[index];
    if (chain->state == KNOWN)
        return chain->bytes;
    if (chain->state == IN_PROGRESS || chains->depth == DEEPEST_CHAIN) {
        chains->unbounded = true;
        return 0;
    }
    chain->state = IN_PROGRESS;
    chains->depth++;
    const struct function_layout *layout = &chains->code->functions[index];
    size_t deepest = 0;
    for (int i = 0; i < layout->func->instr_count; i++) {
        size_t bytes = chain_of_call(chains, &layout->func->instrs[i]);
        deepest = bytes > deepest ? bytes : deepest;
    }
    chains->depth--;
    chain->state = KNOWN;
    return chain->bytes = layout->local_size + deepest;
}

size_t layout_call_chain(struct code *code)
{
    struct chains chains = {.code = code,
                            .items = sim_need((size_t)code->function_count, sizeof(struct chain),
                                              "the depth of a kernel's calls")};
    size_t bytes = chain_of(&chains, 0);
    free(chains.items);
    code->calls_unbounded = chains.unbounded;
    return chains.unbounded ? code->functions[0].local_size : bytes;
}

bool layout_has_alloca(const struct code *code)
{
    for (int i = 0; i < code->function_count; i++) {
        const struct ptx_func *func = code->functions[i].func;
        for (int k = 0; k < func->instr_count; k++)
            if (strcmp(func->instrs[k].op, "alloca") == 0 || strcmp(func->instrs[k].op, "stacksave") == 0)
                return true;
    }
    return false;
}

/* About what ptxas would make of it: local variables, the return address, and registers that a callee may not change. */
static size_t estimated_frame(const struct function_layout *layout)
{
    enum { SAVED_WORDS = 8 };
    int words = 2 + (layout->live_words < SAVED_WORDS ? layout->live_words : SAVED_WORDS);
    size_t bytes = (size_t)words * sizeof(uint32_t);
    for (int i = 0; i < layout->func->var_count; i++)
        if (layout->func->vars[i]->space == PTX_LOCAL)
            bytes += layout->func->vars[i]->size;
    return align_up(bytes, CALL_BYTES_MIN);
}

void decode_set_frame(struct function_layout *layout, const size_t *frame)
{
    size_t bytes = frame ? *frame : estimated_frame(layout);
    size_t least = (layout->local_size + LOCAL_PER_CALL_BYTE - 1) / LOCAL_PER_CALL_BYTE;
    least = least > CALL_BYTES_MIN ? least : CALL_BYTES_MIN;
    layout->call_bytes = bytes > least ? bytes : least;
}

/* ---- shared variables ---------------------------------------------------------------------------------- */

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
        plan->items = sim_need_resized(plan->items, (size_t)plan->capacity, sizeof *plan->items,
                                       "the shared variables of a kernel");
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
void layout_shared(struct decoder *d)
{
    struct shared_plan plan = {.dynamic_align = 16};
    for (int i = 0; i < d->code->function_count; i++) {
        const struct ptx_func *func = d->code->functions[i].func;
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

/* ---- the layout of a function's blocks ----------------------------------------------------------------- */

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

int layout_jump(const struct cfg *cfg, const struct ptx_func *func, int rank)
{
    int next = fall_through(cfg, func, cfg->order[rank]);
    return next >= 0 && cfg->blocks[next].rank != rank + 1 ? next : -1;
}

int layout_blocks(const struct cfg *cfg, const struct ptx_func *func, int pc, uint32_t *pcs)
{
    for (int rank = 0; rank < cfg->block_count; rank++) {
        const struct cfg_block *block = &cfg->blocks[cfg->order[rank]];
        pcs[cfg->order[rank]] = (uint32_t)pc;
        pc += block->last - block->first + 1 + (layout_jump(cfg, func, rank) >= 0);
    }
    return pc;
}
