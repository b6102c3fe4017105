/* Functions that call themselves, through pointers and tables of pointers. */
#include "common/check.h"
__device__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__device__ double integrate(double (*f)(double), double a, double b, double eps)
{
    double m = (a + b) / 2, whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b));
    double l = (m - a) / 6 * (f(a) + 4 * f((a + m) / 2) + f(m)),
           r = (b - m) / 6 * (f(m) + 4 * f((m + b) / 2) + f(b));
    if (fabs(l + r - whole) < eps)
        return l + r;
    return integrate(f, a, m, eps / 2) + integrate(f, m, b, eps / 2);
}
__device__ double f1(double x)
{
    return sin(x);
}
__device__ double f2(double x)
{
    return exp(-x * x);
}
__device__ double (*table[2])(double) = {f1, f2};
typedef int (*op_t)(int, int);
__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int mul(int a, int b)
{
    return a * b;
}
__device__ op_t d_add = add;
__device__ void qsort_(int *a, int l, int r)
{
    if (l >= r)
        return;
    int p = a[(l + r) / 2], i = l, j = r;
    while (i <= j) {
        while (a[i] < p)
            i++;
        while (a[j] > p)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    qsort_(a, l, j);
    qsort_(a, i, r);
}
__global__ void k(int *o, double *d, int *arr, op_t op)
{
    int t = threadIdx.x;
    o[t] = fib(t % 12) + op(t, 1);
    d[t] = integrate(table[t & 1], 0, 1, 1e-8);
    qsort_(arr + t * 16, 0, 15);
}
int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    int *o, *a;
    double *d;
    cudaMallocManaged(&o, 128);
    cudaMallocManaged(&d, 256);
    cudaMallocManaged(&a, 32 * 64);
    for (int i = 0; i < 512; i++)
        a[i] = (i * 7919) % 1000;
    op_t h;
    CHECK(cudaMemcpyFromSymbol(&h, d_add, sizeof h));
    k<<<1, 32>>>(o, d, a, h);
    CHECK(cudaDeviceSynchronize());
    int bad = 0;
    for (int i = 0; i < 512; i++)
        if (i % 16)
            bad += a[i - 1] > a[i];
    printf("%d %d %.6f %.6f sorted %d\n", o[11], o[31], d[0], d[1], bad);
}
