/* How the worker calls lab 09: each task's buffers and numbers, in the order of grader.c. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lab/binding.h"
#include "lab09.h"

typedef void product(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                     int ldc);

/* buffers: d_a, d_b, d_c; args: m, n, k, lda, ldb, ldc */
static void multiply(product *function, struct lab_call *call)
{
    const int64_t *arg = call->arg;
    function((int)arg[0], (int)arg[1], (int)arg[2], call->buffer[0], (int)arg[3], call->buffer[1],
             (int)arg[4], call->buffer[2], (int)arg[5]);
}

/* The earlier stages, which the files in steps/ do not have. */
#ifndef LAB_STEPS
static void run_naive(struct lab_call *call)
{
    multiply(lab09_matmul_naive, call);
}

static void run_tile(struct lab_call *call)
{
    multiply(lab09_matmul_tile, call);
}

static void run_column(struct lab_call *call)
{
    multiply(lab09_matmul_column, call);
}

static void run_registers(struct lab_call *call)
{
    multiply(lab09_matmul_registers, call);
}

static void run_vectors(struct lab_call *call)
{
    multiply(lab09_matmul_vectors, call);
}

static void run_tensor(struct lab_call *call)
{
    multiply(lab09_matmul_tensor, call);
}

/* buffers: d_x, d_y; args: rows, columns, inputs */
static void run_softmax(struct lab_call *call)
{
    lab09_softmax((int)call->arg[0], (int)call->arg[1], call->buffer[0], call->buffer[1]);
}
#endif

static void run_matmul(struct lab_call *call)
{
    multiply(lab09_matmul, call);
}

/*
 * args: m, n, k, pad, first. The matrices begin `first` elements into their buffers, rows are followed by
 * pad, pad + 1 and pad + 2 elements. The product goes to d_c, and a second time to separate memory: the result is 1 if
 * both have the same bits (without the rows' padding).
 */
static void run_anywhere(struct lab_call *call)
{
    const int m = (int)call->arg[0], n = (int)call->arg[1], k = (int)call->arg[2];
    const int pad = (int)call->arg[3], first = (int)call->arg[4];
    const int lda = k + pad, ldb = n + pad + 1, ldc = n + pad + 2;
    const size_t count = m > 0 && n > 0 ? (size_t)(m - 1) * (size_t)ldc + (size_t)n : 0;
    const real *a = (const real *)call->buffer[0] + first, *b = (const real *)call->buffer[1] + first;
    real *c = (real *)call->buffer[2] + first, *again = NULL;
    lab09_matmul(m, n, k, a, lda, b, ldb, c, ldc);
    call->result[0] = count == 0;
    if (count == 0 || cudaMalloc((void **)&again, count * sizeof(real)) != cudaSuccess)
        return;
    cudaMemset(again, 0, count * sizeof(real));
    lab09_matmul(m, n, k, a, lda, b, ldb, again, ldc);
    real *one = calloc(count, sizeof(real)), *two = calloc(count, sizeof(real));
    if (one && two && cudaMemcpy(one, c, count * sizeof(real), cudaMemcpyDeviceToHost) == cudaSuccess &&
        cudaMemcpy(two, again, count * sizeof(real), cudaMemcpyDeviceToHost) == cudaSuccess) {
        call->result[0] = 1;
        for (int i = 0; i < m; i++)
            if (memcmp(&one[(size_t)i * (size_t)ldc], &two[(size_t)i * (size_t)ldc],
                       (size_t)n * sizeof(real)) != 0)
                call->result[0] = 0;
    }
    free(one);
    free(two);
    cudaFree(again);
}

const struct lab_binding lab_bindings[] = {
#ifndef LAB_STEPS
    {"naive", run_naive},         {"tile", run_tile},         {"column", run_column},
    {"registers", run_registers}, {"vectors", run_vectors},   {"tensor", run_tensor},
    {"softmax", run_softmax},
#endif
    {"matmul", run_matmul},       {"anywhere", run_anywhere},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
