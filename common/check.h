/*
 * CHECK(call): every CUDA runtime call can fail, and reports this only in its return value. CHECK ends
 * the program at the first failure, and prints the place, the call and what the error means.
 *
 *     CHECK(cudaMalloc(&d_x, n * sizeof(real)));
 *     kernel<<<grid, block>>>(d_x);
 *     CHECK(cudaGetLastError());      a launch returns no error code, so ask for it afterwards
 *
 * Source: CUDA C++ Programming Guide, "Error Checking".
 */
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* While a TODO is open, parameters may be unused. The compiler need not warn about this. */
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
