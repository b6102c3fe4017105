/*
 * Long outputs of timed calls, looked at piece by piece: of every PIECE_GROUP pieces in a row, one is drawn after the
 * call, when it is too late to compute only those. A call that leaves out a part that is worth its time leaves out
 * many pieces: that none of k such pieces, in different groups, is drawn has the probability (3/4)^k.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifndef PIECE_BYTES
#define PIECE_BYTES (UINT64_C(1) << 17)
#define LONG_OUTPUT (UINT64_C(1) << 24) /* bytes: of shorter ones, every piece is looked at */
#endif
#define PIECE_GROUP 4

/* Pieces of an output of so many bytes; the last one may be shorter. */
uint64_t pieces_count(uint64_t bytes);
uint64_t piece_bytes(uint64_t bytes, uint64_t piece);

/* `draw`: a random number, the same for a whole fetch; 0: every piece. The last piece is always drawn. */
bool piece_is_drawn(uint64_t draw, uint64_t bytes, uint64_t piece);
