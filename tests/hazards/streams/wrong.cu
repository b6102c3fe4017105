/*
 * Wrong programs: an order between streams, or between device and host, is missing; or a copy takes what is not
 * there. "// <-" marks the lines that one report must name (README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unistd.h>

/* ---- kernel against kernel ---- */

/* Nothing orders the two streams. */
PROGRAM(write_and_read_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* Which of the two values stays is open. */
PROGRAM(two_writes_in_two_streams)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    fill<<<GRID(b)>>>(p, 8, 0);    // <-
    return differs(p, 8);
}
/* The reader is launched first, and may still run when the writer does. */
PROGRAM(read_and_write_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    copy<<<GRID(a)>>>(q, p, LATE); // <-
    fill<<<GRID(b)>>>(p, 7, 0);    // <-
    return differs(q, 0);
}
/* Plain additions of two kernels to the same elements. */
PROGRAM(sums_in_two_streams)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    add<<<GRID(a)>>>(p, 1, LATE); // <-
    add<<<GRID(b)>>>(p, 2, 0);    // <-
    return differs(p, 3);
}
/* Half of what the first writes is read by the second. */
PROGRAM(halves_overlap)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill_half<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);         // <-
    return differs(q, 7);
}
/* Three streams; the event orders the first two only. */
PROGRAM(third_stream_does_not_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    add<<<GRID(b)>>>(p, 1, LATE); // <-
    cudaStreamWaitEvent(c, done, 0);
    copy<<<GRID(c)>>>(q, p, 0); // <-
    return differs(q, 8);
}

/* ---- events ---- */

/* The event is recorded before the kernel that it should stand for. */
PROGRAM(event_recorded_too_early)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaEventRecord(done, a);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The event is recorded in the stream that waits for it. */
PROGRAM(event_recorded_in_the_other_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, b);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* A wait for an event that was never recorded waits for nothing. */
PROGRAM(event_never_recorded)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The wait takes the event as it is when it is called: recorded later, it does not count. */
PROGRAM(event_recorded_after_the_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaStreamWaitEvent(b, done, 0);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The event of an earlier kernel is waited for. */
PROGRAM(wait_for_the_wrong_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t first = new_event(), second = new_event();
    fill<<<GRID(a)>>>(q, 1, 0);
    cudaEventRecord(first, a);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(second, a);
    cudaStreamWaitEvent(b, first, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The producer waits for the consumer's event. */
PROGRAM(wait_in_the_wrong_direction)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaEventRecord(done, b);
    cudaStreamWaitEvent(a, done, 0);
    return differs(q, 7);
}
/* An idle stream waits instead of the consumer. */
PROGRAM(wait_in_the_wrong_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(c, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* Recorded again before the consumer waits, and in another stream: the first record is forgotten. */
PROGRAM(event_recorded_twice)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    cudaEventRecord(done, c);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The host waits for an event that comes before the copy. */
PROGRAM(host_waits_for_an_earlier_event)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaEventSynchronize(done);
    int seen = host[5]; // <-
    return seen != 7;
}
/* Double buffer: the next copy does not wait until the kernel has read the buffer. */
PROGRAM(buffer_refilled_too_early)
{
    int *buffer = zeros_on_device(), *q = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t copies = new_stream(), kernels = new_stream();
    cudaEvent_t full = new_event();
    for (int k = 0; k < 2; k++) {
        cudaMemcpyAsync(buffer, host, BYTES, cudaMemcpyHostToDevice, copies); // <-
        cudaEventRecord(full, copies);
        cudaStreamWaitEvent(kernels, full, 0);
        copy<<<GRID(kernels)>>>(q, buffer, LATE); // <-
    }
    return differs(q, 0);
}

/* ---- the default streams ---- */

/* A non-blocking stream does not wait for the legacy default stream. */
PROGRAM(legacy_stream_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    fill<<<GRID(0)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* Nor the legacy default stream for it. */
PROGRAM(non_blocking_then_legacy_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(0)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* cudaMemset returns before it is done (API synchronization behavior), and belongs to the legacy stream. */
PROGRAM(memset_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    cudaMemset(p, 1, BYTES);    // <-
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 0x01010101);
}
/* So does cudaMemcpy from device to device. */
PROGRAM(device_copy_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    cudaMemcpy(p, r, BYTES, cudaMemcpyDeviceToDevice); // <-
    add<<<GRID(b)>>>(p, 1, 0);                         // <-
    return differs(p, 1) + differs(q, 0);
}
/* A synchronous copy waits for the legacy stream and blocking ones, not for a non-blocking one. */
PROGRAM(copied_back_before_a_non_blocking_kernel)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    fill<<<GRID(a)>>>(p, 7, LATE);                      // <-
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return host[5] != 7;
}
/* Two host threads, each with its own default stream. */
PROGRAM(per_thread_streams_of_two_threads)
{
    int *p = zeros_on_device();
    std::thread other([p] {
        fill<<<GRID(cudaStreamPerThread)>>>(p, 7, LATE); // <-
    });
    other.join();
    add<<<GRID(cudaStreamPerThread)>>>(p, 1, 0); // <-
    return differs(p, 8);
}

/* ---- copies against kernels and copies ---- */

/* The copy is in another stream than the kernel that reads. */
PROGRAM(copy_in_another_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a); // <-
    copy<<<GRID(b)>>>(q, p, 0);                                 // <-
    return differs(q, 0);
}
/* The result is copied in another stream than the kernel that writes it. */
PROGRAM(copied_back_in_another_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);                              // <-
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, b); // <-
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* Two copies to one place. */
PROGRAM(two_copies_to_one_place)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, q, BYTES, cudaMemcpyDeviceToDevice, a);     // <-
    cudaMemcpyAsync(p, r, BYTES / 2, cudaMemcpyDeviceToDevice, b); // <-
    return differs(p, 0);
}
PROGRAM(memset_in_another_stream)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemsetAsync(p, 0, BYTES, a); // <-
    add<<<GRID(b)>>>(p, 1, 0);       // <-
    return differs(p, 1);
}
/* A pageable source is staged, but the copy to the device may still be under way in its stream. */
PROGRAM(pageable_copy_in_another_stream)
{
    static int host[N];
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a); // <-
    copy<<<GRID(b)>>>(q, p, 0);                                 // <-
    return differs(q, 0);
}
/* A column of a matrix is copied while a kernel fills the matrix. */
PROGRAM(column_copied_in_another_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);                                               // <-
    cudaMemcpy2DAsync(host, 4, p + 3, 32 * 4, 4, 32, cudaMemcpyDeviceToHost, b); // <-
    cudaDeviceSynchronize();
    return host[5] != 7;
}

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

