/*
 * Wrong programs: an order between device and host is missing. "// <-" marks the
 * lines that one report must name (../README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

/* ---- the host ---- */

/* Pinned memory is read before the copy has been waited for. */
PROGRAM(pinned_read_before_the_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    int seen = host[5];                                         // <-
    cudaStreamSynchronize(a);
    return seen != 7;
}
/* Pinned memory is changed while it is being copied. */
PROGRAM(pinned_changed_before_the_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a); // <-
    host[5] = 8;                                                // <-
    cudaStreamSynchronize(a);
    return differs(p, 0);
}
/* The other stream is waited for. */
PROGRAM(host_waits_for_the_wrong_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaStreamSynchronize(b);
    int seen = host[5]; // <-
    return seen != 7;
}
/* cudaStreamQuery asks and does not wait; here the answer is not looked at. */
PROGRAM(query_instead_of_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaStreamQuery(a);
    int seen = host[5]; // <-
    return seen != 7;
}
/* To destroy a stream is not to wait for its work. */
PROGRAM(stream_destroyed_instead_of_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaStreamDestroy(a);
    int seen = host[5]; // <-
    return seen != 7;
}
/* Memory that was registered later is pinned like memory that was allocated so. */
PROGRAM(registered_read_before_the_wait)
{
    int *p = zeros_on_device();
    int *host = (int *)aligned_alloc(4096, BYTES);
    cudaStream_t a = new_stream();
    memset(host, 0, BYTES);
    cudaHostRegister(host, BYTES, cudaHostRegisterDefault);
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    int seen = host[5];                                         // <-
    cudaDeviceSynchronize();
    return seen != 7;
}
/* Managed memory is read while the kernel may still write it. */
PROGRAM(managed_read_before_the_wait)
{
    int *p;
    cudaMallocManaged(&p, BYTES);
    memset(p, 0, BYTES);
    fill<<<GRID(0)>>>(p, 7, LATE); // <-
    int seen = p[5];               // <-
    cudaDeviceSynchronize();
    return seen != 7;
}
/* Managed memory is written while a kernel may still read it. */
PROGRAM(managed_written_before_the_wait)
{
    int *p, *q = zeros_on_device();
    cudaMallocManaged(&p, BYTES);
    memset(p, 0, BYTES);
    copy<<<GRID(0)>>>(q, p, LATE); // <-
    p[5] = 8;                      // <-
    return differs(q, 0);
}
static __managed__ int managed_total;
static __global__ void add_to_total(long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x == 0)
        atomicAdd(&managed_total, 1);
}
/* A __managed__ variable is managed memory as well. */
PROGRAM(managed_variable_read_before_the_wait)
{
    managed_total = 0;
    add_to_total<<<GRID(0)>>>(LATE); // <-
    int seen = managed_total;        // <-
    cudaDeviceSynchronize();
    return seen != 4;
}
/* Host memory mapped for the device: the kernel's writes are there when it has ended. */
PROGRAM(mapped_read_before_the_wait)
{
    int *host, *p;
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    fill<<<GRID(0)>>>(p, 7, LATE); // <-
    int seen = host[5];            // <-
    cudaDeviceSynchronize();
    return seen != 7;
}
PROGRAM(mapped_written_before_the_wait)
{
    int *host, *p, *q = zeros_on_device();
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    copy<<<GRID(0)>>>(q, p, LATE); // <-
    host[5] = 8;                   // <-
    return differs(q, 0);
}
/* The host function runs in stream a, the copy that takes what it writes in stream b. */
PROGRAM(host_function_in_another_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    auto prepare = [](void *data) {
        ((int *)data)[5] = 8; // <-
    };
    cudaLaunchHostFunc(a, prepare, host);
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, b); // <-
    cudaDeviceSynchronize();
    return 0;
}
/* The host function reads what the copy of another stream brings. */
PROGRAM(host_function_reads_too_early)
{
    static int seen;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    auto look = [](void *data) {
        seen = ((int *)data)[5]; // <-
    };
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaLaunchHostFunc(b, look, host);
    cudaDeviceSynchronize();
    return seen != 7;
}
/* The host function that says "done" stands before the copy. */
PROGRAM(host_function_notifies_too_early)
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
    cudaLaunchHostFunc(a, notify, NULL);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    std::unique_lock<std::mutex> guard(mutex);
    changed.wait(guard, [] { return done; });
    int seen = host[5]; // <-
    return seen != 7;
}
/* The answer "not ready" is not waited for: whatever the event says, the host reads. */
PROGRAM(event_asked_once)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaEventRecord(done, a);
    cudaEventQuery(done);
    int seen = host[5]; // <-
    return seen != 7;
}
/* A thread of the host reads what the copy brings; the main thread waits for the stream only afterwards. */
PROGRAM(another_thread_reads_before_the_wait)
{
    static int seen;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    std::thread reader([host] {
        seen = host[5]; // <-
    });
    reader.join();
    cudaStreamSynchronize(a);
    return seen != 7;
}
/* A graph is launched into a stream that does not wait for what it reads. */
PROGRAM(graph_launched_too_early)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
    copy<<<GRID(b)>>>(q, p, 0); // <- or
    cudaStreamEndCapture(b, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    cudaGraphLaunch(executable, b); // <- or
    cudaStreamWaitEvent(b, done, 0);
    return differs(q, 7);
}
/* The result of a device variable is copied to pinned memory, and not waited for. */
static __device__ int device_total;
static __global__ void add_to_device_total(long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x == 0)
        atomicAdd(&device_total, 1);
}
/* A copy from a symbol is as asynchronous as any other. */
PROGRAM(symbol_copy_read_before_the_wait)
{
    int *host = zeros_pinned();
    cudaStream_t a = new_stream();
    add_to_device_total<<<GRID(a)>>>(LATE);
    cudaMemcpyFromSymbolAsync(host, device_total, sizeof(int), 0, cudaMemcpyDeviceToHost, a); // <-
    int seen = host[0];                                                                       // <-
    cudaDeviceSynchronize();
    return seen != 4;
}

