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

/* Who waits for what is only captured spoils the capture. */
static void spoilt(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    printf("waiting for it: %s", cudaGetErrorName(cudaStreamSynchronize(stream)));
    CHECK(cudaStreamIsCapturing(stream, &status));
    printf(", spoilt: %s", status == cudaStreamCaptureStatusInvalidated ? "yes" : "no");
    printf(", in the end: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
    cudaGetLastError();
}

struct work {
    int *h_x, *d_x, *d_y;
    int calls; /* of the host function */
};

/* x = (x + 1) * 3, the 3 made on a second stream, which forks from the first one and joins it. */
static cudaGraph_t capture(work *w, cudaStream_t first, cudaStream_t second)
{
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    size_t nodes, bytes = N * sizeof(int);
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(w->d_x, w->h_x, bytes, cudaMemcpyHostToDevice, first));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    CHECK(cudaMemsetAsync(w->d_y, 0, bytes, second));
    add<<<4, 256, 0, second>>>(w->d_y, N, 3);
    CHECK(cudaStreamIsCapturing(second, &status));
    CHECK(cudaEventRecord(join, second));
    add<<<4, 256, 0, first>>>(w->d_x, N, 1);
    CHECK(cudaStreamWaitEvent(first, join, 0));
    multiply<<<4, 256, 0, first>>>(w->d_x, w->d_y, N);
    CHECK(cudaMemcpyAsync(w->h_x, w->d_x, bytes, cudaMemcpyDeviceToHost, first));
    CHECK(cudaLaunchHostFunc(first, count, &w->calls));
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("%zu nodes; the second stream took part: %s; nothing has run: %d, %d calls\n", nodes,
           status == cudaStreamCaptureStatusActive ? "yes" : "no", wrong(w->h_x, 1), w->calls);
    return graph;
}

static void run_twice(work *w, cudaGraph_t graph, cudaStream_t stream)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("twice: (((1 + 1) * 3) + 1) * 3 = 21: %d wrong, %d calls\n", wrong(w->h_x, 21), w->calls);
    CHECK(cudaGraphExecDestroy(exec));
}

static void captured(void)
{
    static int h_x[N];
    work w = {h_x, NULL, NULL, 0};
    cudaStream_t first, second;

    CHECK(cudaMalloc(&w.d_x, sizeof h_x));
    CHECK(cudaMalloc(&w.d_y, sizeof h_x));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    for (int i = 0; i < N; i++)
        h_x[i] = 1;
    spoilt(first);
    cudaGraph_t graph = capture(&w, first, second);
    run_twice(&w, graph, first);
    CHECK(cudaGraphDestroy(graph));
    add<<<4, 256, 0, first>>>(w.d_x, N, 1);
    CHECK(cudaMemcpy(h_x, w.d_x, sizeof h_x, cudaMemcpyDeviceToHost));
    printf("afterwards the stream works at once: %d wrong\n", wrong(h_x, 22));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(w.d_x));
    CHECK(cudaFree(w.d_y));
}

/* Its nodes are made in the wrong order: the edges say what comes first. */
static cudaGraph_t make_graph(int *h_x, int *d_x, const cudaKernelNodeParams *kernel, cudaGraphNode_t *adding)
{
    cudaGraph_t graph;
    cudaGraphNode_t clear, back;
    cudaMemsetParams fill = {};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&back, graph, NULL, 0, h_x, d_x, N * sizeof *d_x, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddKernelNode(adding, graph, NULL, 0, kernel));
    fill.dst = d_x;
    fill.elementSize = 4;
    fill.value = 100;
    fill.width = N;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &fill));
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(graph, adding, &back, NULL, 1));
    CHECK(cudaGraphAddDependencies(graph, &clear, adding, NULL, 1));
#else
    CHECK(cudaGraphAddDependencies(graph, adding, &back, 1));
    CHECK(cudaGraphAddDependencies(graph, &clear, adding, 1));
#endif
    return graph;
}

static void run(const char *what, cudaGraphExec_t exec, const int *h_x, int wanted)
{
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%s: %d wrong\n", what, wrong(h_x, wanted));
}

static void by_hand(void)
{
    static int h_x[N];
    int *d_x, n = N, two = 2, five = 5;
    cudaGraphExec_t exec;
    cudaGraphNode_t adding;
    cudaKernelNodeParams kernel = {};
    void *with_two[] = {&d_x, &n, &two}, *with_five[] = {&d_x, &n, &five};

    CHECK(cudaMalloc(&d_x, sizeof h_x));
    kernel.func = (void *)add;
    kernel.gridDim = dim3(4);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = with_two;
    cudaGraph_t graph = make_graph(h_x, d_x, &kernel, &adding);
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    two = 77; /* the graph has its own copy */
    run("by hand", exec, h_x, 102);
    kernel.kernelParams = with_five;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, adding, &kernel));
    run("with another argument", exec, h_x, 105);
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
