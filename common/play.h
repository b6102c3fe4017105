/*
 * What the labs' play.cu share: sizes from the command line, inputs, and rows of figures. The times come from timer.h;
 * this file adds what makes them fair:
 *
 *   - The first call is a warm-up and does not count. The result is the median of the calls after it.
 *   - No call finds its data in L2 because an earlier call left it there. Before the first call, other data fill L2.
 *     After that, each call uses its own set of inputs; or, if the sets are large, a set is used again only after
 *     so many other sets that they have pushed its data out.
 *   - All calls are queued before the program waits for any of them, so the device never waits for the host.
 *
 *     struct play play = play_begin();
 *     const int n = play_size(&play, argc, argv, 1, "n", 100000000, 1 << 20);
 *     play_sets(&play, 2 * bytes);
 *     struct play_array x = play_copies(&play, h_x, bytes), y = play_copies(&play, NULL, bytes);
 *     static void work(void *context, int set) { copy((real *)x.set[set], ...); }
 *     play_row(&play, "copy", play_time(&play, work, &problem), bytes, flops, right);
 *     return play_end(&play);
 *
 * The grader measures in the same way (harness/worker/timing.c), so for the same sizes the figures agree.
 */
#ifndef COMMON_PLAY_H
#define COMMON_PLAY_H

#include <string.h>

#include "common/lab.h"

#define PLAY_WARMUPS   1
#define PLAY_MOST_RUNS 21
#define PLAY_MOST_SETS (PLAY_WARMUPS + PLAY_MOST_RUNS)

struct play {
    bool modeled; /* there is no GPU: the simulator computes how long a GPU would take */
    int runs;     /* timed calls of each function */
    int sets;     /* number of sets of inputs, 1 <= sets <= PLAY_MOST_SETS; chosen by play_sets */
    size_t l2_bytes;
    float4 *d_flush; /* an array larger than L2, which play_time reads */
    bool all_right, headed;
};

/* One array for each set, all of them with the same numbers, in device memory. */
struct play_array {
    void *set[PLAY_MOST_SETS];
    size_t bytes; /* per set */
};

/* Reads `count` numbers, so that L2 holds them and nothing else. They are zeros: *d_x is never written. */
static __global__ void play_fill_l2(float4 *d_x, size_t count)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
        sum += d_x[i].x + d_x[i].y + d_x[i].z + d_x[i].w;
    if (sum > 0)
        d_x[0].x = sum;
}

/*
 * Prints which device the program runs on. Modeled times are the same in every run, so three timed calls are enough.
 * PLAY_RUNS=5 in the environment asks for five timed calls; 21 is the maximum.
 */
static inline struct play play_begin(void)
{
    struct cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    struct play play = {strstr(device.name, "simulated") != NULL,
                        PLAY_MOST_RUNS,
                        1,
                        (size_t)device.l2CacheSize,
                        NULL,
                        true,
                        false};
    CHECK(cudaMalloc(&play.d_flush, 2 * play.l2_bytes));
    CHECK(cudaMemset(play.d_flush, 0, 2 * play.l2_bytes));
    if (play.modeled)
        play.runs = 3;
    const char *runs = getenv("PLAY_RUNS");
    if (runs != NULL && atoi(runs) >= 1 && atoi(runs) <= PLAY_MOST_RUNS)
        play.runs = atoi(runs);
    printf("%s: %s\n", device.name, play.modeled ? "MODELED times, nothing is measured" : "measured");
    return play;
}

/* Argument number `which`, from `least` to 2^30; or if it is missing, one size for a GPU and one for the simulator. */
static inline int play_size(const struct play *play, int argc, char **argv, int which, const char *name,
                            int on_gpu, int modeled, int least)
{
    if (which >= argc)
        return play->modeled ? modeled : on_gpu;
    char *end;
    const long value = strtol(argv[which], &end, 0);
    if (*argv[which] == '\0' || *end != '\0' || value < least || value > 1 << 30) {
        fprintf(stderr, "%s = %s: expected a whole number from %d to 2^30\n", name, argv[which], least);
        exit(2);
    }
    return (int)value;
}

/*
 * Chooses the number of sets, each of `bytes` bytes, so that no call finds its data in L2: one set for each call, or
 * fewer if the sets are large.
 */
static inline void play_sets(struct play *play, size_t bytes)
{
    const size_t most = PLAY_WARMUPS + (size_t)play->runs;
    const size_t wanted = bytes > 0 ? 2 * play->l2_bytes / bytes + 2 : 1;
    play->sets = (int)(wanted < most ? wanted : most);
}

