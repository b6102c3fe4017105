/*
 * Right programs: every order between streams, and between device and host, that is needed is there. Nothing may be
 * reported, and the result must be right. The sentence before each says why it is right.
 */
#include "tests/hazards/streams/programs.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

/* ---- kernel and kernel ---- */

/* One stream runs its work in order. */
PROGRAM(one_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, 0);
    add<<<GRID(a)>>>(p, 1, 0);
    return differs(q, 7) + differs(p, 8);
}
/* The event is recorded after the kernel, and waited for before the other one. */
PROGRAM(event_between_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* The event stands for all that is before it in its stream, what that stream has waited for included. */
PROGRAM(events_through_three_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t first = new_event(), second = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(first, a);
    cudaStreamWaitEvent(b, first, 0);
    cudaEventRecord(second, b);
    cudaStreamWaitEvent(c, second, 0);
    copy<<<GRID(c)>>>(q, p, 0);
    return differs(q, 7);
}
/* An event may be recorded again once the wait has been called: the wait keeps the first record. */
PROGRAM(event_used_again)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t event = new_event();
    for (int k = 1; k <= 3; k++) {
        fill<<<GRID(a)>>>(p, k, LATE);
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event, 0);
        copy<<<GRID(b)>>>(q, p, 0);
        cudaEventRecord(event, b);
        cudaStreamWaitEvent(a, event, 0);
    }
    return differs(q, 3);
}
/* The host waits in between. */
PROGRAM(stream_synchronize_between)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaStreamSynchronize(a);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
PROGRAM(device_synchronize_between)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* The host asks until the stream is done. */
PROGRAM(query_until_done)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        ;
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* Both streams only read. */
PROGRAM(two_readers)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(0)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, LATE);
    copy<<<GRID(b)>>>(r, p, 0);
    return differs(q, 7) + differs(r, 7);
}
/* Each stream has its own half of the array. */
PROGRAM(half_of_an_array_each)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<2, 256, 0, a>>>(p, 7, LATE);
    fill<<<2, 256, 0, b>>>(p + N / 2, 7, 0);
    return differs(p, 7);
}
/* Each stream has every second element. */
static __global__ void fill_every_second(int *p, int first, int value, long long cycles)
{
    wait_for(cycles);
    if (element() < N / 2)
        p[2 * element() + first] = value;
}
/* The ranges overlap, but no element is touched by both. */
PROGRAM(every_second_element_each)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill_every_second<<<GRID(a)>>>(p, 0, 7, LATE);
    fill_every_second<<<GRID(b)>>>(p, 1, 7, 0);
    return differs(p, 7);
}
/* Atomics of device scope include the threads of both kernels. */
PROGRAM(atomics_in_two_streams)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    count<<<GRID(a)>>>(p, LATE);
    count<<<GRID(b)>>>(p, 0);
    cudaDeviceSynchronize();
    cudaMemcpy(host, p, sizeof(int), cudaMemcpyDeviceToHost);
    return host[0] != 8;
}
/* Each half of a pipeline waits for the other one: full and empty. */
PROGRAM(double_buffer)
{
    int *buffer[2] = {zeros_on_device(), zeros_on_device()}, *q = zeros_on_device(),
        *host[2] = {zeros_pinned(), zeros_pinned()};
    cudaStream_t copies = new_stream(), kernels = new_stream();
    cudaEvent_t full[2] = {new_event(), new_event()}, empty[2] = {new_event(), new_event()};
    for (int k = 0; k < 6; k++) {
        int slot = k % 2;
        cudaStreamWaitEvent(copies, empty[slot], 0);
        cudaEventSynchronize(full[slot]);
        for (int i = 0; i < N; i++)
            host[slot][i] = k;
        cudaMemcpyAsync(buffer[slot], host[slot], BYTES, cudaMemcpyHostToDevice, copies);
        cudaEventRecord(full[slot], copies);
        cudaStreamWaitEvent(kernels, full[slot], 0);
        copy<<<GRID(kernels)>>>(q, buffer[slot], LATE);
        cudaEventRecord(empty[slot], kernels);
    }
    return differs(q, 5);
}

/* ---- the default streams ---- */

