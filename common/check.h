/*
 * CHECK(call): every CUDA runtime call can fail, and says so only in its return value. CHECK stops
 * the program at the first failure, with the place, the call and what the error means.
 *
 *     CHECK(cudaMalloc(&d_x, n * sizeof(real)));
 *     kernel<<<grid, block>>>(d_x);
 *     CHECK(cudaGetLastError());      a launch itself returns nothing: ask afterwards
 *
 * Source: CUDA C++ Programming Guide, "Error Checking".
 */
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* A TODO that is still open leaves parameters unused: no reason for the compiler to warn. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The exit status by which the grader knows that CHECK ended the program; another program may define its own. */
#ifndef CHECK_EXIT_STATUS
#define CHECK_EXIT_STATUS 86
#endif

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_error = (call);                                                                    \
        if (check_error != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", __FILE__, __LINE__, #call,                        \
                    cudaGetErrorString(check_error), cudaGetErrorName(check_error));                         \
            exit(CHECK_EXIT_STATUS);                                                                         \
        }                                                                                                    \
    } while (0)

#endif
