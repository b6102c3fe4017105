/*
 * Wrong programs: pipelines over several streams, memory that they share, managed memory that is moved. "// <-" marks the
 * lines that one report must name (../README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

static void prefetch_to_host(int *p, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    cudaMemPrefetchAsync(p, BYTES, host, 0, stream);
#else
    cudaMemPrefetchAsync(p, BYTES, cudaCpuDeviceId, stream);
#endif
}

/* A prefetch moves memory in the order of its stream, and returns at once. */
PROGRAM(prefetch_instead_of_wait)
{
    int *p = NULL;
    cudaStream_t a = new_stream();
    cudaMallocManaged(&p, BYTES);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    prefetch_to_host(p, a);
    const int seen = p[5]; // <-
    cudaDeviceSynchronize();
    return seen != 7;
}
/* Two streams, each with its own data, and one array for what is in between. */
PROGRAM(scratch_shared_by_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *scratch = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(scratch, 7, LATE); // <- or
    copy<<<GRID(a)>>>(p, scratch, 0);    // <- or
    fill<<<GRID(b)>>>(scratch, 8, LATE); // <-
    copy<<<GRID(b)>>>(q, scratch, 0);
    return differs(p, 7) + differs(q, 8);
}
/* Two branches leave a stream, and it waits for one of them. */
PROGRAM(one_branch_not_joined)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *sum = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t fork = new_event(), joined_b = new_event(), joined_c = new_event();
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    cudaStreamWaitEvent(c, fork, 0);
    fill<<<GRID(b)>>>(p, 7, 0);
    cudaEventRecord(joined_b, b);
    fill<<<GRID(c)>>>(q, 7, LATE); // <-
    cudaEventRecord(joined_c, c);
    cudaStreamWaitEvent(a, joined_b, 0);
    copy<<<GRID(a)>>>(sum, p, 0);
    copy<<<GRID(a)>>>(sum, q, 0); // <-
    return differs(sum, 7);
}
/* Two buffers in turns: the event that the host waits for stands before the copy, not behind it. */
PROGRAM(staging_buffer_filled_too_early)
{
    int *p = zeros_on_device(), *staged[2] = {zeros_pinned(), zeros_pinned()};
    cudaStream_t a = new_stream();
    cudaEvent_t copied[2] = {new_event(), new_event()};
    for (int i = 0; i < 4; i++) {
        cudaEventSynchronize(copied[i % 2]);
        staged[i % 2][0] = i; // <-
        cudaEventRecord(copied[i % 2], a);
        cudaMemcpyAsync(p, staged[i % 2], BYTES, cudaMemcpyHostToDevice, a); // <-
    }
    cudaDeviceSynchronize();
    return 0;
}
/* The array is cleared by a node of its own, which nothing orders before the kernel that adds to it. */
PROGRAM(memset_node_without_an_edge)
{
    int *p = zeros_on_device(), value = 7;
    long long none = 0;
    void *arguments[] = {&p, &value, &none};
    cudaMemsetParams cleared = {};
    cudaKernelNodeParams added = {};
    cudaGraphNode_t node[2];
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    cleared.dst = p, cleared.elementSize = 4, cleared.width = N, cleared.height = 1;
    added.func = (void *)add, added.kernelParams = arguments, added.gridDim = dim3(4),
    added.blockDim = dim3(256);
    cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &cleared); // <-
    cudaGraphAddKernelNode(&node[1], graph, NULL, 0, &added);   // <-
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, 0);
    return differs(p, 7);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(prefetch_instead_of_wait),        ROW(scratch_shared_by_two_streams), ROW(one_branch_not_joined),
    ROW(staging_buffer_filled_too_early), ROW(memset_node_without_an_edge),   {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
