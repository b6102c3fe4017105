/*
 * Fingerprints of long outputs, instead of copies of them: what is looked at again is read once, and not compared with
 * a second array. Two different blocks of the same length have the same fingerprint with a probability below 2^-60, as
 * long as whoever made them does not know the key. It is drawn anew for each run of the grader and never leaves it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fingerprint {
    uint64_t half[2];
};

/* Of all bytes, in several threads; the same for any number of them. From any thread. */
struct fingerprint fingerprint_of(const void *data, size_t bytes);
/* Of each of the pieces that `draw` draws (harness/lab/pieces.h), into piece[its number]. */
void fingerprint_pieces(const void *data, size_t bytes, uint64_t draw, struct fingerprint *piece);
bool fingerprint_same(const struct fingerprint *a, const struct fingerprint *b);
