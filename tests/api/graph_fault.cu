/* A graph whose kernel stops with an error: host functions behind it are not called. */
#include "common/check.h"

__global__ void store(int *x)
{
    *x = 1;
}

static void count(void *data)
{
    ++*(int *)data;
}

/* store(address), then count: the number of calls of count. */
static int run(int *address, const char **error)
{
    int calls = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t storing, counting;
    void *args[] = {&address};
    cudaKernelNodeParams kernel = {};
    cudaHostNodeParams host = {};

    kernel.func = (void *)store;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    host.fn = count;
    host.userData = &calls;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&storing, graph, NULL, 0, &kernel));
    CHECK(cudaGraphAddHostNode(&counting, graph, &storing, 1, &host));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    *error = cudaGetErrorName(cudaDeviceSynchronize());
    return calls;
}

int main(void)
{
    int *d_x, calls;
    const char *error;

    CHECK(cudaMalloc(&d_x, sizeof *d_x));
    calls = run(d_x, &error);
    printf("a kernel that ends: %s, %d call\n", error, calls);
    calls = run(NULL, &error);
    printf("a kernel that does not: %s, %d calls\n", error, calls);
    return 0;
}
