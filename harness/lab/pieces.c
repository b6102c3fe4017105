#include "harness/lab/pieces.h"

#include "harness/lab/lab.h"

uint64_t pieces_count(uint64_t bytes)
{
    return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

uint64_t piece_bytes(uint64_t bytes, uint64_t piece)
{
    const uint64_t rest = bytes - piece * PIECE_BYTES;
    return rest < PIECE_BYTES ? rest : PIECE_BYTES;
}

bool piece_is_drawn(uint64_t draw, uint64_t bytes, uint64_t piece)
{
    if (draw == 0 || bytes < LONG_OUTPUT || piece + 1 == pieces_count(bytes))
        return true;
    return lab_random_u64(draw, 0, piece / PIECE_GROUP) % PIECE_GROUP == piece % PIECE_GROUP;
}
