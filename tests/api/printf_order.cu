/* What kernels print appears when the host waits, in the order of the launches. */
#include "common/check.h"

__global__ void say(const char *unused, int n)
{
    (void)unused;
    printf("kernel %d, thread %d of %d\n", n, threadIdx.x, blockDim.x);
}

__global__ void formats(void)
{
    const char *text = "text";
    printf("%d %5.2f|%-6s|%c %x %lld %% %e\n", -3, 2.5, text, 'z', 255, 1LL << 40, 12345.678);
    printf("%u %lu %hd %+d %05d [%8s] %.3s\n", 4000000000u, 7ul, (short)-2, 5, 42, "right", "abcdef");
}

__global__ void returns(void)
{
    int none = printf("nothing to format\n");
    int two = printf("%d and %d\n", 1, 2);
    printf("returned %d and %d\n", none, two);
}

int main(void)
{
    say<<<1, 2>>>(NULL, 1);
    CHECK(cudaDeviceSynchronize());
    printf("host after kernel 1\n");
    say<<<1, 1>>>(NULL, 2);
    CHECK(cudaStreamSynchronize(0));
    formats<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    returns<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    printf("host at the end\n");
    return 0;
}