/* A stream that was created as usual waits for the legacy stream, and the other way round. */
PROGRAM(legacy_and_blocking_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(0)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, LATE);
    add<<<GRID(0)>>>(p, 1, LATE);
    copy<<<GRID(b)>>>(r, p, 0);
    return differs(q, 7) + differs(r, 8);
}
/* The legacy stream between two others orders them. */
PROGRAM(legacy_stream_as_a_barrier)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    fill<<<GRID(0)>>>(r, 1, 0);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* A synchronous copy waits for the blocking streams before it. */
PROGRAM(synchronous_copy_after_a_blocking_stream)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost);
    return host[5] != 7;
}
/* A non-blocking stream with an event. */
PROGRAM(non_blocking_stream_with_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    cudaEvent_t done = new_event();
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaEventRecord(done, 0);
    cudaStreamWaitEvent(a, done, 0);
    copy<<<GRID(a)>>>(q, p, 0);
    return differs(q, 7);
}
/* Each host thread works with its own array, and waits for its own default stream. */
PROGRAM(per_thread_streams_apart)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    auto work = [](int *mine) {
        fill<<<GRID(cudaStreamPerThread)>>>(mine, 7, LATE);
        add<<<GRID(cudaStreamPerThread)>>>(mine, 1, 0);
        cudaStreamSynchronize(cudaStreamPerThread);
    };
    std::thread first(work, p), second(work, q);
    first.join();
    second.join();
    return differs(p, 8) + differs(q, 8);
}
/* The host's join comes after the thread's wait. */
PROGRAM(per_thread_streams_joined)
{
    int *p = zeros_on_device();
    std::thread other([p] {
        fill<<<GRID(cudaStreamPerThread)>>>(p, 7, LATE);
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    other.join();
    add<<<GRID(cudaStreamPerThread)>>>(p, 1, 0);
    return differs(p, 8);
}

/* ---- the host ---- */

PROGRAM(pinned_read_after_the_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    int seen = host[5];
    host[5] = 0;
    return seen != 7;
}
/* The event is recorded after the copy. */
PROGRAM(pinned_read_after_the_event)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaEventRecord(done, a);
    fill<<<GRID(a)>>>(p, 8, LATE);
    cudaEventSynchronize(done);
    int seen = host[5];
    return (seen != 7) + differs(p, 8);
}
/* Another part of the pinned array is used meanwhile. */
PROGRAM(other_half_of_the_pinned_array)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES / 2, cudaMemcpyDeviceToHost, a);
    for (int i = N / 2; i < N; i++)
        host[i] = i;
    cudaStreamSynchronize(a);
    return host[5] != 7 || host[N - 1] != N - 1;
}
/* The host reads the source of a copy to the device: two reads. */
PROGRAM(pinned_source_read_meanwhile)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    host[5] = 0;
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    int seen = host[5];
    return differs(p, 0) + (seen != 0);
}
/* A copy to pageable memory returns when it is done (API synchronization behavior). */
PROGRAM(pageable_destination)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    return host[5] != 7;
}
/* A copy from pageable memory returns when the source has been staged: it may be changed. */
PROGRAM(pageable_source_changed)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    for (int i = 0; i < N; i++)
        host[i] = 9;
    return differs(p, 0);
}
PROGRAM(managed_read_after_the_wait)
{
    int *p;
    cudaMallocManaged(&p, BYTES);
    memset(p, 0, BYTES);
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    p[6] = p[5] + 1;
    add<<<GRID(0)>>>(p, 1, LATE);
    cudaDeviceSynchronize();
    return p[6] != 9;
}
/* Another managed array is used while the kernel runs (concurrentManagedAccess). */
PROGRAM(another_managed_array_meanwhile)
{
    int *p, *q;
    cudaMallocManaged(&p, BYTES);
    cudaMallocManaged(&q, BYTES);
    memset(p, 0, BYTES);
    fill<<<GRID(0)>>>(p, 7, LATE);
    for (int i = 0; i < N; i++)
        q[i] = i;
    cudaDeviceSynchronize();
    return p[5] != 7 || q[5] != 5;
}
PROGRAM(mapped_read_after_the_wait)
{
    int *host, *p;
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* The host function is in the stream of the copy. */
PROGRAM(host_function_after_the_copy)
{
    static int seen;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    auto look = [](void *data) {
        seen = ((int *)data)[5];
        ((int *)data)[5] = 9;
    };
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaLaunchHostFunc(a, look, host);
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    cudaStreamSynchronize(a);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost);
    return seen != 7 || host[5] != 9 || host[6] != 7;
}
/* The host function comes after the copy, and the host waits until it says so. */
PROGRAM(host_function_notifies)
{
    static std::mutex mutex;
    static std::condition_variable changed;
    static bool done;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    auto notify = [](void *) {
        std::lock_guard<std::mutex> guard(mutex);
        done = true;
        changed.notify_one();
    };
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaLaunchHostFunc(a, notify, NULL);
    std::unique_lock<std::mutex> guard(mutex);
    changed.wait(guard, [] { return done; });
    return host[5] != 7;
}
/* The host asks the event until it has happened. */
PROGRAM(event_asked_until_it_has_happened)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaEventRecord(done, a);
    while (cudaEventQuery(done) == cudaErrorNotReady)
        std::this_thread::yield();
    return host[5] != 7;
}
static __global__ void publish(volatile int *data, int *flag, long long cycles)
{
    wait_for(cycles);
    data[element()] = 7;
    __threadfence_system();
    atomicAdd_system(flag, 1);
}
/* The kernel publishes mapped memory with a fence of the system, and the host polls the flag. */
PROGRAM(mapped_flag_polled_by_the_host)
{
    int *host, *p;
    cudaHostAlloc(&host, 2 * BYTES, cudaHostAllocMapped);
    memset(host, 0, 2 * BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    publish<<<GRID(0)>>>(p, p + N, LATE);
    while (__atomic_load_n(&host[N], __ATOMIC_ACQUIRE) < N)
        std::this_thread::yield();
    int seen = host[5];
    cudaDeviceSynchronize();
    return seen != 7;
}
/* A thread of the host waits for the stream, and another one joins it. */
PROGRAM(another_thread_waits)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    std::thread waiting([a] { cudaStreamSynchronize(a); });
    waiting.join();
    return host[5] != 7;
}
static __device__ int device_total;
static __global__ void add_to_device_total(long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x == 0)
        atomicAdd(&device_total, 1);
}
/* The copy from the symbol is in the kernel's stream, and waited for. */
PROGRAM(symbol_copy_read_after_the_wait)
{
    int *host = zeros_pinned();
    cudaStream_t a = new_stream();
    add_to_device_total<<<GRID(a)>>>(LATE);
    cudaMemcpyFromSymbolAsync(host, device_total, sizeof(int), 0, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    return host[0] != 4;
}

/* ---- memory in the order of a stream ---- */

PROGRAM(allocated_used_and_freed_in_one_stream)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream();
    for (int k = 0; k < 3; k++) {
        cudaMallocAsync(&p, BYTES, a);
        fill<<<GRID(a)>>>(p, k, LATE);
        copy<<<GRID(a)>>>(q, p, 0);
        cudaFreeAsync(p, a);
    }
    return differs(q, 2);
}
/* The event says when the other stream is done with it. */
PROGRAM(freed_behind_an_event)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t filled = new_event(), used = new_event();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, 0);
    cudaEventRecord(filled, a);
    cudaStreamWaitEvent(b, filled, 0);
    copy<<<GRID(b)>>>(q, p, LATE);
    cudaEventRecord(used, b);
    cudaStreamWaitEvent(a, used, 0);
    cudaFreeAsync(p, a);
    return differs(q, 7);
}
/* cudaFree waits for the device: the kernel is done with the memory when it goes. */
PROGRAM(freed_at_once)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, 0);
    cudaFree(p);
    p = zeros_on_device();
    return differs(q, 7) + differs(p, 0);
}

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

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(one_stream),
    ROW(event_between_two_streams),
    ROW(events_through_three_streams),
    ROW(event_used_again),
    ROW(stream_synchronize_between),
    ROW(device_synchronize_between),
    ROW(query_until_done),
    ROW(two_readers),
    ROW(half_of_an_array_each),
    ROW(every_second_element_each),
    ROW(atomics_in_two_streams),
    ROW(double_buffer),
    ROW(legacy_and_blocking_stream),
    ROW(legacy_stream_as_a_barrier),
    ROW(synchronous_copy_after_a_blocking_stream),
    ROW(non_blocking_stream_with_event),
    ROW(per_thread_streams_apart),
    ROW(per_thread_streams_joined),
    ROW(pinned_read_after_the_wait),
    ROW(pinned_read_after_the_event),
    ROW(other_half_of_the_pinned_array),
    ROW(pinned_source_read_meanwhile),
    ROW(pageable_destination),
    ROW(pageable_source_changed),
    ROW(managed_read_after_the_wait),
    ROW(another_managed_array_meanwhile),
    ROW(mapped_read_after_the_wait),
    ROW(host_function_after_the_copy),
    ROW(host_function_notifies),
    ROW(event_asked_until_it_has_happened),
    ROW(mapped_flag_polled_by_the_host),
    ROW(another_thread_waits),
    ROW(symbol_copy_read_after_the_wait),
    ROW(allocated_used_and_freed_in_one_stream),
    ROW(freed_behind_an_event),
    ROW(freed_at_once),
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
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
