/* Graphs: captured from streams that fork and join, made by hand, run several times, with other arguments. */
#include <string.h>

#include "common/check.h"

__global__ void add(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += value;
}

__global__ void multiply(int *x, const int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= y[i];
}

static void count(void *data)
{
    ++*(int *)data;
}

enum { N = 1000 };

static int wrong(const int *x, int wanted)
{
    int count = 0;
    for (int i = 0; i < N; i++)
        count += x[i] != wanted;
    return count;
}

static void captured(void)
{
    static int h_x[N];
    int *d_x, *d_y, calls = 0;
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes;
    cudaStreamCaptureStatus status;

    CHECK(cudaMalloc(&d_x, sizeof h_x));
    CHECK(cudaMalloc(&d_y, sizeof h_x));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    for (int i = 0; i < N; i++)
        h_x[i] = 1;

    /* Who waits for what is only captured spoils the capture. */
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    printf("waiting for it: %s", cudaGetErrorName(cudaStreamSynchronize(first)));
    CHECK(cudaStreamIsCapturing(first, &status));
    printf(", spoilt: %s", status == cudaStreamCaptureStatusInvalidated ? "yes" : "no");
    printf(", in the end: %s\n", cudaGetErrorName(cudaStreamEndCapture(first, &graph)));
    cudaGetLastError();

    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice, first));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    CHECK(cudaMemsetAsync(d_y, 0, sizeof h_x, second));
    add<<<4, 256, 0, second>>>(d_y, N, 3);
    CHECK(cudaStreamIsCapturing(second, &status));
    CHECK(cudaEventRecord(join, second));
    add<<<4, 256, 0, first>>>(d_x, N, 1);
    CHECK(cudaStreamWaitEvent(first, join, 0));
    multiply<<<4, 256, 0, first>>>(d_x, d_y, N);
    CHECK(cudaMemcpyAsync(h_x, d_x, sizeof h_x, cudaMemcpyDeviceToHost, first));
    CHECK(cudaLaunchHostFunc(first, count, &calls));
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("%zu nodes; the second stream took part: %s; nothing has run: %d, %d calls\n", nodes,
           status == cudaStreamCaptureStatusActive ? "yes" : "no", wrong(h_x, 1), calls);

    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaStreamSynchronize(first));
    printf("twice: (((1 + 1) * 3) + 1) * 3 = 21: %d wrong, %d calls\n", wrong(h_x, 21), calls);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    add<<<4, 256, 0, first>>>(d_x, N, 1);
    CHECK(cudaMemcpy(h_x, d_x, sizeof h_x, cudaMemcpyDeviceToHost));
    printf("afterwards the stream works at once: %d wrong\n", wrong(h_x, 22));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
}

static void by_hand(void)
{
    static int h_x[N];
    int *d_x, n = N, two = 2, five = 5;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, adding, back;
    cudaMemsetParams fill = {};
    cudaKernelNodeParams kernel = {};
    void *with_two[] = {&d_x, &n, &two}, *with_five[] = {&d_x, &n, &five};

    CHECK(cudaMalloc(&d_x, sizeof h_x));
    CHECK(cudaGraphCreate(&graph, 0));
    /* Made in the wrong order: the edges say what comes first. */
    CHECK(cudaGraphAddMemcpyNode1D(&back, graph, NULL, 0, h_x, d_x, sizeof h_x, cudaMemcpyDeviceToHost));
    kernel.func = (void *)add;
    kernel.gridDim = dim3(4);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = with_two;
    CHECK(cudaGraphAddKernelNode(&adding, graph, NULL, 0, &kernel));
    fill.dst = d_x;
    fill.elementSize = 4;
    fill.value = 100;
    fill.width = N;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &fill));
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(graph, &adding, &back, NULL, 1));
    CHECK(cudaGraphAddDependencies(graph, &clear, &adding, NULL, 1));
#else
    CHECK(cudaGraphAddDependencies(graph, &adding, &back, 1));
    CHECK(cudaGraphAddDependencies(graph, &clear, &adding, 1));
#endif
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    two = 77; /* the graph has its own copy */
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("by hand: %d wrong\n", wrong(h_x, 102));
    kernel.kernelParams = with_five;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, adding, &kernel));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("with another argument: %d wrong\n", wrong(h_x, 105));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(d_x));
}

int main(void)
{
    captured();
    by_hand();
    return 0;
}
