/*
 * Right programs: constant memory, textures, graphs and copies. Nothing may be reported, and the result must be
 * right. The sentence before each says why it is right.
 */
#include "tests/hazards/streams/programs.h"

/* ---- constant memory and textures ---- */

static __constant__ int factor;
static __global__ void add_factor(int *p, long long cycles)
{
    wait_for(cycles);
    p[element()] += factor;
}
/* The constant is changed in the kernel's stream. */
PROGRAM(constant_changed_in_stream_order)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    for (int k = 0; k < 3; k++)
        host[k] = k + 1;
    for (int k = 0; k < 3; k++) {
        cudaMemcpyToSymbolAsync(factor, host + k, sizeof(int), 0, cudaMemcpyHostToDevice, a);
        add_factor<<<GRID(a)>>>(p, LATE);
    }
    return differs(p, 6);
}
/* A synchronous copy waits for the legacy stream. */
PROGRAM(constant_changed_between_legacy_kernels)
{
    int *p = zeros_on_device();
    for (int k = 1; k <= 3; k++) {
        cudaMemcpyToSymbol(factor, &k, sizeof(int));
        add_factor<<<GRID(0)>>>(p, LATE);
    }
    return differs(p, 6);
}
static __global__ void fetch(int *p, cudaTextureObject_t texture, long long cycles)
{
    wait_for(cycles);
    p[element()] = tex1Dfetch<int>(texture, element());
}
/* Written by one kernel, fetched by the next. */
PROGRAM(texture_written_by_the_kernel_before)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = BYTES;
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fill<<<GRID(a)>>>(p, 7, LATE);
    fetch<<<GRID(a)>>>(q, texture, 0);
    return differs(q, 7);
}

/* ---- graphs ---- */

/* Fork, two arrays, join. */
PROGRAM(captured_graph_with_two_branches)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t fork = new_event(), join = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    fill<<<GRID(a)>>>(p, 7, LATE);
    fill<<<GRID(b)>>>(q, 8, LATE);
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    copy<<<GRID(a)>>>(p, q, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int k = 0; k < 3; k++)
        cudaGraphLaunch(executable, a);
    return differs(p, 8);
}
/* The edge says that the copy comes after the fill. */
PROGRAM(nodes_with_an_edge)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    int value = 7;
    long long late = LATE, none = 0;
    void *filled[] = {&p, &value, &late}, *copied[] = {&q, &p, &none};
    cudaKernelNodeParams first = {}, second = {};
    cudaGraphNode_t node[2];
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    first.func = (void *)fill, first.kernelParams = filled;
    second.func = (void *)copy, second.kernelParams = copied;
    first.gridDim = second.gridDim = dim3(4), first.blockDim = second.blockDim = dim3(256);
    cudaGraphAddKernelNode(&node[0], graph, NULL, 0, &first);
    cudaGraphAddKernelNode(&node[1], graph, &node[0], 1, &second);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
    return differs(q, 7);
}
/* What comes after the graph in its stream comes after all its nodes. */
PROGRAM(kernel_after_a_graph)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    copy<<<GRID(a)>>>(q, p, 0);
    return differs(q, 7);
}

/* Copy, kernel, copy back and a look by the host, each after the one before. */
PROGRAM(graph_with_all_kinds_of_nodes)
{
    static int seen;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    auto look = [](void *data) { seen += ((int *)data)[5]; };
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    add<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaLaunchHostFunc(a, look, host);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    cudaGraphLaunch(executable, a);
    cudaStreamSynchronize(a);
    return seen != 7 + 14 || host[5] != 14;
}
/* The graph reads what a stream has written, and the event is waited for before the launch. */
PROGRAM(graph_behind_an_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
    copy<<<GRID(b)>>>(q, p, 0);
    cudaStreamEndCapture(b, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    cudaGraphLaunch(executable, b);
    return differs(q, 7);
}

/* ---- copies ---- */

struct padded {
    char c;
    int i;
};
static __global__ void fill_padded(padded *p)
{
    p[element()].c = 1;
    p[element()].i = element();
}
/* Bytes between members, which no one writes, are copied along. */
PROGRAM(padding_copied_back)
{
    static padded host[N];
    padded *p;
    cudaMalloc(&p, sizeof host);
    fill_padded<<<GRID(0)>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    return host[5].i != 5 || host[5].c != 1;
}
/* Only what was written is copied. */
PROGRAM(written_half_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    fill_half<<<GRID(0)>>>(p, 7, 0);
    cudaMemcpy(host, p, BYTES / 2, cudaMemcpyDeviceToHost);
    return host[5] != 7;
}
/* Rows with a pitch: what lies between them is never written, and never copied. */
PROGRAM(rows_with_a_pitch)
{
    static int host[N];
    char *p;
    size_t pitch;
    cudaMallocPitch((void **)&p, &pitch, 100, 16);
    cudaMemset2D(p, pitch, 1, 100, 16);
    cudaMemcpy2D(host, 100, p, pitch, 100, 16, cudaMemcpyDeviceToHost);
    return host[5] != 0x01010101;
}
/* The last byte of the allocation is the last byte of the copy. */
PROGRAM(copy_to_the_exact_end)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaMemcpy(p + N - 10, host, 10 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(p + N - 1, 0, sizeof(int));
    return differs(p, 0);
}

/* The host changes what the graph copies from only when the launch before is done. */
PROGRAM(source_of_a_graph_changed_behind_an_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *source = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(p, source, BYTES, cudaMemcpyHostToDevice, a);
    copy<<<GRID(a)>>>(q, p, LATE);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int round = 5; round <= 7; round++) {
        for (int i = 0; i < N; i++)
            source[i] = round;
        cudaGraphLaunch(executable, a);
        cudaEventRecord(done, a);
        cudaEventSynchronize(done);
    }
    return differs(q, 7);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(constant_changed_in_stream_order),
    ROW(constant_changed_between_legacy_kernels),
    ROW(texture_written_by_the_kernel_before),
    ROW(captured_graph_with_two_branches),
    ROW(nodes_with_an_edge),
    ROW(kernel_after_a_graph),
    ROW(graph_with_all_kinds_of_nodes),
    ROW(graph_behind_an_event),
    ROW(padding_copied_back),
    ROW(written_half_copied_back),
    ROW(rows_with_a_pitch),
    ROW(copy_to_the_exact_end),
    ROW(source_of_a_graph_changed_behind_an_event),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
