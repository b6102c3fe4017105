/* A radix sort by prefix sums, as courses write it. */
#include "common/check.h"
#include <vector>
#include <algorithm>
// Split-based radix sort with Blelloch scan, as courses write it
#define B 256
__global__ void predicate(const unsigned *in, unsigned *p, int n, int bit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = !((in[i] >> bit) & 1);
}
__global__ void blelloch(unsigned *d, unsigned *sums, int n)
{
    __shared__ unsigned t[2 * B];
    int tid = threadIdx.x, base = blockIdx.x * 2 * B;
    t[2 * tid] = base + 2 * tid < n ? d[base + 2 * tid] : 0;
    t[2 * tid + 1] = base + 2 * tid + 1 < n ? d[base + 2 * tid + 1] : 0;
    int off = 1;
    for (int s = B; s > 0; s >>= 1) {
        __syncthreads();
        if (tid < s) {
            int a = off * (2 * tid + 1) - 1, b = off * (2 * tid + 2) - 1;
            t[b] += t[a];
        }
        off *= 2;
    }
    if (tid == 0) {
        if (sums)
            sums[blockIdx.x] = t[2 * B - 1];
        t[2 * B - 1] = 0;
    }
    for (int s = 1; s < 2 * B; s *= 2) {
        off >>= 1;
        __syncthreads();
        if (tid < s) {
            int a = off * (2 * tid + 1) - 1, b = off * (2 * tid + 2) - 1;
            unsigned x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    __syncthreads();
    if (base + 2 * tid < n)
        d[base + 2 * tid] = t[2 * tid];
    if (base + 2 * tid + 1 < n)
        d[base + 2 * tid + 1] = t[2 * tid + 1];
}
__global__ void addsums(unsigned *d, const unsigned *s, int n)
{
    int i = blockIdx.x * 2 * B + threadIdx.x;
    if (i < n)
        d[i] += s[blockIdx.x];
    if (i + B < n)
        d[i + B] += s[blockIdx.x];
}
__global__ void scatter(const unsigned *in, unsigned *out, const unsigned *p, int n, int bit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned last = !((in[n - 1] >> bit) & 1) + p[n - 1];
        unsigned z = !((in[i] >> bit) & 1);
        unsigned dst = z ? p[i] : i - p[i] + last;
        out[dst] = in[i];
    }
}
int main()
{
    const int n = 3000;
    std::vector<unsigned> h(n), r(n);
    for (auto &x : h)
        x = rand() & 0xffff;
    unsigned *a, *b, *p, *s;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&p, n * 4);
    cudaMalloc(&s, 4096);
    cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
    int blocks = (n + 2 * B - 1) / (2 * B);
    for (int bit = 0; bit < 16; bit++) {
        predicate<<<(n + 255) / 256, 256>>>(a, p, n, bit);
        blelloch<<<blocks, B>>>(p, s, n);
        blelloch<<<1, B>>>(s, NULL, blocks);
        addsums<<<blocks, B>>>(p, s, n);
        scatter<<<(n + 255) / 256, 256>>>(a, b, p, n, bit);
        std::swap(a, b);
    }
    cudaMemcpy(r.data(), a, n * 4, cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    printf("radix %s %s\n", h == r ? "ok" : "WRONG", cudaGetErrorName(cudaGetLastError()));
}
