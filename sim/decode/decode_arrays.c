/*
 * Which shared array an access means. The arrays of a block lie side by side, so that an index that runs out of one
 * finds the next one, on a device without a word. But the compiler names the array where the address is computed, and
 * the name is followed from there to the access.
 *
 * An address belongs to an array if on every path it is made of that array's name and of numbers. An address that may be
 * one of two arrays' (a pointer that is exchanged with another one), that was loaded or came as an argument belongs to
 * none.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

/* What a register may hold; a number from FIRST_ARRAY on: an address in that array, by its place in code->shared_vars. */
enum { NOT_SEEN, NUMBER, UNKNOWN, FIRST_ARRAY };

struct values {
    const struct decoder *decoder;
    int *of; /* [registers of the function] */
};

static int of_variable(const struct values *v, const struct ptx_var *var)
{
    const struct decoder *d = v->decoder;
    for (int i = 0; var->space == PTX_SHARED && i < d->kernel->shared_var_count; i++)
        if (d->code->shared_vars[i] == var)
            return FIRST_ARRAY + i;
    return var->space == PTX_SHARED ? UNKNOWN : NUMBER;
}

static int of_operand(const struct values *v, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_REG: return v->of[operand->reg];
    case PTX_SYMBOL: return of_variable(v, operand->var);
    case PTX_ADDRESS:
        return operand->reg >= 0 ? v->of[operand->reg] : operand->var ? of_variable(v, operand->var) : NUMBER;
    case PTX_VECTOR:
    case PTX_PAIR:
    case PTX_LIST:
        for (int i = 0; i < operand->count; i++)
            if (of_operand(v, &operand->list[i]) >= UNKNOWN)
                return UNKNOWN;
        return NUMBER;
    default: return NUMBER;
    }
}

/* One or the other. */
static int either(int a, int b)
{
    return a == NOT_SEEN ? b : b == NOT_SEEN || a == b ? a : UNKNOWN;
}

/* Both together: an address and a number are an address, two addresses are something else. */
static int sum(int a, int b)
{
    if (a == NOT_SEEN || b == NOT_SEEN)
        return NOT_SEEN;
    return a == NUMBER ? b : b == NUMBER ? a : UNKNOWN;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* What the operation makes of its sources. */
static int result_of(const struct values *v, const struct ptx_instr *instr)
{
    static const char *const sums[] = {"mov", "add", "mad", "cvt", "cvta", "or", "and", "xor", NULL};
    static const char *const fresh[] = {"ld", "atom", "call", NULL};
    const int count = instr->operand_count;
    int result = NUMBER;
    if (is_one_of(instr->op, fresh))
        return NUMBER;
    if (strcmp(instr->op, "selp") == 0 && count == 4)
        return either(of_operand(v, &instr->operands[1]), of_operand(v, &instr->operands[2]));
    const bool adds = is_one_of(instr->op, sums) && instr->operands[0].kind == PTX_REG;
    for (int k = 1; k < count; k++) {
        const int source = of_operand(v, &instr->operands[k]);
        const bool is_first = strcmp(instr->op, "sub") == 0 && k == 1; /* an address less a number */
        if (source >= UNKNOWN && !adds && !is_first)
            return UNKNOWN;
        result = sum(result, source);
    }
    return result;
}

static bool writes_first_operand(const struct ptx_instr *instr)
{
    static const char *const others[] = {"st",  "red", "bra",  "brx",  "bar",      "barrier",
                                         "ret", "cp",  "exit", "call", "mbarrier", NULL};
    return instr->operand_count > 0 && !is_one_of(instr->op, others);
}

static bool note(struct values *v, const struct ptx_operand *target, int value)
{
    bool changed = false;
    for (int i = 0; target->list && i < target->count; i++)
        changed |= note(v, &target->list[i], value);
    if (target->kind != PTX_REG || target->reg < 0)
        return changed;
    const int joined = either(v->of[target->reg], value);
    changed |= joined != v->of[target->reg];
    v->of[target->reg] = joined;
    return changed;
}

/* What a call returns may be anything. */
static void note_calls(struct values *v, const struct ptx_func *func)
{
    for (int i = 0; i < func->instr_count; i++)
        if (strcmp(func->instrs[i].op, "call") == 0 && func->instrs[i].operand_count > 0)
            note(v, &func->instrs[i].operands[0], UNKNOWN);
}

/* Values only ever move on, from not seen to a number or an array and from there to unknown: so this ends. */
static void find_values(struct values *v, const struct ptx_func *func)
{
    note_calls(v, func);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < func->instr_count; i++)
            if (writes_first_operand(&func->instrs[i]))
                changed |= note(v, &func->instrs[i].operands[0], result_of(v, &func->instrs[i]));
    }
}

/* The operand with the address in shared memory; NULL: the operation has none. */
static const struct ptx_operand *address_of(const struct ptx_instr *instr)
{
    static const char *const first[] = {"st", "red", "cp", NULL}, *const second[] = {"ld", "atom", NULL};
    const int k = is_one_of(instr->op, first) ? 0 : is_one_of(instr->op, second) ? 1 : -1;
    return k >= 0 && k < instr->operand_count && instr->operands[k].kind == PTX_ADDRESS ? &instr->operands[k]
                                                                                        : NULL;
}

static void note_accesses(const struct values *v, const struct ptx_func *func, struct array_bounds *bounds)
{
    const struct code *code = v->decoder->code;
    for (int pc = 0; pc < code->count; pc++) {
        const struct ptx_instr *instr = code->instrs[pc];
        if (!instr || instr < func->instrs || instr >= func->instrs + func->instr_count)
            continue;
        const struct ptx_operand *address = address_of(instr);
        const int value = address ? of_operand(v, address) : NUMBER;
        if (value < FIRST_ARRAY)
            continue;
        const struct kernel_variable *array = &v->decoder->kernel->shared_vars[value - FIRST_ARRAY];
        bounds[pc] =
            (struct array_bounds){(uint32_t)array->offset, (uint32_t)array->size, value - FIRST_ARRAY + 1};
    }
}

/* One without a size has all there is. One with a size may have dynamic memory behind it: the launch says so. */
static bool may_have_neighbors(const struct sim_kernel *kernel)
{
    return kernel->shared_var_count > 1 || (kernel->shared_var_count == 1 && kernel->shared_vars[0].size > 0);
}

void decode_find_arrays(struct decoder *d)
{
    struct code *code = d->code;
    if (d->failed || !may_have_neighbors(d->kernel))
        return;
    code->array_bounds = arena_alloc(code->arena, (size_t)code->count * sizeof *code->array_bounds);
    for (int i = 0; i < code->function_count; i++) {
        const struct ptx_func *func = code->functions[i].func;
        struct values v = {d, sim_need((size_t)func->reg_count + 1, sizeof *v.of, "which arrays are meant")};
        find_values(&v, func);
        note_accesses(&v, func, code->array_bounds);
        free(v.of);
    }
}
