#include "sim/core/need.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void sim_out_of_memory(size_t bytes, const char *what)
{
    fprintf(stderr, "simulator: out of memory: %zu bytes for %s\n", bytes, what);
    abort();
}

/* SIZE_MAX, which no allocation can have, where the product is too large. */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? (size_t)-1 : bytes;
}

void *sim_need(size_t count, size_t size, const char *what)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        sim_out_of_memory(bytes_of(count, size), what);
    return memory;
}

void *sim_need_resized(void *memory, size_t count, size_t size, const char *what)
{
    size_t bytes = bytes_of(count, size);
    void *resized = bytes == (size_t)-1 ? NULL : realloc(memory, bytes ? bytes : 1);
    if (!resized)
        sim_out_of_memory(bytes, what);
    return resized;
}
