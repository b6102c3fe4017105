/*
 * Wrong programs: constant memory, textures and graphs. "// <-" marks the
 * lines that one report must name (../README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

/* ---- constant memory and textures ---- */

static __constant__ int factor;
static __global__ void add_factor(int *p, long long cycles)
{
    wait_for(cycles);
    p[element()] += factor;
}
/* The constant is changed while the kernel before may still read it. */
PROGRAM(constant_changed_under_a_kernel)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    host[0] = 1;
    cudaMemcpyToSymbol(factor, host, sizeof(int));
    cudaDeviceSynchronize();
    add_factor<<<GRID(a)>>>(p, LATE);                                                     // <-
    cudaMemcpyToSymbolAsync(factor, host + 1, sizeof(int), 0, cudaMemcpyHostToDevice, b); // <-
    return differs(p, 1);
}
/* A synchronous copy does not wait for a non-blocking stream. */
PROGRAM(constant_changed_under_a_non_blocking_kernel)
{
    int *p = zeros_on_device();
    int one = 1, two = 2;
    cudaStream_t a = new_stream_apart();
    cudaMemcpyToSymbol(factor, &one, sizeof(int));
    cudaDeviceSynchronize();
    add_factor<<<GRID(a)>>>(p, LATE);              // <-
    cudaMemcpyToSymbol(factor, &two, sizeof(int)); // <-
    return differs(p, 1);
}
static __global__ void fetch(int *p, cudaTextureObject_t texture, long long cycles)
{
    wait_for(cycles);
    p[element()] = tex1Dfetch<int>(texture, element());
}
/* The memory of a texture is written in another stream. */
PROGRAM(texture_written_in_another_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = BYTES;
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fetch<<<GRID(a)>>>(q, texture, LATE); // <-
    fill<<<GRID(b)>>>(p, 7, 0);           // <-
    return differs(q, 0);
}

/* ---- graphs ---- */

/* Two branches of a captured graph write and read one array. */
PROGRAM(branches_of_a_captured_graph)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t fork = new_event(), join = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    return differs(q, 7);
}
/* Two nodes with no edge between them. */
PROGRAM(nodes_without_an_edge)
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
    cudaGraphAddKernelNode(&node[0], graph, NULL, 0, &first);  // <-
    cudaGraphAddKernelNode(&node[1], graph, NULL, 0, &second); // <-
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
    return differs(q, 7);
}
/* The copy back is a root of the graph like the kernel. */
PROGRAM(copy_node_without_an_edge)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t fork = new_event(), join = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    fill<<<GRID(a)>>>(p, 7, LATE);                              // <-
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, b); // <-
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* The graph runs in stream a, what reads its result in stream b: the launch, or the node, and the kernel. */
PROGRAM(graph_and_kernel_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    fill<<<GRID(a)>>>(p, 7, LATE); // <- or
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a); // <- or
    copy<<<GRID(b)>>>(q, p, 0);     // <-
    return differs(q, 7);
}
/* Two graphs in two streams. */
PROGRAM(two_graphs_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaGraph_t graph[2];
    cudaGraphExec_t executable[2];
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaStreamEndCapture(a, &graph[0]);
    cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    cudaStreamEndCapture(b, &graph[1]);
    cudaGraphInstantiate(&executable[0], graph[0], 0);
    cudaGraphInstantiate(&executable[1], graph[1], 0);
    cudaGraphLaunch(executable[0], a);
    cudaGraphLaunch(executable[1], b);
    return differs(q, 7);
}

/* The branch is joined by an event that stands before its last kernel; the event behind that one comes too late. */
PROGRAM(captured_branch_joined_before_its_last_kernel)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t fork = new_event(), join = new_event(), end = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    fill<<<GRID(b)>>>(p, 6, 0);
    cudaEventRecord(join, b);
    add<<<GRID(b)>>>(p, 1, LATE); // <-
    cudaStreamWaitEvent(a, join, 0);
    copy<<<GRID(a)>>>(q, p, 0); // <-
    cudaEventRecord(end, b);
    cudaStreamWaitEvent(a, end, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    return differs(q, 7);
}
/* The graph copies from pinned memory when it runs: the host changes that for the next launch before this one is done. */
PROGRAM(source_of_a_graph_changed_between_its_launches)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *source = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    fill<<<GRID(a)>>>(p, 1, LATE);
    cudaMemcpyAsync(p, source, BYTES, cudaMemcpyHostToDevice, a); // <- or
    copy<<<GRID(a)>>>(q, p, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a); // <- or
    source[5] = 7;                  // <-
    cudaDeviceSynchronize();
    return differs(q, 0);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(constant_changed_under_a_kernel),
    ROW(constant_changed_under_a_non_blocking_kernel),
    ROW(texture_written_in_another_stream),
    ROW(branches_of_a_captured_graph),
    ROW(nodes_without_an_edge),
    ROW(copy_node_without_an_edge),
    ROW(graph_and_kernel_in_two_streams),
    ROW(two_graphs_in_two_streams),
    ROW(captured_branch_joined_before_its_last_kernel),
    ROW(source_of_a_graph_changed_between_its_launches),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
