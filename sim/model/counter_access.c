/*
 * What one warp-wide access costs: 32-byte sectors of global and local memory, wavefronts of shared
 * memory. The usual shapes are counted without a look at the single lanes.
 */
#include <string.h>

#include "sim/model/counter_ranges.h"

#define BANKS 32
#define WORD  4

/* ---- sectors ------------------------------------------------------------------------------------------- */

/* Distinct values among count <= 32 * 4. */
static int count_distinct(const uint64_t *values, int count)
{
    enum { SLOTS = 256 };
    uint64_t slot[SLOTS];
    uint8_t used[SLOTS] = {0};
    int distinct = 0;
    for (int i = 0; i < count; i++) {
        unsigned h = (unsigned)((values[i] * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
        while (used[h] && slot[h] != values[i])
            h = (h + 1) % SLOTS;
        distinct += !used[h];
        used[h] = 1;
        slot[h] = values[i];
    }
    return distinct;
}

/*
 * Distinct values if they never fall (or never rise) from one to the next, which is nearly always so;
 * else 0. No branches in the loop: the compiler's vector units run it.
 */
static int count_monotone(const uint64_t *values, int count)
{
    uint64_t falls = 0, rises = 0, steps = 0;
    for (int i = 1; i < count; i++) {
        uint64_t up = values[i] - values[i - 1], down = values[i - 1] - values[i];
        falls |= up;
        rises |= down;
        steps += (up | down) >> 63;
    }
    return (falls >> 63) && (rises >> 63) ? 0 : 1 + (int)steps;
}

static int count_values(const uint64_t *values, int count)
{
    int monotone = count_monotone(values, count);
    return monotone ? monotone : count_distinct(values, count);
}

/* Lanes that the texture unit serves together, as seen on an H100: it fetches a quarter-warp's sectors for it
   though its neighbor fetches the same. */
static int texture_group(const struct access *access)
{
    return access->size < 16 ? 8 : 4;
}

static uint32_t texture_lanes(const struct access *access, int first)
{
    return access->lanes & ((UINT32_C(1) << texture_group(access)) - 1) << first;
}

static int texture_sectors(const struct access *access)
{
    int sectors = 0;
    for (int first = 0; first < 32; first += texture_group(access)) {
        struct access part = *access;
        part.lanes = texture_lanes(access, first);
        part.path = PATH_L1;
        sectors += counter_sectors(&part);
    }
    return sectors;
}

int counter_requests(const struct access *access)
{
    int requests = 0;
    if (access->path != PATH_TEXTURE)
        return access->lanes != 0;
    for (int first = 0; first < 32; first += texture_group(access))
        requests += texture_lanes(access, first) != 0;
    return requests;
}

int counter_sectors(const struct access *access)
{
    if (access->lanes == 0)
        return 0;
    if (access->path == PATH_TEXTURE)
        return texture_sectors(access);
    if (access->path == PATH_BYPASS)
        return counter_copy_sectors(access);
    uint64_t first = access->address[first_lane(access)], size = (uint64_t)access->size;
    enum access_shape shape = shape_of(access);
    if (shape == SHAPE_CONTIGUOUS)
        return sectors_of_range(first, size * (uint64_t)lane_count(access));
    if (shape == SHAPE_UNIFORM)
        return sectors_of_range(first, size);
    uint64_t sector[32], bytes; /* an aligned access of up to 16 bytes lies in one, a group's in at most 5 */
    int n = 0;
    for (uint32_t rest = access->lanes; rest;) {
        rest = next_range(access, rest, &first, &bytes);
        for (uint64_t s = first >> SECTOR_SHIFT; s <= (first + bytes - 1) >> SECTOR_SHIFT; s++)
            sector[n++] = s;
    }
    return count_values(sector, n);
}

/*
 * Local memory is laid out so that the same word of a warp's lanes stands side by side: 32 words are
 * 4 sectors. Source: CUDA programming guide, local memory.
 */
int counter_local_sectors(const struct access *access)
{
    uint64_t sector[32 * 4];
    int n = 0, words = access->size > WORD ? access->size / WORD : 1;
    for (int w = 0; w < words; w++)
        for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            sector[n++] = (access->address[lane] / WORD + (uint64_t)w) * 4 + (uint64_t)lane / 8;
        }
    return n ? count_values(sector, n) : 0;
}

/* ---- shared-memory wavefronts -------------------------------------------------------------------------- */

/* The words that a group of lanes asks for, by bank; a bank's words form a chain. */
struct bank_table {
    uint32_t word[32 * 4];
    int16_t next[32 * 4];
    int16_t head[BANKS];
    uint8_t depth[BANKS];
    int count;
    int deepest;
    uint32_t largest; /* a word beyond it is certainly new */
};

static void bank_push(struct bank_table *t, uint32_t word)
{
    int bank = (int)(word % BANKS);
    t->word[t->count] = word;
    t->next[t->count] = t->head[bank];
    t->head[bank] = (int16_t)t->count++;
    if (++t->depth[bank] > t->deepest)
        t->deepest = t->depth[bank];
    if (word > t->largest)
        t->largest = word;
}

static void bank_add(struct bank_table *t, uint32_t word, bool shares)
{
    if (shares && t->count > 0 && word <= t->largest)
        for (int i = t->head[word % BANKS]; i >= 0; i = t->next[i])
            if (t->word[i] == word)
                return;
    bank_push(t, word);
}

/* Whether no two lanes want different words of one bank; words of up to four bytes, loads and stores. */
static bool no_conflict(const struct access *access, uint32_t lanes)
{
    uint32_t word_of_bank[BANKS], seen = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t word = (uint32_t)(access->address[__builtin_ctz(rest)] / WORD), bank = word % BANKS;
        if ((seen >> bank & 1) && word_of_bank[bank] != word)
            return false;
        seen |= UINT32_C(1) << bank;
        word_of_bank[bank] = word;
    }
    return true;
}

