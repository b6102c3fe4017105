/*
 * What was stored over although it was still needed: a value in global memory that another launch replaced before
 * anything had read it, and with which the wrong number would be the right one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/origin/origin_visit.h"
#include "sim/ptx/ptx.h"

#define WORDS_MOST  (1u << 14) /* that the blocks looked at have read; more are left out */
#define BUCKETS     (2 * WORDS_MOST)
#define BLOCKS_MOST 16 /* that are looked at in one step */
#define STEPS_MOST  3  /* from a block to those that stored what it reads */
#define LOST_MOST   3  /* values that were stored over, of one word; the last ones are kept */

struct stored {
    uint32_t entry; /* ORIGIN_NONE: nothing */
    int lane;
    bool is_known; /* … as a number */
    double value;
};

struct lost {
    struct stored before, over;
};

/* A word that one of the blocks reads. */
struct word {
    uint64_t address;
    uint32_t load; /* the block's last load of it, and its lane */
    int load_lane;
    struct stored now; /* as far as the recording has been followed */
    bool is_read;      /* since it was stored */
    struct lost lost[LOST_MOST];
    unsigned lost_count;
};

/* A block, known by the number of its first warp, and the entry before which it is looked at. */
struct part {
    uint32_t first_warp, end;
};

struct over_search {
    const struct sim *sim;
    const struct origin_log *log;
    size_t size; /* of a number, 4 or 8 bytes */
    double want, got;
    struct part part[BLOCKS_MOST];
    int part_count;
    struct word *words; /* [WORDS_MOST] */
    uint32_t word_count;
    uint32_t bucket[BUCKETS]; /* number of a word, + 1 */
};

/* ---- words ------------------------------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct over_search *s, uint64_t address)
{
    uint32_t i = (uint32_t)((address / s->size * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % BUCKETS;
    while (s->bucket[i] && s->words[s->bucket[i] - 1].address != address)
        i = (i + 1) % BUCKETS;
    return &s->bucket[i];
}

static struct word *word_at(struct over_search *s, uint64_t address)
{
    const uint32_t number = *bucket_of(s, address);
    return number ? &s->words[number - 1] : NULL;
}

static void add_word(struct over_search *s, uint64_t address, uint32_t load, int lane)
{
    uint32_t *bucket = bucket_of(s, address);
    if (!*bucket && s->word_count < WORDS_MOST) {
        s->words[s->word_count] = (struct word){.address = address, .now = {.entry = ORIGIN_NONE}};
        *bucket = ++s->word_count;
    }
    if (*bucket) {
        s->words[*bucket - 1].load = load;
        s->words[*bucket - 1].load_lane = lane;
    }
}

static double number_of(const struct over_search *s, uint64_t bits)
{
    float narrow;
    double wide;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return s->size == sizeof narrow ? (double)narrow : wide;
}

/* ---- the recording ----------------------------------------------------------------------------------------- */

static uint32_t first_warp_of(const struct origin_log *log, uint32_t warp)
{
    const struct origin_launch *launch = origin_launch_of(log, warp);
    return warp - (warp - launch->first_warp) % launch->warps_per_block;
}

/* The access to global memory of an entry that comes after `access`; NULL: its first one. */
static const struct origin_access *next_access(const struct origin_log *log, const struct origin_entry *entry,
                                               const struct origin_access *access)
{
    uint32_t next = access ? access->next : entry->extra;
    if (!access) {
        const enum origin_op_kind kind = origin_launch_of(log, entry->warp)->ops[entry->pc].kind;
        if (kind != ORIGIN_LOAD && kind != ORIGIN_STORE && kind != ORIGIN_ATOMIC && kind != ORIGIN_ASYNC)
            return NULL;
    }
    while (next != ORIGIN_NONE && log->accesses[next].space != PTX_GLOBAL)
        next = log->accesses[next].next;
    return next == ORIGIN_NONE ? NULL : &log->accesses[next];
}

