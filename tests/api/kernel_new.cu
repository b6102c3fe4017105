/* new, delete, malloc and virtual functions in kernels; objects that outlive a launch. */
#include "common/check.h"
#include <cstring>
#include <new>
struct ComplexType_t {
    union {
        struct {
            int a;
            float f;
            double d[4];
        };
        char pad[40];
    };
    __device__ ComplexType_t(int v) : a(v)
    {
        f = v * 2.f;
        d[0] = v * 3.0;
    }
};
class Stack
{
  public:
    __device__ virtual void push(int) = 0;
    __device__ virtual int pop() = 0;
    __device__ virtual ~Stack()
    {
    }
};
class VecStack : public Stack
{
    int *v;
    int n, cap;

  public:
    __device__ VecStack() : n(0), cap(4)
    {
        v = new int[cap];
    }
    __device__ ~VecStack()
    {
        delete[] v;
    }
    __device__ void push(int x)
    {
        if (n == cap) {
            int *w = new int[cap * 2];
            for (int i = 0; i < n; i++)
                w[i] = v[i];
            delete[] v;
            v = w;
            cap *= 2;
        }
        v[n++] = x;
    }
    __device__ int pop()
    {
        return v[--n];
    }
};
__device__ Stack *shared_stack[32];
__global__ void create()
{
    shared_stack[threadIdx.x] = new VecStack();
    for (int i = 0; i < 10; i++)
        shared_stack[threadIdx.x]->push(i * threadIdx.x);
}
__global__ void use(int *out)
{
    int s = 0;
    for (int i = 0; i < 10; i++)
        s += shared_stack[threadIdx.x]->pop();
    out[threadIdx.x] = s;
    delete shared_stack[threadIdx.x];
}
__global__ void placement(int *out)
{
    __shared__ unsigned char buf[32 * sizeof(ComplexType_t)];
    ComplexType_t *c = (ComplexType_t *)buf;
    c = new (c + threadIdx.x) ComplexType_t(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = (int)(c->f + c->d[0]);
    char *m = (char *)malloc(100);
    memset(m, 1, 100);
    out[threadIdx.x] += m[99];
    free(m);
}
int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 * 1024 * 1024));
    size_t lim;
    CHECK(cudaDeviceGetLimit(&lim, cudaLimitMallocHeapSize));
    int *o;
    cudaMallocManaged(&o, 128);
    create<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    use<<<1, 32>>>(o);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d\n", o[1], o[31], lim >= 128 * 1024 * 1024);
    placement<<<1, 32>>>(o);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", o[1], o[31]);
}
