/*
 * How data gets to the GPU and back: pageable, pinned and managed memory, and copies that overlap with kernels.
 * book/streams.md explains it.
 *
 *     make book-streams                       on a GPU, or on the simulator, which models copies at one rate for all memory
 *     make book-streams ARGS="67108864 2000"  other sizes: numbers, rounds of the kernel per number
 */
#include "common/play.h"

#define THREADS 256
#define PIECES  8
#define LANES   3  /* streams that run side by side */
#define COLUMNS 60 /* of each drawing */

static int n, rounds;
static bool all_right = true;

__global__ void work(float *x, int count, int times)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float value = x[i];
        for (int k = 0; k < times; k++) {
            value = value * 0.5f + 1;
        }
        x[i] = value;
    }
}

static void launch(float *x, int count, cudaStream_t stream)
{
    work<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(x, count, rounds);
    CHECK(cudaGetLastError());
}

static void fill(float *x)
{
    for (int i = 0; i < n; i++)
        x[i] = i % 1000;
}

/* Repeats the kernel's halvings and additions on the host, for the first 1000 numbers; all others repeat these. */
static bool is_right(const float *x)
{
    static float want[1000];
    for (int i = 0; i < 1000; i++) {
        want[i] = i;
        for (int k = 0; k < rounds; k++)
            want[i] = want[i] * 0.5f + 1;
    }
    for (int i = 0; i < n; i++)
        if (x[i] != want[i % 1000])
            return false;
    return true;
}

static void row(const char *name, float ms, double bytes, const float *x)
{
    const bool right = x == NULL || is_right(x);
    all_right = all_right && right;
    printf("  %-44s %10.4f %8.1f%s\n", name, ms, ms > 0 ? bytes / ms / 1e6 : 0,
           x == NULL ? ""
           : right   ? "  right"
                     : "  WRONG");
}

/* ---- 1. pageable and pinned memory --------------------------------------------------------------------- */

static float copy_ms(void *to, const void *from, cudaMemcpyKind kind)
{
    struct timer timer;
    float ms = 0;
    CHECK(timer_init(&timer));
    for (int call = 0; call < 2; call++) { /* the first one does not count */
        CHECK(timer_start(&timer));
        CHECK(cudaMemcpyAsync(to, from, n * sizeof(float), kind, 0));
        CHECK(timer_stop(&timer));
        CHECK(timer_milliseconds(&timer, &ms));
    }
    CHECK(timer_destroy(&timer));
    return ms;
}

static void copies(float *pinned, float *d_x)
{
    const size_t bytes = n * sizeof(float);
    float *pageable = (float *)play_host(bytes);
    fill(pageable);
    fill(pinned);
    printf("\n  %-44s %10s %8s\n", "copies", "ms", "GB/s");
    row("to the device, from malloc", copy_ms(d_x, pageable, cudaMemcpyHostToDevice), bytes, NULL);
    row("to the device, from cudaMallocHost", copy_ms(d_x, pinned, cudaMemcpyHostToDevice), bytes, NULL);
    row("to the host, into malloc", copy_ms(pageable, d_x, cudaMemcpyDeviceToHost), bytes, NULL);
    row("to the host, into cudaMallocHost", copy_ms(pinned, d_x, cudaMemcpyDeviceToHost), bytes, NULL);
    free(pageable);
}

/* ---- 2. managed memory: pages that move on access, before it, or not at all ------------------------------ */

#if CUDART_VERSION >= 13000
static struct cudaMemLocation place(int device)
{
    struct cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
#define PREFETCH(pointer, size, device) cudaMemPrefetchAsync(pointer, size, place(device), 0, 0)
#else
static int place(int device)
{
    return device;
}
#define PREFETCH(pointer, size, device) cudaMemPrefetchAsync(pointer, size, device, 0)
#endif

enum { TOUCH, SEND, STAY };

/* The host fills x, the kernel changes it, the host checks it. TOUCH: pages move on access; SEND: before it; STAY: never. */
static void managed(const char *name, int how)
{
    const size_t bytes = n * sizeof(float);
    struct timer timer;
    float *x, ms;
    CHECK(timer_init(&timer));
    CHECK(cudaMallocManaged(&x, bytes));
    if (how == STAY) {
        CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetPreferredLocation, place(cudaCpuDeviceId)));
        CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetAccessedBy, place(0)));
    }
    fill(x);
    CHECK(timer_start(&timer));
    if (how == SEND)
        CHECK(PREFETCH(x, bytes, 0));
    launch(x, n, 0);
    if (how == SEND)
        CHECK(PREFETCH(x, bytes, cudaCpuDeviceId));
    CHECK(timer_stop(&timer));
    CHECK(timer_milliseconds(&timer, &ms));
    CHECK(cudaDeviceSynchronize());
    row(name, ms, 2.0 * bytes, x);
    CHECK(cudaFree(x));
    CHECK(timer_destroy(&timer));
}

