#include "sim/text/line_memory.h"

#include <stdatomic.h>
#include <string.h>

#define FREE    UINT64_C(0) /* as the memory was made */
#define WRITTEN UINT64_C(1) /* just now, by some process; for ever, if that was killed */

struct entry {
    _Atomic uint64_t key;
    char answer[504];
};

/* Entries that all processes share; count 0: there are none. */
static struct line_memory {
    struct entry *entry;
    size_t count;
} kept;

void line_memory_use(void *memory, size_t bytes)
{
    kept.entry = memory;
    kept.count = bytes / sizeof *kept.entry;
}

static uint64_t key_of(const char *path, uintptr_t offset)
{
    uint64_t key = UINT64_C(14695981039346656037) ^ offset; /* FNV-1a */
    for (; *path; path++)
        key = (key ^ (unsigned char)*path) * UINT64_C(1099511628211);
    return key > WRITTEN ? key : WRITTEN + 1;
}

bool line_memory_find(const char *path, uintptr_t offset, char *answer, size_t size)
{
    const uint64_t key = key_of(path, offset);
    for (size_t i = 0; i < kept.count; i++) {
        const struct entry *entry = &kept.entry[i];
        if (atomic_load(&entry->key) != key)
            continue;
        const size_t length = strnlen(entry->answer, sizeof entry->answer);
        if (length >= size)
            return false;
        memcpy(answer, entry->answer, length);
        answer[length] = '\0';
        return true;
    }
    return false;
}

void line_memory_keep(const char *path, uintptr_t offset, const char *answer)
{
    const size_t length = strlen(answer);
    for (size_t i = 0; i < kept.count && length < sizeof kept.entry->answer; i++) {
        struct entry *entry = &kept.entry[i];
        uint64_t is_free = FREE;
        if (!atomic_compare_exchange_strong(&entry->key, &is_free, WRITTEN))
            continue;
        memcpy(entry->answer, answer, length + 1);
        atomic_store(&entry->key, key_of(path, offset));
        return;
    }
}
