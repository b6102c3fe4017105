#include "harness/pieces.h"

uint64_t pieces_count(uint64_t bytes)
{
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

uint64_t piece_bytes(uint64_t bytes, uint64_t piece)
{
    const uint64_t rest = bytes - piece * PIECE_BYTES;
    return rest < PIECE_BYTES ? rest : PIECE_BYTES;
}

/* The finalizer of SplitMix64: each group's piece is drawn on its own. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

bool piece_is_drawn(uint64_t draw, uint64_t bytes, uint64_t piece)
{
    if (draw == 0 || bytes < LONG_OUTPUT || piece + 1 == pieces_count(bytes))
        return true;
    return mix(draw + piece / PIECE_GROUP) % PIECE_GROUP == piece % PIECE_GROUP;
}
