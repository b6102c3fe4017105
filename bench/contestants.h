/*
 * Lab 09's solution and its steps side by side in one program. All of them define lab09_matmul; the build gives
 * each a name of its own, and here all the names: CONTESTANTS is CONTESTANT(solution) CONTESTANT(step01_naive) ...
 */
#ifndef BENCH_CONTESTANTS_H
#define BENCH_CONTESTANTS_H

#include "common/real.h"

/* As lab09_matmul in lab09_matmul_tiled/lab09.h. */
typedef void matmul_function(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                             real *d_c, int ldc);

struct contestant {
    const char *name;
    matmul_function *run;
};

#define CONTESTANT(name) extern "C" matmul_function name;
CONTESTANTS
#undef CONTESTANT

#define CONTESTANT(name) {#name, name},
static const struct contestant contestants[] = {CONTESTANTS};
#undef CONTESTANT

enum { CONTESTANT_COUNT = sizeof(contestants) / sizeof(contestants[0]) };

#endif
