/*
 * What does a load of a constant cost, by how many bytes are read again and again? The caches for constants are small
 * and lie one behind the other: a step in a column of the table shows the size of one, the figures the time to the next.
 *
 * Each load gives the place of the next one, so that a warp has one load under way: with one warp per SM that is the
 * latency, with 32 warps what they get together. All warps read the same place at about the same time, or each has its
 * own: then the compiler cannot use the uniform data path.
 */
#include "common/timer.h"

#define BYTES 65536 /* of constant memory */
#define LINE  64    /* from one place to the next */
#define LOADS 4096  /* of a warp */
#define RUNS  11

static __constant__ unsigned next_place[BYTES / sizeof(unsigned)];

/* `apart`: places between one warp's first and the next one's. */
template <bool each_its_own> static __global__ void follow(unsigned first, unsigned apart, unsigned *out)
{
    unsigned place = first + (each_its_own ? threadIdx.x / 32 * apart : 0);
#pragma unroll 8
    for (int k = 0; k < LOADS; k++) {
        place = next_place[place];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = place;
}

struct work {
    bool each_its_own;
    unsigned apart;
    int blocks, threads;
    unsigned *out;
};

static void run(void *context)
{
    const struct work *w = (const struct work *)context;
    if (w->each_its_own) {
        follow<true><<<w->blocks, w->threads>>>(0, w->apart, w->out);
    } else {
        follow<false><<<w->blocks, w->threads>>>(0, 0, w->out);
    }
}

/* A ring through the first `bytes`, one place in each line. */
static void make_ring(int bytes)
{
    static unsigned ring[BYTES / sizeof(unsigned)];
    const unsigned step = LINE / sizeof(unsigned), count = (unsigned)bytes / sizeof(unsigned);
    for (unsigned i = 0; i < count; i += step)
        ring[i] = (i + step) % count;
    CHECK(cudaMemcpyToSymbol(next_place, ring, sizeof(ring)));
}

int main(void)
{
    struct work w = {};
    CHECK(cudaDeviceGetAttribute(&w.blocks, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&w.out, (size_t)w.blocks * 1024 * sizeof(unsigned)));
    printf("%-10s%24s%24s%24s\n", "ns a load", "same place, 1 warp", "same place, 32 warps",
           "own places, 32 warps");
    for (int bytes = 512; bytes <= BYTES; bytes *= 2) {
        make_ring(bytes);
        printf("%6d B  ", bytes);
        for (int column = 0; column < 3; column++) {
            const int lines = bytes / LINE, warps = column > 0 ? 32 : 1;
            w.threads = 32 * warps;
            w.each_its_own = column == 2;
            w.apart = (unsigned)(lines / warps * (LINE / (int)sizeof(unsigned)));
            if (lines < warps && w.each_its_own) {
                printf("%24s", "–"); /* fewer lines than warps */
                continue;
            }
            printf("%24.1f", 1e6 * timer_median(run, &w, 1, RUNS).median / LOADS);
        }
        printf("\n");
    }
    CHECK(cudaFree(w.out));
    return 0;
}
