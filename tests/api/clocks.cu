/* Clocks go on: between two reads, while a warp sleeps, and in a loop that waits for time to pass. */
#include "common/check.h"

__global__ void look(int *in_order)
{
    long long first = clock64(), second = clock64();
    unsigned long long before, after;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    __nanosleep(2000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
    in_order[0] = second > first;
    in_order[1] = after - before <= 1000000000; /* it may sleep for 0 to 4000 ns */
    in_order[2] = clock64() > second;
}

__global__ void wait(long long cycles, int *waited)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    atomicAdd(waited, 1);
}

int main(void)
{
    int *d_out, h_out[4];
    CHECK(cudaMalloc(&d_out, sizeof h_out));
    CHECK(cudaMemset(d_out, 0, sizeof h_out));
    look<<<1, 1>>>(d_out);
    wait<<<4, 64>>>(1000000, d_out + 3);
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    printf("clock goes on: %d, and over a sleep: %d %d, %d threads waited\n", h_out[0], h_out[1], h_out[2],
           h_out[3]);
    return 0;
}