static const struct part *part_of(const struct over_search *s, const struct origin_entry *entry,
                                  uint32_t number)
{
    const uint32_t first = first_warp_of(s->log, entry->warp);
    for (int i = 0; i < s->part_count; i++)
        if (s->part[i].first_warp == first && number < s->part[i].end)
            return &s->part[i];
    return NULL;
}

static void find_words(struct over_search *s)
{
    memset(s->bucket, 0, sizeof s->bucket);
    s->word_count = 0;
    for (uint32_t number = 0; number < s->log->entry_count; number++) {
        const struct origin_entry *entry = &s->log->entries[number];
        if (entry->warp == ORIGIN_NONE || entry->extra == ORIGIN_NONE || !part_of(s, entry, number))
            continue;
        for (const struct origin_access *a = NULL; (a = next_access(s->log, entry, a));)
            if (a->kind == ACCESS_LOAD)
                FOR_LANES(lane, a->lanes)
        for (unsigned at = 0; at + s->size <= a->size; at += (unsigned)s->size)
            add_word(s, origin_address(s->log, a, lane) + at, number, lane);
    }
}

static void store_to(struct word *word, struct stored now)
{
    if (word->now.is_known && !word->is_read && word->now.value != now.value)
        word->lost[word->lost_count++ % LOST_MOST] = (struct lost){word->now, now};
    word->now = now;
    word->is_read = false;
}

static void follow_access(struct over_search *s, uint32_t number, const struct origin_access *a, int lane)
{
    for (unsigned at = 0; at + s->size <= a->size; at += (unsigned)s->size) {
        struct word *word = word_at(s, origin_address(s->log, a, lane) + at);
        uint64_t bits;
        if (!word || number >= word->load)
            continue;
        struct stored now = {.entry = number, .lane = lane};
        now.is_known = a->kind == ACCESS_STORE && origin_value(s->log, a, lane, (int)at, &bits);
        if (now.is_known)
            now.value = number_of(s, bits);
        if (a->kind != ACCESS_STORE)
            word->is_read = true;
        if (a->kind != ACCESS_LOAD)
            store_to(word, now);
    }
}

/* The host reads what it copies, and what it fills is not known. */
static void follow_copy(struct over_search *s, const struct origin_copy *copy)
{
    for (uint32_t i = 0; i < s->word_count; i++) {
        struct word *word = &s->words[i];
        if (copy->entry >= word->load)
            continue;
        word->is_read |= word->address >= copy->from && word->address - copy->from < copy->size;
        if (word->address >= copy->to && word->address - copy->to < copy->size)
            word->now = (struct stored){.entry = ORIGIN_NONE};
    }
}

static void follow(struct over_search *s)
{
    for (uint32_t number = 0; number < s->log->entry_count; number++) {
        const struct origin_entry *entry = &s->log->entries[number];
        if (entry->extra == ORIGIN_NONE)
            continue;
        if (entry->warp == ORIGIN_NONE) {
            follow_copy(s, &s->log->copies[entry->extra]);
            continue;
        }
        for (const struct origin_access *a = NULL; (a = next_access(s->log, entry, a));)
            FOR_LANES(lane, a->lanes)
        follow_access(s, number, a, lane);
    }
}

/* ---- which one --------------------------------------------------------------------------------------------- */

static int launch_of(const struct origin_log *log, uint32_t entry)
{
    return (int)(origin_launch_of(log, log->entries[entry].warp) - log->launches);
}

/* With it instead of what the word holds, the number would be the right one; within a launch that would be a race. */
static bool is_needed(const struct over_search *s, const struct word *word, const struct lost *lost)
{
    const double missing = s->want - s->got, change = lost->before.value - word->now.value;
    const double scale = fabs(s->want) + fabs(s->got) + fabs(lost->before.value) + fabs(word->now.value);
    const double near = (s->size == sizeof(float) ? 1e-6 : 1e-14) * scale;
    return fabs(missing) > 16 * near && fabs(change - missing) <= near &&
           launch_of(s->log, lost->before.entry) != launch_of(s->log, lost->over.entry);
}

