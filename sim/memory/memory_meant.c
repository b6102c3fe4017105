/* The allocation that an access means: the one that the kernel's pointer belongs to, however far off the index is. */
#include <string.h>

#include "sim/core/code.h"
#include "sim/core/kernel.h"
#include "sim/memory/memory.h"
#include "sim/ptx/base.h"

struct allocation *memory_meant(const struct block_view *block, const struct access *access)
{
    const struct code *code = block->kernel->code;
    uint64_t value;
    size_t offset;
    if (!code || access->pc < 0 || access->pc >= code->count || !code->instrs[access->pc] ||
        !ptx_base_parameter(block->kernel->func, code->instrs[access->pc], &offset) ||
        offset + sizeof value > block->param_size)
        return NULL;
    memcpy(&value, block->param + offset, sizeof value);
    return memory_at(block->sim->memory, value);
}
