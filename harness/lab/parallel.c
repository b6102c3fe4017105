#define _GNU_SOURCE
#include "harness/lab/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 16
#define LEAST_WORK   100000    /* elements that are worth a thread */
#define LEAST_BYTES  (1 << 20) /* of a copy, likewise */
#define PIECES       4         /* for each thread, so that a thread that was held up does less */

struct loop {
    void (*part)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t count, piece;
    atomic_llong next; /* the first index that no thread has taken yet */
};

static void *run_pieces(void *argument)
{
    struct loop *loop = argument;
    for (;;) {
        const int64_t begin = atomic_fetch_add(&loop->next, loop->piece);
        if (begin >= loop->count)
            return NULL;
        const int64_t end = loop->count - begin < loop->piece ? loop->count : begin + loop->piece;
        loop->part(loop->context, begin, end);
    }
}

/* Fewer than the machine has where taskset, a container or a batch system says so. */
static int thread_count(void)
{
    cpu_set_t allowed;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        threads = CPU_COUNT(&allowed);
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (int)threads;
}

void parallel_pieces(int64_t count, int64_t least, int64_t granule,
                     void (*part)(void *context, int64_t begin, int64_t end), void *context)
{
    struct loop loop = {.part = part, .context = context, .count = count};
    pthread_t thread[MOST_THREADS];
    int threads = thread_count(), started = 0;
    if (threads > count / least)
        threads = count / least > 1 ? (int)(count / least) : 1;
    const int64_t pieces = threads == 1 ? 1 : (int64_t)PIECES * threads;
    loop.piece = ((count + pieces - 1) / pieces + granule - 1) / granule * granule;
    while (started < threads - 1 && pthread_create(&thread[started], NULL, run_pieces, &loop) == 0)
        started++;
    run_pieces(&loop); /* the caller works too */
    for (int t = 0; t < started; t++)
        pthread_join(thread[t], NULL);
}

void parallel_for(int64_t count, void (*part)(void *context, int64_t begin, int64_t end), void *context)
{
    parallel_pieces(count, LEAST_WORK, 1, part, context);
}

/* ---- blocks of memory ---------------------------------------------------------------------------------- */

struct block {
    char *to;
    const char *from;
    int byte;
    atomic_bool differs;
};

static void copy_part(void *context, int64_t begin, int64_t end)
{
    const struct block *block = context;
    memcpy(block->to + begin, block->from + begin, (size_t)(end - begin));
}

static void set_part(void *context, int64_t begin, int64_t end)
{
    const struct block *block = context;
    memset(block->to + begin, block->byte, (size_t)(end - begin));
}

static void compare_part(void *context, int64_t begin, int64_t end)
{
    struct block *block = context;
    if (!atomic_load(&block->differs) &&
        memcmp(block->to + begin, block->from + begin, (size_t)(end - begin)))
        atomic_store(&block->differs, true);
}

void parallel_copy(void *to, const void *from, size_t size)
{
    struct block block = {.to = to, .from = from};
    parallel_pieces((int64_t)size, LEAST_BYTES, 4096, copy_part, &block);
}

void parallel_set(void *to, int byte, size_t size)
{
    struct block block = {.to = to, .byte = byte};
    parallel_pieces((int64_t)size, LEAST_BYTES, 4096, set_part, &block);
}

bool parallel_same(const void *a, const void *b, size_t size)
{
    struct block block = {.to = (char *)a, .from = b}; /* only read */
    parallel_pieces((int64_t)size, LEAST_BYTES, 4096, compare_part, &block);
    return !atomic_load(&block.differs);
}