static void answer(const struct over_search *s, const struct word *word, const struct lost *lost, int steps,
                   struct sim_origin_over *out)
{
    const struct origin_log *log = s->log;
    const struct sim_allocation *array = sim_mem_find(s->sim, word->address);
    *out =
        (struct sim_origin_over){.name = origin_name_of(s->sim, word->address),
                                 .index = array ? (int64_t)((word->address - array->address) / s->size) : 0,
                                 .before = lost->before.value,
                                 .now = word->now.value,
                                 .read = origin_place_of(log, word->load),
                                 .stored = origin_place_of(log, lost->before.entry),
                                 .over = origin_place_of(log, lost->over.entry),
                                 .steps = steps};
    out->reader = origin_thread_of(log, log->entries[word->load].warp, word->load_lane);
    out->storer = origin_thread_of(log, log->entries[lost->before.entry].warp, lost->before.lane);
    out->second = origin_thread_of(log, log->entries[lost->over.entry].warp, lost->over.lane);
}

static bool choose(const struct over_search *s, int steps, struct sim_origin_over *out)
{
    for (uint32_t i = 0; i < s->word_count; i++) {
        const struct word *word = &s->words[i];
        for (unsigned k = 0; word->now.is_known && k < LOST_MOST && k < word->lost_count; k++)
            if (is_needed(s, word, &word->lost[k])) {
                answer(s, word, &word->lost[k], steps, out);
                return true;
            }
    }
    return false;
}

static void add_part(struct over_search *s, uint32_t entry)
{
    const uint32_t first = first_warp_of(s->log, s->log->entries[entry].warp);
    for (int i = 0; i < s->part_count; i++)
        if (s->part[i].first_warp == first) {
            s->part[i].end = s->part[i].end > entry ? s->part[i].end : entry;
            return;
        }
    if (s->part_count < BLOCKS_MOST)
        s->part[s->part_count++] = (struct part){first, entry};
}

/* On to the blocks that stored what these have read; false: there are none. */
static bool go_back(struct over_search *s)
{
    s->part_count = 0;
    for (uint32_t i = 0; i < s->word_count; i++)
        if (s->words[i].now.entry != ORIGIN_NONE)
            add_part(s, s->words[i].now.entry);
    return s->part_count > 0;
}

/* The entry that stored to the address last. */
static uint32_t last_store(const struct origin_log *log, uint64_t address)
{
    for (uint32_t number = (uint32_t)log->entry_count; number-- > 0;) {
        const struct origin_entry *entry = &log->entries[number];
        if (entry->warp == ORIGIN_NONE || entry->extra == ORIGIN_NONE)
            continue;
        for (const struct origin_access *a = NULL; (a = next_access(log, entry, a));)
            if (a->kind == ACCESS_STORE)
                FOR_LANES(lane, a->lanes)
        if (address - origin_address(log, a, lane) < a->size)
            return number;
    }
    return ORIGIN_NONE;
}

static bool search(struct over_search *s, uint64_t address, struct sim_origin_over *out)
{
    const uint32_t last = last_store(s->log, address);
    if (last == ORIGIN_NONE)
        return false;
    add_part(s, last);
    for (int step = 0; step < STEPS_MOST; step++) {
        find_words(s);
        follow(s);
        if (choose(s, step, out))
            return true;
        if (!go_back(s))
            return false;
    }
    return false;
}

bool sim_origin_stored_over(struct sim *sim, sim_addr address, size_t size, double want, double got,
                            struct sim_origin_over *out)
{
    const struct origin_log *log = sim->origin;
    if (!log || log->full || log->launch_count < 2 || !isfinite(want - got) ||
        (size != sizeof(float) && size != sizeof(double)))
        return false;
    struct over_search *s = calloc(1, sizeof *s);
    struct word *words = s ? calloc(WORDS_MOST, sizeof *words) : NULL;
    bool found = false;
    if (words) {
        s->sim = sim;
        s->log = log;
        s->size = size;
        s->want = want;
        s->got = got;
        s->words = words;
        found = search(s, address, out);
    }
    free(words);
    free(s);
    return found;
}
