#include "sim/model/reuse.h"

#include <stdlib.h>

#include "sim/model/counter_ranges.h"

#define WORD 4
#define REUSE_SEEN                                                                                           \
    1024 /* requests of a warp that are remembered, each in the one place that its addresses say */

struct reuse *reuse_create(size_t shared, unsigned warps, unsigned operations)
{
    struct reuse *reuse = calloc(1, sizeof *reuse);
    if (!reuse)
        return NULL;
    reuse->words = (shared + WORD - 1) / WORD;
    reuse->operations = operations;
    reuse->used = calloc(shared / REUSE_PIECE + 1, 1);
    reuse->ops = calloc((size_t)operations + 1, sizeof *reuse->ops);
    reuse->word = calloc(reuse->words + 1, sizeof *reuse->word);
    reuse->seen = calloc((size_t)warps * REUSE_SEEN, sizeof *reuse->seen);
    if (reuse->used && reuse->ops && reuse->word && reuse->seen)
        return reuse;
    reuse_destroy(reuse);
    return NULL;
}

void reuse_end(struct reuse *reuse)
{
    free(reuse->word);
    free(reuse->seen);
    reuse->word = NULL;
    reuse->seen = NULL;
}

void reuse_destroy(struct reuse *reuse)
{
    if (!reuse)
        return;
    reuse_end(reuse);
    free(reuse->used);
    free(reuse->ops);
    free(reuse);
}

void reuse_barrier(struct reuse *reuse)
{
    reuse->interval++;
}

/* ---- shared memory ------------------------------------------------------------------------------------- */

/* Threads of one warp may have agreed on who stores next without a barrier, but not the lanes of one store. */
static void store_word(struct reuse *reuse, struct reuse_op *op, size_t number, unsigned warp, unsigned lane)
{
    struct reuse_word *word = &reuse->word[number];
    op->stored++;
    op->stored_again += word->interval == reuse->interval + 1 &&
                        (word->warp != warp || (word->lane != lane && word->request == reuse->request));
    *word = (struct reuse_word){reuse->interval + 1, reuse->request, (uint16_t)warp, (uint16_t)lane};
}

static void store_shared(struct reuse *reuse, unsigned warp, const struct access *access)
{
    struct reuse_op *op = &reuse->ops[access->pc];
    reuse->request++;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const size_t first = access->address[lane] / WORD;
        const size_t words = (size_t)access->size / WORD; /* parts of a word are not watched */
        for (size_t w = first; w < first + words && w < reuse->words; w++)
            store_word(reuse, op, w, warp, lane);
    }
}

static void touch_shared(struct reuse *reuse, const struct access *access)
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const size_t first = access->address[__builtin_ctz(rest)];
        if (first / WORD < reuse->words)
            reuse->used[first / REUSE_PIECE] = 1; /* no access crosses the end of a piece */
    }
}

/* ---- global memory ------------------------------------------------------------------------------------- */

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
    if (!access->lanes || (unsigned)access->pc >= reuse->operations || !reuse->word)
        return;
    if (access->space == PTX_SHARED) {
        touch_shared(reuse, access);
        if (access->kind == ACCESS_STORE && access->order == ORDER_WEAK)
            store_shared(reuse, warp, access);
    } else if (access->space == PTX_GLOBAL && access->kind != ACCESS_ATOMIC && access->order == ORDER_WEAK) {
        note_global(reuse, warp, access);
    }
}
