#!/bin/bash
# Ways through steps that no case of a grader is large enough for, on a simulated GPU of 28 SMs: lab 09's step 15 where
# all SMs share the last round, alone and behind a full one, and lab 08's step 10 with groups of 20 outputs.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1

# Whole numbers: sums are exact in any order.
cat >"$scratch/product.cu" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include "lab09.h"
static int try_shape(int m, int n, int k)
{
    std::vector<real> a((size_t)m * k), b((size_t)k * n), c((size_t)m * n), sum(n);
    real *d_a, *d_b, *d_c;
    for (size_t i = 0; i < a.size(); i++)
        a[i] = (int)((unsigned)i * 2654435761u >> 20) % 11 - 5;
    for (size_t i = 0; i < b.size(); i++)
        b[i] = (int)((unsigned)i * 2246822519u >> 20) % 13 - 6;
    cudaMalloc(&d_a, a.size() * sizeof(real));
    cudaMalloc(&d_b, b.size() * sizeof(real));
    cudaMalloc(&d_c, c.size() * sizeof(real));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(real), cudaMemcpyHostToDevice);
    lab09_matmul(m, n, k, d_a, k, d_b, n, d_c, n);
    cudaMemcpy(c.data(), d_c, c.size() * sizeof(real), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            sum[j] = 0;
        for (int q = 0; q < k; q++)
            for (int j = 0; j < n; j++)
                sum[j] += a[(size_t)i * k + q] * b[(size_t)q * n + j];
        for (int j = 0; j < n; j++)
            wrong += c[(size_t)i * n + j] != sum[j];
    }
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    printf("%d x %d x %d: %d wrong, %s\n", m, n, k, wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong;
}
int main()
{
    return try_shape(256, 1024, 1032) + try_shape(128, 29 * 256, 680) > 0;
}
END
expect 0 "" "$BUILD/sim/simcc" -std=c++17 -I. -Ilab09_matmul_tiled "$scratch/product.cu" \
    lab09_matmul_tiled/steps/step15_any_shape.cu -o "$scratch/product"
expect 0 "256 x 1024 x 1032: 0 wrong, no error
128 x 7424 x 680: 0 wrong, no error" env LABS_SIM_DEVICE=rtx3060 "$scratch/product"
expect_lines 2 # no hazard
expect 0 "last_round.h" env LABS_SIM_DEVICE=rtx3060 LABS_SIM_PROFILE=1 LABS_SIM_HAZARDS=0 "$scratch/product" # is what ran

cat >"$scratch/convolution.cu" <<'END'
#include <stdio.h>
#include <vector>
#include "lab08.h"
int main()
{
    const int n = 28 * 5120 - 1500; /* one block of 2 x 20 x 128 outputs for each SM, two of 2 x 16 x 128 for some */
    std::vector<real> x(n), h(LAB08_TAPS), y(n + LAB08_TAPS - 1);
    real *d_x, *d_h, *d_y;
    for (int i = 0; i < n; i++)
        x[i] = (int)((unsigned)i * 2654435761u >> 20) % 11 - 5;
    for (int k = 0; k < LAB08_TAPS; k++)
        h[k] = (int)((unsigned)k * 2246822519u >> 20) % 13 - 6;
    cudaMalloc(&d_x, x.size() * sizeof(real));
    cudaMalloc(&d_h, h.size() * sizeof(real));
    cudaMalloc(&d_y, y.size() * sizeof(real));
    cudaMemcpy(d_x, x.data(), x.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_h, h.data(), h.size() * sizeof(real), cudaMemcpyHostToDevice);
    lab08_convolve(d_x, n, d_h, d_y);
    cudaMemcpy(y.data(), d_y, y.size() * sizeof(real), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n + LAB08_TAPS - 1; i++) {
        real sum = 0;
        for (int k = i < n ? 0 : i - n + 1; k < LAB08_TAPS && k <= i; k++)
            sum += h[k] * x[i - k];
        wrong += y[i] != sum;
    }
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong > 0;
}
END
expect 0 "" "$BUILD/sim/simcc" -std=c++17 -I. -Ilab08_conv1d_1024 "$scratch/convolution.cu" \
    lab08_conv1d_1024/steps/step10_even_pieces.cu -o "$scratch/convolution"
expect 0 "0 wrong, no error" env LABS_SIM_DEVICE=rtx3060 "$scratch/convolution"
expect_lines 1 # no hazard