/* ---- 3. copies that overlap with kernels ------------------------------------------------------------------ */

enum { BEGIN, IN, DONE, OUT, MARKS }; /* events of a piece: its start, and the ends of copy, kernel, copy */

static void picture(cudaEvent_t mark[PIECES][MARKS], float all)
{
    static const char letter[MARKS] = {' ', '>', '#', '<'};
    for (int p = 0; p < PIECES; p++) {
        char line[COLUMNS + 1];
        memset(line, '.', COLUMNS);
        line[COLUMNS] = 0;
        for (int m = IN; m < MARKS; m++) {
            float from, to;
            CHECK(cudaEventElapsedTime(&from, mark[0][BEGIN], mark[p][m - 1]));
            CHECK(cudaEventElapsedTime(&to, mark[0][BEGIN], mark[p][m]));
            const int first = all > 0 ? (int)(from / all * COLUMNS) : 0;
            const int last = all > 0 ? (int)(to / all * COLUMNS) : 0;
            for (int c = first; c < last && c < COLUMNS; c++)
                line[c] = letter[m];
        }
        printf("    piece %d  %s\n", p, line);
    }
}

/* The pieces are distributed over this many streams: while one is copied, the kernel works on another. */
static void overlap(float *pinned, float *d_x, int streams)
{
    cudaStream_t stream[LANES];
    cudaEvent_t mark[PIECES][MARKS];
    char name[64];
    const int piece = (n + PIECES - 1) / PIECES;
    float all = 0;
    fill(pinned);
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    for (int p = 0; p < PIECES; p++)
        for (int m = 0; m < MARKS; m++)
            CHECK(cudaEventCreate(&mark[p][m]));
    CHECK(cudaDeviceSynchronize());
    for (int p = 0; p < PIECES; p++) {
        const int first = p * piece < n ? p * piece : n, count = n - first < piece ? n - first : piece;
        const cudaStream_t mine = stream[p % streams];
        CHECK(cudaEventRecord(mark[p][BEGIN], mine));
        CHECK(cudaMemcpyAsync(d_x + first, pinned + first, count * sizeof(float), cudaMemcpyHostToDevice,
                              mine));
        CHECK(cudaEventRecord(mark[p][IN], mine));
        if (count > 0)
            launch(d_x + first, count, mine);
        CHECK(cudaEventRecord(mark[p][DONE], mine));
        CHECK(cudaMemcpyAsync(pinned + first, d_x + first, count * sizeof(float), cudaMemcpyDeviceToHost,
                              mine));
        CHECK(cudaEventRecord(mark[p][OUT], mine));
    }
    CHECK(cudaDeviceSynchronize());
    for (int p = 0; p < PIECES; p++) {
        float ms;
        CHECK(cudaEventElapsedTime(&ms, mark[0][BEGIN], mark[p][OUT]));
        all = ms > all ? ms : all;
    }
    snprintf(name, sizeof name, "%d pieces in %d stream%s", PIECES, streams, streams == 1 ? "" : "s");
    row(name, all, 2.0 * n * sizeof(float), pinned);
    picture(mark, all);
    for (int p = 0; p < PIECES; p++)
        for (int m = 0; m < MARKS; m++)
            CHECK(cudaEventDestroy(mark[p][m]));
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamDestroy(stream[s]));
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    float *pinned, *d_x;
    n = play_size(&play, argc, argv, 1, "n", 1 << 26, 1 << 16, 1);
    rounds = play_size(&play, argc, argv, 2, "rounds", 2000, 20, 1);
    if (play.modeled)
        printf("In the model all copies have the same rate, and managed memory needs no moving.\n");
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMemset(d_x, 0, n * sizeof(float)));
    copies(pinned, d_x);
    printf("\n  %-44s %10s %8s\n", "managed memory", "ms", "GB/s");
    managed("first call of the kernel, does not count", TOUCH);
    managed("pages move when they are touched", TOUCH);
    managed("prefetched, there and back", SEND);
    managed("advised to stay on the host", STAY);
    printf("\n  %-44s %10s %8s    > copy to the device, # kernel, < copy back\n", "overlap", "ms", "GB/s");
    overlap(pinned, d_x, 1);
    overlap(pinned, d_x, LANES);
    CHECK(cudaFree(d_x));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(play.d_flush));
    return !all_right;
}
