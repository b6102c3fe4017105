/*
 * What does a store cost that fills a sector of 32 bytes in part? The same bytes are stored by different patterns, into
 * an array that fits in L2 and into one that does not. `stores once` launches each once, for Nsight Compute:
 *
 *   ncu --metrics lts__t_sectors_op_write.sum,lts__t_sectors_op_read.sum,dram__bytes_read.sum,dram__bytes_write.sum ...
 *
 * dram__bytes_read: is a sector that is stored in part read before? lts__t_sectors_op_write beside the sectors that the
 * instructions touch (printed): are stores of a warp joined before L2, and does it matter what lies between them?
 */
#include <string.h>

#include "common/timer.h"

#define THREADS 256
#define RUNS    11

enum between { NOTHING, A_BARRIER, A_LOAD }; /* what separates a thread's stores */

/* Each thread stores `stores` numbers T, one behind the other; the next thread begins `apart` numbers later. */
template <typename T, int stores, int apart, enum between between>
static __global__ void store(T *y, const T *x, T value)
{
    const size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * apart;
#pragma unroll
    for (int k = 0; k < stores; k++) {
        y[first + k] = value;
        if (between == A_BARRIER) {
            __syncthreads();
        }
        if (between == A_LOAD) {
            value = __ldcv(&x[threadIdx.x]); /* not before the store: x and y may overlap */
        }
    }
}

struct pattern {
    const char *name;
    void (*launch)(void *y, const void *x, size_t bytes);
    int stores, apart, size; /* sizes in numbers and bytes */
};

template <typename T, int stores, int apart, enum between between>
static void launch(void *y, const void *x, size_t bytes)
{
    const unsigned blocks = (unsigned)(bytes / (sizeof(T) * apart) / THREADS);
    store<T, stores, apart, between><<<blocks, THREADS>>>((T *)y, (const T *)x, T());
}

#define ROW(T, stores, apart, between, name)                                                                 \
    {                                                                                                        \
        name, launch<T, stores, apart, between>, stores, apart, (int)sizeof(T)                               \
    }

static const struct pattern patterns[] = {
    ROW(float4, 1, 1, NOTHING, "16 bytes, neighbors: whole sectors"),
    ROW(float, 1, 1, NOTHING, "4 bytes, neighbors: whole sectors"),
    ROW(float4, 1, 2, NOTHING, "16 bytes of each 32: never whole"),
    ROW(float, 1, 8, NOTHING, "4 bytes of each 32: never whole"),
    ROW(float4, 2, 2, NOTHING, "2 x 16 bytes: whole after the next store"),
    ROW(float4, 2, 2, A_BARRIER, "2 x 16 bytes, a barrier between"),
    ROW(float4, 2, 2, A_LOAD, "2 x 16 bytes, a load between"),
    ROW(float4, 7, 7, NOTHING, "7 x 16 bytes: lab 08's few"),
    ROW(float4, 8, 8, NOTHING, "8 x 16 bytes: a line per lane"),
    ROW(float, 3, 3, NOTHING, "3 x 4 bytes"),
    ROW(float, 4, 4, NOTHING, "4 x 4 bytes"),
    ROW(float, 4, 4, A_BARRIER, "4 x 4 bytes, a barrier between"),
    ROW(float, 4, 4, A_LOAD, "4 x 4 bytes, a load between"),
    ROW(float, 32, 32, NOTHING, "32 x 4 bytes: a line per lane"),
    ROW(float, 32, 32, A_LOAD, "32 x 4 bytes, a load between"),
};

struct work {
    const struct pattern *pattern;
    void *y, *x;
    size_t bytes;
    int calls;
};

static void run(void *context)
{
    const struct work *w = (const struct work *)context;
    for (int i = 0; i < w->calls; i++)
        w->pattern->launch(w->y, w->x, w->bytes);
}

/* Sectors that the store instructions touch, for each sector that they fill at least in part. */
static double touches_per_sector(const struct pattern *p)
{
    const int step = p->apart * p->size; /* from lane to lane */
    int touches = 0, different = 0;
    for (int k = 0; k < p->stores; k++)
        for (int lane = 0, last = -1; lane < 32; lane++) {
            const int sector = (lane * step + k * p->size) / 32;
            touches += sector != last;
            last = sector;
        }
    for (int sector = 0; sector < step;
         sector++) { /* 32 lanes' bytes are as many sectors as a lane has bytes */
        bool filled = false;
        for (int at = 0; at < 32; at += 4)
            filled |= (32 * sector + at) % step < p->stores * p->size;
        different += filled;
    }
    return (double)touches / different;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {(size_t)8 << 20, (size_t)512 << 20};
    const bool once = argc > 1 && strcmp(argv[1], "once") == 0;
    struct work w = {};
    CHECK(cudaMalloc(&w.y, sizes[1]));
    CHECK(cudaMalloc(&w.x, THREADS * sizeof(float4)));
    printf("%-44s %8s %10s %10s\n", "GB/s stored", "touches", "8 MiB", "512 MiB");
    for (const struct pattern &pattern : patterns) {
        w.pattern = &pattern;
        printf("%-44s %8.2f", pattern.name, touches_per_sector(&pattern));
        for (const size_t bytes : sizes) {
            w.bytes = bytes;
            w.calls = once ? 1 : (int)(sizes[1] / bytes);
            const double stored = (double)bytes * w.calls * pattern.stores / pattern.apart;
            printf(" %10.0f", stored / (1e6 * timer_median(run, &w, !once, once ? 1 : RUNS).median));
        }
        printf("\n");
    }
    CHECK(cudaFree(w.y));
    CHECK(cudaFree(w.x));
    return 0;
}
