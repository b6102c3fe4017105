/*
 * How many blocks must an SM hold for a copy to be fast? Each block requests shared memory that it does not use, so that
 * fewer blocks fit. book/occupancy.md has the results.
 */
#include "common/play.h"

#define THREADS 128
#define COUNT   (1 << 24)

struct problem {
    int ballast; /* bytes of shared memory per block */
    struct play_array x, y;
};

__global__ void copy(const float *d_x, float *d_y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_y[i] = d_x[i];
    }
}

static void work(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    const int blocks = (COUNT + THREADS - 1) / THREADS;
    copy<<<blocks, THREADS, p->ballast>>>((const float *)p->x.set[set], (float *)p->y.set[set], COUNT);
    CHECK(cudaGetLastError());
}

/* Blocks per SM: each gets an equal share of the SM's shared memory in whole KB, of which the driver takes one. */
static const int shares[] = {32, 8, 6, 4, 3, 2, 1};

int main(void)
{
    struct play play = play_begin();
    struct cudaDeviceProp device;
    struct problem p;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int kb = (int)(device.sharedMemPerMultiprocessor / 1024);
    play_sets(&play, 2 * sizeof(float) * COUNT);
    float *h_x = play_numbers(COUNT);
    p.x = play_copies(&play, h_x, sizeof(float) * COUNT);
    p.y = play_copies(&play, NULL, sizeof(float) * COUNT);
    CHECK(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, (kb - 1) * 1024));
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        int blocks;
        char name[40];
        p.ballast = (kb / shares[k] - 1) * 1024;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy, THREADS, p.ballast));
        snprintf(name, sizeof name, "%d blocks, %.1f %%", blocks,
                 100.0 * blocks * THREADS / device.maxThreadsPerMultiProcessor);
        play_clear(&play, &p.y);
        const struct timing time = play_time(&play, work, &p);
        float *h_y = (float *)play_fetch(&p.y);
        const bool right = memcmp(h_y, h_x, sizeof(float) * COUNT) == 0;
        free(h_y);
        play_row(&play, name, time, 2.0 * sizeof(float) * COUNT, 0, right);
    }
    free(h_x);
    play_free(&play, &p.x);
    play_free(&play, &p.y);
    return play_end(&play);
}
