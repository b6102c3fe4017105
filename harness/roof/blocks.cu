/* What it costs to start blocks and kernels, and to wait for a whole grid. */
#include "harness/roof/calibrate.h"

#include <cooperative_groups.h>

#define BLOCKS   (1 << 20)
#define COUNTED  4096 /* one block of so many notes that it ran: more would measure the atomics */
#define LAUNCHES 200
#define SYNCS    100

__global__ void start(unsigned *started)
{
    if (threadIdx.x == 0 && blockIdx.x % COUNTED == 0)
        atomicAdd(started, 1u);
}

static void run_blocks(void *work)
{
    const struct work *w = (const struct work *)work;
    start<<<w->blocks, w->threads>>>(w->word);
}

static void run_launches(void *work)
{
    const struct work *w = (const struct work *)work;
    for (int i = 0; i < LAUNCHES; i++)
        start<<<1, 32>>>(w->word);
}

void measure_blocks(struct work *w)
{
    w->blocks = BLOCKS;
    for (w->threads = 32; w->threads <= 1024; w->threads *= 2) {
        const float ms = median_ms(run_blocks, w);
        clear_words(w);
        run_blocks(w);
        if (read_word(w, 0) != BLOCKS / COUNTED)
            fail("a grid did not run all of its blocks");
        printf("block_ns_%d=%.4g\n", w->threads, ms * 1e6 / BLOCKS);
    }
}

/* One kernel after another: what a launch adds where nothing waits for it. */
void measure_launches(struct work *w)
{
    const float ms = median_ms(run_launches, w);
    clear_words(w);
    run_launches(w);
    if (read_word(w, 0) != LAUNCHES)
        fail("a kernel was launched and did not run");
    printf("launch_us=%.4g\n", ms * 1e3 / LAUNCHES);
}

/* word[0]: arrivals, word[1]: blocks that were let through too early; `checked`: whether to look. */
__global__ void synchronize(unsigned *word, int times, bool checked)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int i = 0; i < times; i++) {
        if (checked && threadIdx.x == 0)
            atomicAdd(&word[0], 1u);
        grid.sync();
        if (checked && threadIdx.x == 0 && atomicAdd(&word[0], 0u) < (unsigned)(i + 1) * gridDim.x)
            atomicAdd(&word[1], 1u);
    }
}

static void launch_synchronize(struct work *w, bool checked)
{
    int times = SYNCS;
    void *arguments[] = {&w->word, &times, &checked};
    CHECK(
        cudaLaunchCooperativeKernel((void *)synchronize, dim3(w->sm_count), dim3(THREADS), arguments, 0, 0));
}

static void run_synchronize(void *work)
{
    launch_synchronize((struct work *)work, false);
}

void measure_grid_sync(struct work *w)
{
    if (!attribute(cudaDevAttrCooperativeLaunch))
        return;
    const float ms = median_ms(run_synchronize, w);
    clear_words(w);
    launch_synchronize(w, true);
    if (read_word(w, 0) != (unsigned)(SYNCS * w->sm_count) || read_word(w, 1) != 0)
        fail("grid.sync() let a block through before all had come");
    printf("grid_sync_us=%.4g\n", ms * 1e3 / SYNCS);
}