/* Fills every set with the same `bytes` bytes of `host`, or with zeros if host is NULL. */
static inline struct play_array play_copies(const struct play *play, const void *host, size_t bytes)
{
    struct play_array array;
    array.bytes = bytes;
    for (int i = 0; i < play->sets; i++) {
        CHECK(cudaMalloc(&array.set[i], bytes > 0 ? bytes : 1));
        if (host != NULL)
            CHECK(cudaMemcpy(array.set[i], host, bytes, cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemset(array.set[i], 0, bytes));
    }
    return array;
}

/* Call this before a function runs: no earlier result can then pass for its own. Sets all bits, which gives NaN or -1. */
static inline void play_clear(const struct play *play, const struct play_array *array)
{
    for (int i = 0; i < play->sets; i++)
        CHECK(cudaMemset(array->set[i], 0xff, array->bytes));
}

static inline void play_free(const struct play *play, struct play_array *array)
{
    for (int i = 0; i < play->sets; i++)
        CHECK(cudaFree(array->set[i]));
}

static inline void *play_host(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "the host has no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

/* Number i of a sequence without a pattern, from 0 to 2^24 - 1. */
static inline unsigned play_random(unsigned i)
{
    i = (i ^ (i >> 16)) * 0x45d9f3bu;
    i = (i ^ (i >> 16)) * 0x45d9f3bu;
    return (i ^ (i >> 16)) >> 8;
}

/* n numbers in [0, 1) on the host, to be freed by the caller. */
static inline real *play_numbers(size_t n)
{
    real *x = (real *)play_host(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)((double)play_random((unsigned)i) / (1 << 24));
    return x;
}

/* Copies the first set to new memory on the host; the caller frees it. */
static inline void *play_fetch(const struct play_array *array)
{
    void *host = play_host(array->bytes);
    CHECK(cudaMemcpy(host, array->set[0], array->bytes, cudaMemcpyDeviceToHost));
    return host;
}

/* Whether a result is close enough: rounding may change its last digits, whereas a mistake changes more. */
static inline bool play_near(double found, double wanted)
{
    const double off = found > wanted ? found - wanted : wanted - found;
    const double scale = wanted > 1 ? wanted : wanted < -1 ? -wanted : 1;
    return off <= 1e-4 * scale; /* false if `found` is NaN */
}

/* Calls work(context, set) with each set in turn, and records an event before and after each call. */
static inline struct timing play_time(const struct play *play, void (*work)(void *context, int set),
                                      void *context)
{
    struct timer timers[PLAY_MOST_SETS];
    float milliseconds[PLAY_MOST_SETS];
    const int calls = PLAY_WARMUPS + play->runs;
    for (int i = 0; i < calls; i++)
        CHECK(timer_init(&timers[i]));
    play_fill_l2<<<1024, 256>>>(play->d_flush, 2 * play->l2_bytes / sizeof(float4));
    for (int i = 0; i < calls; i++) {
        CHECK(timer_start(&timers[i]));
        work(context, i % play->sets);
        CHECK(timer_stop(&timers[i]));
    }
    for (int i = 0; i < calls; i++) {
        CHECK(timer_milliseconds(&timers[i], &milliseconds[i]));
        CHECK(timer_destroy(&timers[i]));
    }
    return timer_describe(milliseconds + PLAY_WARMUPS, play->runs);
}

/* Prints one row. bytes and flops are what the task must move and compute; if flops is 0, the row shows none. */
static inline void play_row(struct play *play, const char *name, struct timing t, double bytes, double flops,
                            bool right)
{
    if (!play->headed)
        printf("  %-26s %10s %9s %9s %10s  median of %d calls\n", "", "ms", "+-", "GB/s", "GFLOP/s", t.runs);
    play->headed = true;
    play->all_right = play->all_right && right;
    printf("  %-26s %10.5f %9.5f", name, t.median, t.spread);
    if (t.median > 0 && bytes > 0)
        printf(" %9.1f", 1e-6 * bytes / t.median);
    else
        printf(" %9s", "-");
    if (t.median > 0 && flops > 0)
        printf(" %10.1f", 1e-6 * flops / t.median);
    else
        printf(" %10s", "-");
    printf("  %s\n", right ? "right" : "WRONG: this time means nothing");
}

/* The program's exit status. */
static inline int play_end(const struct play *play)
{
    CHECK(cudaFree(play->d_flush));
    return play->all_right ? 0 : 1;
}

#endif
