/*
 * Memory of the host that the student's function allocates: how many bytes an address has behind it. malloc and its like are
 * wrapped when a worker is linked (mk/harness.mk); while the function runs, what they return is written down with the
 * place of the call.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/worker/worker.h"
#include "sim/text/source_line.h"

#define BLOCKS (1u << 14) /* a power of two: places in the table */

struct block {
    void *memory; /* NULL: the place is free */
    size_t bytes;
    const void *caller;
};

static struct {
    pthread_mutex_t mutex;
    bool watches;
    struct block block[BLOCKS];
    unsigned block_count;
} heap = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- the table ----------------------------------------------------------------------------------------- */

static unsigned home_of(const void *memory)
{
    return (unsigned)(((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (BLOCKS - 1);
}

static void put(void *memory, size_t bytes, const void *caller)
{
    unsigned at = home_of(memory);
    if (heap.block_count > BLOCKS / 2) /* what comes later is not known */
        return;
    while (heap.block[at].memory)
        at = (at + 1) & (BLOCKS - 1);
    heap.block[at] = (struct block){memory, bytes, caller};
    heap.block_count++;
}

/* Those behind it move up, so that none is cut off from its home. */
static void take(const void *memory)
{
    unsigned at = home_of(memory);
    while (heap.block[at].memory && heap.block[at].memory != memory)
        at = (at + 1) & (BLOCKS - 1);
    if (!heap.block[at].memory)
        return;
    heap.block_count--;
    for (unsigned next = (at + 1) & (BLOCKS - 1); heap.block[next].memory; next = (next + 1) & (BLOCKS - 1)) {
        const unsigned home = home_of(heap.block[next].memory);
        if (((next - home) & (BLOCKS - 1)) < ((next - at) & (BLOCKS - 1)))
            continue;
        heap.block[at] = heap.block[next];
        at = next;
    }
    heap.block[at].memory = NULL;
}

static void *allocated(void *memory, size_t bytes, const void *caller)
{
    if (!memory || !heap.watches)
        return memory;
    pthread_mutex_lock(&heap.mutex);
    put(memory, bytes, caller);
    pthread_mutex_unlock(&heap.mutex);
    return memory;
}

static void released(const void *memory)
{
    if (!memory || heap.block_count == 0)
        return;
    pthread_mutex_lock(&heap.mutex);
    take(memory);
    pthread_mutex_unlock(&heap.mutex);
}

/* ---- what is wrapped: malloc, and new of C++ as the compiler calls it --------------------------------------- */

#define ALLOCATES(name, parameters, arguments, bytes)                                                        \
    void *__real_##name parameters __attribute__((weak));                                                    \
    void *__wrap_##name parameters;                                                                          \
    void *__wrap_##name parameters                                                                           \
    {                                                                                                        \
        return allocated(__real_##name arguments, bytes, __builtin_return_address(0));                       \
    }
#define RELEASES(name, parameters, arguments)                                                                \
    void __real_##name parameters __attribute__((weak));                                                     \
    void __wrap_##name parameters;                                                                           \
    void __wrap_##name parameters                                                                            \
    {                                                                                                        \
        released(memory);                                                                                    \
        __real_##name arguments;                                                                             \
    }

ALLOCATES(malloc, (size_t size), (size), size)
ALLOCATES(calloc, (size_t count, size_t size), (count, size), count *size)
ALLOCATES(_Znwm, (size_t size), (size), size)
ALLOCATES(_Znam, (size_t size), (size), size)
RELEASES(free, (void *memory), (memory))
RELEASES(_ZdlPv, (void *memory), (memory))
RELEASES(_ZdaPv, (void *memory), (memory))
RELEASES(_ZdlPvm, (void *memory, size_t size), (memory, size))
RELEASES(_ZdaPvm, (void *memory, size_t size), (memory, size))

void *__real_realloc(void *memory, size_t size) __attribute__((weak));
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    const uintptr_t before = (uintptr_t)memory;
    void *now = __real_realloc(memory, size);
    if (now || size == 0)
        released((const void *)before); /* only as a number */
    return allocated(now, size, __builtin_return_address(0));
}

/* ---- calls --------------------------------------------------------------------------------------------- */

void worker_heap_watch(bool watches)
{
    heap.watches = watches;
}

/* The file and line of the call, where it stands in the student's program and not in the simulator. */
static bool place_of(const void *caller, struct protocol_place *place)
{
    char text[256];
    char *colon;
    if (!source_line(caller, text, sizeof text) || !(colon = strrchr(text, ':')) || colon - text < 3 ||
        strncmp(colon - 3, ".cu", 3) != 0)
        return false;
    place->line = atoi(colon + 1);
    snprintf(place->file, sizeof place->file, "%.*s", (int)(colon - text), text);
    return true;
}

bool worker_heap_is_short(const void *address, size_t needed, size_t *left, size_t *bytes,
                          struct protocol_place *place)
{
    const uintptr_t at = (uintptr_t)address;
    const void *caller = NULL;
    pthread_mutex_lock(&heap.mutex);
    for (unsigned i = 0; i < BLOCKS && heap.block_count > 0 && !caller; i++) {
        const struct block *block = &heap.block[i];
        if (!block->memory || at - (uintptr_t)block->memory >= block->bytes)
            continue;
        *bytes = block->bytes;
        *left = block->bytes - (at - (uintptr_t)block->memory);
        caller = block->caller;
    }
    pthread_mutex_unlock(&heap.mutex);
    *place = (struct protocol_place){.line = 0};
    return caller && *left < needed && place_of(caller, place);
}
