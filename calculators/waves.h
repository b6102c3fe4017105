/* How blocks fill a GPU, how tiles fill a matrix, and what one thread after another costs. */
#ifndef CALCULATORS_WAVES_H
#define CALCULATORS_WAVES_H

struct waves {
    double slots; /* blocks that are resident at a time: SMs x blocks per SM */
    double full;  /* waves of so many blocks */
    double tail;  /* blocks of the last wave, if it is not full; else 0 */
    double waves; /* full, and one more for a tail */
    double used;  /* of all slots in all waves, the part that had a block */
};
/* blocks >= 1. All blocks are taken to last equally long. */
struct waves waves_of(double blocks, double blocks_per_sm, double sms);

struct tiles {
    double rows, columns; /* of tiles */
    double tiles;
    double used; /* of the elements that the tiles have, those that the matrix has */
};
/* An m x n matrix in tiles of tile_m x tile_n. */
struct tiles tiles_of(double m, double n, double tile_m, double tile_n);

/*
 * Operations of which each waits for the one before take `latency` cycles each; with that many independent ones per
 * scheduler, in warps or in a thread, one can begin in every cycle.
 */
double chain_seconds(double operations, double latency_cycles, double clock_ghz);
/* Bytes that must be under way to keep memory busy: Little's law. */
double bytes_in_flight(double bytes_per_second, double latency_seconds);

#endif