/* Turns that the banks need to serve these lanes; lanes of an atomic do not share a word. */
static int wavefronts_of_group(const struct access *access, uint32_t lanes)
{
    if (access->size <= WORD && access->kind != ACCESS_ATOMIC && no_conflict(access, lanes))
        return 1;
    struct bank_table t;
    memset(t.head, -1, sizeof t.head);
    memset(t.depth, 0, sizeof t.depth);
    t.count = t.deepest = 0;
    t.largest = 0;
    int words = access->size > WORD ? access->size / WORD : 1;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t word = (uint32_t)(access->address[__builtin_ctz(rest)] / WORD);
        for (int w = 0; w < words; w++)
            bank_add(&t, word + (uint32_t)w, access->kind != ACCESS_ATOMIC);
    }
    return t.deepest;
}

/* Whether lanes l and l ^ distance ask for the same address, where both are active. */
static bool pairs_agree(const struct access *access, int distance)
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), partner = lane ^ distance;
        if ((access->lanes >> partner & 1) && access->address[lane] != access->address[partner])
            return false;
    }
    return true;
}

/*
 * Lanes that are served together. 8 bytes a lane: half-warps, 16: quarter-warps, since 128 bytes go back
 * in a turn; where neighbors in pairs read the same, twice as many lanes fit. Source: CUDA programming
 * guide, shared memory; NVIDIA developer forum, "Unexpected shared memory bank conflict", for the pairs.
 */
static int group_width(const struct access *access)
{
    if (access->size <= WORD)
        return 32;
    int width = access->size == 8 ? 16 : 8;
    bool paired = access->kind == ACCESS_LOAD &&
                  (shape_of(access) == SHAPE_UNIFORM || pairs_agree(access, 1) || pairs_agree(access, 2));
    return paired ? 2 * width : width;
}

static uint32_t group_mask(int width)
{
    return width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

static uint32_t rotate(uint32_t bits, unsigned by)
{
    return by ? bits << by | bits >> (32 - by) : bits;
}

/*
 * Groups of eight lanes, each on neighboring words or on one word (memory_resolve has found them): no
 * conflict if each group either repeats an earlier one or keeps to banks of its own. False: not known.
 */
static bool groups_fit(const struct access *access)
{
    uint32_t taken = 0;
    if (access->size != WORD || access->kind == ACCESS_ATOMIC)
        return false;
    for (int k = 0; k < 4; k++) {
        uint64_t address = access->address[8 * k];
        unsigned shape = access->group_shape[k], bank = (unsigned)(address / WORD % BANKS);
        if (shape != SHAPE_CONTIGUOUS && shape != SHAPE_UNIFORM)
            return false;
        bool repeated =
            k > 0 && address == access->address[8 * (k - 1)] && shape == access->group_shape[k - 1];
        repeated |= k > 1 && address == access->address[8 * (k - 2)] && shape == access->group_shape[k - 2];
        uint32_t banks = rotate(shape == SHAPE_UNIFORM ? 1 : 0xFF, bank);
        if (!repeated && (taken & banks))
            return false;
        taken |= banks;
    }
    return true;
}

/* No bank has two words of 16 neighboring ones. */
static bool is_row_of_words(const struct access *access)
{
    return access->size == WORD && access->kind != ACCESS_ATOMIC && access_in_equal_halves(access);
}

struct wavefronts counter_count_wavefronts(const struct access *access)
{
    struct wavefronts n = {0, 0};
    if (access->lanes == 0)
        return n;
    if (access->partner)
        return counter_copy_wavefronts(access);
    enum access_shape shape = shape_of(access);
    if (shape == SHAPE_CONTIGUOUS && access->size <= WORD && access->kind != ACCESS_ATOMIC)
        return (struct wavefronts){1, 1};
    if (shape == SHAPE_SCATTERED && (is_row_of_words(access) || groups_fit(access)))
        return (struct wavefronts){1, 1};
    bool no_conflict = access->kind != ACCESS_ATOMIC && shape != SHAPE_SCATTERED;
    int width = shape == SHAPE_CONTIGUOUS && access->size > WORD ? 128 / access->size : group_width(access);
    for (int first = 0; first < 32; first += width) {
        uint32_t lanes = access->lanes & (group_mask(width) << first);
        if (!lanes)
            continue;
        n.ideal++;
        n.needed += no_conflict ? 1 : wavefronts_of_group(access, lanes);
    }
    return n;
}

int counter_wavefronts(const struct access *access)
{
    return counter_count_wavefronts(access).needed;
}
