/*
 * The litmus tests of tests/litmus/, many instances at a time: how often each outcome was seen, and whether PTX's memory
 * model allows it. The same program on the simulator and on a GPU.
 *
 *     litmus [-n LAUNCHES] [-g GROUPS] [NAME...]
 *
 * LAUNCHES of each test, each with at most GROUPS groups of blocks, in turn with other distances between words, other
 * delays, with and without a common start and blocks that keep memory busy: what makes weak outcomes frequent depends on
 * the test (Alglave and others: "GPU Concurrency", ASPLOS 2015). One line a test, and one for each outcome.
 * Exit: 0 if the model allows all that was seen, 1 if not, 2 if it could not be run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/litmus/launch.h"

enum { STRIDE_MAX = 32 };

struct settings {
    unsigned launches, groups, processors;
};

static unsigned power_of_two_below(unsigned most)
{
    unsigned power = 1;

    while (power * 2 <= most)
        power *= 2;
    return power;
}

/* Blocks of so many threads that run at the same time. */
static unsigned resident_blocks(const struct settings *settings, const void *kernel, unsigned threads)
{
    int blocks = 0;

    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, 0) != cudaSuccess ||
        blocks < 1)
        blocks = 1;
    return (unsigned)blocks * settings->processors;
}

/* The k-th launch of a test. */
static struct litmus_shape make_shape(const struct settings *settings, const struct litmus_test *test,
                                      const void *kernel, unsigned k)
{
    static const unsigned strides[] = {1, 4, STRIDE_MAX, 8}, delays[] = {0, 1, 0, 4};
    unsigned blocks = (unsigned)test->blocks;
    struct litmus_shape shape = {
        .sets = k / 2 % 2 ? 1 : litmus_sets_max(test),
        .stride = strides[k % 4],
        .seed = k * 7919 + 1,
        .delay_most = delays[k / 4 % 4],
        .delay_step = 1,
        .busy_rounds = 64,
        .meet = k % 2 == 0,
    };

    unsigned room = resident_blocks(settings, kernel, shape.sets * (unsigned)test->warps * 32);
    shape.busy_blocks = k / 16 % 2 && room >= 4 * blocks ? room / 4 : 0;
    unsigned groups = (room - shape.busy_blocks) / blocks;
    shape.groups = power_of_two_below(groups < 1 ? 1 : groups < settings->groups ? groups : settings->groups);
    shape.meet &= groups >= 1;
    return shape;
}

/* How many outcomes that no interleaving has were seen, and how many the model allows. */
static void count_weak(const struct verdict *verdict, const struct litmus_tally *tally, int *seen,
                       int *allowed)
{
    *seen = *allowed = 0;
    for (int i = 0; i < verdict->count; i++) {
        *allowed += !verdict->interleaved[i];
        *seen += !verdict->interleaved[i] && tally->seen[i] > 0;
    }
}

static void show(const struct litmus_test *test, const struct verdict *verdict,
                 const struct litmus_tally *tally)
{
    char text[128];
    int seen, allowed;

    count_weak(verdict, tally, &seen, &allowed);
    printf("%-34s %12llu instances, weak outcomes seen: %d of %d, forbidden: %llu%s%s\n", test->name,
           tally->total, seen, allowed, tally->forbidden, tally->forbidden ? "  FORBIDDEN: " : "",
           tally->forbidden ? outcome_text(test, &tally->first_forbidden, text) : "");
    for (int i = 0; i < verdict->count; i++)
        printf("    %12llu  %s%s\n", tally->seen[i], outcome_text(test, &verdict->outcome[i], text),
               verdict->interleaved[i] ? "" : "    (weak)");
}

/* False: something forbidden was seen, or a launch failed. */
static bool run(const struct settings *settings, const struct litmus_device *device,
                const struct litmus_test *test, const void *kernel)
{
    static struct verdict verdict;
    struct litmus_tally tally = {0};

    verdict_find(test, &verdict);
    for (unsigned k = 0; k < settings->launches; k++) {
        struct litmus_shape shape = make_shape(settings, test, kernel, k);
        cudaError_t status = litmus_launch(device, test, kernel, &shape, &verdict, &tally);
        if (status != cudaSuccess) {
            printf("%s: launch %u: %s\n", test->name, k, cudaGetErrorString(status));
            return false;
        }
    }
    show(test, &verdict, &tally);
    return tally.forbidden == 0;
}

static struct settings read_settings(int count, char **arguments)
{
    struct settings settings = {.launches = 200, .groups = 1024};
    struct cudaDeviceProp properties;

    for (int option; (option = getopt(count, arguments, "n:g:")) != -1;) {
        if (option == '?')
            exit(2);
        *(option == 'n' ? &settings.launches : &settings.groups) = (unsigned)strtoul(optarg, NULL, 10);
    }
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
        fputs("litmus: there is no GPU\n", stderr);
        exit(2);
    }
    settings.processors = (unsigned)properties.multiProcessorCount;
    printf("%s: %u launches of each test\n", properties.name, settings.launches);
    return settings;
}

/* On memory of its own, so that a failed launch does not spoil the tests behind it. */
static bool run_alone(const struct settings *settings, const struct litmus_test *test, const void *kernel)
{
    struct litmus_device device;

    if (!litmus_device_create(&device, settings->groups * 128, settings->groups, STRIDE_MAX))
        exit(2);
    bool good = run(settings, &device, test, kernel);
    litmus_device_destroy(&device);
    if (!good)
        cudaDeviceReset();
    return good;
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

int main(int count, char **arguments)
{
    static struct litmus_tests tests;
    struct settings settings = read_settings(count, arguments);
    int bad = 0, ran = 0;

    litmus_read_all(&tests, 0, NULL);
    for (int i = 0; i < tests.count; i++) {
        if (!is_wanted(tests.test[i].name, count - optind, arguments + optind))
            continue;
        ran++;
        bad += !run_alone(&settings, &tests.test[i], litmus_kernels[i].kernel);
        fflush(stdout);
    }
    printf("%d litmus tests: %d with outcomes that the model forbids, or a launch that failed\n", ran, bad);
    return bad > 0;
}