/* ---- memory in the order of a stream ---- */

/* Freed in one stream, used in another: nothing says that the use comes first. */
PROGRAM(freed_in_another_stream)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t filled = new_event();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, 0);
    cudaEventRecord(filled, a);
    cudaStreamWaitEvent(b, filled, 0);
    copy<<<GRID(b)>>>(q, p, LATE); // <-
    cudaFreeAsync(p, a);           // <-
    return differs(q, 7);
}
/* Used in a stream that does not wait for the allocation. */
PROGRAM(allocated_in_another_stream)
{
    int *p;
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMallocAsync(&p, BYTES, a); // <-
    fill<<<GRID(b)>>>(p, 7, 0);    // <-
    return differs(p, 7);
}
/* Used in its own stream, after it was freed there. */
PROGRAM(used_after_it_was_freed)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, 0);
    cudaFreeAsync(p, a);        // <-
    copy<<<GRID(a)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* A copy still reads what another stream frees. */
PROGRAM(freed_while_it_is_copied)
{
    int *p, *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaFreeAsync(p, b);                                        // <-
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* The host frees in a stream that waits for an event from before the last use. */
PROGRAM(freed_behind_the_wrong_event)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t filled = new_event();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, 0);
    cudaEventRecord(filled, a);
    copy<<<GRID(a)>>>(q, p, LATE); // <-
    cudaStreamWaitEvent(b, filled, 0);
    cudaFreeAsync(p, b); // <-
    return differs(q, 7);
}

static __global__ void fill_and_tell_behind_a_device_fence(int *data, int *flag, long long cycles)
{
    wait_for(cycles);
    data[element()] = 7;
    __threadfence();
    atomicAdd_system(flag, 1);
}
/* The fence between the data and the flag is one for the device: it does not reach the host. */
PROGRAM(plain_data_behind_a_fence_of_the_device)
{
    int *host, *p;
    cudaHostAlloc(&host, 2 * BYTES, cudaHostAllocMapped);
    memset(host, 0, 2 * BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    fill_and_tell_behind_a_device_fence<<<GRID(0)>>>(p, p + N, LATE); // <-
    while (__atomic_load_n(&host[N], __ATOMIC_ACQUIRE) < N)
        std::this_thread::yield();
    /* The kernel's own pages are open while it runs (docs/simulator.md): here it has ended. */
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    int seen = host[5]; // <-
    cudaDeviceSynchronize();
    return seen != 7;
}
/* Two buffers, but the host waits for an event of the first round in all rounds. */
PROGRAM(buffer_behind_an_event_of_the_first_round)
{
    int *buffer[2] = {zeros_pinned(), zeros_pinned()}, *p = zeros_on_device(), *sum = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaEvent_t copied = new_event();
    for (int round = 0; round < 4; round++) {
        if (round >= 2)
            cudaEventSynchronize(copied);
        buffer[round % 2][5] = round;                                            // <-
        cudaMemcpyAsync(p, buffer[round % 2], BYTES, cudaMemcpyHostToDevice, a); // <-
        if (round == 0)
            cudaEventRecord(copied, a);
        add<<<GRID(a)>>>(p, 1, LATE);
        copy<<<GRID(a)>>>(sum, p, 0);
    }
    cudaDeviceSynchronize();
    return 0;
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(pinned_read_before_the_wait),
    ROW(pinned_changed_before_the_wait),
    ROW(host_waits_for_the_wrong_stream),
    ROW(query_instead_of_wait),
    ROW(stream_destroyed_instead_of_wait),
    ROW(registered_read_before_the_wait),
    ROW(managed_read_before_the_wait),
    ROW(managed_written_before_the_wait),
    ROW(managed_variable_read_before_the_wait),
    ROW(mapped_read_before_the_wait),
    ROW(mapped_written_before_the_wait),
    ROW(host_function_in_another_stream),
    ROW(host_function_reads_too_early),
    ROW(host_function_notifies_too_early),
    ROW(event_asked_once),
    ROW(another_thread_reads_before_the_wait),
    ROW(graph_launched_too_early),
    ROW(symbol_copy_read_before_the_wait),
    ROW(freed_in_another_stream),
    ROW(allocated_in_another_stream),
    ROW(used_after_it_was_freed),
    ROW(freed_while_it_is_copied),
    ROW(freed_behind_the_wrong_event),
    ROW(plain_data_behind_a_fence_of_the_device),
    ROW(buffer_behind_an_event_of_the_first_round),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
