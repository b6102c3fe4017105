/*
 * More warps, or more registers? Each thread works with 64 values. __launch_bounds__ demands room for more and more blocks per
 * SM, so the compiler has fewer and fewer registers for these values. book/occupancy.md has the results.
 */
#include "common/play.h"

#define THREADS 128
#define VALUES  64
#define COUNT   (1 << 25) /* 4096 blocks: 31 for each of an H100's SMs */
#define ROUNDS  16

struct problem {
    void (*kernel)(const float *d_x, float *d_y, int n);
    struct play_array x, y;
};

/* Every round needs all VALUES elements of a thread: each step also uses the value that is half of them away. */
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

/* Whether some of the threads have stored what the host computes from the same elements. */
static bool is_right(const struct problem *p, const float *h_x)
{
    const int threads = COUNT / VALUES;
    float *h_y = (float *)play_fetch(&p->y);
    bool right = true;
    for (int i = 0; i < threads; i += 61) {
        float value[VALUES];
        for (int k = 0; k < VALUES; k++) {
            value[k] = h_x[k * threads + i];
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < VALUES; k++) {
                value[k] = 0.5f * value[k] + value[(k + VALUES / 2) % VALUES];
            }
        }
        for (int k = 0; k < VALUES; k++) {
            right = right && play_near(h_y[k * threads + i], value[k]);
        }
    }
    free(h_y);
    return right;
}

static void row(struct play *play, struct problem *p, const float *h_x,
                void (*kernel)(const float *, float *, int))
{
    struct cudaFuncAttributes attributes;
    int blocks;
    char name[60];
    p->kernel = kernel;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0));
    snprintf(name, sizeof name, "%d blocks, %d registers", blocks, attributes.numRegs);
    play_clear(play, &p->y);
    const struct timing time = play_time(play, work, p);
    play_row(play, name, time, 2.0 * sizeof(float) * COUNT, 2.0 * COUNT * ROUNDS, is_right(p, h_x));
}

int main(void)
{
    struct play play = play_begin();
    struct problem p;
    play_sets(&play, 2 * sizeof(float) * COUNT);
    float *h_x = play_numbers(COUNT);
    p.x = play_copies(&play, h_x, sizeof(float) * COUNT);
    p.y = play_copies(&play, NULL, sizeof(float) * COUNT);
    row(&play, &p, h_x, mix<1>);
    row(&play, &p, h_x, mix<5>);
    row(&play, &p, h_x, mix<8>);
    row(&play, &p, h_x, mix<10>);
    row(&play, &p, h_x, mix<12>);
    row(&play, &p, h_x, mix<16>);
    free(h_x);
    play_free(&play, &p.x);
    play_free(&play, &p.y);
    return play_end(&play);
}
