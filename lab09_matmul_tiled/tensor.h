/*
 * What stage (f) of lab 09 includes: NVIDIA's header of tensor cores, and the loads.
 */
#ifndef LAB09_TENSOR_H
#define LAB09_TENSOR_H

#include <mma.h>

#include "lab09.h"

using namespace nvcuda; /* so that nvcuda::wmma::fragment is wmma::fragment */

/*
 * The 32 threads of the warp load 16 x 16 elements of the matrix x, which has `rows` rows and `columns` columns, from
 * x(row, column) on, and round them to half precision. Elements that x does not have are zeros.
 */
static __device__ void load_halves(half tile[16][16], const real *x, int rows, int columns, int ld, int row,
                                   int column)
{
    for (int i = threadIdx.x; i < 16 * 16; i += 32) {
        const int r = row + i / 16, c = column + i % 16;
        tile[i / 16][i % 16] = r < rows && c < columns ? half(x[r * ld + c]) : half(0.0f);
    }
}

#endif
