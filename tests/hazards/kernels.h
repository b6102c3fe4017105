/* What the CUDA files of tests/hazards/ share: one kernel, and its row in the file's table. */
#pragma once

#include "tests/hazards/suite.h"

#define KERNEL(name) static __global__ void name(int *x, int *zeros, int *fresh, int *gone)
#define T            ((int)threadIdx.x)
#define B            ((int)blockIdx.x)
#define FULL         0xffffffffu

/* WRONG(name, blocks, threads, hazard), RIGHT(name, blocks, threads); _GRID: a cooperative launch, whose blocks all
 * run at the same time; _DYNAMIC: with so many bytes of dynamic shared memory; VARIES: memory depends on the order. */
#define HAZARD_ROW(name, blocks, threads, bytes, grid, hazard, varies)                                       \
    {                                                                                                        \
#name, (const void *)name, blocks, threads, bytes, grid, hazard, varies                              \
    }
#define WRONG(name, blocks, threads, hazard)      HAZARD_ROW(name, blocks, threads, 0, 0, hazard, 0)
#define WRONG_GRID(name, blocks, threads, hazard) HAZARD_ROW(name, blocks, threads, 0, 1, hazard, 0)
#define WRONG_DYNAMIC(name, blocks, threads, bytes, hazard)                                                  \
    HAZARD_ROW(name, blocks, threads, bytes, 0, hazard, 0)
#define RIGHT(name, blocks, threads)                HAZARD_ROW(name, blocks, threads, 0, 0, -1, 0)
#define RIGHT_GRID(name, blocks, threads)           HAZARD_ROW(name, blocks, threads, 0, 1, -1, 0)
#define RIGHT_DYNAMIC(name, blocks, threads, bytes) HAZARD_ROW(name, blocks, threads, bytes, 0, -1, 0)
#define VARIES(name, blocks, threads)               HAZARD_ROW(name, blocks, threads, 0, 0, -1, 1)
#define VARIES_GRID(name, blocks, threads)          HAZARD_ROW(name, blocks, threads, 0, 1, -1, 1)
