/* Launches the kernels of the litmus tests, and counts what comes out: on the simulator or on a GPU. C. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/litmus/device.h"
#include "tests/litmus/verdict.h"

/* Memory for launches of any test, with room for so many instances. */
struct litmus_device {
    unsigned *memory, *results, *meeting, *busy;
    unsigned *host; /* the results */
    unsigned instances_max, stride_max, groups_max, busy_words;
};

/* How instances are spread over one launch, and what disturbs them. */
struct litmus_shape {
    unsigned groups, sets; /* of blocks in the grid, of warps in a block: powers of two */
    unsigned stride;       /* words from one instance of a location to the next */
    unsigned seed, delay_most, delay_step;
    unsigned busy_blocks, busy_rounds;
    bool meet; /* blocks of a group wait for each other: all must run at the same time */
};

/* What has been seen of a test: how often each outcome that the model allows, and one that it forbids. */
struct litmus_tally {
    unsigned long long seen[OUTCOMES_MAX], forbidden, total;
    struct outcome first_forbidden;
};

/* False, and a message on stderr, if there is no memory. */
bool litmus_device_create(struct litmus_device *device, unsigned instances, unsigned groups, unsigned stride);
void litmus_device_destroy(struct litmus_device *device);

/* Warps and instances that one set has; the largest number of sets that fits a block. */
unsigned litmus_instances(const struct litmus_test *test, const struct litmus_shape *shape);
unsigned litmus_sets_max(const struct litmus_test *test);

/* One launch; adds what its instances have come to. */
cudaError_t litmus_launch(const struct litmus_device *device, const struct litmus_test *test,
                          const void *kernel, const struct litmus_shape *shape, const struct verdict *verdict,
                          struct litmus_tally *tally);
