/*
 * Flags and locks inside a block. A thread that changes a variable by an atomic or volatile access, with a
 * fence before it, hands on all that it knows; who reads the variable so later takes it over. This needs
 * a row of stamps for each such variable and thread; programs that do not do this have none.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 64

struct lock {
    struct lock *next;
    uint64_t key;
    stamp_t *known;   /* [thread]: what has been released to the variable */
    uint32_t *seen;   /* [thread]: the version that the thread took last */
    uint32_t version; /* of `known` */
    unsigned last_thread;
    stamp_t last_stamp; /* the block's clock at the last release: nothing new if neither has changed */
};

static struct lock **bucket_of(struct block_shadow *s, uint64_t key)
{
    return &s->locks[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 58];
}

static struct lock *find(struct block_shadow *s, uint64_t key)
{
    struct lock *l = s->locks ? *bucket_of(s, key) : NULL;
    while (l && l->key != key)
        l = l->next;
    return l;
}

static void lock_destroy(struct lock *l)
{
    if (!l)
        return;
    free(l->known);
    free(l->seen);
    free(l);
}

static struct lock *create(struct block_shadow *s, uint64_t key)
{
    if (!s->locks)
        s->locks = calloc(BUCKETS, sizeof *s->locks);
    struct lock *l = s->locks ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return NULL;
    l->key = key;
    l->known = calloc(s->threads, sizeof *l->known);
    l->seen = calloc(s->threads, sizeof *l->seen);
    if (!l->known || !l->seen) {
        lock_destroy(l);
        return NULL;
    }
    l->next = *bucket_of(s, key);
    *bucket_of(s, key) = l;
    return l;
}

known_row lock_row(struct block_shadow *s, unsigned thread)
{
    if (!s->thread_known[thread])
        s->thread_known[thread] = calloc(BLOCK_THREADS, sizeof(stamp_t));
    return s->thread_known[thread];
}

void lock_release(struct block_shadow *s, unsigned thread, uint64_t key, stamp_t fence)
{
    struct lock *l = find(s, key);
    if (!l)
        l = create(s, key);
    if (!l || (l->version && l->last_thread == thread && l->last_stamp == s->now))
        return;
    for (unsigned u = 0; u < s->threads; u++) {
        stamp_t known = u == thread ? fence : order_known(s, thread, u);
        if (known > l->known[u])
            l->known[u] = known;
    }
    l->version++;
    l->seen[thread] = l->version;
    l->last_thread = thread;
    l->last_stamp = s->now;
}

void lock_acquire(struct block_shadow *s, unsigned thread, uint64_t key)
{
    struct lock *l = find(s, key);
    if (!l || l->seen[thread] == l->version || !lock_row(s, thread))
        return;
    for (unsigned u = 0; u < s->threads; u++)
        if (l->known[u] > s->thread_known[thread][u])
            s->thread_known[thread][u] = l->known[u];
    l->seen[thread] = l->version;
    s->warp[thread / WARP_LANES].acquired = true;
    s->unusual = s->hazards->careful = true;
}

void lock_forget(struct block_shadow *s)
{
    for (int i = 0; s->locks && i < BUCKETS; i++)
        while (s->locks[i]) {
            struct lock *l = s->locks[i];
            s->locks[i] = l->next;
            lock_destroy(l);
        }
    free(s->locks);
    s->locks = NULL;
}
