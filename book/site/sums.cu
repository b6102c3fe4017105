/* The front page's kernels, each in many orders of the warps: the sum of 1 to 128 by lab02_reduce_blocks of the file KERNELS. */
#include KERNELS

#include <stdio.h>

int main(void)
{
    real h_x[LAB02_BLOCK_SIZE], h_sum, *d_x, *d_sum;
    for (int i = 0; i < LAB02_BLOCK_SIZE; i++)
        h_x[i] = i + 1;
    CHECK(cudaMalloc(&d_x, sizeof h_x));
    CHECK(cudaMalloc(&d_sum, sizeof h_sum));
    CHECK(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice));
    lab02_reduce_blocks(d_x, LAB02_BLOCK_SIZE, d_sum);
    CHECK(cudaMemcpy(&h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost));
    printf("%g\n", (double)h_sum);
    return 0;
}
