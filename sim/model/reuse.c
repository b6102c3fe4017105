#include "sim/model/reuse.h"

#include <stdlib.h>

#include "sim/model/counter_ranges.h"

#define REUSE_SEEN                                                                                           \
    1024 /* requests of a warp that are remembered, each in the one place that its addresses say */

struct reuse *reuse_create(unsigned warps, unsigned operations)
{
    struct reuse *reuse = calloc(1, sizeof *reuse);
    if (!reuse)
        return NULL;
    reuse->operations = operations;
    reuse->ops = calloc((size_t)operations + 1, sizeof *reuse->ops);
    reuse->seen = calloc((size_t)warps * REUSE_SEEN, sizeof *reuse->seen);
    if (reuse->ops && reuse->seen)
        return reuse;
    reuse_destroy(reuse);
    return NULL;
}

void reuse_end(struct reuse *reuse)
{
    free(reuse->seen);
    reuse->seen = NULL;
}

void reuse_destroy(struct reuse *reuse)
{
    if (!reuse)
        return;
    reuse_end(reuse);
    free(reuse->ops);
    free(reuse);
}

void reuse_barrier(struct reuse *reuse)
{
    reuse->interval++;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static void note_global(struct reuse *reuse, unsigned warp, const struct access *access)
{
    struct reuse_op *op = &reuse->ops[access->pc];
    uint64_t hash = mix(access->lanes, (uint64_t)access->kind << 8 | (uint64_t)access->size);
    if (access->kind == ACCESS_STORE)
        hash = mix(hash, reuse->interval); /* behind a barrier, others may have read what was stored */
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1)
        hash = mix(hash, access->address[__builtin_ctz(rest)]);
    uint64_t *seen = &reuse->seen[(size_t)warp * REUSE_SEEN + (hash >> 54)];
    op->requests++;
    op->again += *seen == hash;
    *seen = hash;
}

void reuse_access(struct reuse *reuse, unsigned warp, const struct access *access)
{
    if (!access->lanes || (unsigned)access->pc >= reuse->operations || !reuse->seen)
        return;
    if (access->space == PTX_GLOBAL && access->kind != ACCESS_ATOMIC && access->order == ORDER_WEAK)
        note_global(reuse, warp, access);
}
