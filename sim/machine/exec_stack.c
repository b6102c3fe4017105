/*
 * Memory that a function takes from the end of its thread's local window and that goes with it: alloca.
 * Source: PTX ISA, "Stack Manipulation Instructions".
 */
#include "sim/machine/exec.h"

/* Offset in the local window below which nothing was taken. */
static uint64_t stack_pointer(const struct warp *warp, unsigned lane)
{
    return warp->block->view.local_size - warp->stack_used[lane];
}

static enum step overflow(struct warp *warp, const struct micro *op, unsigned lane, uint64_t size)
{
    const size_t limit = warp->block->launch->stack_limit;
    return exec_fault(
        warp, op, 1u << lane, SIM_STACK_OVERFLOW,
        "asks for %llu bytes by alloca: stack overflow. Of the %zu bytes of stack that a thread has "
        "(cudaLimitStackSize), %zu are left; " STACK_ADVICE,
        (unsigned long long)size, limit, limit - warp_stack_taken(warp, lane));
}

/* The memory lies below the stack pointer, at a multiple of op->imm. */
static enum step alloca_lanes(struct warp *warp, const struct micro *op, uint32_t active, bool wide)
{
    FOR_LANES(lane, active)
    {
        uint64_t size =
            wide ? ((const row_u64 *)row(warp, op->a))[lane] : ((const row_u32 *)row(warp, op->a))[lane];
        uint64_t top = stack_pointer(warp, lane);
        uint64_t bottom = top - (warp->block->launch->stack_limit - warp_stack_taken(warp, lane));
        uint64_t address = size <= top - bottom ? (top - size) & ~((uint64_t)op->imm - 1) : 0;
        if (size > top - bottom || address < bottom)
            return overflow(warp, op, lane, size);
        warp->stack_used[lane] = (uint32_t)(warp->block->view.local_size - address);
        if (wide)
            ((row_u64 *)row(warp, op->dst))[lane] = address;
        else
            ((row_u32 *)row(warp, op->dst))[lane] = (uint32_t)address;
    }
    return STEP_NEXT;
}

static enum step stacksave(struct warp *warp, const struct micro *op, uint32_t active, bool wide)
{
    FOR_LANES(lane, active)
    {
        if (wide)
            ((row_u64 *)row(warp, op->dst))[lane] = stack_pointer(warp, lane);
        else
            ((row_u32 *)row(warp, op->dst))[lane] = (uint32_t)stack_pointer(warp, lane);
    }
    return STEP_NEXT;
}

static enum step stackrestore(struct warp *warp, const struct micro *op, uint32_t active, bool wide)
{
    const uint64_t size = warp->block->view.local_size;
    FOR_LANES(lane, active)
    {
        uint64_t top =
            wide ? ((const row_u64 *)row(warp, op->a))[lane] : ((const row_u32 *)row(warp, op->a))[lane];
        if (top > size || size - top > warp->block->launch->alloca_size)
            return exec_fault(warp, op, 1u << lane, SIM_OUT_OF_BOUNDS,
                              "sets the stack to 0x%llx, which stacksave did not return",
                              (unsigned long long)top);
        warp->stack_used[lane] = (uint32_t)(size - top);
    }
    return STEP_NEXT;
}

#define DEFINE_STACK(name, function, wide)                                                                   \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        return function(warp, op, active, wide);                                                             \
    }
DEFINE_STACK(alloca_b32, alloca_lanes, false)
DEFINE_STACK(alloca_b64, alloca_lanes, true)
DEFINE_STACK(stacksave_b32, stacksave, false)
DEFINE_STACK(stacksave_b64, stacksave, true)
DEFINE_STACK(stackrestore_b32, stackrestore, false)
DEFINE_STACK(stackrestore_b64, stackrestore, true)

const struct handler exec_stack_handlers[] = {
    {"alloca.b32", alloca_b32},
    {"alloca.b64", alloca_b64},
    {"stacksave.b32", stacksave_b32},
    {"stacksave.b64", stacksave_b64},
    {"stackrestore.b32", stackrestore_b32},
    {"stackrestore.b64", stackrestore_b64},
    {NULL, NULL},
};
