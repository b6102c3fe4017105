#define _GNU_SOURCE
#include "harness/judge/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE (UINT64_C(2) << 20)
#define MOST_FREE  8 /* blocks that wait to be used again */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *block;
    uint64_t bytes;
} spare[MOST_FREE];

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* The smallest that is large enough, and not twice as large. */
static void *take_spare(uint64_t bytes)
{
    void *block = NULL;
    int best = -1;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_FREE; i++)
        if (spare[i].block && spare[i].bytes >= bytes && spare[i].bytes <= 2 * bytes &&
            (best < 0 || spare[i].bytes < spare[best].bytes))
            best = i;
    if (best >= 0) {
        block = spare[best].block;
        spare[best].block = NULL;
    }
    pthread_mutex_unlock(&mutex);
    return block;
}

/* In large pages: the system hands out 2 MiB at a time and not 512 times 4 KiB. */
void *memory_take(uint64_t bytes)
{
    if (bytes < LARGE_PAGE)
        return malloc(bytes);
    bytes = whole_pages(bytes);
    void *block = take_spare(bytes);
    if (!block && posix_memalign(&block, LARGE_PAGE, bytes) != 0) {
        memory_forget();
        return posix_memalign(&block, LARGE_PAGE, bytes) == 0 ? block : NULL;
    }
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

void memory_give_back(void *block, uint64_t bytes)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_FREE && block && bytes >= LARGE_PAGE; i++)
        if (!spare[i].block) {
            spare[i].block = block;
            spare[i].bytes = whole_pages(bytes);
            block = NULL;
        }
    pthread_mutex_unlock(&mutex);
    free(block);
}

void memory_forget(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_FREE; i++) {
        free(spare[i].block);
        spare[i].block = NULL;
    }
    pthread_mutex_unlock(&mutex);
}
