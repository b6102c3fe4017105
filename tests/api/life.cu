/* Host code in C++ with classes and vectors; a kernel with a lambda and a tile with its halo. */
#include "common/check.h"
#include <iostream>
#include <vector>
#include <string>
#include <chrono>
template <class T> class DeviceBuffer
{
    T *p;
    size_t n;

  public:
    explicit DeviceBuffer(size_t n) : n(n)
    {
        CHECK(cudaMalloc(&p, n * sizeof(T)));
    }
    ~DeviceBuffer()
    {
        cudaFree(p);
    }
    T *get()
    {
        return p;
    }
    void upload(const std::vector<T> &v)
    {
        CHECK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download()
    {
        std::vector<T> v(n);
        CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};
__global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char t[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    auto at = [&](int X, int Y) { return in[((Y + h) % h) * w + (X + w) % w]; };
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    t[ly][lx] = at(x, y);
    if (threadIdx.x == 0)
        t[ly][0] = at(x - 1, y);
    if (threadIdx.x == 15)
        t[ly][17] = at(x + 1, y);
    if (threadIdx.y == 0)
        t[0][lx] = at(x, y - 1);
    if (threadIdx.y == 15)
        t[17][lx] = at(x, y + 1);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        t[0][0] = at(x - 1, y - 1);
    if (threadIdx.x == 15 && threadIdx.y == 0)
        t[0][17] = at(x + 1, y - 1);
    if (threadIdx.x == 0 && threadIdx.y == 15)
        t[17][0] = at(x - 1, y + 1);
    if (threadIdx.x == 15 && threadIdx.y == 15)
        t[17][17] = at(x + 1, y + 1);
    __syncthreads();
    int s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                s += t[ly + dy][lx + dx];
    out[y * w + x] = s == 3 || (s == 2 && t[ly][lx]);
}
int main()
{
    const int w = 64, h = 48;
    std::vector<unsigned char> a(w * h, 0);
    int g[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto &c : g)
        a[c[1] * w + c[0]] = 1;
    DeviceBuffer<unsigned char> A(w * h), B(w * h);
    A.upload(a);
    auto *p = &A, *q = &B;
    for (int i = 0; i < 40; i++) {
        life<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(p->get(), q->get(), w, h);
        std::swap(p, q);
    }
    CHECK(cudaGetLastError());
    auto r = p->download();
    int ok = 1, c = 0;
    for (auto v : r)
        c += v;
    for (auto &x : g)
        ok &= r[(x[1] + 10) * w + x[0] + 10];
    std::cout << "glider " << ok << " cells " << c << std::endl;
}
