/* An arena: blocks of memory that are released together. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

#define ARENA_BLOCK 65536
#define ARENA_ALIGN 64

struct arena_block {
    struct arena_block *next;
};

struct arena {
    struct arena_block *blocks;
    unsigned char *free, *end;
};

struct arena *arena_create(void)
{
    return calloc(1, sizeof(struct arena));
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!arena->free || size > (size_t)(arena->end - arena->free)) {
        size_t payload = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        struct arena_block *block = aligned_alloc(ARENA_ALIGN, ARENA_ALIGN + payload);
        if (!block)
            sim_out_of_memory(ARENA_ALIGN + payload, "the micro-operations of a kernel");
        block->next = arena->blocks;
        arena->blocks = block;
        arena->free = (unsigned char *)block + ARENA_ALIGN;
        arena->end = arena->free + payload;
    }
    void *result = arena->free;
    arena->free += size;
    memset(result, 0, size);
    return result;
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    free(arena);
}
