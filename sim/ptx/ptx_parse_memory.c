/* The parser's memory: an arena for what the module keeps, buffers for what is still growing. */
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx_parse.h"

enum { ARENA_BLOCK = 64 << 10, ARENA_ALIGN = 16 };

struct arena_block {
    struct arena_block *next;
    _Alignas(ARENA_ALIGN) char data[];
};

void ptx_arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

/* A fresh block of zeroes with room for `size` bytes, or NULL. */
static struct arena_block *add_block(struct arena *arena, size_t size)
{
    struct arena_block *block = NULL;
    if (size < SIZE_MAX - sizeof *block)
        block = calloc(1, sizeof *block + size);
    if (block) {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

static struct arena_block *arena_grow(struct parser *p, size_t size)
{
    struct arena_block *block = add_block(p->arena, size);
    if (!block)
        ptx_fail(p, "out of memory (%zu bytes more were needed)", size);
    return block;
}

void *ptx_arena_alloc(struct parser *p, size_t size)
{
    struct arena *arena = p->arena;
    if (size > ARENA_BLOCK / 4) /* its own block; the current one stays in use */
        return arena_grow(p, size)->data;
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!arena->at || (size_t)(arena->end - arena->at) < size) {
        arena->at = arena_grow(p, ARENA_BLOCK)->data;
        arena->end = arena->at + ARENA_BLOCK;
    }
    void *memory = arena->at;
    arena->at += size;
    return memory;
}

const char *ptx_arena_text(struct parser *p, const char *start, size_t length)
{
    char *text = ptx_arena_alloc(p, length + 1);
    memcpy(text, start, length);
    return text;
}

void *ptx_buffer_push(struct parser *p, struct buffer *buffer, size_t size)
{
    if (buffer->capacity - buffer->size < size) {
        size_t capacity = buffer->capacity * 2 + size + 256;
        char *data = realloc(buffer->data, capacity);
        if (!data)
            ptx_fail(p, "out of memory (%zu bytes were needed)", capacity);
        buffer->data = data;
        buffer->capacity = capacity;
    }
    void *slot = buffer->data + buffer->size;
    memset(slot, 0, size);
    buffer->size += size;
    return slot;
}

void *ptx_buffer_copy(struct parser *p, const struct buffer *buffer, size_t from)
{
    size_t size = buffer->size - from;
    void *copy = ptx_arena_alloc(p, size);
    if (size > 0)
        memcpy(copy, buffer->data + from, size);
    return copy;
}
