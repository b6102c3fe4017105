/*
 * The kernels that validate the simulator's time model: tables of kernels with three sizes each. One file per
 * group of families; each exports one table, which ends with a row without a name.
 *
 * A kernel reads x, u and p, which are the same before every launch, and writes y; it may read y, if no branch and no
 * address depends on that. So every launch of a row does the same work, on a GPU as on the simulator, and what fits
 * in L2 is there from the launch before.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { MODEL_SMALL, MODEL_MEDIUM, MODEL_LARGE, MODEL_SIZES };

#define MODEL_RANDOM (1 << 24) /* elements of x, and of u, that hold random numbers */

struct model_buffers {
    const float *x;    /* random in [0.5, 1.5): the first MODEL_RANDOM; after them zeros */
    const unsigned *u; /* MODEL_RANDOM random 32-bit numbers */
    float *y;          /* output, as large as x */
    unsigned *p; /* 2^26 words that a row's `prepare` fills: chains of indices, rows of sparse matrices */
    int sms;     /* of the device */
};

struct model_kernel {
    const char *name, *family;
    int n[MODEL_SIZES];                                    /* sizes: small, medium, large */
    void (*run)(const struct model_buffers *b, int n);     /* launches, need not wait */
    void (*prepare)(const struct model_buffers *b, int n); /* NULL, or makes p before the first launch */
};

extern const struct model_kernel model_streams[], model_patterns[], model_sums[], model_atomics[],
    model_spaces[], model_arithmetic[], model_functions[], model_warps[], model_shared[], model_launches[],
    model_stencils[], model_matrices[], model_applications[], model_bytes[], model_labs[];

#ifdef __cplusplus
}

/* The launch of a row; it may use b and n. LAUNCH also makes what p holds. */
#define RUN(...) LAUNCH(__VA_ARGS__), NULL
#define LAUNCH(...)                                                                                          \
    [](const struct model_buffers *b, int n) {                                                               \
        (void)b, (void)n;                                                                                    \
        __VA_ARGS__;                                                                                         \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, NULL, {0, 0, 0}, NULL, NULL                                                                    \
    }
/* This thread's number in a grid of one dimension. */
#define INDEX ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#endif
