/*
 * Measures what the first GPU of this machine can do: the roofs against which the graders judge speed.
 *
 *     build/calibrate [MIB]      everything, with two buffers of MIB MiB (default: 1024, less on small GPUs)
 *     build/calibrate --watch    for the grader: to each line on standard input it prints the device and its clock and,
 *                                to "copy", how fast it copies now, which is enough to see whether it is
 *                                busy; to "check", most of the rest as well, roughly, in a tenth of a second; to "all",
 *                                everything; then the line "end"
 *
 * Prints key=value lines: *_gbs and *_gflops are 1e9 per second (a copy counts bytes read plus bytes
 * written), *_ns and *_us the time of one block, atomic, launch or barrier, *_cycles clock cycles. Each is
 * the median of event-timed runs after a warm-up. Exit: 0, or 2 with the reason on stderr.
 */
#include "harness/roof/calibrate.h"

#include <string.h>

#define MOST_RUNS     21
#define RUN_BUDGET_MS 50.0f /* for the runs of one measurement; there are some thirty */

void fail(const char *what)
{
    fprintf(stderr, "calibrate: %s\n", what);
    exit(2);
}

int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static bool roughly; /* three runs are enough */

float median_ms(void (*run)(void *), struct work *w)
{
    const float warm = timer_median(run, w, 1, 1).median;
    const int runs = warm > 0 ? (int)(RUN_BUDGET_MS / warm) : MOST_RUNS;
    return timer_median(run, w, 0, roughly ? 3 : runs < 5 ? 5 : runs > MOST_RUNS ? MOST_RUNS : runs).median;
}

void clear_words(struct work *w)
{
    CHECK(cudaMemset(w->word, 0, 8 * sizeof *w->word));
}

unsigned read_word(struct work *w, int which)
{
    unsigned value = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&value, w->word + which, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void print_device(void)
{
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    printf("name=%s\n", properties.name);
    printf("uuid=");
    for (int i = 0; i < 16; i++)
        printf("%02x", (unsigned char)properties.uuid.bytes[i]);
    printf("\ncc=%d.%d\n", properties.major, properties.minor);
    printf("sm_count=%d\n", properties.multiProcessorCount);
    printf("clock_mhz=%d\n", attribute(cudaDevAttrClockRate) / 1000);
    printf("memory_mhz=%d\n", attribute(cudaDevAttrMemoryClockRate) / 1000);
    printf("l2_bytes=%d\n", properties.l2CacheSize);
    printf("mem_bytes=%zu\n", total_bytes);
    printf("driver=%d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("runtime=%d.%d\n", runtime / 1000, runtime % 1000 / 10);
}

/* Bytes of a buffer: as asked, or 1 GiB, but no more than a quarter of what is free; a multiple of 4 KiB. */
static size_t choose_bytes(const char *mib)
{
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    size_t bytes = (size_t)1 << 30;
    if (mib != NULL) {
        char *end;
        long value = strtol(mib, &end, 10);
        if (*mib == '\0' || *end != '\0' || value < 1 || value > 65536)
            fail("usage: calibrate [--watch | MIB], with 1 to 65536 MiB to copy");
        bytes = (size_t)value << 20;
    }
    if (bytes > free_bytes / 4)
        bytes = free_bytes / 4;
    return bytes & ~(size_t)4095;
}

static struct work prepare(size_t bytes)
{
    struct work w = {};
    w.bytes = bytes;
    w.sm_count = attribute(cudaDevAttrMultiProcessorCount);
    CHECK(cudaMalloc(&w.from, w.bytes));
    CHECK(cudaMalloc(&w.to, w.bytes));
    CHECK(cudaMalloc(&w.word, 8 * sizeof *w.word));
    fill_source(&w);
    return w;
}

static void release(struct work *w)
{
    CHECK(cudaFree(w->from));
    CHECK(cudaFree(w->to));
    CHECK(cudaFree(w->word));
}

/* Is the GPU as fast as it was, and has it got all of its time for us? */
static void measure_now(struct work *w)
{
    measure_steady_copy(w);
    measure_clock(w);
}

/* Copies first: the arithmetic heats the GPU, and much of the rest writes into w->to. */
static void measure_roofs(struct work *w)
{
    measure_words(w);
    measure_read_and_write(w);
    measure_blocks(w);
    measure_launches(w);
    measure_atomics(w);
    measure_arithmetic(w);
}

static void measure_all(size_t bytes)
{
    struct work w = prepare(bytes);
    roughly = false;
    measure_copy(&w);
    measure_roofs(&w);
    measure_grid_sync(&w);
    measure_shared(&w);
    measure_latency(&w);
    release(&w);
}

static void print_all(struct work *small, const char *mib)
{
    print_device();
    measure_now(small);
    measure_all(choose_bytes(mib));
}

/* Buffers and context are there before the first question comes. */
static void watch(struct work *small)
{
    char line[64];
    CHECK(cudaDeviceSynchronize());
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "all\n") == 0) {
            print_all(small, NULL);
        } else {
            print_device();
            measure_now(small);
            roughly = true;
            if (strcmp(line, "check\n") == 0)
                measure_roofs(small);
        }
        puts("end");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        fprintf(stderr, "calibrate: no GPU that CUDA can use: %s\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "none is visible");
        return 2;
    }
    struct work small = prepare(choose_bytes("256"));
    if (argc > 1 && strcmp(argv[1], "--watch") == 0)
        watch(&small);
    else
        print_all(&small, argc > 1 ? argv[1] : NULL);
    release(&small);
    return 0;
}