/* ---- copies of what is not there ---- */

/* No kernel and no copy has written the array. */
PROGRAM(never_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* The kernel writes half of what is copied. */
PROGRAM(half_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    fill_half<<<GRID(0)>>>(p, 7, 0);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Elements are counted where bytes are wanted: a quarter is set. */
PROGRAM(memset_of_too_few_bytes)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemset(p, 0, N);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Elements are counted where bytes are wanted: a quarter is copied to the device, and all of it back. */
PROGRAM(copy_of_too_few_bytes)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemcpy(p, host, N, cudaMemcpyHostToDevice);
    add<<<1, 256>>>(p, 1, 0);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* The left half of each row is written, and whole rows are copied. */
PROGRAM(rows_never_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemset2D(p, 256, 1, 128, 16);
    cudaMemcpy2D(host, 256, p, 256, 256, 16, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Fresh memory is copied within the device, then to the host: one of the two copies is named. */
PROGRAM(never_written_copied_twice)
{
    static int host[N];
    int *p, *q;
    cudaMalloc(&p, BYTES);
    cudaMalloc(&q, BYTES);
    cudaMemcpy(q, p, BYTES, cudaMemcpyDeviceToDevice);  // <- or
    cudaMemcpy(host, q, BYTES, cudaMemcpyDeviceToHost); // <- or
    return 0;
}

/* ---- sizes that do not fit ---- */

PROGRAM(copy_past_the_end)
{
    static int host[2 * N];
    int *p;
    cudaMalloc(&p, BYTES);
    return cudaMemcpy(p, host, 2 * BYTES, cudaMemcpyHostToDevice) == cudaSuccess; // <-
}
PROGRAM(copied_back_past_the_end)
{
    static int host[2 * N];
    int *p = zeros_on_device();
    return cudaMemcpy(host, p + 8, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
PROGRAM(memset_past_the_end)
{
    int *p;
    cudaMalloc(&p, BYTES);
    return cudaMemset(p, 0, BYTES + 4) == cudaSuccess; // <-
}
PROGRAM(rows_past_the_end)
{
    static int host[2 * N];
    int *p = zeros_on_device();
    return cudaMemcpy2D(host, 256, p, 256, 256, 17, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
/* The pinned array is smaller than what is copied into it. */
PROGRAM(pinned_array_too_small)
{
    int *host, *p = zeros_on_device();
    cudaMallocHost(&host, BYTES / 2);
    return cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
PROGRAM(symbol_too_small)
{
    int two[2] = {1, 2};
    return cudaMemcpyToSymbol(factor, two, sizeof two) == cudaSuccess; // <-
}
PROGRAM(asynchronous_copy_past_the_end)
{
    int *p, *host;
    cudaStream_t a = new_stream();
    cudaMalloc(&p, BYTES);
    cudaMallocHost(&host, 2 * BYTES);
    memset(host, 0, 2 * BYTES);
    return cudaMemcpyAsync(p, host, 2 * BYTES, cudaMemcpyHostToDevice, a) == cudaSuccess; // <-
}

/* ---- programs that do not end in the usual way: what was found is said all the same ---- */

PROGRAM(ends_by_abort)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    abort();
}
PROGRAM(ends_by_exit_at_once)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    _exit(3);
}
PROGRAM(ends_by_an_exception)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    throw std::runtime_error("nothing catches this");
}
PROGRAM(ends_by_a_fault_of_the_host)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    return p[0]; /* memory of the device */
}
PROGRAM(ends_by_a_signal)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    raise(SIGTERM);
    return 0;
}
/* The program ends, and waits for nothing. */
PROGRAM(ends_without_a_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return 0;
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(write_and_read_in_two_streams),
    ROW(two_writes_in_two_streams),
    ROW(read_and_write_in_two_streams),
    ROW(sums_in_two_streams),
    ROW(halves_overlap),
    ROW(third_stream_does_not_wait),
    ROW(event_recorded_too_early),
    ROW(event_recorded_in_the_other_stream),
    ROW(event_never_recorded),
    ROW(event_recorded_after_the_wait),
    ROW(wait_for_the_wrong_event),
    ROW(wait_in_the_wrong_direction),
    ROW(wait_in_the_wrong_stream),
    ROW(event_recorded_twice),
    ROW(host_waits_for_an_earlier_event),
    ROW(buffer_refilled_too_early),
    ROW(legacy_stream_then_non_blocking),
    ROW(non_blocking_then_legacy_stream),
    ROW(memset_then_non_blocking),
    ROW(device_copy_then_non_blocking),
    ROW(copied_back_before_a_non_blocking_kernel),
    ROW(per_thread_streams_of_two_threads),
    ROW(copy_in_another_stream),
    ROW(copied_back_in_another_stream),
    ROW(two_copies_to_one_place),
    ROW(memset_in_another_stream),
    ROW(pageable_copy_in_another_stream),
    ROW(column_copied_in_another_stream),
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
    ROW(constant_changed_under_a_kernel),
    ROW(constant_changed_under_a_non_blocking_kernel),
    ROW(texture_written_in_another_stream),
    ROW(branches_of_a_captured_graph),
    ROW(nodes_without_an_edge),
    ROW(copy_node_without_an_edge),
    ROW(graph_and_kernel_in_two_streams),
    ROW(two_graphs_in_two_streams),
    ROW(never_written_copied_back),
    ROW(half_written_copied_back),
    ROW(memset_of_too_few_bytes),
    ROW(copy_of_too_few_bytes),
    ROW(rows_never_written_copied_back),
    ROW(never_written_copied_twice),
    ROW(copy_past_the_end),
    ROW(copied_back_past_the_end),
    ROW(memset_past_the_end),
    ROW(rows_past_the_end),
    ROW(pinned_array_too_small),
    ROW(symbol_too_small),
    ROW(asynchronous_copy_past_the_end),
    ROW(ends_by_abort),
    ROW(ends_by_exit_at_once),
    ROW(ends_by_an_exception),
    ROW(ends_by_a_fault_of_the_host),
    ROW(ends_by_a_signal),
    ROW(ends_without_a_wait),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
