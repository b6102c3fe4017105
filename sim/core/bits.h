/*
 * Ranges in arrays of bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bits of word i of the array that belong to [first, last]. */
static inline uint64_t bits_of_word(size_t i, size_t first, size_t last)
{
    uint64_t mask = ~UINT64_C(0);
    if (i == first / 64)
        mask &= ~UINT64_C(0) << first % 64;
    if (i == last / 64)
        mask &= ~UINT64_C(0) >> (63 - last % 64);
    return mask;
}

/* Sets [first, first + count), count > 0. */
static inline void bits_set(uint64_t *bits, size_t first, size_t count)
{
    size_t last = first + count - 1;
    for (size_t i = first / 64; i <= last / 64; i++)
        bits[i] |= bits_of_word(i, first, last);
}

/* Whether all of [first, first + count) is set, count > 0; else *missing is the first that is not. */
static inline bool bits_all(const uint64_t *bits, size_t first, size_t count, size_t *missing)
{
    size_t last = first + count - 1;
    for (size_t i = first / 64; i <= last / 64; i++) {
        uint64_t lacking = bits_of_word(i, first, last) & ~bits[i];
        if (lacking) {
            *missing = 64 * i + (size_t)__builtin_ctzll(lacking);
            return false;
        }
    }
    return true;
}

/* Ones of a word; mostly they are in a row. Processors of the baseline have no instruction to count any. */
static inline unsigned bits_count(uint64_t word)
{
    uint64_t shifted = word ? word >> __builtin_ctzll(word) : 0;
    if ((shifted & (shifted + 1)) == 0)
        return shifted ? 64 - (unsigned)__builtin_clzll(shifted) : 0;
    return (unsigned)__builtin_popcountll(word);
}

/* Sets [first, first + count) and says how many were clear before. */
static inline unsigned bits_set_fresh(uint64_t *bits, size_t first, size_t count)
{
    unsigned fresh = 0;
    size_t last = first + count - 1;
    for (size_t i = first / 64; i <= last / 64; i++) {
        uint64_t lacking = bits_of_word(i, first, last) & ~bits[i];
        if (lacking) {
            fresh += bits_count(lacking);
            bits[i] |= lacking;
        }
    }
    return fresh;
}
