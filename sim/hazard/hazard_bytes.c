/*
 * Global memory has one shadow cell a word. When threads access single bytes or halves of it, the record says
 * which: one element of one thread, or neighboring elements of neighboring threads, as in y[i] = f(x[i]).
 * What fits neither replaces what was there: with bytes the detector can miss a race, but never invents one.
 */
#include "sim/hazard/hazard.h"

static const struct {
    uint8_t mask;
    uint8_t step; /* bytes a thread; 0: all by one thread */
} codes[16] = {
    [0] = {0xF, 0},                                                                     /* the whole word */
    [1] = {0x1, 0},  [2] = {0x2, 0},  [3] = {0x4, 0}, [4] = {0x8, 0},                   /* a byte */
    [5] = {0x3, 0},  [6] = {0xC, 0},                                                    /* a half */
    [7] = {0x3, 1},  [8] = {0x7, 1},  [9] = {0xF, 1}, [10] = {0x6, 1}, [11] = {0xE, 1}, /* bytes in a row */
    [12] = {0xC, 1}, [13] = {0xF, 2},                                                   /* two halves */
};

static unsigned code_of(uint32_t who)
{
    return (who & WHO_BYTES) >> WHO_BYTES_SHIFT;
}

uint32_t bytes_code(uint64_t address, int size)
{
    unsigned at = address % 4, code = size == 1 ? 1 + at : size == 2 ? 5 + at / 2 : 0;
    return (uint32_t)code << WHO_BYTES_SHIFT;
}

/* The thread of the record that holds byte `at`. */
static unsigned thread_at(uint32_t who, int at)
{
    unsigned code = code_of(who), thread = who & WHO_THREAD;
    int first = __builtin_ctz(codes[code].mask);
    return codes[code].step ? thread + (unsigned)(at - first) / codes[code].step : thread;
}

bool bytes_overlap(uint32_t a_who, uint32_t b_who, unsigned *a, unsigned *b)
{
    unsigned common = codes[code_of(a_who)].mask & codes[code_of(b_who)].mask;
    if (!common)
        return false;
    for (; common; common &= common - 1) {
        *a = thread_at(a_who, __builtin_ctz(common));
        *b = thread_at(b_who, __builtin_ctz(common));
        if (*a != *b)
            break;
    }
    return true;
}

bool bytes_merge(uint32_t old_who, uint32_t new_who, uint32_t *merged)
{
    unsigned old = code_of(old_who), new = code_of(new_who);
    unsigned mask = codes[old].mask | codes[new].mask;
    int old_at = __builtin_ctz(codes[old].mask), new_at = __builtin_ctz(codes[new].mask);
    if ((codes[old].mask & codes[new].mask) == codes[new].mask &&
        thread_at(old_who, new_at) == (new_who & WHO_THREAD) &&
        (old == new || codes[old].step == __builtin_popcount(codes[new].mask))) {
        *merged = old_who; /* there already */
        return true;
    }
    if (((old_who ^ new_who) & WHO_WARP) || (codes[old].mask & codes[new].mask) || codes[new].step)
        return false;
    int size = __builtin_popcount(codes[new].mask);
    for (uint32_t code = 7; code < 14; code++) {
        if (codes[code].mask != mask || codes[code].step != size)
            continue;
        uint32_t first = new_at < old_at ? new_who & WHO_THREAD : thread_at(old_who, old_at);
        uint32_t candidate =
            (new_who & ~(uint32_t)(WHO_THREAD | WHO_BYTES)) | first | code << WHO_BYTES_SHIFT;
        if (thread_at(candidate, old_at) != thread_at(old_who, old_at) ||
            thread_at(candidate, new_at) != (new_who & WHO_THREAD))
            return false;
        *merged = candidate;
        return true;
    }
    return false;
}
