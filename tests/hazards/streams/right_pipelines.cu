/*
 * Right programs: pipelines over several streams, memory that they share, managed memory that is moved. The sentence before
 * each says why it is right.
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

/* The host waits for the stream, and so for the prefetch and the kernel before it. */
PROGRAM(prefetch_and_wait)
{
    int *p = NULL;
    cudaStream_t a = new_stream();
    cudaMallocManaged(&p, BYTES);
    fill<<<GRID(a)>>>(p, 7, LATE);
    prefetch_to_host(p, a);
    cudaStreamSynchronize(a);
    return p[5] != 7;
}
/* Two streams share one array, and the second waits until the first is done with it. */
PROGRAM(scratch_handed_over)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *scratch = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t free = new_event();
    fill<<<GRID(a)>>>(scratch, 7, LATE);
    copy<<<GRID(a)>>>(p, scratch, 0);
    cudaEventRecord(free, a);
    cudaStreamWaitEvent(b, free, 0);
    fill<<<GRID(b)>>>(scratch, 8, LATE);
    copy<<<GRID(b)>>>(q, scratch, 0);
    return differs(p, 7) + differs(q, 8);
}
/* Two branches leave a stream, and it waits for both. */
PROGRAM(both_branches_joined)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *sum = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t fork = new_event(), joined_b = new_event(), joined_c = new_event();
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    cudaStreamWaitEvent(c, fork, 0);
    fill<<<GRID(b)>>>(p, 7, 0);
    cudaEventRecord(joined_b, b);
    fill<<<GRID(c)>>>(q, 7, LATE);
    cudaEventRecord(joined_c, c);
    cudaStreamWaitEvent(a, joined_b, 0);
    cudaStreamWaitEvent(a, joined_c, 0);
    copy<<<GRID(a)>>>(sum, p, 0);
    copy<<<GRID(a)>>>(sum, q, 0);
    return differs(sum, 7);
}
/* Before a buffer is filled again, the host waits for the copy from that buffer. */
PROGRAM(staging_buffers_in_turns)
{
    int *p = zeros_on_device(), *staged[2] = {zeros_pinned(), zeros_pinned()};
    cudaStream_t a = new_stream();
    cudaEvent_t copied[2] = {new_event(), new_event()};
    for (int i = 0; i < 4; i++) {
        cudaEventSynchronize(copied[i % 2]);
        staged[i % 2][0] = i;
        cudaMemcpyAsync(p, staged[i % 2], BYTES, cudaMemcpyHostToDevice, a);
        cudaEventRecord(copied[i % 2], a);
    }
    cudaDeviceSynchronize();
    return 0;
}
/* A launch of an executable graph comes after its launches before, in whichever stream (CUDA Runtime API, cudaGraphLaunch). */
PROGRAM(one_graph_in_two_streams)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    add<<<GRID(a)>>>(p, 3, LATE);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, a);
    cudaGraphLaunch(executable, b);
    return differs(p, 6);
}
/* Memory that one stream frees and another one allocates again: the pool orders the two itself. */
PROGRAM(freed_in_one_stream_and_allocated_in_another)
{
    int *p, *q, *result = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaFreeAsync(p, a);
    cudaMallocAsync(&q, BYTES, b);
    fill<<<GRID(b)>>>(q, 8, 0);
    copy<<<GRID(b)>>>(result, q, 0);
    cudaFreeAsync(q, b);
    return differs(result, 8);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(prefetch_and_wait),
    ROW(scratch_handed_over),
    ROW(both_branches_joined),
    ROW(staging_buffers_in_turns),
    ROW(one_graph_in_two_streams),
    ROW(freed_in_one_stream_and_allocated_in_another),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
