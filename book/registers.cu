/*
 * More warps, or more registers? Each thread works with 64 values. __launch_bounds__ demands room for more and more blocks per
 * SM, so the compiler has fewer and fewer registers for these values. book/occupancy.md has the results.
 */
#include "common/play.h"

#define THREADS 128
#define VALUES  64
#define COUNT   (1 << 22)
#define ROUNDS  16

struct problem {
    void (*kernel)(const float *d_x, float *d_y, int n);
    struct play_array x, y;
};

/* Every round needs all VALUES elements of a thread: each step of a round uses the neighboring value. */
template <int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) mix(const float *d_x, float *d_y, int n)
{
    const int threads = n / VALUES;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) {
        return;
    }
    float value[VALUES];
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        value[k] = d_x[k * threads + i];
    }
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            value[k] = 0.5f * value[k] + value[(k + VALUES / 2) % VALUES];
        }
    }
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        d_y[k * threads + i] = value[k];
    }
}

static void work(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    p->kernel<<<COUNT / VALUES / THREADS, THREADS>>>((const float *)p->x.set[set], (float *)p->y.set[set],
                                                     COUNT);
    CHECK(cudaGetLastError());
}

static void row(struct play *play, struct problem *p, void (*kernel)(const float *, float *, int))
{
    struct cudaFuncAttributes attributes;
    int blocks;
    char name[60];
    p->kernel = kernel;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0));
    snprintf(name, sizeof name, "%d blocks, %d registers", blocks, attributes.numRegs);
    play_row(play, name, play_time(play, work, p), 2.0 * sizeof(float) * COUNT, 2.0 * COUNT * ROUNDS, true);
}

int main(void)
{
    struct play play = play_begin();
    struct problem p;
    play_sets(&play, 2 * sizeof(float) * COUNT);
    p.x = play_copies(&play, NULL, sizeof(float) * COUNT);
    p.y = play_copies(&play, NULL, sizeof(float) * COUNT);
    row(&play, &p, mix<1>);
    row(&play, &p, mix<5>);
    row(&play, &p, mix<8>);
    row(&play, &p, mix<10>);
    row(&play, &p, mix<12>);
    row(&play, &p, mix<16>);
    play_free(&play, &p.x);
    play_free(&play, &p.y);
    return play_end(&play);
}
